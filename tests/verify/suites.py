#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a suite of programs with known errors under --verify, and compares what is found with their labels.

usage: suites.py BIN_DIR CODES_DIR [--built DIR] [--verify PARTS] [--list] [--only GLOB]

CODES_DIR has the .c files of the MPI Bugs Initiative, whose generators are in SimGrid's repository (teshsuite/smpi/MBI): each code says in its head
how many ranks and arguments it has and which error, if any, for each of its runs. Programs are built into --built (default: CODES_DIR/../built) unless they are there, with --verify-memory if that part is asked for.
Every run gets the same options. A label is found if there is any finding, named if one of the findings has a class that means the label.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import pathlib
import re
import subprocess
import tempfile

CLUSTER = "mpisim_cluster: 1\nname: suite\nnodes: 8\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
# The classes (docs/verify.md) that mean a label.
UNMATCHED = {"deadlock", "potential-deadlock", "collective-mismatch", "unmatched-send", "unmatched-receive", "request-never-completed"}
MEANS = {
    "CallMatching": UNMATCHED | {"communicator-mismatch", "tag-mismatch"},
    "IHCallMatching": UNMATCHED,
    "CommunicatorMatching": {"communicator-mismatch"},
    "TagMatching": {"tag-mismatch"},
    "DatatypeMatching": {"datatype-mismatch"},
    "RootMatching": {"root-mismatch"},
    "OperatorMatching": {"operation-mismatch"},
    "InvalidCommunicator": {"invalid-communicator", "invalid-topology"},
    "InvalidDatatype": {"invalid-datatype"},
    "InvalidRoot": {"invalid-root"},
    "InvalidTag": {"invalid-tag"},
    "InvalidSrcDest": {"invalid-rank"},
    "InvalidOperator": {"invalid-operation"},
    "InvalidBuffer": {"invalid-buffer", "rma-range", "overlapping-buffers"},
    "InvalidOtherArg": {"invalid-argument"},
    "InvalidWindow": {"invalid-window"},
    "ActualDatatype": {"buffer-type"},
    "CommunicatorLeak": {"communicator-leak"},
    "GroupLeak": {"group-leak"},
    "OperatorLeak": {"operation-leak"},
    "TypeLeak": {"datatype-leak"},
    "DatatypeLeak": {"datatype-leak"},
    "RequestLeak": {"request-leak"},
    "MissingStart": {"request-never-started", "rma-epoch"},
    "MissingWait": {"request-never-completed", "request-freed-active", "rma-epoch"},
    "BufferingHazard": {"potential-deadlock"},
    "MessageRace": {"message-race", "deadlock-in-order", "error-in-order"},
    "LocalConcurrency": {"active-write", "active-read", "overlapping-buffers", "rma-conflict"},
    "GlobalConcurrency": {"rma-conflict"},
}
CONCURRENCY = ("LocalConcurrency", "GlobalConcurrency")


def read_head(path):
    """{(number of ranks, arguments): label} of the runs of a code. Runs that differ in settings of the MPI library only ($zero_buffer) are one, whose
    label is the error: no option tells --verify how much a library buffers."""
    runs = {}
    pattern = r"\$ mpirun .*?-np? (\d+) [^\n]*\$\{EXE\}([^\n]*)\n\s*\| (OK|ERROR: *\w+)"
    for ranks, arguments, label in re.findall(pattern, path.read_text(errors="replace")):
        key = int(ranks), tuple(arguments.split())
        if runs.get(key, "OK") == "OK":
            runs[key] = label.split(":")[-1].strip()
    return runs


def build(args, path):
    program = args.built / path.stem
    if not program.exists():
        accesses = ["--verify-memory"] if "memory" in args.verify.split(",") else []
        subprocess.run([args.bin / "mpisim-cc", *accesses, "-g", "-w", path, "-o", program], check=True)
    return program.resolve()


def run(args, case):
    """(classes that were found, exit status)"""
    path, (ranks, arguments), _ = case
    program = build(args, path)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        done = subprocess.run([(args.bin / "mpisim-run").resolve(), "--cluster", args.cluster, "-n", str(ranks), "--compute", "modelled", "--quiet",
                               f"--verify={args.verify}", "--json", out, program, *arguments], capture_output=True, timeout=60, check=False, cwd=folder)
        text = out.read_text(encoding="utf-8") if out.exists() else ""
    findings = json.loads(text)["findings"] if text else []
    return sorted({f["class"] for f in findings if f["severity"] != "note"}), done.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("codes", type=pathlib.Path)
    parser.add_argument("--built", type=pathlib.Path)
    parser.add_argument("--verify", default="matching,deadlock,leaks,orders")
    parser.add_argument("--list", action="store_true", help="every code that is missed, misnamed or a false alarm")
    parser.add_argument("--only", default="*")
    args = parser.parse_args()
    args.built = args.built or args.codes.parent / "built"
    args.built.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as cluster:
        cluster.write(CLUSTER)
        cluster.flush()
        args.cluster = cluster.name
        codes = sorted(p for p in args.codes.glob("*.c") if fnmatch.fnmatch(p.stem, args.only))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda path: build(args, path), codes))
            cases = [(path, *case) for path in codes for case in read_head(path).items()]
            results = list(zip(cases, pool.map(lambda case: run(args, case), cases)))
    table = collections.defaultdict(lambda: [0, 0, 0])
    for (path, (_, arguments), label), (classes, status) in results:
        found = bool(classes) or status not in (0, 1)
        named = bool(MEANS.get(label, set()) & set(classes))
        table[label][0] += 1
        table[label][1] += found
        table[label][2] += named
        if args.list and (found if label == "OK" else not named):
            print(f"{label:22} {' '.join((path.stem, *arguments)):60} exit {status} {' '.join(classes) or '-'}")
    print(f"{'label':24}{'runs':>7}{'found':>7}{'named':>7}")
    for label, (n, found, named) in sorted(table.items()):
        print(f"{label:24}{n:7}{found:7}{named if label != 'OK' else '':>7}")
    errors = [v for k, v in table.items() if k != "OK" and k not in CONCURRENCY]
    n, found, named = (sum(v[i] for v in errors) for i in range(3))
    print(f"errors but local and global concurrency: {n}, found {found} ({100 * found / max(n, 1):.1f} %), named {named} ({100 * named / max(n, 1):.1f} %); "
          f"false alarms {table['OK'][1]} of {table['OK'][0]}")


if __name__ == "__main__":
    main()
