#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Known clusters at random, whose times of benchmarks mpisim-calibrate-fit --fit is given: does the file predict operations that it was not given?

usage: random_times.py MPISIM_RUN BENCHMARK FIT NOISE FIRST [LAST]

Times are latency, streams one way and both ways, and an all-to-all, each off by up to NOISE (a part of it; uniform, by the seed). Seeds FIRST to LAST;
says of each how far the held-out operations are off in the median and at most. Exit code 1 if the median of all is more than 2 % or the 95th percentile more than 5 %.
"""
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

RANKS, SIZES = 4, [4 ** k for k in range(12)]
GIVEN = [(name, size, 2) for name in ("latency", "bw", "bibw") for size in SIZES] + [("alltoall", size, RANKS) for size in SIZES[2:10:2]]
HELD_OUT = [(name, size, RANKS) for name in ("bcast", "gather", "allgather", "allreduce", "sendrecv", "exchange") for size in (8, 500, 3000, 20000, 200000, 1000000)]
MOST_MEDIAN, MOST_LATE = 0.02, 0.05


def between(draw, low, high):
    """Small and large values alike."""
    return low * (high / low) ** draw.random()


def cluster_of(draw):
    latency_s, rate = between(draw, 0.8e-6, 100e-6), between(draw, 100e6, 25e9)
    send, receive = (between(draw, 0.05, 0.8) * min(latency_s, 5e-6) for _ in range(2))
    lines = ["mpisim_cluster: 1", f"nodes: {RANKS}", "network:", f"  latency: {latency_s * 1e6:.4f}us", f"  bandwidth: {rate / 1e6:.3f} MB/s"]
    if draw.random() < 0.3:
        lines.append(f"  losses: {{duplex: {draw.uniform(0.05, 0.4):.3f}}}")
    if draw.random() < 0.3:
        lines.append(f"  burst: {between(draw, 2e3, 64e3):.0f}")
    lines += ["protocol:", "  overhead:", f"    send: {send * 1e6:.4f}us", f"    recv: {receive * 1e6:.4f}us"]
    if draw.random() < 0.3:
        lines.append(f"    per_byte: {between(draw, 0.1, 0.6) / rate * 1e9:.5f}ns")
    if draw.random() < 0.8:
        lines.append(f"  eager_threshold: {draw.choice(SIZES[5:9])}")
    return "\n".join(lines) + "\n"


def times(run, benchmark, cluster, tests, folder):
    path = folder / "tests.txt"
    path.write_text("".join(f"{name} {size} {ranks}\n" for name, size, ranks in tests), encoding="utf-8")
    done = subprocess.run([run, "--quiet", "--deterministic", "--compute", "modelled", "--no-alloc", "--cluster", cluster, "-n", str(RANKS), benchmark, path],
                          check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


def errors_of(seed, noise, run, benchmark, fit):
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        known, table, found = (folder / name for name in ("known.yaml", "times.csv", "found.yaml"))
        known.write_text(cluster_of(draw), encoding="utf-8")
        rows = [f"{name},{size},{time * draw.uniform(1 - noise, 1 + noise) * 1e6:.6f}us,{ranks}"
                for (name, size, ranks), time in zip(GIVEN, times(run, benchmark, known, GIVEN, folder))]
        table.write_text("\n".join(["operation,size,time,ranks"] + rows) + "\n", encoding="utf-8")
        subprocess.run([fit, "--fit", table, "-o", found, "--library", "plain"], check=True, capture_output=True)
        return [abs(other / time - 1) for time, other in zip(times(run, benchmark, known, HELD_OUT, folder), times(run, benchmark, found, HELD_OUT, folder))]


def main():
    programs, noise, first = sys.argv[1:4], float(sys.argv[4]), int(sys.argv[5])
    last, errors = int(sys.argv[6]) if len(sys.argv) > 6 else first, []
    for seed in range(first, last + 1):
        here = errors_of(seed, noise, *programs)
        print(f"seed {seed}, noise {noise:.0%}: median {statistics.median(here):.2%}, most {max(here):.2%}", flush=True)
        errors += here
    late = sorted(errors)[int(0.95 * (len(errors) - 1))]
    print(f"{len(errors)} predictions: median {statistics.median(errors):.2%}, 95th percentile {late:.2%}")
    sys.exit(statistics.median(errors) > MOST_MEDIAN or late > MOST_LATE)


main()
