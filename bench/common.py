# SPDX-License-Identifier: BSD-3-Clause
"""The cases that bench/run and bench/compare-smpi share, and how one is run."""
import collections
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLUSTER = """mpisim_cluster: 1
nodes: {nodes}
cores: {cores}
network: {{latency: 30us, bandwidth: 117 MB/s}}
protocol: {{eager_threshold: 64KiB}}
"""
RANKS_PER_NODE = 16  # where there are more ranks than MAX_NODES
MAX_NODES = 4096

# size_B: of a message; rounds: of the pattern; is_absent: buffers that are not there; group: default, or large (asked for)
Case = collections.namedtuple("Case", "name program ranks rounds size_B is_absent group", defaults=[False, "default"])
CASES = [
    Case("ring, 2 ranks", "ring", 2, 1_000_000, 1),
    Case("ring, 64 ranks", "ring", 64, 1_000_000, 1),
    Case("ping-pong, 1 B", "pingpong", 2, 500_000, 1),
    Case("ping-pong, 1 MB", "pingpong", 2, 2_000, 1_000_000, True),
    Case("halo 2-D, 256 ranks, 4 KiB", "halo2d", 256, 100, 4096),
    Case("halo 3-D, 512 ranks, 4 KiB", "halo3d", 512, 30, 4096),
    Case("allreduce, 256 ranks, 8 B", "allreduce", 256, 1000, 8),
    Case("all-to-all linear, 256 ranks, 4 KiB", "alltoall-linear", 256, 1, 4096),
    Case("all-to-all linear, 256 ranks, no buffers", "alltoall-linear", 256, 1, 4096, True),
    Case("all-to-all pairwise, 256 ranks, 4 KiB", "alltoall-pairwise", 256, 1, 4096),
    Case("LU skeleton, 8 ranks, 50 kB", "lu", 8, 2_000, 50_000, True),
    Case("HPL skeleton, 1024 ranks, 100 kB", "hpl", 1024, 32, 100_000, True),
    Case("random pairs, 64 ranks, wildcards", "random", 64, 100, 100),
    Case("one-sided, 256 ranks, 4 KiB", "onesided", 256, 100, 4096),
    Case("ring, 16384 ranks", "ring", 16384, 1_000_000, 1),
    Case("globals of 20 kB, 16384 ranks: start and end", "globals", 16384, 1, 0),
    Case("rows and columns, 4096 ranks, 8 B", "grid", 4096, 10, 8),
    Case("halo 2-D, 65536 ranks, 8 B", "halo2d", 65536, 10, 8, False, "large"),
    Case("all-to-all linear, 4096 ranks, no buffers", "alltoall-linear", 4096, 1, 4096, True, "large"),
    Case("barrier, 1048576 ranks", "barrier", 1048576, 1, 1, False, "large"),
    Case("allreduce, 1048576 ranks, 8 B", "allreduce", 1048576, 1, 8, False, "large"),
    Case("halo 2-D, 1048576 ranks, 8 B", "halo2d", 1048576, 10, 8, False, "large"),
    Case("rows and columns, 1048576 ranks, 8 B", "grid", 1048576, 1, 8, False, "large"),
]


def select(names, has_large):
    """The cases of these names (parts of names do); all of the default group without any."""
    if names:
        return [case for case in CASES if any(name in case.name for name in names)]
    return [case for case in CASES if has_large or case.group == "default"]


def nodes(case):
    return case.ranks if case.ranks <= MAX_NODES else case.ranks // RANKS_PER_NODE


def compile_all(compiler, folder):
    for name in ("ring", "patterns", "globals"):
        flags = ["-DMPISIM"] if "mpisim" in str(compiler) else []
        subprocess.run([compiler, "-O2", *flags, str(ROOT / f"bench/{name}.c"), "-o", f"{folder}/{name}"], check=True)


def program(case, folder, rounds=None):
    """Words of the program's command line."""
    rounds = rounds or case.rounds
    if case.program in ("ring", "globals"):
        return [f"{folder}/{case.program}", str(rounds)]
    return [f"{folder}/patterns", case.program, str(rounds), str(case.size_B)]


def simulator(build, case, folder, sets=()):
    """Words of mpisim-run before the program."""
    cluster = pathlib.Path(folder) / f"{case.ranks}.yaml"
    cluster.write_text(CLUSTER.format(nodes=nodes(case), cores=case.ranks // nodes(case)), encoding="utf-8")
    words = [f"{build}/bin/mpisim-run", "--quiet", "--cluster", str(cluster), "--compute", "modelled", "-n", str(case.ranks)]
    for one in sets:
        words += ["--set", one]
    return words + (["--no-alloc"] if case.is_absent else [])


def count_messages(run):
    """Messages of the program and of its collectives, and its one-sided operations."""
    n_puts = sum(call["count"] for call in run["calls"] if call["name"] == "MPI_Put")
    return run["messages"] + run["collective_messages"] + n_puts


def run_once(build, case, folder, sets=()):
    """What mpisim-run's JSON says of one run."""
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(temporary) / "out.json"
        words = simulator(build, case, folder, sets)
        subprocess.run([*words, "--json", str(out), *program(case, folder)], check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text(encoding="utf-8"))
