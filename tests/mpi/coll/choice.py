#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms of collectives as the user chooses them: options, cluster file, results, replay.

    choice.py BIN_DIR CLUSTER PROGRAM
"""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from harness import call, read_json, require  # noqa: E402  (the folder above)

BIN, CLUSTER, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:4])
DEFAULT = {"barrier": "dissemination", "bcast": "binomial", "allgather": "recursive_doubling", "allgatherv": "ring",
           "alltoall": "scattered", "reduce": "binomial", "allreduce": "recursive_doubling",
           "reduce_scatter_block": "recursive_halving", "scan": "recursive_doubling"}
OPENMPI = {"barrier": "linear", "bcast": "binary", "allgather": "recursive_doubling", "allgatherv": "gather_bcast",
           "alltoall": "linear_sync", "reduce": "binary", "allreduce": "recursive_doubling",
           "reduce_scatter_block": "butterfly", "scan": "linear"}
MPICH = {**DEFAULT, "allgatherv": "recursive_doubling"}

IDEAL = dict.fromkeys(DEFAULT, "ideal")


def result(done):
    require(done.returncode == 0, done.stderr)
    found = read_json("out.json")
    return found["predicted_time_s"], {use["operation"]: use["algorithm"] for use in found["collectives"]}, found


def run(*options, cluster=CLUSTER, case="everything"):
    return result(call(f"{BIN}/mpisim-run", "--cluster", cluster, "-n", "4", "--compute", "modelled", "--quiet", "--json", "out.json",
                       *options, PROGRAM, case))


def replay(trace, *options):
    return result(call(f"{BIN}/mpisim-replay", trace, "--quiet", "--json", "out.json", *options))


def the_json_names_what_was_used():
    require(run()[1] == DEFAULT, run()[1])
    require(all(use["count"] == 1 for use in run()[2]["collectives"]), "each operation is called once")


def profiles_choose_as_their_libraries_do():
    require(run("--coll-profile", "openmpi")[1] == OPENMPI, run("--coll-profile", "openmpi")[1])
    require(run("--coll-profile", "mpich")[1] == MPICH, run("--coll-profile", "mpich")[1])
    require(run("--coll-profile", "ideal")[1] == IDEAL, run("--coll-profile", "ideal")[1])
    require(run("--coll", "mpich")[:2] == run("--set", "protocol.collectives=mpich")[:2], "--coll NAME is a profile")


def mpich_looks_at_nodes():
    two = ("--set", "nodes=2", "--set", "cores=2", "--placement", "block")
    wanted = {**MPICH, "barrier": "hierarchical", "bcast": "hierarchical", "reduce": "hierarchical_root_node", "allreduce": "hierarchical"}
    found = run(*two, "--coll-profile", "mpich")
    require(found[1] == wanted, found[1])
    require(run(*two, "--coll-profile", "openmpi")[1] == OPENMPI, "Open MPI's tuned module does not")
    run(*two, "--coll-profile", "mpich", "--record", "nodes.mtrace")
    require(replay("nodes.mtrace")[:2] == found[:2], "a replay does the same")


def one_operation_is_forced():
    forced = run("--coll", "allreduce=ring,bcast=pipeline:100", "--coll", "barrier=tree")
    require(forced[1] == {**DEFAULT, "allreduce": "ring", "bcast": "pipeline", "barrier": "tree"}, forced[1])
    require(forced[0] != run()[0], "another algorithm takes another time")
    require(run("--coll", "allreduce=ring", "--coll-profile", "openmpi")[1] == {**OPENMPI, "allreduce": "ring"}, "both go together")
    require(run("--coll", "allgather=two_proc")[1] == DEFAULT, "what it cannot do the profile does")


def the_cluster_file_says_the_same():
    with open(CLUSTER, encoding="utf-8") as stream:
        text = stream.read()
    with open("chosen.yaml", "w", encoding="utf-8") as stream:
        stream.write(text.replace("protocol:\n", "protocol:\n  collectives: openmpi\n") + "run: {algorithms: {bcast: 'pipeline:100'}}\n")
    found = run(cluster="chosen.yaml")
    require(found[:2] == run("--coll-profile", "openmpi", "--coll", "bcast=pipeline:100")[:2], "the file says what the options do")
    require(run("--coll", "bcast=linear", cluster="chosen.yaml")[1]["bcast"] == "linear", "options go before the file")


def replays_obey():
    run("--record", "plain.mtrace")
    run("--record", "ring.mtrace", "--coll", "allreduce=ring", "--coll-profile", "openmpi")
    for options in ([], ["--coll", "allreduce=rabenseifner,bcast=pipeline:100"], ["--coll-profile", "openmpi"], ["--coll", "mpich"],
                    ["--coll-profile", "ideal"], ["--coll", "allreduce=ideal"]):
        require(replay("plain.mtrace", *options)[:2] == run(*options)[:2], f"a replay with {options} is not the run")
    require(replay("ring.mtrace")[:2] == run("--coll", "allreduce=ring", "--coll-profile", "openmpi")[:2], "the trace knows what was asked for")
    require(replay("ring.mtrace", "--coll-profile", "default")[1] == {**DEFAULT, "allreduce": "ring"}, "and is overridden")


def formulas_send_nothing_and_are_explained():
    """tests/mpi/coll/timing_algorithms.c derives the times: 2 (l + o + o) and 600 B; rank 1 comes 10 ms after the others."""
    found = run("--coll", "allreduce=ideal", "--explain", case="ideal_late_allreduce")[2]
    path = found["analysis"]["critical_path"]
    parts = {"compute": 0.110, "latency": 0.002, "bandwidth": 0.0006, "send_overhead": 0.0002, "recv_overhead": 0.0002}
    require(found["collective_messages"] == 0, "there are no messages")
    for name, seconds in path["parts_s"].items():
        require(abs(seconds - parts.get(name, 0)) < 1e-11, f"{name} on the critical path: {seconds}")
    require(all(part["call"] == "MPI_Allreduce" for part in path["blame"] if part["blame"] != "compute"), "the call is named")
    require(path["derivatives"]["latency"] == 2 and path["derivatives"]["inverse_bandwidth_B"] == 600, path["derivatives"])
    waits = found["analysis"]["wait_states"]["all"]["collective"]
    require(waits["count"] == 3 and abs(waits["time_s"] - 0.030) < 1e-11, waits)


def stages_of_other_algorithms_are_messages():
    found = run("--coll-profile", "ideal", "--coll", "allreduce=nonoverlapping")
    require(found[1] == {**IDEAL, "allreduce": "nonoverlapping"} and found[2]["collective_messages"] == 6, found[2]["collective_messages"])
    found = run("--coll-profile", "ideal", "--coll", "allreduce=nonoverlapping,reduce=ideal,bcast=ideal")
    require(found[2]["collective_messages"] == 6, found[2]["collective_messages"])


def ranks_in_different_operations_are_an_error():
    for case, says in (("mismatch", "rank 1: MPI_Allreduce at"), ("mismatch", "rank 0 called MPI_Reduce at timing_algorithms.c"),
                       ("roots", "rank 1: MPI_Bcast at"), ("roots", "root is 1, and 0 where rank 0 called MPI_Bcast at")):
        done = call(f"{BIN}/mpisim-run", "--cluster", CLUSTER, "-n", "4", "--quiet", "--compute", "modelled", "--coll", "ideal", PROGRAM, case)
        require(done.returncode == 1 and says in done.stderr, done.stderr)


def the_summary_names_them():
    done = call(f"{BIN}/mpisim-run", "--cluster", CLUSTER, "-n", "4", "--verbose", "--coll", "bcast=linear", PROGRAM, "everything")
    require("\ncollectives: 1 barrier (dissemination), 1 bcast (linear), 1 allgather (recursive_doubling), 1 allgatherv (ring) and 5 more\n"
          in done.stderr, done.stderr)


def what_there_is_not_is_refused():
    for options, says in ((["--coll", "allreduce=tree"], 'no algorithm "tree" for allreduce; there are: linear, reduce_bcast'),
                          (["--coll", "all=ring"], 'no collective "all"; there are: barrier, bcast'),
                          (["--coll", "ring"], 'found "ring", wanted OPERATION=ALGORITHM'),
                          (["--coll", "scan=linear:4KiB"], "has no segments"),
                          (["--coll", "bcast=pipeline:big"], 'found "big" for segments'),
                          (["--coll-profile", "lam"], 'found "lam", wanted one of default, openmpi, mpich'),
                          (["--set", "run.algorithms.allreduce=tree"], 'run.algorithms.allreduce: no algorithm "tree"'),
                          (["--set", "run.algorithms.alreduce=ring"], 'did you mean "run.algorithms.allreduce"'),
                          (["--set", "protocol.collectives=lam"], "wanted one of default|openmpi")):
        done = call(f"{BIN}/mpisim-run", "--cluster", CLUSTER, "-n", "4", "--json", "none.json", *options, PROGRAM, "everything")
        require(done.returncode == 2 and says in done.stderr, f"{options}: {done.stderr}")
        require(not os.path.exists("none.json"), "nothing is written")


def help_lists_everything():
    done = call(f"{BIN}/mpisim-run", "--coll", "help")
    require(done.returncode == 0 and "segmented_ring[:SIZE]" in done.stdout and "openmpi" in done.stdout, done.stdout)
    require(call(f"{BIN}/mpisim-replay", "--coll", "help").stdout == done.stdout, "mpisim-replay has the same list")


def rules_are_printed_for_every_profile():
    done = call(f"{BIN}/mpisim-run", "--coll", "rules")
    operations = ["barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce",
                  "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"]
    parts = done.stdout.split("\n\n")[1:]
    found = {part.split(":")[0]: [line.split()[0] for line in part.splitlines()[1:] if line[2] != " " and "->" not in line] for part in parts if ":" in part}
    require(found == dict.fromkeys(("default", "openmpi", "mpich", "ideal"), operations), found)
    for line in ("<8 binary<64B binomial<128B binary<2KiB binomial<8KiB linear<1MiB pipeline", "any, ordered nonoverlapping",
                 "any bruck<257B scattered<32769B pairwise", "any, commutes recursive_halving<512KiB pairwise",
                 "scatter_ring", "rabenseifner (standard's operations)"):
        require(line in " ".join(done.stdout.split()), f"{line} is not in\n{done.stdout}")
    require(call(f"{BIN}/mpisim-replay", "--coll", "rules").stdout == done.stdout, "mpisim-replay has the same rules")


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    the_json_names_what_was_used()
    profiles_choose_as_their_libraries_do()
    mpich_looks_at_nodes()
    one_operation_is_forced()
    the_cluster_file_says_the_same()
    replays_obey()
    formulas_send_nothing_and_are_explained()
    stages_of_other_algorithms_are_messages()
    ranks_in_different_operations_are_an_error()
    the_summary_names_them()
    what_there_is_not_is_refused()
    help_lists_everything()
    rules_are_printed_for_every_profile()
