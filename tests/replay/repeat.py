#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A replay jumps over what repeats, and every figure is that of the run all the same.

    repeat.py BIN_DIR CLUSTERS_DIR LOOPS
"""
import os
import pathlib
import sys
import tempfile

from compare import is_close

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import read_json, require, succeed  # noqa: E402  (the folder above)

BIN, CLUSTERS, LOOPS = (os.path.abspath(path) for path in sys.argv[1:4])
N = 60
KERNELS = "# mpisim-bench 1\nmodel,work,{}*p1\n"
# Four ranks on two cores, communication that costs CPU time, overheads: all that there is at work.
BUSY = ["--set", "cores=2", "--placement", "0,0,0,0,1,2"]
JUMPING = ["blocking", "nonblocking", "persistent", "threes", "changing"]
OTHERS = ["growing", "clock", "wild", "nested"]
MIXED = ["releasing"]


def record(kind, cluster, ranks, options=(), n=N, kernels="kernels.bench"):
    succeed(f"{BIN}/mpisim-run", "--cluster", f"{CLUSTERS}/{cluster}.yaml", "-n", str(ranks), "--quiet", "--json", "run.json",
            "--compute", "modelled", "--bench", kernels, "--record", "run.mtrace", *options, LOOPS, kind, str(n))


def replay(*options):
    succeed(f"{BIN}/mpisim-replay", "run.mtrace", "--quiet", "--json", "replay.json", *options)


def result(path):
    """All but what it took, what it warned of, and from which files the kernels came; and how long the jumps were."""
    found = read_json(path)
    jumped_s = found.pop("simulation")["jumped_s"]
    found.pop("warnings")
    return found, jumped_s


def replays_as_it_ran(kind, what):
    replay()
    wanted, none = result("run.json")
    found, jumped_s = result("replay.json")
    require(none == 0, f"{what}: the run itself jumped")
    require(found == wanted, f"{what}: the replay differs from the run")
    return jumped_s / wanted["predicted_time_s"]


def loops_are_jumped_over_without_a_difference():
    for cluster in ("example-gigabit", "ultrasparc-fast-ethernet", "infiniband-hdr"):
        for kind in JUMPING + OTHERS + MIXED:
            for ranks, options in ((3, []), (6, BUSY)):
                what = f"{kind} on {cluster}, {ranks} ranks"
                record(kind, cluster, ranks, options)
                share = replays_as_it_ran(kind, what)
                require(share == 0 if kind in OTHERS else share >= 0, f"{what}: jumped over {share} of the time")
                if kind in JUMPING and ranks == 3:
                    require(share > 0.3, f"{what}: jumped over {share} of the time only")


def share_of_halo(options, what):
    record("halo", "ethernet-10gbit", 96, ["--set", "nodes=96", *options], n=40)
    replay()
    wanted, _ = result("run.json")
    found, jumped_s = result("replay.json")
    require(found["predicted_time_s"] == wanted["predicted_time_s"] and is_close(found, wanted), f"halo {what}: the replay differs from the run")
    return jumped_s / wanted["predicted_time_s"]


def who_is_first_of_one_time_does_not_matter_where_it_cannot():
    require(share_of_halo([], "of eager messages") > 0.4, "halo: no jump although only the order of equal times changes")
    require(share_of_halo(["--set", "protocol.eager_threshold=4KiB"], "with progress in MPI") == 0,
          "halo: a jump although steps of a rendezvous wait for their ranks")
    require(share_of_halo(["--set", "protocol.overhead=1us"], "with overheads") == 0, "halo: a jump although overheads come one after the other")


def traces_of_many_blocks_are_jumped_over():
    record("threes", "example-gigabit", 3, n=6000)
    require(replays_as_it_ran("threes", "many blocks") > 0.9, "it stops at the end of a block")


def other_kernels_are_counted_in_repetitions_too():
    with open("faster.bench", "w", encoding="utf-8") as stream:
        stream.write(KERNELS.format("1e-3"))
    record("blocking", "example-gigabit", 3, kernels="faster.bench")
    wanted, _ = result("run.json")
    record("blocking", "example-gigabit", 3)
    replay("--bench", "faster.bench")
    found, jumped_s = result("replay.json")
    require(jumped_s > 0, "no jump with --bench")
    require(found["kernels"] == wanted["kernels"] and found["predicted_time_s"] == wanted["predicted_time_s"],
          "a replay with other kernels differs from a run with them")


def nothing_that_varies_is_jumped_over():
    for options in (["--vary-compute", "0.1"], ["--vary-transfer", "0.1"], ["--set", "network.model=thesis", "--set", "network.timeslice=1ms"]):
        record("blocking", "example-gigabit", 3, options)
        require(replays_as_it_ran("blocking", options) == 0, f"{options}: jumped")


def an_explained_replay_is_simulated():
    record("blocking", "example-gigabit", 3, ["--explain"])
    replay("--explain")
    wanted, _ = result("run.json")
    found, jumped_s = result("replay.json")
    require(found == wanted and jumped_s == 0, "an explained replay differs or jumps")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    with open("kernels.bench", "w", encoding="utf-8") as file:
        file.write(KERNELS.format("2e-2"))
    loops_are_jumped_over_without_a_difference()
    who_is_first_of_one_time_does_not_matter_where_it_cannot()
    traces_of_many_blocks_are_jumped_over()
    other_kernels_are_counted_in_repetitions_too()
    nothing_that_varies_is_jumped_over()
    an_explained_replay_is_simulated()
