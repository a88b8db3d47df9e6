#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces whose checksums are right and whose contents are not: the replay ends with a sentence, whatever they say.

    hostile.py BIN_DIR TESTS_BUILD_DIR TESTS_DIR FORGE [TRACES]
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, ignore_leaks, require  # noqa: E402  (the folder above)

ignore_leaks()
BIN, BUILT, SOURCE, FORGE = (os.path.abspath(path) for path in sys.argv[1:5])
N_FORGED = int(sys.argv[5]) if len(sys.argv) > 5 else 40  # of each program
PROGRAMS = ["rma", "graphs", "coll", "p2p_modes", "io", "io_more", "sessions"]


def run(command, timeout=120):
    return call(*command, errors="replace", timeout=timeout)


def record(name):
    done = run([f"{BIN}/mpisim-run", "--cluster", f"{SOURCE}/programs/cluster.yaml", "-n", "3", "--quiet", "--record", "good.mtrace",
                f"{BUILT}/programs/mpisim_{name}"], 120)
    require(done.returncode == 0, done.stderr)


def forge(what):
    done = run([FORGE, "good.mtrace", "bad.mtrace", what])
    require(done.returncode == 0, done.stderr)
    return run([f"{BIN}/mpisim-replay", "bad.mtrace", "--quiet"])


def short_arrays_are_refused():
    for name in ("coll", "graphs"):
        record(name)
        done = forge("cut")
        require(done.returncode == 1 and "is damaged: rank" in done.stderr and "an array is too short" in done.stderr, f"{name}: {done.stderr}")


def addresses_are_refused_where_mpi_takes_none():
    """Every buffer says MPI_IN_PLACE: of sends and puts, too."""
    for name in ("rma", "p2p_modes"):
        record(name)
        done = forge("in-place")
        require(done.returncode == 1 and "no such buffer" in done.stderr, f"{name}: {done.stderr}")


def changed_records_end_with_a_sentence():
    for name in PROGRAMS:
        record(name)
        for seed in range(N_FORGED):
            done = forge(str(seed))
            require(done.returncode in (0, 1, 2), f"{name}, seed {seed}: status {done.returncode}: {done.stderr[-3000:]}")
            require("Sanitizer" not in done.stderr and "runtime error" not in done.stderr, f"{name}, seed {seed}: {done.stderr[-6000:]}")
            require(done.returncode == 0 or "mpisim-replay: " in done.stderr, f"{name}, seed {seed}: no word: {done.stderr}")


def pipes_are_refused():
    os.mkfifo("pipe")
    for tool in ("mpisim-replay", "mpisim-whatif"):
        done = run([f"{BIN}/{tool}", "pipe"])
        require(done.returncode == 2 and "'pipe' is no regular file" in done.stderr, f"{tool}: {done.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    pipes_are_refused()
    short_arrays_are_refused()
    addresses_are_refused_where_mpi_takes_none()
    changed_records_end_with_a_sentence()
