#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much what is equal differs, and whose algorithms collective operations take, are measured: on a known cluster that varies, and on one with the rules of another library.

usage: check_varied.py MPISIM_RUN CALIBRATE FIT CLUSTER.yaml RANKS
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import check, failures, succeed  # noqa: E402  (the folder above)

SEED = 3
LEAST, MOST = 0.6, 1.5  # of what is known: the scatter of 41 times, the median of some nodes
EIGHT = ("--set", "nodes=8")
mpisim_run, calibrate, fit, cluster, ranks = sys.argv[1:]


def measured(folder, *options):
    samples = os.path.join(folder, "samples.csv")
    succeed(mpisim_run, "--quiet", "--compute", "modelled", "--no-alloc", "--cluster", cluster, "-n", "8" if "nodes=8" in options else ranks, *options, calibrate, "--samples", samples,
            "--quick", "--transfers", "1", "--tolerance", "0.5")
    return samples


def fitted(samples, *options, library=None):
    """The file that is found, and what is said."""
    output = samples + ".yaml"
    if library:
        text = pathlib.Path(samples).read_text(encoding="utf-8")
        pathlib.Path(samples).write_text(re.sub(r"(?m)^# library: .*$", f"# library: {library}", text), encoding="utf-8")
    done = succeed(fit, samples, "-o", output, *options)
    return pathlib.Path(output).read_text(encoding="utf-8"), done.stderr


def variation_is_found(folder):
    """Factors uniform in 1 ± 4 % of computations, 1 ± 2 % of transfers."""
    known = {"computation": 0.04, "messages": 0.02}
    text, _ = fitted(measured(folder, "--set", f"variation={{computation: {known['computation']}, messages: {known['messages']}}}", "--repeat", "1", "--seed", str(SEED)), "--no-check")
    line = re.search(r"(?m)^variation: \{computation: ([\d.e-]+), messages: ([\d.e-]+)\}   # .* \d+ samples$", text)
    check(bool(line), f"variation is measured: {line}")
    for name, found in zip(known, line.groups() if line else ()):
        check(LEAST * known[name] < float(found) < MOST * known[name], f"variation of {name}: found {found}, known {known[name]}")
    nodes = re.findall(r"(?m)^#   node (\d+): the same computation takes ([\d.]+) times as long as on the first, varies by ([\d.]+)$", text)
    check([int(node) for node, *_ in nodes] == list(range(5)) and all(abs(float(times) - 1) < known["computation"] for _, times, _ in nodes), f"each node is told: {nodes}")


def slow_nodes_are_told(folder):
    text, said = fitted(measured(folder, "--deterministic", "--set", "cpu.speed=[1, 1, 0.8, 1, 1]"), "--no-check")
    check("warning: node 2 takes 1.25 times as long as the first for the same computation" in said and said.count("times as long") == 1, f"a slow node: {said}")
    check("\nvariation:" not in text, "what does not vary has no variation")


def profiles_are_told(folder):
    """On eight nodes Open MPI's rules take other algorithms than mpisim's own."""
    samples = measured(folder, "--deterministic", *EIGHT, "--set", "protocol.collectives=openmpi")
    text, said = fitted(samples)
    check("\n  collectives: openmpi   # no other rules predict better; probes coll_" in text and "\n# timed collective operations are 0 % off at most; " in text, f"it is found by its times: {said}")
    check("other algorithms" not in said, f"and nothing is wrong: {said}")
    text, said = fitted(samples, library="Open MPI v5.0.3, package: none")
    check("\n  collectives: openmpi   # by the library's name; DOUBTFUL: the rules are of another version\n" in text, "another version is told")


def other_algorithms_are_warned_of(folder):
    text, said = fitted(measured(folder, "--deterministic", *EIGHT, "--set", "run.algorithms={bcast: linear, allreduce: linear, alltoall: pairwise}"))
    check(re.search(r"warning: collective operations are up to \d+ % off by the rules of [\w-]+: the library chooses other algorithms", said), f"algorithms of no profile: {said}")


with tempfile.TemporaryDirectory() as scratch:
    variation_is_found(scratch)
    slow_nodes_are_told(scratch)
    profiles_are_told(scratch)
    other_algorithms_are_warned_of(scratch)
sys.exit(bool(failures))
