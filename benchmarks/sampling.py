"""Sequences per second: our sampler beside `model.generate`, same model, settings and batch.

    python benchmarks/sampling.py [-n 512] [--rounds 3]

Two loads: sequences as the model ends them, and exactly 100 tokens each (nobody finishes early).
Best of --rounds interleaved rounds; CPU seconds beside, which a busy neighbour disturbs less.
Claim: at least 3 times generate's sequences per second.
"""

import argparse
import time
from collections.abc import Callable

import torch
from transformers import AutoModelForCausalLM

from graphassay.lm.decoding import DECODINGS
from graphassay.lm.llama import Llama
from graphassay.lm.run import Run
from graphassay.lm.sample import draw_samples
from small_run import small_run

BATCH, THREADS = 64, 2
DECODING = DECODINGS["both_default"]


def rates(work: Callable[[], int]) -> tuple[float, float]:
    """Sequences per second, and per CPU second."""
    wall, cpu = time.perf_counter(), time.process_time()
    n = work()
    return n / (time.perf_counter() - wall), n / (time.process_time() - cpu)


def generate(model: torch.nn.Module, run: Run, n: int, *, fixed: bool) -> int:
    vocabulary = run.linearizer.vocabulary
    limit = 100 if fixed else model.config.max_position_embeddings - 1
    for _ in range(0, n, BATCH):
        start = torch.full((BATCH, 1), vocabulary.bos)
        model.generate(
            start,
            attention_mask=torch.ones_like(start),
            do_sample=True,
            temperature=DECODING.temperature,
            top_p=DECODING.top_p,
            top_k=DECODING.top_k,
            max_new_tokens=limit,
            min_new_tokens=limit if fixed else None,
        )
    return n


def ours(model: Llama, run: Run, n: int, *, fixed: bool, constrained: bool = False) -> int:
    class Endless:  # a vocabulary whose EOS never comes
        bos, eos, pad, tokens = 1, -1, 0, run.linearizer.vocabulary.tokens

        def __len__(self) -> int:
            return len(self.tokens)

    drawn = draw_samples(
        model,
        Endless() if fixed else run.linearizer.vocabulary,
        range(n),
        decoding=DECODING,
        seed=0,
        grammar=run.linearizer.grammar() if constrained else None,
        max_tokens=101 if fixed else None,
        batch_size=BATCH,
        threads=THREADS,
    )
    return sum(1 for _ in drawn)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    run = small_run()
    for fixed in (False, True):
        n = BATCH * 2 if fixed else options.n
        print("\n100 tokens each" if fixed else "\nas the model ends them", f"(n = {n})")
        for precision, dtype in (("float32", torch.float32), ("bf16", torch.bfloat16)):
            theirs = AutoModelForCausalLM.from_pretrained(run.folder, dtype=dtype)
            model = run.llama(precision=precision, device="cpu")
            best = dict.fromkeys(("generate", "ours", "ours, by the grammar"), (0.0, 0.0))
            for _ in range(options.rounds):
                works = {
                    "generate": lambda m=theirs, f=fixed, n=n: generate(m, run, n, fixed=f),
                    "ours": lambda m=model, f=fixed, n=n: ours(m, run, n, fixed=f),
                }
                if not fixed:
                    works["ours, by the grammar"] = lambda m=model, n=n: ours(
                        m, run, n, fixed=False, constrained=True
                    )
                for name, work in works.items():
                    found = rates(work)
                    best[name] = (max(best[name][0], found[0]), max(best[name][1], found[1]))
            for name, (wall, cpu) in best.items():
                if wall:
                    print(
                        f"{precision:8} {name:22} {wall:8.1f} sequences/s "
                        f"x {wall / best['generate'][0]:.2f}   "
                        f"per CPU second {cpu:7.1f} x {cpu / best['generate'][1]:.2f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
