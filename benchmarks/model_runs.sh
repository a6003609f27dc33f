#!/usr/bin/env bash
# Every training run and audit that docs/results/models.md shows, in order:
#   benchmarks/model_runs.sh FOLDER [mutag|qm9|corpus|orders|planar …]     (default: all)
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

train_orders() { # L's tables 1 and 2 and its stability prediction in miniature
  train_orders
  common=(--holdout "$out/qm9/test.smi" --decoding pure_sample -n 512 --repeats 1 --bootstraps 50
    --nll-draws 1 --linearization --permutations 32 --test-graphs 200)
  for strategy in "${strategies[@]}"; do
    $graphassay audit --run "$out/sent-$strategy" "${common[@]}" --out "$out/audit-orders-$strategy"
  done
  others=()
  for strategy in min-degree max-degree anchor; do
    others+=(--matrix-run "$out/sent-$strategy")
  done
  $graphassay audit --run "$out/sent-random" "${others[@]}" "${common[@]}" --strategies all \
    --out "$out/audit-orders-matrix"
}

planar() { # L's 128 planar graphs: validity, uniqueness and novelty over the steps
  for split in train test; do
    $graphassay datasets planar --split "$split" --out "$out/planar-$split.jsonl"
  done
  for strategy in random anchor; do
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

for part in "${@:-mutag qm9 corpus orders planar}"; do
  for name in $part; do "$name"; done
done
