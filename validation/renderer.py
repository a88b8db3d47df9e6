#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Predicts the published times of a renderer whose workers are spawned (renderer.csv) from those of workers that are there from the start.

    validation/renderer.py BUILD            print the tables

The static column is fitted: work / np + serial + np x collect, and once more without the last. A frame is a spawn; how many there were is not published, 1000 are assumed.
"""
import pathlib
import tempfile

import common
from common import ROOT

FRAMES = 1000
SIZE = 256
LAUNCHERS = {"daemon": [], "tree": ["spawn.launcher.kind=tree", "spawn.startup=18ms", "spawn.per_process=50us", "spawn.launcher.per_node=500us"]}
COLUMNS = ["daemon-rc", "tree-rc", "daemon-ud", "tree-ud"]


def read():
    return [{name: float(value) for name, value in row.items()} for row in common.read_csv("renderer.csv")]


def fit(rows, n):
    """[work, serial, collect] in s, least squares of relative errors; the first n of them, the others are 0."""
    terms = [[1 / row["np"] / row["static"], 1 / row["static"], row["np"] / row["static"]][:n] for row in rows]
    normal = [[sum(t[i] * t[k] for t in terms) for k in range(n)] for i in range(n)]
    return common.solve(normal, [sum(t[i] for t in terms) for i in range(n)]) + [0] * (3 - n)


def wall_s(build, bench, ranks, frames, arguments, settings):
    command = [f"{build}/bin/mpisim-run", "--quiet", "--deterministic", "--cluster", str(ROOT / "validation/renderer.yaml"), "-n", str(ranks), "--compute", "modelled",
               "--bench", bench]
    for setting in settings:
        command += ["--set", setting]
    command += [f"{build}/apps/renderer", "--frames", str(frames), "--size", str(SIZE), *arguments]
    return float(dict(line.split(" ", 1) for line in common.run(command).splitlines())["wall_s"])


def predict(build, bench, column, np):
    """All frames are alike: what the second one adds, so often."""
    if column == "static":
        ranks, arguments, settings = np + 1, [], []
    else:
        launcher, connection = column.split("-")
        ranks, arguments, settings = 1, ["--variant", "spawned", "--workers", str(np)], [*LAUNCHERS[launcher], f"spawn.connection.kind={connection}"]
    one, two = (wall_s(build, bench, ranks, frames, arguments, settings) for frames in (1, 2))
    return one + (FRAMES - 1) * (two - one)


def predict_all(build, rows, n):
    work, serial, collect = fit(rows, n)
    with tempfile.TemporaryDirectory() as folder:
        bench = pathlib.Path(folder) / "renderer.bench"
        bench.write_text(f"# mpisim-bench 1\nmodel,prepare,{serial / FRAMES / SIZE:.9g}*p1\nmodel,render,{work / FRAMES / SIZE ** 2:.9g}*p1\n"
                         f"model,collect,{collect / FRAMES / SIZE:.9g}*p1\n", encoding="utf-8")
        return {(column, row["np"]): predict(build, str(bench), column, int(row["np"])) for row in rows for column in [*COLUMNS, "static"]}


def table(rows, found):
    """published times, and how far predictions are off"""
    lines = ["| processes | " + " | ".join(COLUMNS) + " | static (fitted) |", "|--:|" + "--:|" * 5]
    for row in rows:
        lines.append(f"| {row['np']:.0f} | " + " | ".join(f"{row[c]:.0f} ({100 * (found[c, row['np']] / row[c] - 1):+.1f}%)" for c in [*COLUMNS, "static"]) + " |")
    return "\n".join(lines)


def errors_of(rows, found):
    return [abs(found[c, row["np"]] / row[c] - 1) for row in rows for c in COLUMNS]


def ordered(rows, found):
    """Where the four are in the published order."""
    orders = {row["np"]: sorted(COLUMNS, key=lambda c, np=row["np"]: found[c, np]) for row in rows}
    return ", ".join(f"{row['np']:.0f}" for row in rows if orders[row["np"]] == sorted(COLUMNS, key=lambda c, row=row: row[c]))


def summary(rows, found, without):
    errors, fewer = errors_of(rows, found), errors_of(rows, without)
    flat = [abs(found["static", row["np"]] / row[c] - 1) for row in rows for c in COLUMNS]
    return (f"Mean error of the 24 predicted values {100 * sum(errors) / len(errors):.1f} %, largest {100 * max(errors):.1f} %. Without cost of start-up: "
            f"{100 * sum(flat) / len(flat):.1f} %. The order of the four is right on {ordered(rows, found)} processes. "
            f"Fitted without the master's part: {100 * sum(fewer) / len(fewer):.1f} %, {100 * max(fewer):.1f} %, right on {ordered(rows, without)}.")


def parts(build):
    """The pieces of docs/validation.md, by name."""
    rows = read()
    found = predict_all(build, rows, 3)
    return {"RENDERER_TABLE": table(rows, found), "RENDERER_SUMMARY": summary(rows, found, predict_all(build, rows, 2))}


if __name__ == "__main__":
    common.main(__doc__, parts, None)
