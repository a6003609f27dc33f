#!/usr/bin/env bash
# Every training run and audit that docs/results/models.md shows, in order:
#   benchmarks/model_runs.sh FOLDER [mutag|qm9|corpus|orders|planar …]     (default: all)
# Finished runs and cells are kept: started again, it goes on. On one core of a 2-core machine
# mutag takes about 15 minutes, orders 60, qm9 10 after orders, corpus 30, planar 15.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
shared=${GRAPHASSAY_SHARED:-../shared/data}
graphassay=${GRAPHASSAY:-.venv/bin/graphassay}
strategies=(random min-degree max-degree anchor)

split_qm9() { [ -f "$out/qm9/test.smi" ] || .venv/bin/python benchmarks/qm9_split.py "$out/qm9"; }

mutag() { # M's table 20 in miniature, DFS codes and DGMG actions
  $graphassay train --data "$shared/tu/MUTAG.zip" --config recipes/study-m-cpu.toml \
    --set learning_rate=1e-4 --tokens 1200000 --out "$out/mutag-dfs"
  $graphassay train --data "$shared/tu/MUTAG.zip" --config recipes/study-m-cpu.toml \
    --serialization dgmg:label --tokens 2400000 --out "$out/mutag-dgmg"
  for run in mutag-dfs mutag-dgmg; do
    $graphassay audit --run "$out/$run" --trajectory --unconstrained --out "$out/audit-$run"
  done
}

train_orders() {
  split_qm9
  for strategy in "${strategies[@]}"; do
    $graphassay train --data "$out/qm9/train.smi" --hydrogens explicit-h \
      --config recipes/study-l-cpu-small.toml --serialization "sent:$strategy" \
      --out "$out/sent-$strategy"
  done
}

qm9() { # one pass over all training molecules, explicit hydrogens, SENT in random order
  train_orders
  $graphassay audit --run "$out/sent-random" --holdout "$out/qm9/test.smi" --decoding pure_sample \
    --quality --out "$out/audit-qm9"
}

corpus() { # one model and budget, four sizes of corpus
  split_qm9
  for n in 128 1000 10000 97734; do
    data=$out/qm9/train-$n.smi
    [ "$n" = 97734 ] && data=$out/qm9/train.smi
    $graphassay train --data "$data" --config recipes/corpus-size-cpu.toml --out "$out/corpus-$n"
    $graphassay audit --run "$out/corpus-$n" --holdout "$out/qm9/test.smi" \
      --decoding pure_sample --out "$out/audit-corpus-$n"
  done
}

orders() { # L's tables 1 and 2 and its stability prediction in miniature
  train_orders
  for strategy in "${strategies[@]}"; do
    others=()
    if [ "$strategy" = random ]; then
      for other in min-degree max-degree anchor; do others+=(--matrix-run "$out/sent-$other"); done
    fi
    $graphassay audit --run "$out/sent-$strategy" --holdout "$out/qm9/test.smi" \
      --decoding pure_sample --linearization --permutations 32 --strategies all \
      --test-graphs 200 "${others[@]}" --out "$out/audit-orders-$strategy"
  done
}

for part in "${@:-mutag qm9 corpus orders}"; do
  for name in $part; do "$name"; done
done
