#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The self-checking programs of tests/programs under --verify, or --verify=memory: no false alarm, the same output and the same predicted time.

usage: right_programs.py [--memory] MPISIM_RUN CLUSTER PROGRAM…
"""
import json
import pathlib
import subprocess
import sys
import tempfile

# They make errors on purpose, which raise errors; and a few more that the standard allows or that nobody else tells.
ON_PURPOSE = ("invalid-", "wrong-call", "truncation")
KNOWN = {
    "env": {"handle-leak"},  # a keyval
    "p2p_modes": {"request-freed-active"},  # of a send
    "windows": {"rma-epoch"},  # provoked
    "errors": {"overlapping-buffers", "buffer-type"},  # the same
}
OWN_NAMES = {"removed"}  # what checks memory tells the names that the program calls


def run(run_words, program, folder, *options):
    out = pathlib.Path(folder) / "out.json"
    done = subprocess.run([*run_words, "--json", out, *options, program], capture_output=True, timeout=120, cwd=folder, check=False)
    return done.stdout, json.loads(out.read_text(encoding="utf-8"))


def check(run_words, verify, program):
    with tempfile.TemporaryDirectory() as folder:
        plain_text, plain = run(run_words, program, folder)
        text, verified = run(run_words, program, folder, verify, "--verify-warn")
    name = pathlib.Path(program).name.removeprefix("mpisim_").removeprefix("large_")
    found = {f["class"] for f in verified["findings"] if f["severity"] != "note" and not f["class"].startswith(ON_PURPOSE)}
    problems = [f"found {', '.join(sorted(found - KNOWN.get(name, set())))}"] if found - KNOWN.get(name, set()) else []
    problems += ["the output differs"] if text != plain_text else []
    same = set(plain) - {"simulation", "command", "warnings"} - ({"calls"} if name in OWN_NAMES else set())
    problems += [f"{key} differs" for key in sorted(same) if plain[key] != verified[key]]
    for problem in problems:
        print(f"{name}: {problem}")
    return problems


def main():
    verify = "--verify=memory" if "--memory" in sys.argv else "--verify"
    mpisim_run, cluster, *programs = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:] if word != "--memory")
    words = [mpisim_run, "--cluster", cluster, "-n", "3", "--quiet", "--compute", "modelled", "--deterministic"]
    problems = [problem for program in programs for problem in check(words, verify, program)]
    print(f"{len(programs)} programs, {len(problems)} problems")
    sys.exit(bool(problems))


main()
