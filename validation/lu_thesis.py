#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts every published LU running time of lu_thesis.csv.

    validation/lu_thesis.py BUILD                 predict with the committed parameters, print the tables
    validation/lu_thesis.py BUILD --fit           fit the free parameters to the training rows first, and write them to
                                                  apps/lu/ultrasparc.bench and clusters/ultrasparc-fast-ethernet.yaml

BUILD is the build directory. Kernel rates and the law of the CPU cost are the only free parameters; nothing else is adjusted.
"""
import json
import pathlib
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

import common
from common import ROOT

CLUSTER = ROOT / "clusters/ultrasparc-fast-ethernet.yaml"
BENCH = ROOT / "apps/lu/ultrasparc.bench"

# Free parameters: name, start, what it is. Times in seconds on the 440 MHz processor.
PARAMETERS = [
    ("panel", 1.2e-10, "panel LU: seconds per flop and column of the panel"),
    ("dgemm", 1.5e-8, "block product and triangular solve: seconds per flop"),
    ("incoming", 0.065, "CPU taken by one incoming transfer"),
]
# Estimates of what is bound by memory, seconds per element: the training rows say next to nothing about these two.
SUBTRACT = FLIP = 3.0e-8
# CPU taken by one outgoing transfer: the thesis says that transfers to eight nodes at once cost more than half of a CPU (8 x 0.065 = 0.52).
OUTGOING = 0.065

# change -> options of mpisim-run
CHANGES = {
    "none": [],
    "direct execution": [],
    "partial direct execution": [],
    "partial direct execution no-alloc": [],
    "latency 2us": ["--set", "network.latency=2us"],
    "latency 2us bandwidth 912 MB/s": ["--set", "network.latency=2us", "--set", "network.bandwidth=912 MB/s"],
    "cpu cost of communication / 4": ["--set", "cpu.communication_cost.scale=0.25"],
    "panel LU 10 % faster": ["--scale", "panel=0.9"],
    "remove 4 nodes after iteration 1": [],
}


def read_rows():
    rows = common.read_csv("lu_thesis.csv")
    for row in rows:
        row["time_s"] = float(row["time_s"])
        row["training"] = is_training(row)
    return rows


def is_training(row):
    """The rows that the parameters may be fitted on; everything else is held out."""
    if row["r"] == "216":
        return True
    return (row["nodes"], row["r"], row["variant"]) == ("8", "324", "basic") and row["change"] in (
        "none", "panel LU 10 % faster", "cpu cost of communication / 4")


def variant_options(row):
    """Options of lu for the row's variant and change."""
    if row["variant"] == "basic with blocks on 4 nodes":
        options = ["--variant", "basic", "--storage-nodes", "4"]
    elif row["variant"] == "variant not stated":
        options = ["--variant", "basic"]  # the basic one is the thesis's default
    else:
        options = ["--variant", row["variant"]]
    if row["change"].startswith("remove"):
        options += ["--remove", "4@1"]
    return options


def command(build, row, cluster, bench):
    nodes = int(row["nodes"])
    return [f"{build}/bin/mpisim-run", "--quiet", "--json", "-", "--cluster", str(cluster), "--set", f"nodes={nodes}",
            "-n", str(2 * nodes), "--no-alloc", "--compute", "modelled", "--bench", str(bench),
            *CHANGES[row["change"]], f"{build}/apps/lu", "--n", "2592", "--r", row["r"], *variant_options(row)]


def simulate(build, row, cluster=CLUSTER, bench=BENCH):
    """The JSON output of the run that predicts `row`."""
    output = common.run(command(build, row, cluster, bench))
    return json.loads(output[output.index("{"):])


def predict(build, row, cluster=CLUSTER, bench=BENCH):
    return simulate(build, row, cluster, bench)["predicted_time_s"]


def bench_text(values):
    p, g = values["panel"], values["dgemm"]
    return f"""# mpisim-bench 1
# Kernels of apps/lu on a 440 MHz UltraSparc II: seconds on one processor. Two rates, panel and dgemm (trsm has the rate of dgemm), are
# fitted by validation/lu_thesis.py to the training rows that docs/validation.md names; their source is B. Schaeli, EPFL thesis 4274
# (2009), section 3.5. subtract and flip are estimates of a memory-bound rate.
# panel p1 rows, p2 columns: p1 p2^2 - p2^3/3 flop; the time per flop is in proportion to the width, as an unblocked factorization has
# it that runs from memory ({p * 324:.3g} s at p2 = 324)
model,panel,{p:.6g}*p1*p2^3 - {p / 3:.6g}*p2^4
# trsm p1 x p1 on p1 columns: p1^3 flop
model,trsm,{g:.6g}*p1^3
# dgemm (p1 x p3)(p3 x p2): 2 p1 p2 p3 flop
model,dgemm,{2 * g:.6g}*p1*p2*p3
# subtract p1 x p2; flip of p3 rows with p2 columns
model,subtract,{SUBTRACT:.6g}*p1*p2
model,flip,{FLIP:.6g}*p2*p3
# Copies into message buffers belong to the CPU cost of communication (cluster file); the rest is not part of the factorization.
model,pack,0
model,generate,0
model,verify,0
"""


def cluster_text(values):
    text = CLUSTER.read_text(encoding="utf-8")
    for key, value in (("outgoing", OUTGOING), ("incoming", values["incoming"])):
        text = re.sub(rf"^(    {key}: ).*$", rf"\g<1>{value:.4g}", text, flags=re.M)
    return text


def predict_all(build, rows, values):
    """Predictions of `rows` with parameter values, in order."""
    with tempfile.TemporaryDirectory() as folder:
        cluster, bench = pathlib.Path(folder) / "cluster.yaml", pathlib.Path(folder) / "lu.bench"
        cluster.write_text(cluster_text(values), encoding="utf-8")
        bench.write_text(bench_text(values), encoding="utf-8")
        once = {tuple(command(build, row, cluster, bench)): row for row in rows}
        with ThreadPoolExecutor(2) as pool:
            found = dict(zip(once, pool.map(lambda row: predict(build, row, cluster, bench), once.values())))
        return [found[tuple(command(build, row, cluster, bench))] for row in rows]


def residuals(build, rows, values):
    """What least squares makes small: relative errors of the training rows; and their changes at r = 324, in
    tenths of a second."""
    found = predict_all(build, rows, values)
    base = next(i for i, row in enumerate(rows) if row["r"] == "324" and row["change"] == "none")
    out = [(f / row["time_s"] - 1) / 0.02 for f, row in zip(found, rows)]
    out += [((f - found[base]) - (row["time_s"] - rows[base]["time_s"])) / 0.1 / rows[base]["time_s"] * 86.5
            for f, row in zip(found, rows) if row["r"] == "324" and row is not rows[base]]
    return out


def fit(build, rows):
    """Fits the free parameters to the training rows and writes them to the cluster file and the benchmark store."""
    training = [row for row in rows if row["training"]]
    start = {name: value for name, value, _ in PARAMETERS}
    values = common.fit_least_squares(start, lambda trial: residuals(build, training, trial))
    CLUSTER.write_text(cluster_text(values), encoding="utf-8")
    BENCH.write_text(bench_text(values), encoding="utf-8")


def table(rows, found):
    lines = ["| nodes | r | variant | change | published (s) | | mpisim (s) | error | |", "|--:|--:|---|---|--:|---|--:|--:|---|"]
    for row, f in zip(rows, found):
        lines.append(f"| {row['nodes']} | {row['r']} | {row['variant']} | {row['change']} | {row['time_s']:.1f} | {row['kind']} | "
                     f"{f:.1f} | {100 * (f / row['time_s'] - 1):+.1f} % | {'fitted' if row['training'] else ''} |")
    return "\n".join(lines)


def summary(rows, found):
    errors = [abs(f / row["time_s"] - 1) for row, f in zip(rows, found) if not row["training"]]
    within = lambda limit: sum(e <= limit for e in errors)
    return (f"Of the {len(errors)} held-out rows {within(0.06)} are within 6 %, {within(0.12)} within 12 %; mean error "
            f"{100 * sum(errors) / len(errors):.1f} %, largest {100 * max(errors):.1f} %.")


def efficiency_table(build):
    """Dynamic efficiency of iteration 1 and duration of iteration 6, blocks on 4 nodes, r = 324, against section 3.5.3 of the thesis."""
    phases = {}
    for nodes in (4, 8):
        row = {"nodes": str(nodes), "r": "324", "variant": "basic with blocks on 4 nodes", "change": "none"}
        phases[nodes] = {p["name"]: p for p in simulate(build, row)["phases"]}
    first, sixth = ({n: phases[n][f"iteration {i}"] for n in phases} for i in (1, 6))
    return "\n".join([
        "| | published | mpisim |", "|---|--:|--:|",
        f"| dynamic efficiency of iteration 1 on 4 nodes | 60.2 % | {100 * first[4]['efficiency']:.1f} % |",
        f"| dynamic efficiency of iteration 1 on 8 nodes | 37.6 % | {100 * first[8]['efficiency']:.1f} % |",
        f"| iteration 6 on 4 and on 8 nodes | the same time | {sixth[4]['span_s']:.2f} s and {sixth[8]['span_s']:.2f} s |"])


def parts(build):
    """The pieces of docs/validation.md, by name."""
    rows = read_rows()
    found = [predict(build, row) for row in rows]
    return {"TABLE": table(rows, found), "SUMMARY": summary(rows, found), "EFFICIENCY": efficiency_table(build)}


if __name__ == "__main__":
    common.main(__doc__, parts, lambda build: fit(build, read_rows()))
