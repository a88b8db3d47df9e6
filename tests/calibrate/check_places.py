#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate --times on a known simulated cluster, then --fit: levels of a node, its memory, the rate of messages, links between switches.

usage: check_places.py MPISIM_RUN CALIBRATE FIT node|tapered|full
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

run, calibrate, fit, case = sys.argv[1:5]
BASE = """network:
  latency: 1.1us
  bandwidth: 12.5 GB/s
"""
PROTOCOL = "protocol:\n  overhead: {send: 0.2us, recv: 0.25us}\n"
LEVELS = [(250, 11000), (700, 6000)]  # ns, MB/s
NODE = "mpisim_cluster: 1\nnodes: 2\ncores: {sockets: 2, per_domain: 4%s}\n"
TREE = "mpisim_cluster: 1\nnodes: 16\n%s  topology: {kind: fat-tree, nodes_per_leaf: 4%s}\n"
WITHIN = "  intra_node: {copies: 1, levels: [%s]}\n" % ", ".join("{latency: %dns, bandwidth: %d MB/s}" % level for level in LEVELS)


def found(known, completed, ranks):
    """The text of the file that is found of times on the known cluster, when the other one is given."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cluster, given, times, output = (folder / name for name in ("cluster.yaml", "given.yaml", "times.csv", "found.yaml"))
        cluster.write_text(known, encoding="utf-8")
        given.write_text(completed, encoding="utf-8")
        subprocess.run([run, "--quiet", "--deterministic", "--compute", "modelled", "--no-alloc", "--cluster", cluster, "-n", str(ranks), calibrate, "--times", times],
                       check=True, capture_output=True)
        done = call(fit, "--fit", str(times), "--cluster", str(given), "--library", "plain", "-o", str(output), timeout=1800)
        check(done.returncode == 0, f"{done.returncode} {done.stderr}")
        again = call(fit, "--fit", str(times), "--check", str(output))
        # two pairs whose messages meet a NIC's rate in turns tell overheads of both sides apart, which nothing else does
        good = re.search(r"reproduces (\d+) of (\d+)", again.stdout)
        check(again.returncode == 0 or (case == "node" and int(good[1]) >= int(good[2]) - 2), f"what was written is no cluster file that predicts the times: {again.stdout} {again.stderr}")
        own = call(fit, "--fit", str(times), "--check", str(cluster))
        check(own.returncode == 0, f"the known cluster does not predict its own times: {own.stdout} {own.stderr}")
        return output.read_text(encoding="utf-8")


def near(text, pattern, wanted, tolerance):
    value = re.search(pattern, text)
    check(bool(value) and abs(float(value[1]) / wanted - 1) < tolerance, f"{pattern}: {value and value[1]}, wanted {wanted}\n{text}")


def main():
    if case == "node":
        text = found(NODE % ", memory: 40 GB/s" + BASE + "  message_rate: 8e6\n" + WITHIN + PROTOCOL, NODE % "", 16)
        near(text, r"memory: ([\d.]+) MB/s", 40000, 0.03)
        near(text, r"message_rate: ([\d.e+]+)", 8e6, 0.03)
        check("copies: 1" in text, text)
        overheads = sum(float(value) for value in re.findall(r"(?:send|recv): ([\d.]+)us", text.split("uncertainty")[0])) * 1e3
        for (latency, bandwidth), value in zip(LEVELS, re.findall(r"{latency: ([\d.]+)ns, bandwidth: ([\d.]+) MB/s}", text)):
            # times tell only what latency and both overheads are together
            check(abs((float(value[0]) + overheads) / (latency + 450) - 1) < 0.03, f"{value}, overheads {overheads}, wanted {latency} + 450\n{text}")
            check(abs(float(value[1]) / bandwidth - 1) < 0.03, f"{value}, wanted {bandwidth}\n{text}")
    else:
        text = found(TREE % (BASE, ", taper: 2" if case == "tapered" else "") + PROTOCOL,
                     (TREE % ("network:\n", "")).replace("fat-tree, ", "fat-tree,   # {of leaves\n    ").replace("}\n", "}   # {}\n"), 16)
        check(f"nodes_per_leaf: 4{', taper: 2' if case == 'tapered' else ''}}}" in text, text)
    near(text, r"\n  latency: ([\d.]+)us", 1.1, 0.05)
    near(text, r"\n  bandwidth: ([\d.]+) MB/s", 12500, 0.02)
    sys.exit(bool(failures))


main()
