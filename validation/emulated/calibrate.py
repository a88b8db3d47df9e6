#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cluster files of this folder, and two of clusters/, are mpisim-calibrate's: made from samples, nothing edited.

    validation/emulated/calibrate.py BUILD --measure [--library NAME] [--rate MBIT]
                                                                        root; calibrates on the emulated cluster, five minutes for each library, keeps the samples
    validation/emulated/calibrate.py BUILD --collectives                root; measures collectives.csv at 100 Mbit/s
    validation/emulated/calibrate.py BUILD --write                      openmpi.yaml, mpich.yaml, what the plain model has of them, SMPI's platform, and
                                                                        clusters/*-tcp-100mbit.yaml with what they predict of collectives.csv, from the samples
    validation/emulated/calibrate.py BUILD --check                      exit 1 if one of them is not what --write would make

After --write: smpi/predict.py, then table.py --write.
"""
import argparse
import lzma
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import CLUSTER, HERE, LIBRARIES, NODES, RATE_MBIT, read_table  # noqa: E402

LIMIT_S = 600
SHIPPED_MBIT = 100 # what clusters/ has of both libraries
COLLECTIVES = ((8, "bcast", (1000, 10000, 100000, 1000000)), (8, "alltoall", (1000, 10000)), (4, "alltoall", (1000, 10000, 100000, 1000000)))
RUNS, REPEATS, SEEDS = 3, 15, 5
LICENSE = "SPDX-License-Identifier: BSD-3-Clause"


def samples_path(library, rate_mbit=RATE_MBIT):
    return HERE / f"{library}{'' if rate_mbit == RATE_MBIT else f'-{rate_mbit}mbit'}-samples.csv.xz"


def measure(build, library, rate_mbit):
    """Computing is slept, and connections are made before, as where runs are measured (measure.py). MPICH may hang when all is done."""
    subprocess.run([CLUSTER, "up", str(NODES), str(rate_mbit)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "samples.csv"
        subprocess.run([CLUSTER, "run", "-m", library, "-t", str(LIMIT_S), "-s", build / f"tests/cluster/libmpiblock.{library}.so", str(NODES),
                        build / f"calibrate/mpisim-calibrate.{library}", "--cores", "1", "-o", path.with_suffix(".yaml"), "--samples", path],
                       check=False, env=os.environ | {"MPISIM_REAL_SLEEP": "1", "OMPI_MCA_mpi_preconnect_mpi": "1"})
        samples_path(library, rate_mbit).write_bytes(lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


def fitted(build, library, rate_mbit=RATE_MBIT):
    """The cluster file, as mpisim-calibrate writes it."""
    with tempfile.TemporaryDirectory() as folder:
        samples, output = pathlib.Path(folder) / "samples.csv", pathlib.Path(folder) / "cluster.yaml"
        samples.write_bytes(lzma.decompress(samples_path(library, rate_mbit).read_bytes()))
        subprocess.run([build / "calibrate/mpisim-calibrate-fit", samples, "-o", output], check=True, capture_output=True)
        return f"# {LICENSE}\n# Written by calibrate.py from {samples_path(library, rate_mbit).name}; do not edit.\n{output.read_text(encoding='utf-8')}"


def measure_collectives(build):
    subprocess.run([CLUSTER, "up", str(NODES), str(SHIPPED_MBIT)], check=True)
    for _ in range(RUNS):
        for library in LIBRARIES:
            for ranks, operation, sizes in COLLECTIVES:
                done = subprocess.run([CLUSTER, "run", "-m", library, "-s", build / f"tests/cluster/libmpiblock.{library}.so", str(ranks),
                                       build / f"validation/emulated/collectives.{library}", operation, str(REPEATS), *map(str, sizes)],
                                      check=True, capture_output=True, text=True, env=os.environ | {"OMPI_MCA_mpi_preconnect_mpi": "1"})
                with open(HERE / "collectives.csv", "a", encoding="utf-8") as stream:
                    for line in done.stdout.splitlines():
                        stream.write(f"{library},{ranks},{line.replace(' ', ',')}\n")


def predict_collectives(build, cluster, ranks, operation, sizes, *options):
    """{bytes: seconds}"""
    done = subprocess.run([build / "bin/mpisim-run", "--quiet", "--compute", "modelled", "--cluster", cluster, "-n", str(ranks), *options,
                           build / "validation/emulated/collectives", operation, str(REPEATS), *map(str, sizes)], check=True, capture_output=True, text=True)
    return {int(line.split()[1]): float(line.split()[2]) for line in done.stdout.splitlines()}


def collectives(build, library, cluster):
    """Lines of a comment: measured and predicted."""
    rows = read_table(HERE / "collectives.csv")
    for ranks, operation, sizes in COLLECTIVES:
        plain = predict_collectives(build, cluster, ranks, operation, sizes, "--deterministic")
        varied = [predict_collectives(build, cluster, ranks, operation, sizes, "--repeat", "1", "--seed", str(seed)) for seed in range(1, SEEDS + 1)]
        for size in sizes:
            measured = statistics.median(float(row["seconds"]) for row in rows if (row["library"], row["ranks"], row["operation"], row["size_B"]) ==
                                         (library, str(ranks), operation, str(size)))
            predicted = (plain[size], statistics.median(run[size] for run in varied))
            yield (f"#   MPI_{operation.capitalize()}, {ranks} ranks, {size} B: {measured * 1e3:.2f} ms; predicted {predicted[0] * 1e3:.2f} ms ({predicted[0] / measured - 1:+.1%}), "
                   f"varied {predicted[1] * 1e3:.2f} ms ({predicted[1] / measured - 1:+.1%})\n")


def shipped(build, library):
    """The same of faster links, with what its predictions are worth."""
    text = fitted(build, library, SHIPPED_MBIT)
    first, rest = text.split("do not edit.\n", 1)
    with tempfile.TemporaryDirectory() as folder:
        cluster = pathlib.Path(folder) / "cluster.yaml"
        cluster.write_text(text, encoding="utf-8")
        lines = "".join(collectives(build, library, cluster))
    return (f"{first.replace('calibrate.py from ', 'validation/emulated/calibrate.py from ')}do not edit.\n"
            f"# Eight emulated nodes of one core (tests/cluster), links of {SHIPPED_MBIT} Mbit/s each way: a library as it is, not a calibration of your machine.\n"
            "# What its collective operations took there (validation/emulated/collectives.csv, medians), which calibration did not see; predicted without variation,\n"
            f"# and the median of {SEEDS} runs with the variation of this file:\n{lines}{rest}")

def value_of(text, key):
    return re.search(rf"^  {key}: (\S+(?: MB/s)?)", text, re.M).group(1)


def plain(library, text):
    """The plain model: latency and bandwidth alone."""
    return (f"# {LICENSE}\n# Written by calibrate.py: the same in the plain model, latency and bandwidth alone.\nmpisim_cluster: 1\n"
            f"name: emulated, {RATE_MBIT} Mbit/s, plain model\nnodes: {NODES}   # as {library}.yaml\ncores: 1   # the same\n"
            f"network: {{latency: {value_of(text, 'latency')}, bandwidth: {value_of(text, 'bandwidth')}, model: thesis}}"
            f"   # values of {library}.yaml, used as in the thesis\n")


def platform(text):
    half_us = float(value_of(text, "latency").removesuffix("us")) / 2
    return ('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            f"<!-- {LICENSE} -->\n"
            "<!-- Written by calibrate.py. The emulated cluster for SMPI: the bandwidth of openmpi.yaml, and half of its latency on each of the two links of a route. -->\n"
            '<platform version="4.1">\n  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" '
            f'bw="{value_of(text, "bandwidth").replace(" MB/s", "MBps")}" lat="{half_us:.6f}us" sharing_policy="SPLITDUPLEX"/>\n</platform>\n')


def make(build):
    """Path and text of all files."""
    files = {}
    for library in LIBRARIES:
        text = fitted(build, library)
        files[HERE / f"{library}.yaml"] = text
        files[HERE / f"{library}-thesis.yaml"] = plain(library, text)
        files[HERE.parent.parent / f"clusters/{library}-tcp-{SHIPPED_MBIT}mbit.yaml"] = shipped(build, library)
    files[HERE / "smpi/platform.xml"] = platform(files[HERE / "openmpi.yaml"])
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--library", choices=LIBRARIES, action="append")
    what = parser.add_mutually_exclusive_group(required=True)
    parser.add_argument("--rate", type=int, default=RATE_MBIT)
    for name in ("measure", "collectives", "write", "check"):
        what.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    if args.measure:
        for library in args.library or LIBRARIES:
            measure(build, library, args.rate)
        return
    if args.collectives:
        measure_collectives(build)
        return
    wrong = {path: text for path, text in make(build).items() if not path.exists() or path.read_text(encoding="utf-8") != text}
    for path, text in wrong.items():
        if args.write:
            path.write_text(text, encoding="utf-8")
        else:
            print(f"{path.name} is not what mpisim-calibrate-fit makes of the samples: call calibrate.py BUILD --write")
    sys.exit(bool(wrong) and args.check)


main()
