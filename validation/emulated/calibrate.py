#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cluster files of this folder are mpisim-calibrate's: made from samples, nothing edited.

    validation/emulated/calibrate.py BUILD --measure [--library NAME]   root; calibrates on the emulated cluster, five minutes for each library, keeps the samples
    validation/emulated/calibrate.py BUILD --write                      openmpi.yaml, mpich.yaml, what the plain model has of them, SMPI's platform, from the samples
    validation/emulated/calibrate.py BUILD --check                      exit 1 if one of them is not what --write would make

After --write: smpi/predict.py, then table.py --write.
"""
import argparse
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import CLUSTER, HERE, LIBRARIES, NODES, RATE_MBIT  # noqa: E402

LIMIT_S = 600
LICENSE = "SPDX-License-Identifier: BSD-3-Clause"


def samples_path(library):
    return HERE / f"{library}-samples.csv.xz"


def measure(build, library):
    """Computing is slept, and connections are made before, as where runs are measured (measure.py). MPICH may hang when all is done."""
    subprocess.run([CLUSTER, "up", str(NODES), str(RATE_MBIT)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "samples.csv"
        subprocess.run([CLUSTER, "run", "-m", library, "-t", str(LIMIT_S), "-s", build / f"tests/cluster/libmpiblock.{library}.so", str(NODES),
                        build / f"calibrate/mpisim-calibrate.{library}", "--cores", "1", "-o", path.with_suffix(".yaml"), "--samples", path],
                       check=False, env=os.environ | {"MPISIM_REAL_SLEEP": "1", "OMPI_MCA_mpi_preconnect_mpi": "1"})
        samples_path(library).write_bytes(lzma.compress(path.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


def fitted(build, library):
    """The cluster file, as mpisim-calibrate writes it."""
    with tempfile.TemporaryDirectory() as folder:
        samples, output = pathlib.Path(folder) / "samples.csv", pathlib.Path(folder) / "cluster.yaml"
        samples.write_bytes(lzma.decompress(samples_path(library).read_bytes()))
        subprocess.run([build / "calibrate/mpisim-calibrate-fit", samples, "-o", output], check=True, capture_output=True)
        return f"# {LICENSE}\n# Written by calibrate.py from {samples_path(library).name}; do not edit.\n{output.read_text(encoding='utf-8')}"


def value_of(text, key):
    return re.search(rf"^  {key}: (\S+(?: MB/s)?)", text, re.M).group(1)


def plain(library, text):
    """The plain model: latency and bandwidth alone."""
    return (f"# {LICENSE}\n# Written by calibrate.py: the same in the plain model, latency and bandwidth alone.\nmpisim_cluster: 1\n"
            f"name: emulated, {RATE_MBIT} Mbit/s, plain model\nnodes: {NODES}   # as {library}.yaml\ncores: 1   # the same\n"
            f"network: {{latency: {value_of(text, 'latency')}, bandwidth: {value_of(text, 'bandwidth')}, latency_model: shared, sharing: algorithm1}}"
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
    files[HERE / "smpi/platform.xml"] = platform(files[HERE / "openmpi.yaml"])
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--library", choices=LIBRARIES, action="append")
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("measure", "write", "check"):
        what.add_argument(f"--{name}", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    if args.measure:
        for library in args.library or LIBRARIES:
            measure(build, library)
        return
    wrong = {path: text for path, text in make(build).items() if path.read_text(encoding="utf-8") != text}
    for path, text in wrong.items():
        if args.write:
            path.write_text(text, encoding="utf-8")
        else:
            print(f"{path.name} is not what mpisim-calibrate-fit makes of the samples: call calibrate.py BUILD --write")
    sys.exit(bool(wrong) and args.check)


main()
