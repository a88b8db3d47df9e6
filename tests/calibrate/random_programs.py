#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Known clusters at random, each calibrated in the simulator: does the file that is found predict programs that calibration does not contain?

usage: random_programs.py BUILD NOISE SEED... [--most-median PERCENT] [--most-late PERCENT] [--folder FOLDER] [--csv FILE]

Clusters are those of random_known.py; 1-40 are so many seeds. Each sample is off by up to NOISE (a part of it; uniform, by the seed). Says of each seed how
far predictions of the programs are off in the median and at most, and which one that is, how long the fit took and whether it warned. Exit code 1 if the median of all
is more than 2 %, or the 95th percentile more than 5 %, or one of the file's own probes is more than 10 % off without a warning. FILE gets a row for each prediction,
as random_programs.csv has them.
"""
import argparse
import pathlib
import statistics
import sys
import tempfile

import programs
import random_known


def compare(bench, seed, noise):
    """How far predictions are off, whether a bad file says so."""
    cluster = random_known.Cluster(seed)
    path = bench.folder / f"{seed}.yaml"
    path.write_text(cluster.text(), encoding="utf-8")
    known = ["--cluster", path]
    found, said, took_s, is_silent = bench.find(bench.calibrate(known, cluster.n_ranks(), str(seed)), noise, seed)
    compute_s = {size: cluster.latency_s + size / cluster.rate_Bps for _, size in programs.PATTERNS}
    off = programs.errors(*(bench.programs(of, cluster.n_nodes, compute_s) for of in (known, ["--cluster", found])))
    print(f"seed {seed}, noise {noise:.0%}: median {statistics.median(map(abs, off.values())):.2%}, most {programs.worst(off)}; {took_s:.0f} s"
          f"{', warned' if 'warning' in said else ''}{', SILENT' if is_silent else ''}", flush=True)
    return off, is_silent


def seeds_of(text):
    """7, or those of 1-40."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("noise", type=float)
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--most-median", type=float, default=2)
    parser.add_argument("--most-late", type=float, default=5)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--csv", type=pathlib.Path)
    args = parser.parse_args()
    off, n_silent = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        bench = programs.Bench(args.build.resolve(), folder)
        for seed in (seed for text in args.seeds for seed in seeds_of(text)):
            here, is_silent = compare(bench, seed, args.noise)
            off += map(abs, here.values())
            n_silent += is_silent
            if args.csv:
                with open(args.csv, "a", encoding="utf-8") as file:
                    file.writelines(f"{seed},{args.noise:g},{name},{value:.5f}\n" for name, value in here.items())
    median, late = statistics.median(off), programs.late(off)
    print(f"{len(off)} predictions: median {median:.2%}, 95th percentile {late:.2%}; {n_silent} files do not say that they are wrong")
    sys.exit(bool(100 * median > args.most_median or 100 * late > args.most_late or n_silent))


main()
