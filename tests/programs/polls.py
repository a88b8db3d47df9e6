#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where computation is measured, a loop that looks for a message waits: few of its looks end a computation step, all are counted.

usage: polls.py MPISIM_RUN CLUSTER POLLS_PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

run, cluster, program = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="mpisim-polls-") as folder:
    out = pathlib.Path(folder) / "out.json"
    done = subprocess.run([run, "--quiet", "--cluster", cluster, "-n", "3", "--json", out, program, "count"],
                          capture_output=True, text=True, timeout=100, check=True)
    report = json.loads(out.read_text())
n_looks = int(done.stdout.split()[-1])
told = next(c for c in report["calls"] if c["name"] == "MPI_Iprobe")
n_steps = sum(kernel["steps"] for kernel in report["kernels"])
waiting_s = report["ranks"][1]["waiting_s"]
print(f"{n_looks} looks, {told['count']} told, {n_steps} steps, {waiting_s} s of waiting")
assert told["count"] == n_looks, "calls are lost"
assert n_looks > 10000, "the program hardly looked"
assert n_steps < n_looks / 8, "most looks ended a step"
assert waiting_s > 0.01, "the loop was taken for work"
