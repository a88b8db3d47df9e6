#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what configurations.csv lists on the emulated cluster, under each real MPI, and appends each running time to runs.csv.

    validation/emulated/measure.py BUILD [--runs N] [--only TEXT]... [--library NAME] [--output FILE]     root; goes on where an earlier call ended

Kernels are slept (kernels.bench), so what is measured is communication between nodes that compute for a known time. Every round runs each
configuration once, so that a disturbance does not meet all runs of one. Open MPI makes its connections in MPI_Init: else it makes each with the first
message, which takes looks of both ranks at what comes, and is none of what is predicted.
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CLUSTER = HERE.parent.parent / "tests/cluster/cluster"
NODES, RATE_MBIT, LIMIT_S = 8, 50, 90
LIBRARIES = ("openmpi", "mpich")
PATTERNS = ("patterns", "senders")   # programs of this folder


def read_table(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))


def seconds_of(program, output):
    """The running time that the program printed, as under the simulator."""
    if program == "lu":
        return float(re.search(r": ([\d.]+) s$", output, re.M).group(1))
    wall_s = float(re.search(r"^wall_s ([\d.e+-]+)$", output, re.M).group(1))
    is_mean = program in ("sor", "jacobi")
    return wall_s * (int(re.search(r"^iterations (\d+)$", output, re.M).group(1)) if is_mean else 1)


def program_path(build, program, library):
    folder = build / ("validation/emulated" if program in PATTERNS else "apps/real")
    return folder / f"{program}.{library}"


def run(build, row, library):
    """Seconds, or None with the reason on stderr."""
    command = [CLUSTER, "run", "-m", library, "-t", str(LIMIT_S), "-s", build / f"tests/cluster/libmpiblock.{library}.so",
               row["ranks"], program_path(build, row["program"], library), *row["arguments"].split()]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=os.environ | {"MPISIM_REAL_MODEL": str(HERE / "kernels.bench"), "OMPI_MCA_mpi_preconnect_mpi": "1"})
    if done.returncode == 0:
        return seconds_of(row["program"], done.stdout)
    print(f"{library}, {row['configuration']}: exit code {done.returncode}\n{done.stderr[-500:]}", file=sys.stderr)
    return None


def append(path, library, configuration, seconds):
    is_new = not path.exists()
    with open(path, "a", encoding="utf-8") as stream:
        if is_new:
            stream.write("library,configuration,seconds\n")
        stream.write(f"{library},{configuration},{seconds:.6f}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--library", choices=LIBRARIES, action="append")
    parser.add_argument("--output", type=pathlib.Path, default=HERE / "runs.csv")
    args = parser.parse_args()
    rows = [row for row in read_table(HERE / "configurations.csv")
            if not args.only or any(text in row["configuration"] for text in args.only)]
    subprocess.run([CLUSTER, "up", str(NODES), str(RATE_MBIT)], check=True)
    for k in range(1, args.runs + 1):
        done = [(row["library"], row["configuration"]) for row in read_table(args.output)] if args.output.exists() else []
        for row in rows:
            for library in args.library or LIBRARIES:
                if done.count((library, row["configuration"])) >= k:
                    continue
                seconds = run(args.build.resolve(), row, library)
                if seconds is not None:
                    append(args.output, library, row["configuration"], seconds)
                    print(f"{k} {library} {row['configuration']}: {seconds:.3f} s", flush=True)


if __name__ == "__main__":
    main()
