#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts every published LU running time of lu_thesis.csv and writes docs/validation.md.

    validation/lu_thesis.py BUILD                 predict with the committed parameters, print the table
    validation/lu_thesis.py BUILD --write         … and write docs/validation.md
    validation/lu_thesis.py BUILD --check         exit 1 when docs/validation.md is not what --write would write
    validation/lu_thesis.py BUILD --fit           fit the free parameters to the training rows first, and write them to
                                                  apps/lu/ultrasparc.bench and clusters/ultrasparc-fast-ethernet.yaml

BUILD is the build directory. Kernel rates and the law of the CPU cost are the only free parameters; nothing else is adjusted.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTER = ROOT / "clusters/ultrasparc-fast-ethernet.yaml"
BENCH = ROOT / "apps/lu/ultrasparc.bench"
PAGE = ROOT / "docs/validation.md"

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
    "cpu cost of communication / 4": ["--set", "cpu.communication_cost_scale=0.25"],
    "panel LU 10 % faster": ["--scale", "panel=0.9"],
    "remove 4 nodes after iteration 1": [],
}


def read_rows():
    with open(ROOT / "validation/lu_thesis.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
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
    run = subprocess.run(command(build, row, cluster, bench), capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command(build, row, cluster, bench))}\n{run.stderr}")
    return json.loads(run.stdout[run.stdout.index("{"):])


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


def solve(matrix, right):
    """Gaussian elimination with partial pivoting."""
    n = len(right)
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def fit(build, rows):
    """Levenberg-Marquardt in the logarithms of the parameters, derivatives by differences."""
    values = {name: start for name, start, _ in PARAMETERS}
    free = [name for name, _, _ in PARAMETERS]
    training = [row for row in rows if row["training"]]
    current, damping = residuals(build, training, values), 0.01
    for _ in range(25):
        score = sum(r * r for r in current)
        columns = []
        for name in free:
            moved = residuals(build, training, dict(values, **{name: values[name] * 1.02}))
            columns.append([(m - c) / math.log(1.02) for m, c in zip(moved, current)])
        normal = [[sum(a * b for a, b in zip(p, q)) * (1 + damping * (p is q)) for q in columns] for p in columns]
        step = solve(normal, [-sum(a * r for a, r in zip(p, current)) for p in columns])
        trial = {**values, **{n: values[n] * math.exp(max(-0.5, min(0.5, s))) for n, s in zip(free, step)}}
        attempt = residuals(build, training, trial)
        better = sum(r * r for r in attempt) < score
        if better:
            values, current, damping = trial, attempt, damping / 3
        else:
            damping *= 10
        print(f"misfit {score:.3f}  " + " ".join(f"{k}={v:.4g}" for k, v in values.items()), file=sys.stderr)
        if better and max(abs(s) for s in step) < 1e-3 or damping > 1e6:
            break
    CLUSTER.write_text(cluster_text(values), encoding="utf-8")
    BENCH.write_text(bench_text(values), encoding="utf-8")


def table(rows, found):
    lines = ["| nodes | r | variant | change | published (s) | | mpisim (s) | error | |", "|--:|--:|---|---|--:|---|--:|--:|---|"]
    for row, f in zip(rows, found):
        lines.append(f"| {row['nodes']} | {row['r']} | {row['variant']} | {row['change']} | {row['time_s']:.1f} | {row['kind']} | "
                     f"{f:.1f} | {100 * (f / row['time_s'] - 1):+.1f} % | {'fitted' if row['training'] else 'predicted'} |")
    return "\n".join(lines)


def summary(rows, found):
    errors = [abs(f / row["time_s"] - 1) for row, f in zip(rows, found) if not row["training"]]
    within = lambda limit: sum(e <= limit for e in errors)
    return (f"Of the {len(errors)} held-out rows {within(0.06)} are within 6 %, {within(0.12)} within 12 %; mean error "
            f"{100 * sum(errors) / len(errors):.1f} %, largest {100 * max(errors):.1f} %.")


def changes_table(rows, found):
    """The relative effect of each change at r = 324, published against ours."""
    lines = ["| variant | change | published | mpisim | |", "|---|---|--:|--:|---|"]
    base = {row["variant"]: (row["time_s"], f) for row, f in zip(rows, found) if row["r"] == "324" and row["change"] == "none"}
    for row, f in zip(rows, found):
        if row["r"] == "324" and row["change"] != "none" and row["variant"] in base:
            published, ours = base[row["variant"]]
            lines.append(f"| {row['variant']} | {row['change']} | {row['time_s'] - published:+.1f} s ({100 * (row['time_s'] / published - 1):+.1f} %) | "
                         f"{f - ours:+.1f} s ({100 * (f / ours - 1):+.1f} %) | {'fitted' if row['training'] else 'predicted'} |")
    return "\n".join(lines)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    rows = read_rows()
    if options.fit:
        fit(options.build, rows)
    found = [predict(options.build, row) for row in rows]
    parts = {"TABLE": table(rows, found), "SUMMARY": summary(rows, found), "CHANGES": changes_table(rows, found),
             "EFFICIENCY": efficiency_table(options.build)}
    print("\n\n".join(parts.values()))
    text = (ROOT / "validation/validation.md.in").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    if options.check and PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/validation.md is out of date: run validation/lu_thesis.py build --write")


main()
