#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts speed-ups of the travelling salesman on the cluster of the thesis, where one is published: 6 on 8 nodes for 17 cities, load-balanced with
shared bounds (lu_thesis.csv, last lines).

    validation/tsp_thesis.py BUILD

BUILD is the build directory. Nothing is fitted. The instance of the thesis and its cost per node of the search tree are not published, so ten random instances
are predicted at two costs.
"""
import statistics

import common
from common import ROOT

CLUSTER = ROOT / "clusters/ultrasparc-fast-ethernet.yaml"
PUBLISHED = 6.0
SEEDS = range(1, 11)
NODE_TIMES = {"1e-6": "1 µs", "1e-5": "10 µs"}
# One worker on each of eight nodes; the rank that hands out the work shares the first one.
N_RANKS, PLACEMENT = "9", "0,0-7"


def search_time(build, n_ranks, placement, seed, node_time):
    output = common.run([f"{build}/bin/mpisim-run", "--quiet", "--cluster", str(CLUSTER), "-n", n_ranks, "--placement", placement,
                         "--compute", "modelled", f"{build}/apps/tsp", "--cities", "17", "--variant", "balanced", "--seed", str(seed),
                         "--node-time", node_time])
    return float(dict(line.split(" ", 1) for line in output.splitlines())["wall_s"])


def table(build):
    lines = ["| time per tree node | median search on one node (s) | published speed-up | mpisim: median | smallest, largest of ten | error of the median |",
             "|--:|--:|--:|--:|--:|--:|"]
    for node_time, name in NODE_TIMES.items():
        alone = [search_time(build, "1", "0", seed, node_time) for seed in SEEDS]
        gains = [one / search_time(build, N_RANKS, PLACEMENT, seed, node_time) for seed, one in zip(SEEDS, alone)]
        middle = statistics.median(gains)
        lines.append(f"| {name} | {statistics.median(alone):.1f} | {PUBLISHED:.0f} | {middle:.1f} | {min(gains):.1f}, {max(gains):.1f} | "
                     f"{100 * (middle / PUBLISHED - 1):+.0f} % |")
    return "\n".join(lines)


def parts(build):
    """The pieces of docs/validation.md, by name."""
    return {"TSP_TABLE": table(build)}


if __name__ == "__main__":
    common.main(__doc__, parts)
