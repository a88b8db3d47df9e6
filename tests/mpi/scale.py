#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Memory for each rank must not grow with the number of ranks: scale.py MPISIM_RUN CLUSTER PROGRAM

What the ranks from FEW to MANY take more in a case than in `duplicate`, which needs nothing: a list of all ranks that everyone holds would be
more than LIMIT_B for each of them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FEW, MANY = 512, 4096
LIMIT_B = 8192  # a list of 4 B for each rank would be 18432 B
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1:" + os.environ.get("ASAN_OPTIONS", "")}  # what is freed is gone


def memory_B(run, cluster, program, case, n):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([run, "--quiet", "--cluster", cluster, "--set", f"nodes={n // 16}", "--set", "cores=16", "--set", "protocol.overhead=0s", "-n", str(n), "--compute", "modelled",
                        "--json", "out.json", program, case], check=True, cwd=folder, env=ENVIRONMENT)
        return json.loads(pathlib.Path(folder, "out.json").read_text(encoding="utf-8"))["simulation"]["peak_memory_B"]


def for_each(run, cluster, program, case):
    return (memory_B(run, cluster, program, case, MANY) - memory_B(run, cluster, program, case, FEW)) / (MANY - FEW)


def main():
    run, cluster, program = (os.path.abspath(path) for path in sys.argv[1:])
    source = pathlib.Path(__file__).with_suffix(".c").read_text(encoding="utf-8")
    base_B = for_each(run, cluster, program, "duplicate")
    failed = False
    for case in re.findall(r'{"(\w+)", \w+}', source):
        more_B = for_each(run, cluster, program, case) - base_B
        print(f"{case:20} {more_B:8.0f} B for each rank")
        failed |= more_B > LIMIT_B
    return failed


if __name__ == "__main__":
    sys.exit(main())
