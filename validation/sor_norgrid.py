#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts the published times per iteration of SOR on sixteen Pentium 4 with Gigabit Ethernet (sor_norgrid.csv).

    validation/sor_norgrid.py BUILD            predict with the committed parameters, print the tables
    validation/sor_norgrid.py BUILD --fit      fit latency and overhead first: for each variant to the four times of the two others, into
                                               sor_norgrid_fits.csv; those that predict "sendrecv" go to clusters/pentium4-gigabit.yaml, too

BUILD is the build directory. Latency and overhead per message are the only free parameters. Fitted is the time spent in communication,
which a user cannot know beforehand; computation is the published 12.3 ns per point (apps/sor/pentium4.bench).
"""
import csv
import json
import pathlib
import re
import tempfile

import common
from common import ROOT

CLUSTER = ROOT / "clusters/pentium4-gigabit.yaml"
FITS = ROOT / "validation/sor_norgrid_fits.csv"
VARIANTS = ["sendrecv", "isend", "overlap"]
# What the values of CLUSTER were not fitted to. The two others tell latency from overhead: overlap hides the first, not the second.
COMMITTED = "sendrecv"
START = {"latency_us": 100.0, "overhead_us": 10.0}


def read_rows():
    rows = common.read_csv("sor_norgrid.csv")
    return [dict(row, wall_ms=float(row["wall_ms"]), communicate_ms=float(row["communicate_ms"])) for row in rows]


def read_fits():
    """{held-out variant: {parameter: value}}"""
    return {row["held_out"]: {name: float(row[name]) for name in START} for row in common.read_csv(FITS.name)}


def predict(build, row, values):
    """(wall_ms, communicate_ms) per iteration, once the ranks wait for each other in step."""
    output = common.run([
        f"{build}/bin/mpisim-run", "--quiet", "--cluster", str(CLUSTER), "-n", "16", "--placement", "0-15", "--no-alloc",
        "--compute", "modelled", "--bench", str(ROOT / "apps/sor/pentium4.bench"),
        "--set", f"network.latency={values['latency_us']:.17g}us", "--set", f"protocol.overhead={values['overhead_us']:.17g}us",
        f"{build}/apps/sor", "--n", row["n"], "--variant", row["variant"], "--warmup", "10", "--iterations", "30"])
    found = dict(line.split(" ", 1) for line in output.splitlines())
    return float(found["wall_s"]) * 1e3, float(found["communicate_s"]) * 1e3


def residuals(build, rows, values):
    return [predict(build, row, values)[1] / row["communicate_ms"] - 1 for row in rows]


def fit(build):
    rows = read_rows()
    with open(FITS, "w", encoding="utf-8", newline="") as stream:
        stream.write("# Latency and overhead of clusters/pentium4-gigabit.yaml, fitted to sor_norgrid.csv without one variant by sor_norgrid.py --fit.\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["held_out", *START])
        for held_out in VARIANTS:
            training = [row for row in rows if row["variant"] != held_out]
            values = common.fit_least_squares(START, lambda trial, training=training: residuals(build, training, trial))
            writer.writerow([held_out, *(f"{values[name]:.4g}" for name in START)])
    text = CLUSTER.read_text(encoding="utf-8")
    for key, value in (("latency", "latency_us"), ("overhead", "overhead_us")):
        written = f"  {key}: {read_fits()[COMMITTED][value]:.4g}us"
        text = re.sub(rf"^  {key}: .*#", f"{written:<26}#", text, flags=re.M)
    CLUSTER.write_text(text, encoding="utf-8")


def table(rows, fits, found):
    """A line for each row and each pair of parameters that was not fitted to it, and the fitted ones with the committed pair."""
    lines = ["| n | variant | published: iteration (ms) | communication (ms) | mpisim: iteration (ms) | error | communication (ms) | error | |",
             "|--:|---|--:|--:|--:|--:|--:|--:|---|"]
    for held_out in [COMMITTED, *(v for v in VARIANTS if v != COMMITTED)]:
        for row in rows:
            is_fitted = row["variant"] != held_out
            if is_fitted and held_out != COMMITTED:
                continue
            wall, communicate = found[held_out, row["n"], row["variant"]]
            origin = "fitted" if is_fitted else f"predicted: {fits[held_out]['latency_us']:.0f} µs, {fits[held_out]['overhead_us']:.1f} µs"
            lines.append(f"| {row['n']} | {row['variant']} | {row['wall_ms']:.2f} | {row['communicate_ms']:.2f} | {wall:.2f} | "
                         f"{100 * (wall / row['wall_ms'] - 1):+.1f} % | {communicate:.2f} | "
                         f"{100 * (communicate / row['communicate_ms'] - 1):+.1f} % | {origin} |")
    return "\n".join(lines)


def summary(rows, found):
    """How far off the held-out variants are."""
    errors = {(row["variant"], row["n"]): [abs(found[row["variant"], row["n"], row["variant"]][k] / row[name] - 1)
                                           for k, name in enumerate(("wall_ms", "communicate_ms"))] for row in rows}
    own = [max(errors[COMMITTED, n][k] for n in ("512", "4096")) for k in range(2)]
    walls = [wall for wall, _ in errors.values()]
    return (f"Times of an iteration of the held-out `{COMMITTED}` are at most {100 * own[0]:.1f} % off, of its communication {100 * own[1]:.1f} %. "
            f"With each variant held out in turn, {sum(wall <= 0.2 for wall in walls)} of {len(walls)} times of an iteration are within 20 %, mean "
            f"error {100 * sum(walls) / len(walls):.1f} %, largest {100 * max(walls):.1f} %; of the communication alone, "
            f"{sum(c <= 0.2 for _, c in errors.values())} are.")


# What converting costs: 4.5 us for each request, by the published difference of chaining and the isend variant (16 requests, 0.072 ms); 2.07 us for each page that is
# protected and freed again, fitted to the published time of paging with n = 4096.
COSTS = ["request=4.5us", "page=2.07us"]
SHORT, LONG = 10, 20  # iterations; the difference has neither start nor end


def converted(build, n, values):
    """{mode: ms per iteration}: the sendrecv variant recorded once, and what mpisim-whatif --async makes of it."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        trace, result = pathlib.Path(folder) / "sor.mtrace", pathlib.Path(folder) / "async.json"
        for iterations in (SHORT, LONG):
            common.run([f"{build}/bin/mpisim-run", "--quiet", "--deterministic", "--cluster", str(CLUSTER), "-n", "16", "--placement", "0-15", "--compute", "modelled",
                        "--bench", str(ROOT / "apps/sor/pentium4.bench"), "--record", str(trace), "--record-memory",
                        "--set", f"network.latency={values['latency_us']:.17g}us", "--set", f"protocol.overhead={values['overhead_us']:.17g}us",
                        f"{build}/apps/sor", "--n", n, "--variant", "sendrecv", "--iterations", str(iterations)])
            common.run([f"{build}/bin/mpisim-whatif", "--quiet", "--json", str(result), *(word for mode in ("chain", "touch", "touch-exact") for word in ("--async", mode)),
                        *(word for cost in COSTS for word in ("--async-cost", cost)), str(trace)])
            for mode in json.loads(result.read_text(encoding="utf-8"))["async"]:
                found.setdefault(mode["mode"], []).append(mode["time_s"] * 1e3)
    return {mode: (times[1] - times[0]) / (LONG - SHORT) for mode, times in found.items()}


def async_table(rows, found, modes):
    """What is predicted from the sendrecv variant alone, beside what was published, and beside the prediction of the program that does it by hand."""
    published = {(row["n"], row["converter"]): float(row["wall_ms"]) for row in common.read_csv("sor_norgrid_async.csv")}
    published |= {(row["n"], row["variant"]): row["wall_ms"] for row in rows}
    lines = ["| n | from the sendrecv variant | iteration (ms) | published | error | the variant written by hand, predicted | difference |", "|--:|---|--:|--:|--:|--:|--:|"]
    for n in ("512", "4096"):
        for mode, name, what in (("chain", "chaining", "isend"), ("touch", "paging", None), ("touch-exact", "overlap", "overlap")):
            ms, extra = modes[n][mode], 0.072 if mode == "chain" else 0
            hand = found[COMMITTED, n, what][0] + extra if what else None
            by_hand = f"{what}{' + 0.072' if extra else ''}: {hand:.2f} | {100 * (ms / hand - 1):+.1f} %" if what else "|"
            lines.append(f"| {n} | `{mode}`: {name} | {ms:.2f} | {published[n, name]:.2f} | {100 * (ms / published[n, name] - 1):+.1f} % | {by_hand} |")
    return "\n".join(lines)


def parts(build):
    """The pieces of docs/validation.md, by name."""
    rows, fits = read_rows(), read_fits()
    modes = {n: converted(build, n, fits[COMMITTED]) for n in ("512", "4096")}
    found = {(held_out, row["n"], row["variant"]): predict(build, row, fits[held_out]) for held_out in VARIANTS for row in rows}
    return {"SOR_TABLE": table(rows, fits, found), "SOR_SUMMARY": summary(rows, found), "SOR_ASYNC": async_table(rows, found, modes)}


if __name__ == "__main__":
    common.main(__doc__, parts, fit)
