"""Sequences per second: our sampler beside `model.generate`, same model, settings and batch.

    python benchmarks/sampling.py

Two loads: sequences as the model ends them, and exactly 100 tokens each (nobody finishes early).
Best of three interleaved rounds. Claim: at least 3 times generate's sequences per second.
"""

import time
from collections.abc import Callable

import torch
from small_run import small_run
from transformers import AutoModelForCausalLM

from graphassay.lm.decoding import DECODINGS
from graphassay.lm.llama import Llama
from graphassay.lm.run import Run
from graphassay.lm.sample import draw_samples

BATCH, N, ROUNDS, THREADS = 64, 384, 2, 2
DECODING = DECODINGS["both_default"]


def rate(work: Callable[[], int]) -> float:
    start = time.perf_counter()
    n = work()
    return n / (time.perf_counter() - start)


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
    torch.set_num_threads(THREADS)
    run = small_run()
    for fixed in (False, True):
        n = BATCH * 2 if fixed else N
        print("\n100 tokens each" if fixed else "\nas the model ends them", f"(n = {n})")
        for precision, dtype in (("float32", torch.float32), ("bf16", torch.bfloat16)):
            theirs = AutoModelForCausalLM.from_pretrained(run.folder, dtype=dtype)
            model = run.llama(precision=precision, device="cpu")
            best = dict.fromkeys(("generate", "ours", "ours, by the grammar"), 0.0)
            for _ in range(ROUNDS):
                works = {
                    "generate": lambda m=theirs, f=fixed: generate(m, run, n, fixed=f),
                    "ours": lambda m=model, f=fixed: ours(m, run, n, fixed=f),
                }
                if not fixed:
                    works["ours, by the grammar"] = lambda m=model: ours(
                        m, run, n, fixed=False, constrained=True
                    )
                for name, work in works.items():
                    best[name] = max(best[name], rate(work))
            for name, value in best.items():
                if value:
                    ratio = value / best["generate"]
                    print(f"{precision:8} {name:22} {value:8.1f} sequences/s  x {ratio:.2f}")


if __name__ == "__main__":
    main()
