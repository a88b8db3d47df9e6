#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Known clusters at random, each calibrated in the simulator: does the file that is found predict programs that calibration does not contain?

usage: random_programs.py BUILD NOISE FIRST [LAST] [--most-median PERCENT] [--most-late PERCENT] [--folder FOLDER]

Clusters are those of random_known.py, seeds FIRST to LAST. Each sample is off by up to NOISE (a part of it; uniform, by the seed). Says of each seed how
far predictions of the programs are off in the median and at most, and which one that is, how long the fit took and whether it warned. Exit code 1 if the median of all
is more than 2 %, or the 95th percentile more than 5 %, or one of the file's own probes is more than 10 % off without a warning.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import random_known
import samples_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
# what tells right from wrong, or counts, and no time
UNDISTURBED = ("late_probe", "late_tests", "put_while_computing", "gets_at_once", "updates_at_once", "behind_large", "late_receiver")
PATTERNS = (("allgather-ring", 20000), ("bcast-pipeline", 300000), ("bcast-binomial", 2000), ("halo", 5000), ("halo", 200000), ("overlap", 150000), ("wave", 40000),
            ("farm", 100000), ("alltoall-linear", 30000), ("alltoall-shift", 150000), ("gather-linear", 3000), ("allreduce-ring", 6400))
VARIANTS = ("basic", "P", "P+FC")
PUTS = ("put_latency 8 2", "put_latency 4096 2", "put_bw 64 2", "put_bw 65536 2", "get_latency 4096 2")


def disturbed(lines, noise, seed):
    draw = random.Random(seed)
    for line in lines:
        fields = line.split(",")
        if noise > 0 and samples_text.is_sample(line) and fields[0] not in UNDISTURBED and not fields[0].startswith("first_"):
            yield ",".join(fields[:4] + [repr(float(fields[4]) * draw.uniform(1 - noise, 1 + noise))])
        else:
            yield line


class Bench:
    """The programs of a build."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.run, self.fit = build / "bin/mpisim-run", build / "calibrate/mpisim-calibrate-fit"

    def simulate(self, cluster, ranks, *command):
        return subprocess.run([self.run, "--quiet", "--deterministic", "--compute", "modelled", "--no-alloc", "--cluster", cluster, "-n", str(ranks), *command],
                              check=True, capture_output=True, text=True, timeout=1000).stdout

    def times(self, path, cluster):
        """{program: seconds}; computing takes about as long as a message."""
        n, found = cluster.n_nodes, {}
        for pattern, size in PATTERNS:
            compute_s = cluster.latency_s + size / cluster.rate_Bps
            printed = self.simulate(path, n, "--placement", "cyclic", self.build / "validation/emulated/patterns", pattern, str(size), "3", f"{compute_s:.9f}")
            found[f"{pattern} {size}"] = float(printed.split("wall_s")[1].split()[0])
        for variant in VARIANTS:
            result = self.folder / "lu.json"
            self.simulate(path, n, "--placement", "cyclic", "--json", result, "--bench", ROOT / "validation/emulated/kernels.bench", self.build / "apps/lu", "--n", "648",
                          "--r", "81", "--roles", "both", "--variant", variant)
            found[f"LU {variant}"] = json.loads(result.read_text(encoding="utf-8"))["predicted_time_s"]
        tests = self.folder / "puts.txt"
        tests.write_text("\n".join(PUTS) + "\n", encoding="utf-8")
        found.update(zip(PUTS, map(float, self.simulate(path, 2, "--placement", "cyclic", self.build / "calibrate/mpisim-benchmark.simulated", tests).split())))
        return found

    def calibrate(self, known, cluster, noise):
        """The file that is found, what the fit says, and how long it took."""
        samples, noisy, found = (self.folder / f"{cluster.seed}{end}" for end in (".csv", ".noisy.csv", ".found.yaml"))
        self.simulate(known, cluster.n_ranks(), self.build / "calibrate/mpisim-calibrate.simulated", "--samples", samples)
        samples_text.write(noisy, disturbed(samples.read_text(encoding="utf-8").splitlines(), noise, cluster.seed))
        begin = time.monotonic()
        done = subprocess.run([self.fit, noisy, "-o", found], capture_output=True, text=True, check=True)
        return found, done, time.monotonic() - begin


def compare(bench, seed, noise):
    """{program: how far its prediction is off}, whether a bad file says so."""
    cluster = random_known.Cluster(seed)
    cluster.seed = seed
    known = bench.folder / f"{seed}.yaml"
    known.write_text(cluster.text(), encoding="utf-8")
    found, done, took_s = bench.calibrate(known, cluster, noise)
    wanted, predicted = bench.times(known, cluster), bench.times(found, cluster)
    off = {name: predicted[name] / time_s - 1 for name, time_s in wanted.items()}
    worst = max(off, key=lambda name: abs(off[name]))
    checked = subprocess.run([bench.fit, bench.folder / f"{seed}.noisy.csv", "--check", found], capture_output=True, text=True, check=False)
    is_silent = checked.returncode == 1 and "more than 10 % off" not in done.stderr
    print(f"seed {seed}, noise {noise:.0%}: median {statistics.median(map(abs, off.values())):.2%}, most {off[worst]:+.2%} ({worst}); {took_s:.0f} s"
          f"{', warned' if 'warning' in done.stderr else ''}{', SILENT' if is_silent else ''}", flush=True)
    return [abs(value) for value in off.values()], is_silent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("noise", type=float)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int, nargs="?")
    parser.add_argument("--most-median", type=float, default=2)
    parser.add_argument("--most-late", type=float, default=5)
    parser.add_argument("--folder", type=pathlib.Path)
    args = parser.parse_args()
    errors, n_silent = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        bench = Bench(args.build.resolve(), folder)
        for seed in range(args.first, (args.last or args.first) + 1):
            here, is_silent = compare(bench, seed, args.noise)
            errors += here
            n_silent += is_silent
    late = sorted(errors)[int(0.95 * (len(errors) - 1))]
    print(f"{len(errors)} predictions: median {statistics.median(errors):.2%}, 95th percentile {late:.2%}; {n_silent} files do not say that they are wrong")
    sys.exit(bool(100 * statistics.median(errors) > args.most_median or 100 * late > args.most_late or n_silent))


main()
