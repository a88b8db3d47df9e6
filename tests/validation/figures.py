#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures that README.md takes from other pages are what those say.

usage: figures.py ROOT

validation/emulated/table.py --check compares those of the emulated cluster.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def find(pattern, name):
    found = re.findall(pattern, read(name), re.M)
    if len(found) != 1:
        sys.exit(f"{name}: found {len(found)} times {pattern}, wanted once")
    return found[0]


said = {
    "memory of a million ranks": (find(r"a million ranks in ([\d.]+ GB)", "README.md"),
                                  find(r"^\| 1 048 576 ranks: 10 iterations of a 2-D halo exchange.*\| ([\d.]+ GB),", "bench/README.md")),
    "functions of MPI": (find(r"\[(\d+) functions of MPI\]\(docs/mpi-functions.md\)", "README.md"), find(r"of the standard \*\*(\d+) are implemented", "docs/mpi-functions.md")),
}
for name, (readme, page) in said.items():
    print(f"{name}: README.md {readme}, the page {page}")
per_s = float(find(r"^\| ring, 2 ranks; 64 ranks.*\| ([\d.]+) million;", "bench/README.md")) * 1e6
if find(r"\[(10.) messages per second", "README.md") != "10⁷" or per_s < 1e7:
    sys.exit(f"README.md says 10⁷ messages per second, bench/README.md {per_s:g}")
sys.exit(any(readme != page for readme, page in said.values()))
