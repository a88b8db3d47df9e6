#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that use chapters of MPI, recorded and replayed: all figures are equal, to the last digit.

    functions.py BIN_DIR TESTS_BUILD_DIR TESTS_DIR FILES ALGORITHMS

ALGORITHMS: those of the collectives that tests/mpi/times asks for.
"""
import os
import pathlib
import sys
import tempfile

from compare import is_close

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, read_json, require  # noqa: E402  (the folder above)

BIN, BUILT, SOURCE = (os.path.abspath(path) for path in sys.argv[1:4])
FILE_PROGRAM = os.path.abspath(sys.argv[4])
ALGORITHMS = sys.argv[5]
IN_MPI = ["--set", "rma.progress=in_mpi"]
LATE = ["--set", "protocol.late_answers=tests"]
STORAGE = ["--set", "storage={servers: 2, latency: 2ms, bandwidth: {read: 2 MB/s, write: 1 MB/s}, metadata_time: 5ms, stripe: {size: 1000}}"]
FILES = [("timing-io", case) for case in (
    "alone", "striped", "servers_are_shared", "metadata_queue", "nonblocking", "shared_pointer", "collective", "only_what_is_moved", "holes",
    "stripes_of_one_file")] + [("semantics-io", case) for case in (
        "opening_fails_with_its_class", "arguments_have_their_classes", "views_are_checked", "pending_accesses_hold_the_file",
        "halves_belong_together")] + [("representations", "registered_representations")]
TIMED = [  # program, case, options
    ("timing-rma", "put_and_flush", []), ("timing-rma", "get_and_flush", []), ("timing-rma", "fetches", []),
    ("timing-rma", "later_operations_do_not_overtake", []), ("timing-rma", "queue_of_one", ["--set", "rma.queue_depth=1"]),
    ("timing-rma", "exclusive_lock", []), ("timing-rma", "shared_locks", []), ("timing-rma", "lock_all_waits_for_writers", []),
    ("timing-rma", "fence", []), ("timing-rma", "post_start_complete_wait", []), ("timing-rma", "target_computes_nic", []),
    ("timing-rma", "target_computes_in_mpi", IN_MPI), ("timing-rma", "target_waits_in_mpi", IN_MPI),
    ("timing-rma", "windows_cost_what_they_send", []),
    ("requests", "isendrecv", []), ("requests", "isendrecv_replace", []), ("requests", "partitions_travel_alone", []),
    ("requests", "partitions_of_other_sizes", []), ("requests", "halves_match_in_order", []), ("requests", "statuses_of_requests", []),
    ("chapters", "buffers_of_communicators", []), ("chapters", "flushes", []), ("chapters", "persistent_forms", []),
    ("chapters", "handles_are_numbers", []),
    ("chapters", "communicators_without_a_parent", []), ("semantics", "freed_generalized_request", []),
] + [(program, case, STORAGE) for program, case in FILES] + [
    ("timing-late", "holes_are_filled_in_a_wait_without_overheads", ["--set", "protocol.progress=in_waiting", "--set", "protocol.overhead=0"])
] + [("timing-late", case, LATE) for case in (
    "what_is_known_is_told_alone", "testall_is_late", "testany_is_late", "testsome_is_late")]
CHAPTERS = ["inter", "graphs", "topo", "comm", "coll", "icoll", "p2p_modes", "types", "tool", "io"]
MEASURES = ["tool"]  # which expects that its own computation takes time
REFUSED = [  # program, case, what is said
    ("requests", "truncated_half", "MPI_Wait returned error 15, which --record cannot record"),
]


def record(cluster, n_ranks, options, *program):
    return call(f"{BIN}/mpisim-run", "--cluster", f"{SOURCE}/{cluster}.yaml", "-n", str(n_ranks), "--quiet", "--json", "run.json",
                "--record", "run.mtrace", *options, *program)


def result(path):
    return read_json(path, "simulation", "warnings")


def replayed():
    done = call(f"{BIN}/mpisim-replay", "run.mtrace", "--quiet", "--json", "replay.json")
    require(done.returncode == 0, done.stderr)
    return result("run.json"), result("replay.json"), done.stderr


def calls_take_the_times_of_the_run():
    for program, case, options in TIMED:
        done = record("mpi/timing", 3, ["--compute", "modelled", *options], f"{BUILT}/mpi/{program}", case)
        require(done.returncode == 0, f"{program} {case}: {done.stderr}")
        recorded, found, _ = replayed()
        require(recorded == found, f"{program} {case} differs from its replay")


def every_function_takes_the_time_of_the_run():
    """All that take simulated time."""
    for name in ("collectives", "communicators", "files", "processes", "receives", "sends", "sessions", "windows"):
        nodes = "0,1,2,3,0,1,2,3" if name == "windows" else "0,1,2,3"
        done = record("mpi/times/times", nodes.count(",") + 1, ["--compute", "modelled", "--placement", nodes, "--coll", ALGORITHMS],
                      f"{BUILT}/mpi/times/times-{name}")
        require(done.returncode == 0, f"{name}: {done.stderr}")
        recorded, found, _ = replayed()
        require(recorded == found, f"the times of {name} differ from their replay")


def whole_chapters_are_replayed():
    """Where computation is measured, polls within a step are one charge in a recording: sums have other last digits, and steps are fewer or more."""
    for name in CHAPTERS:
        for cluster in ("programs/cluster", "programs/protocols"):
            for mode in ("direct",) if name in MEASURES else ("modelled", "direct"):
                done = record(cluster, 5, ["--compute", mode], f"{BUILT}/programs/mpisim_{name}")
                require(done.returncode == 0, f"{name}: {done.stderr}")
                recorded, found, _ = replayed()
                for kernel in recorded["kernels"] + found["kernels"] if mode == "direct" else []:
                    kernel.pop("steps")
                require(recorded == found if mode == "modelled" else is_close(found, recorded), f"{name} on {cluster}, {mode}, differs from its replay")


def said_without_calls(name, cluster):
    """What the program's own functions call within MPI counts as calls in the run, and not in the replay."""
    done = record(cluster, 5, [], f"{BUILT}/programs/mpisim_{name}")
    require(done.returncode == 0, done.stderr)
    recorded, found, said = replayed()
    for key in ("kernels", "calls"):
        recorded.pop(key), found.pop(key)
    for rank in recorded["ranks"] + found["ranks"]:
        rank.pop("calls")
    require(is_close(found, recorded), f"{name} on {cluster} differs from its replay")
    return said


def calls_within_conversions_and_handlers_are_part_of_the_call():
    for cluster in ("programs/cluster", "programs/protocols"):
        said_without_calls("sessions", cluster)
        said = said_without_calls("io_more", cluster)
        require("used a shared file pointer" in said and "MPI_File_write_shared at io_more.c:" in said, said)


def files_are_predicted_on_another_storage():
    elsewhere = ["storage.bandwidth.write=4 MB/s", "storage.servers=1", "storage.stripe.size=64", "storage.metadata_time=50ms", "storage={}",
                 "network.latency=1ms"]
    done = record("mpi/timing", 3, ["--compute", "modelled", *STORAGE], FILE_PROGRAM)
    require(done.returncode == 0, done.stderr)
    recorded, found, said = replayed()
    require(recorded == found and not said, f"files differ from their replay {said}")
    for change in elsewhere:
        os.remove("other")
        done = call(f"{BIN}/mpisim-run", "--cluster", f"{SOURCE}/mpi/timing.yaml", "-n", "3", "--quiet", "--json", "run.json", "--compute", "modelled",
                    *STORAGE, "--set", change, FILE_PROGRAM)
        require(done.returncode == 0, done.stderr)
        os.remove("other")
        done = call(f"{BIN}/mpisim-replay", "run.mtrace", "--set", change, "--quiet", "--json", "replay.json")
        require(done.returncode == 0 and not os.path.exists("other"), f"{change}: {done.stderr}")
        require(result("replay.json")["ranks"] == result("run.json")["ranks"], f"{change}: the replay differs from a run there")
        open("other", "w", encoding="utf-8").close()


def one_sided_programs_end_at_the_time_of_the_run():
    """Its error handler computes and calls MPI; the run counts the call that it interrupts once more, the replay does not."""
    for cluster in ("programs/cluster", "programs/protocols"):
        done = record(cluster, 5, [], f"{BUILT}/programs/mpisim_rma")
        require(done.returncode == 0, done.stderr)
        recorded, found, said = replayed()
        for a, b in zip(recorded["ranks"], found["ranks"]):
            a.pop("calls"), b.pop("calls")
            require(is_close(b, a), f"one-sided communication on {cluster} differs from its replay: {a} {b}")
        require("read from windows what others may write at the same time" in said and "MPI_Win_test at rma.c:" in said, said)


def what_cannot_be_recorded_is_named():
    for program, case, text in REFUSED:
        if os.path.exists("run.mtrace"):
            os.remove("run.mtrace")
        done = record("mpi/timing", 3, ["--compute", "modelled"], f"{BUILT}/mpi/{program}", case)
        require(done.returncode == 1 and text in done.stderr, done.stderr)
        require(not os.path.exists("run.mtrace"), "a refused recording left a trace")


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    calls_take_the_times_of_the_run()
    every_function_takes_the_time_of_the_run()
    whole_chapters_are_replayed()
    calls_within_conversions_and_handlers_are_part_of_the_call()
    files_are_predicted_on_another_storage()
    one_sided_programs_end_at_the_time_of_the_run()
    what_cannot_be_recorded_is_named()
