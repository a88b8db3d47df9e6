#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Small programs with known verdicts (known.txt): each wrong one has a finding that names what is wrong, the right ones have none.

usage: known.py BIN_DIR [--list] [--only GLOB]
"""
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile

import matrix


def read():
    """[(name, lines, classes of which one is wanted; empty: the program is right)]"""
    programs = []
    for line in (matrix.HERE / "known.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            name, *classes = line[3:].split()
            programs.append((name, [], set(classes)))
        elif line and not line.startswith("#"):
            programs[-1][1].append(line)
    return programs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="what each one gives")
    parser.add_argument("--only", default="*")
    parser.add_argument("--verify", default="matching,deadlock,leaks")
    args = parser.parse_args()
    args.bin = args.bin.resolve()
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    programs = [p for p in read() if fnmatch.fnmatch(p[0], args.only)]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="mpisim-known-") as folder:
        folder = pathlib.Path(folder)
        (folder / "cluster.yaml").write_text(matrix.CLUSTER)
        (folder / "matrix.c").write_text(matrix.write(programs), encoding="utf-8")
        subprocess.run([args.bin / "mpisim-cc", "-g", "-w", folder / "matrix.c", "-o", folder / "matrix"], check=True)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda program: matrix.run(args, folder, program[0]), programs))
    for (name, _, wanted), got in zip(programs, found):
        right = bool(got & wanted) if wanted else not got
        bad += not right
        if args.list or not right:
            print(f"{'ok' if right else 'NOT OK'}: {name}: found {' '.join(sorted(got)) or 'nothing'}, wanted {' or '.join(sorted(wanted)) or 'nothing'}")
    print(f"{len(programs)} programs, {sum(not p[2] for p in programs)} of them right; {bad} with other findings than wanted")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
