"""Cases of bench/cases for array libraries of Python; numpy_bench.py and numexpr_bench.py say what an op is there.

Takes the options of Google Benchmark that lanewise_bench_pair uses and prints its JSON. One thread.
"""

import argparse
import json
import re
import sys
import time

import numpy as np

ALL_SIZES = [2**k for k in range(10, 25, 2)]
UNARY_SIZES = [2**10, 2**14, 2**18, 2**24]
OTHER_SIZES = {"contiguous_add_out": ALL_SIZES, "contiguous_add": [2**14, 2**18, 2**24],
               "contiguous_pow_scalar": [2**14, 2**18], "contiguous_pow_tensor": [2**14, 2**18],
               "contiguous_where": [2**14, 2**20], "contiguous_lt": [2**14, 2**20], "contiguous_lerp": [2**14, 2**20],
               "overhead_add": [1, 8, 64], "overhead_sum": [1, 64], "reduce_sum_all": [2**14, 2**18, 2**24]}

REFERENCES = {
    "exp": lambda x, y: np.exp(x), "log": lambda x, y: np.log(x), "sin": lambda x, y: np.sin(x),
    "cos": lambda x, y: np.cos(x), "tanh": lambda x, y: np.tanh(x), "sigmoid": lambda x, y: 1 / (1 + np.exp(-x)),
    "sqrt": lambda x, y: np.sqrt(x), "neg": lambda x, y: -x, "abs": lambda x, y: np.abs(x),
    "add_out": lambda x, y: x + y, "add": lambda x, y: x + y, "pow_scalar": lambda x, y: x**2.5,
    "pow_tensor": lambda x, y: x**y, "where": lambda x, y: np.where(x < 1, x, y), "lt": lambda x, y: x < y,
    "lerp": lambda x, y: x + 0.3 * (y - x), "sum": lambda x, y: np.sum(x), "sum_all": lambda x, y: np.sum(x),
}


def seconds_per_run(run, min_time):
    """The mean over enough runs to fill min_time, as Google Benchmark counts."""
    runs = 1
    while True:
        start = time.perf_counter()
        for _ in range(runs):
            run()
        spent = time.perf_counter() - start
        if spent >= min_time:
            return spent / runs
        runs = max(runs + 1, int(runs * min(10.0, 1.4 * min_time / max(spent, 1e-9))))


def main(prepare):
    """prepare(name, x, y, out) -> a callable that returns the result of the case `name`, or None if the library has no such op."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--benchmark_format", default="json")
    parser.add_argument("--benchmark_min_warmup_time", type=float, default=0.0)
    parser.add_argument("--benchmark_min_time", type=float, default=0.05)
    parser.add_argument("--benchmark_filter", default=".")
    options = parser.parse_args()
    random = np.random.default_rng(1)
    entries = []
    for short, reference in REFERENCES.items():
        name = next((p + short for p in ("contiguous_", "overhead_", "reduce_") if p + short in OTHER_SIZES), "contiguous_" + short)
        names = [name] + (["overhead_add"] if short == "add" else [])
        for case in names:
            for n in OTHER_SIZES.get(case, UNARY_SIZES):
                full = f"{case}/{n}"
                if not re.search(options.benchmark_filter, full):
                    continue
                x, y = (random.random(n, dtype=np.float32) + np.float32(0.5) for _ in range(2))
                run = prepare(short, x, y, np.empty(n, np.float32))
                if run is None:
                    continue
                entry = {"name": full, "time_unit": "ns"}
                want = reference(x.astype(np.float64), y.astype(np.float64))
                if not np.allclose(np.asarray(run(), np.float64), want, rtol=1e-4 if "sum" in short else 1e-5, atol=1e-5):
                    entry.update(error_occurred=True, error_message="wrong answer")
                else:
                    seconds_per_run(run, options.benchmark_min_warmup_time)
                    entry["real_time"] = seconds_per_run(run, options.benchmark_min_time) * 1e9
                entries.append(entry)
    json.dump({"benchmarks": entries}, sys.stdout)
