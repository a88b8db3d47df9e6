#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures a few of the configurations again and compares them with table.csv: remeasure.py BUILD. Exit 77: skipped, with the reason.

The shortest of three runs may be off by 15 %: other programs share the machine, and they only ever make runs longer. Where one is off
by more while processes wait for a processor nothing can be told.
"""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import CLUSTER, HERE, LIBRARIES, NODES, RATE_MBIT, read_table, run  # noqa: E402
sys.path.insert(0, str(HERE.parents[1] / "tests/cluster"))
from turns import CANNOT_TELL, FAILED, Pressure, verdict, within  # noqa: E402

TOLERANCE, RUNS = 0.15, 3
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
CONFIGURATIONS = ("bcast-binomial 1000000 B 8 nodes", "gather-linear 500000 B 4 nodes")


def measure(build):
    wanted = {row["configuration"]: float(row["measured_s"]) for row in read_table(HERE / "table.csv")}
    told = []
    for row in read_table(HERE / "configurations.csv"):
        for library in LIBRARIES if row["configuration"] in CONFIGURATIONS else ():
            name = f"{row['configuration']}, {NAMES[library]}"
            pressure = Pressure(time.monotonic)
            found = min((run(build, row, library) or float("inf")) for _ in range(RUNS))
            told.append(verdict(within(found, wanted[name], TOLERANCE), not pressure.is_high()))
            print(f"{told[-1]}: {name}: {found:.3f} s, in table.csv {wanted[name]:.3f} s")
    return told


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    check = subprocess.run([CLUSTER, "check"], check=False)
    if check.returncode:
        sys.exit(check.returncode)
    if not subprocess.run([CLUSTER, "status"], check=False, stdout=subprocess.DEVNULL).returncode:
        print("skipped: a cluster is up")
        sys.exit(77)
    if not all((build / f"validation/emulated/patterns.{library}").exists() for library in LIBRARIES):
        print("skipped: Open MPI and MPICH are not both here")
        sys.exit(77)
    try:
        subprocess.run([CLUSTER, "up", str(NODES), str(RATE_MBIT)], check=True)
        told = measure(build)
    finally:
        subprocess.run([CLUSTER, "down"], check=True)
    if CANNOT_TELL in told and FAILED not in told:
        print("skipped: this machine is too busy to measure on it")
        sys.exit(77)
    sys.exit(FAILED in told)


main()
