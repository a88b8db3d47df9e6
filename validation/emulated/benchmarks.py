#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a cluster file is worth that knows nothing but times of benchmarks: latency, bandwidth, several pairs and all-to-all by size, as osu_latency, osu_bw,
osu_mbw_mr and osu_alltoall time them. mpisim-calibrate-fit --fit makes the file from these; LU and Jacobi are then predicted, of which it has seen nothing.

    validation/emulated/benchmarks.py BUILD --measure     root; five runs of calibrate/benchmark.c under each library, to LIBRARY-benchmarks.csv
    validation/emulated/benchmarks.py BUILD --check       exit 1 if the mean error of LU and Jacobi is more than 6 % for one of the libraries
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import CLUSTER, HERE, LIBRARIES, NODES, PATTERNS, RATE_MBIT, read_table, seconds_of  # noqa: E402

SIZES = (1, 16, 256, 1024, 1448, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
TESTS = [(name, size, 8 if name == "mbw_mr" else 2) for name in ("latency", "bw", "mbw_mr") for size in SIZES] + [
    ("alltoall", size, 8) for size in (1, 64, 1024, 4096, 16384, 65536, 262144)]
RUNS, LIMIT_S, MOST_ERROR = 5, 120, 0.06
PREDICTED = ("LU", "Jacobi")


def times_path(library):
    return HERE / f"{library}-benchmarks.csv"


def measure(build):
    subprocess.run([CLUSTER, "up", str(NODES), str(RATE_MBIT)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        tests = pathlib.Path(folder) / "tests.txt"
        tests.write_text("".join(f"{name} {size} {ranks}\n" for name, size, ranks in TESTS), encoding="utf-8")
        for library in LIBRARIES:
            lines = ["# SPDX-License-Identifier: BSD-3-Clause", f"# Measured by benchmarks.py on the emulated cluster, {RUNS} runs.", "operation,size,time,ranks"]
            for _ in range(RUNS):
                done = subprocess.run(["env", "OMPI_MCA_mpi_preconnect_mpi=1", CLUSTER, "run", "-m", library, "-t", str(LIMIT_S),
                                       "-s", build / f"tests/cluster/libmpiblock.{library}.so", str(NODES), build / f"calibrate/benchmark.{library}", tests],
                                      check=True, capture_output=True, text=True)
                lines += [f"{name},{size},{float(time) * 1e6:.2f}us,{ranks}" for (name, size, ranks), time in zip(TESTS, done.stdout.split())]
            times_path(library).write_text("\n".join(lines) + "\n", encoding="utf-8")


def predict(build, cluster, row):
    folder = build / ("validation/emulated" if row["program"] in PATTERNS else "apps")
    done = subprocess.run([build / "bin/mpisim-run", "--quiet", "--repeat", "1", "--cluster", cluster, "-n", row["ranks"], "--placement", "cyclic", "--compute", "modelled",
                           "--bench", HERE / "kernels.bench", folder / row["program"], *row["arguments"].split()], check=True, capture_output=True, text=True)
    return seconds_of(row["program"], done.stdout)


def check(build, library):
    """The mean error of what was predicted, of each group."""
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        cluster = pathlib.Path(folder) / "cluster.yaml"
        subprocess.run([build / "calibrate/mpisim-calibrate-fit", "--fit", times_path(library), "--library", f"{library}-tcp", "-o", cluster], check=True)
        for row in read_table(HERE / "configurations.csv"):
            measured = [float(run["seconds"]) for run in read_table(HERE / "runs.csv") if (run["library"], run["configuration"]) == (library, row["configuration"])]
            if row["group"] in PREDICTED and measured:
                error = predict(build, cluster, row) / statistics.median(measured) - 1
                errors.setdefault(row["group"], []).append(abs(error))
                print(f"{library}, {row['configuration']}: {error:+.1%}", flush=True)
    for group, of in errors.items():
        print(f"{library}, {group}: mean error {statistics.mean(of):.2%} of {len(of)}")
    return statistics.mean(error for of in errors.values() for error in of)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("measure", "check"):
        what.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    if args.measure:
        measure(args.build.resolve())
        return
    errors = {library: check(args.build.resolve(), library) for library in LIBRARIES}
    print(", ".join(f"{library}: {error:.2%}" for library, error in errors.items()))
    sys.exit(max(errors.values()) > MOST_ERROR)


main()
