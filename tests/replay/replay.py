#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A recorded run and its replay give the same prediction; a replay on another cluster gives that of a run there.

    replay.py BIN_DIR APPS_DIR CLUSTERS_DIR PROGRAM_WITH_REMOVED_NAMES
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, read_json, require  # noqa: E402  (the folder above)

BIN, APPS, CLUSTERS, OLD_NAMES = (os.path.abspath(path) for path in sys.argv[1:5])
NAMES = ["example-gigabit", "infiniband-hdr", "openmpi-tcp-100mbit"]
PROGRAMS = [  # name, ranks, arguments
    ("jacobi", 8, ["--n", "64", "--iterations", "15"]),
    ("lu", 8, ["--n", "128", "--r", "16", "--variant", "P+FC"]),
    ("lu", 4, ["--n", "64", "--r", "16"]),
    ("sor", 4, []),
    ("tsp", 4, []),
    ("pingpong", 2, []),
]


def cluster(name):
    return f"{CLUSTERS}/{name}.yaml"


def record(name, program, ranks, arguments, options=()):
    return call(f"{BIN}/mpisim-run", "--cluster", cluster(name), "-n", str(ranks), "--quiet", "--json", "run.json",
                "--record", "run.mtrace", *([] if any(word.startswith("--vary") for word in options) else ["--deterministic"]), *options, f"{APPS}/{program}", *arguments)


def replay(*options):
    return call(f"{BIN}/mpisim-replay", "run.mtrace", "--quiet", "--json", "replay.json", *options)


def result(path, *without):
    return read_json(path, "simulation", "warnings", *without)


def replays_give_the_figures_of_the_run():
    """All of the JSON is equal: times of every call and kernel, and the predicted time to the last digit, computation measured."""
    for name in NAMES:
        for program, ranks, arguments in PROGRAMS:
            for options in ([], ["--scale", "*=2", "--vary-transfer", "0.1", "--seed", "3"]):
                done = record(name, program, ranks, arguments, options)
                require(done.returncode == 0, done.stderr)
                done = replay()
                require(done.returncode == 0, done.stderr)
                require(result("run.json") == result("replay.json"), f"{program} on {name} {options} differs from its replay")


def names_that_the_standard_removed_are_recorded():
    done = record("example-gigabit", os.path.relpath(OLD_NAMES, APPS), 2, [])
    require(done.returncode == 0, done.stderr)
    done = replay()
    require(done.returncode == 0, done.stderr)
    require(result("run.json") == result("replay.json"), "a program of MPI-1 differs from its replay")


def replays_elsewhere_are_runs_there():
    """Jacobi's course depends on nothing but its data: charged by a model it computes the same on every cluster."""
    write_kernels("kernels.txt", 1e-5)
    options = ["--compute", "modelled", "--bench", "kernels.txt"]
    arguments = ["--n", "64", "--iterations", "15"]
    done = record(NAMES[0], "jacobi", 8, arguments, options)
    require(done.returncode == 0, done.stderr)
    os.rename("run.mtrace", "first.mtrace")
    for name in NAMES[1:]:
        done = record(name, "jacobi", 8, arguments, options)
        require(done.returncode == 0, done.stderr)
        os.rename("first.mtrace", "run.mtrace")
        done = replay("--cluster", cluster(name))
        require(done.returncode == 0, done.stderr)
        require(result("run.json") == result("replay.json"), f"jacobi replayed on {name} differs from a run there")
        os.rename("run.mtrace", "first.mtrace")
    os.rename("first.mtrace", "run.mtrace")


def write_kernels(path, seconds_per_row):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("name,p1,p2,p3,p4,seconds\n")
        for rows in (7, 8, 9):
            for kernel in ("jacobi_init", "jacobi_sweep"):
                stream.write(f"{kernel},{rows},64,,,{rows * seconds_per_row}\n")


def every_way_to_charge_computation_is_recorded():
    """What a kernel took is in the trace, wherever it came from: measured, collected, a file, the mean of the first calls."""
    write_kernels("kernels.txt", 1e-5)
    for options in (["--compute", "collect", "--bench-out", "out.txt"], ["--compute", "partial", "--bench", "kernels.txt"],
                    ["--compute", "partial", "--first-n", "3"], ["--first-n", "3"],
                    ["--compute", "partial", "--bench", "kernels.txt", "--no-alloc"],
                    ["--compute", "modelled", "--bench", "kernels.txt", "--vary-compute", "0.2"]):
        done = record(NAMES[0], "jacobi", 8, ["--n", "64", "--iterations", "15"], options)
        require(done.returncode == 0, done.stderr)
        done = replay()
        require(done.returncode == 0, done.stderr)
        require(result("run.json") == result("replay.json"), f"jacobi {options} differs from its replay")


def other_kernels_are_charged_as_in_a_run_with_them():
    write_kernels("slow.txt", 1e-5)
    write_kernels("fast.txt", 3e-6)
    arguments = ["--n", "64", "--iterations", "15"]
    fast = ["--compute", "modelled", "--bench", "fast.txt"]
    require(record(NAMES[0], "jacobi", 8, arguments, fast).returncode == 0, "no run with the fast kernels")
    wanted = result("run.json")
    done = record(NAMES[0], "jacobi", 8, arguments, ["--compute", "modelled", "--bench", "slow.txt"])
    require(done.returncode == 0, done.stderr)
    require(result("run.json") != wanted, "the kernels make no difference")
    done = replay("--bench", "fast.txt")
    require(done.returncode == 0, done.stderr)
    require(result("replay.json") == wanted, "a replay with --bench differs from a run with it")
    done = replay("--bench", "fast.txt", "--scale", "jacobi_sweep=2")
    require(record(NAMES[0], "jacobi", 8, arguments, fast + ["--scale", "jacobi_sweep=2"]).returncode == 0, "no scaled run")
    require(result("replay.json") == result("run.json"), "a replay with --bench and --scale differs from a run with them")
    with open("one.txt", "w", encoding="utf-8") as stream:
        stream.write("name,p1,p2,p3,p4,seconds\njacobi_init,8,64,,,1e-5\n")
    done = replay("--bench", "one.txt")
    require(done.returncode == 1 and "mpisim-replay: rank " in done.stderr and "jacobi_" in done.stderr, done.stderr)
    done = replay("--bench", "none.txt")
    require(done.returncode == 2 and "mpisim-replay: " in done.stderr and "none.txt" in done.stderr, done.stderr)


def doubts_are_named():
    record(NAMES[0], "tsp", 4, [])
    done = replay()
    require("mpisim-replay: warning: " in done.stderr and "mpisim-run: " not in done.stderr, done.stderr)
    require("MPI_Iprobe at share.c:" in done.stderr and "looked for messages without waiting" in done.stderr, done.stderr)
    require("let it run there (mpisim-run, or mpisim-whatif --cluster FILE -n RANKS PROGRAM)" in done.stderr, done.stderr)
    record(NAMES[0], "jacobi", 4, [])
    done = replay()
    require("read a clock" in done.stderr and "without waiting" not in done.stderr, done.stderr)


def wrong_input_is_refused():
    record(NAMES[0], "jacobi", 4, [])
    with open("run.mtrace", "rb") as stream:
        good = stream.read()
    for bad, text in ((good[:-1], "truncated"), (good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], "damaged"), (b"hello", "no trace"), (b"", "no trace")):
        with open("run.mtrace", "wb") as stream:
            stream.write(bad)
        done = replay()
        require(done.returncode in (1, 2) and text in done.stderr and "run.mtrace" in done.stderr, f"{text}: {done.stderr}")
        require("mpisim-replay: " in done.stderr and "mpisim-run: " not in done.stderr, f"not the replay says: {done.stderr}")
    done = call(f"{BIN}/mpisim-replay", "none.mtrace")
    require(done.returncode == 2 and "none.mtrace" in done.stderr, done.stderr)
    done = call(f"{BIN}/mpisim-replay", "run.mtrace", "-n", "4")
    require(done.returncode == 2 and "-n is for mpisim-run" in done.stderr, done.stderr)
    done = call(f"{BIN}/mpisim-run", "--cluster", cluster(NAMES[0]), "-n", "2", "--record", "no/such/x", f"{APPS}/jacobi")
    require(done.returncode == 2 and "no/such/x" in done.stderr, done.stderr)


def a_killed_recording_leaves_the_old_file():
    with open("run.mtrace", "w", encoding="utf-8") as stream:
        stream.write("old")
    process = subprocess.Popen([f"{BIN}/mpisim-run", "--cluster", cluster(NAMES[0]), "-n", "8", "--quiet", "--record",
                                "run.mtrace", f"{APPS}/jacobi", "--n", "400", "--tolerance", "0", "--iterations", "100000000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not any(name.endswith(".part") for name in os.listdir(".")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open("run.mtrace", encoding="utf-8") as stream:
        require(stream.read() == "old", "a killed recording replaced the trace")
    left = [name for name in os.listdir(".") if name.endswith(".part")]
    require(len(left) == 1, left)
    for name in (f"run.mtrace.{os.getpid()}.part", "run.mtrace.x.part", "other.mtrace.1.part"):  # of a living process, of nobody, of others
        with open(name, "w", encoding="utf-8"):
            left.append(name)
    done = call(f"{BIN}/mpisim-run", "--cluster", cluster(NAMES[0]), "-n", "2", "--quiet", "--record", "run.mtrace", f"{APPS}/jacobi")
    require(done.returncode == 0, done.stderr)
    require(sorted(name for name in os.listdir(".") if name.endswith(".part")) == sorted(left[1:]), "the next recording removes what the killed one left")


def a_recording_without_room_is_no_trace():
    """With its summary, which looks at the trace before it is told of, and without."""
    for options in ([], ["--quiet"]):
        done = call("sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", f"{BIN}/mpisim-run", "--cluster", cluster(NAMES[0]), "-n", "2",
                    *options, "--record", "roomless.mtrace", f"{APPS}/jacobi")
        require(done.returncode == 2 and "--record: cannot write 'roomless.mtrace'" in done.stderr, done.stderr)
        require("\ntrace: " not in done.stderr and not [name for name in os.listdir(".") if name.startswith("roomless")], done.stderr)


with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    replays_give_the_figures_of_the_run()
    a_recording_without_room_is_no_trace()
    names_that_the_standard_removed_are_recorded()
    replays_elsewhere_are_runs_there()
    every_way_to_charge_computation_is_recorded()
    other_kernels_are_charged_as_in_a_run_with_them()
    doubts_are_named()
    wrong_input_is_refused()
    a_killed_recording_leaves_the_old_file()
