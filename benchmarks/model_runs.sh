#!/usr/bin/env bash
# Every training run and audit that docs/results/models.md shows, in order:
#   benchmarks/model_runs.sh FOLDER [mutag|qm9|corpus|orders|seeds|planar …]     (default: all)
# Finished runs and cells are kept: started again, it goes on. docs/results/models.md says how long
# each part takes.
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

sent_run() { # STRATEGY SEED: the run's name; seed 0 has the plain one
  if [ "$2" = 0 ]; then echo "sent-$1"; else echo "sent-$1-seed-$2"; fi
}

train_orders() { # STRATEGY SEED: one pass over all training molecules, explicit hydrogens
  split_qm9
  $graphassay train --data "$out/qm9/train.smi" --hydrogens explicit-h --seed "$2" \
    --config recipes/study-l-cpu-small.toml --serialization "sent:$1" --out "$out/$(sent_run "$1" "$2")"
}

qm9() { # an hour of one core: five passes in random order, audited as a generator of molecules
  split_qm9
  $graphassay train --data "$out/qm9/train.smi" --hydrogens explicit-h --epochs 5 \
    --config recipes/study-l-cpu-small.toml --serialization sent:random --out "$out/qm9-hour"
  $graphassay audit --run "$out/qm9-hour" --holdout "$out/qm9/test.smi" --decoding pure_sample \
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

orders() { # L's tables 1 and 2 and its stability prediction in miniature, three seeds
  common=(--holdout "$out/qm9/test.smi" --decoding pure_sample -n 512 --repeats 1 --bootstraps 50
    --nll-draws 1 --linearization --permutations 32 --test-graphs 200)
  for seed in 0 1 2; do
    for strategy in "${strategies[@]}"; do
      run=$(sent_run "$strategy" "$seed")
      train_orders "$strategy" "$seed"
      $graphassay audit --run "$out/$run" "${common[@]}" --out "$out/audit-orders-${run#sent-}"
    done
  done
  others=()
  for strategy in min-degree max-degree anchor; do
    others+=(--matrix-run "$out/sent-$strategy")
  done
  $graphassay audit --run "$out/sent-random" "${others[@]}" "${common[@]}" --strategies all \
    --out "$out/audit-orders-matrix"
}

seeds() { # three training seeds of one model: how much of a number is luck
  runs=()
  for seed in 0 1 2; do
    train_orders random "$seed"
    runs+=(--run "$out/$(sent_run random "$seed")")
  done
  $graphassay audit "${runs[@]}" --holdout "$out/qm9/test.smi" --decoding pure_sample \
    --decoding-seeds 3 --out "$out/audit-seeds"
}

planar() { # L's 128 planar graphs: validity, uniqueness and novelty over the steps
  for split in train test; do
    $graphassay datasets planar --split "$split" --out "$out/planar-$split.jsonl"
  done
  for strategy in "${strategies[@]}"; do
    run=$out/planar-$strategy
    $graphassay train --data "$out/planar-train.jsonl" --config recipes/planar-cpu.toml \
      --serialization "sent:$strategy" --out "$run"
    for checkpoint in "$run"/checkpoint-*; do
      samples=$out/planar-$strategy-${checkpoint##*-}
      $graphassay sample "$checkpoint" -n 40 --decoding pure_sample --out "$samples.jsonl"
      $graphassay metrics --train "$out/planar-train.jsonl" --generated "$samples.jsonl" \
        --holdout "$out/planar-test.jsonl" --out "$samples.json" \
        --only planar_validity,graph_uniqueness,graph_novelty,degree_mmd,spectral_mmd
    done
  done
}

for part in "${@:-mutag qm9 corpus orders seeds planar}"; do
  for name in $part; do "$name"; done
done
