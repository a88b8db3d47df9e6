#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every cluster that comes with mpisim loads and runs pingpong.

usage: check_clusters.py MPISIM_RUN PINGPONG
"""
import pathlib
import subprocess
import sys

CLUSTERS = pathlib.Path(__file__).resolve().parent.parent.parent / "clusters"
EXPECTED = {"ethernet-100mbit", "ethernet-1gbit", "ethernet-10gbit", "ethernet-25gbit", "ethernet-100gbit", "infiniband-hdr",
            "infiniband-ndr", "openmpi-tcp-100mbit", "mpich-tcp-100mbit", "example-gigabit", "ultrasparc-fast-ethernet"}


def pingpong(mpisim_run, program, path):
    """[(bytes, seconds, bytes per second)]"""
    run = subprocess.run([mpisim_run, "--quiet", "--deterministic", "--cluster", path, "-n", "2", "--placement", "0,1", "--compute", "modelled", program,
                          "--max-size", "4194304"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{path.name}: exit code {run.returncode}\n{run.stderr}")
    rows = [line.split() for line in run.stdout.splitlines()]
    return [tuple(float(value) for value in row) for row in rows if row and row[0].isdigit()]


def main():
    mpisim_run, program = sys.argv[1:]
    paths = sorted(CLUSTERS.glob("*.yaml"))
    missing = EXPECTED - {path.stem for path in paths}
    if missing:
        sys.exit(f"missing in clusters/: {', '.join(sorted(missing))}")
    for path in paths:
        rows = pingpong(mpisim_run, program, path)
        times = [seconds for _, seconds, _ in rows]
        if len(rows) < 20 or times[0] <= 0 or times[-1] <= times[0]:
            sys.exit(f"{path.name}: pingpong gives {rows}")
        print(f"{path.stem}: {times[0] * 1e6:.2f} us, {rows[-1][2] / 1e6:.1f} MB/s")


main()
