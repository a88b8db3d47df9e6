#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate in the simulator, on a cluster whose file is known: what is predicted on the file that it makes must be what is predicted on the known one.

usage: check_known.py BUILD CLUSTER.yaml RANKS [KEY=VALUE | OPTION...]

KEY=VALUE replaces a key of the cluster. Asserted are times of messages by size, of operations, and of programs that calibration does not contain; what is counted
or bisected (nodes, cores, the eager limit, the depth of one-sided operations); and the CPU cost of communication. Other keys need not be found where no time tells them.
"""
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import programs
import sourced

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import check, failures, succeed  # noqa: E402  (the folder above)

MOST_MEDIAN, MOST_LATE = 0.02, 0.05
UNITS = {"kB": 1e3, "MB": 1e6, "KiB": 1024, "MiB": 1 << 20, "": 1}
OPERATIONS = ["bw 1 2", "bw 1000 2", "bw 20000 2", "bw 300000 2", "bibw 20000 2", "bibw 300000 2"]

build, cluster, ranks, *options = sys.argv[1:]
settings = [option for option in options if "=" in option]
options = [option for option in options if "=" not in option]
known_cluster = ["--cluster", cluster] + [word for setting in settings for word in ("--set", setting)]


def number(text):
    """"30 kB", "off" as a float."""
    if text == "off":
        return math.inf
    digits, unit = re.fullmatch(r"(-?[\d.]+)\s*(\S*)", text.strip('"')).groups()
    return float(digits) * UNITS[unit]


def read(path):
    """Texts of values by dotted key, and the rows of the CPU-cost table."""
    values, table, path_of = {}, [], []
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].rstrip()
        if line.strip().startswith("- ["):
            table.append([float(x) for x in line.strip()[3:-1].split(",")])
        elif ":" in line and "- {" not in line:
            key, value = line.strip().split(":", 1)
            path_of[(len(line) - len(line.lstrip())) // 2:] = [key]
            for name, text in re.findall(r"(\w+): ([^,}]+)", value) or [("", value)]:
                values[".".join(path_of + [name] * bool(name))] = text.strip().strip('"')
    return values, table


def read_known():
    values, table = read(cluster)
    for key, value in (setting.split("=", 1) for setting in settings):
        for name, text in re.findall(r"(\w+): ([^,}]+)", value) if value.startswith("{") else [("", value)]:
            values[".".join([key] + [name] * bool(name))] = text
    law = {key: float(values.get("cpu.communication_cost." + key, default)) for key, default in [("outgoing", 0), ("incoming", 0), ("maximum", 1)]}
    if not table and law["outgoing"] + law["incoming"] > 0:
        table = [[min(law["maximum"], o * law["outgoing"] + i * law["incoming"]) for i in range(17)] for o in range(17)]
    return values, table


def speeds():
    """Options with the speeds of the known cluster's cores: calibration runs no program to tell them by."""
    text = pathlib.Path(cluster).read_text(encoding="utf-8")
    one, several = re.search(r"(?m)^  speed: *([\d.]+)", text), re.findall(r"(?m)^    - ({nodes: .*, speed: .*})", text)
    return ["--set", f"cpu.speed={one[1] if one else '[' + ', '.join(several) + ']'}"] if one or several else []


def compare_numbers(known, found, text):
    for key, default in (("nodes", "1"), ("cores", "1"), ("protocol.eager_threshold", "off")):
        check(number(found.get(key, default)) == number(known.get(key, default)), f"{key}: found {found.get(key)}, wanted {known.get(key, default)}")
    # where so many operations keep the network busy as not to notice, the file says so
    wanted, got = (int(of.get("rma.queue_depth", 64)) for of in (known, found))
    unseen = re.search(r"queue_depth: not seen; (\d+) at once", text)
    least = int(unseen[1]) if unseen else got if "or more: that many" in text else None
    is_said = "network.packets.payload" in known and "no regular groups" in text
    check(is_said or (wanted == got if least is None else wanted >= least), f"rma.queue_depth: found {got}, wanted {wanted}; not seen from: {least}")


def compare_cpu_cost(known, known_table, found_table, warnings):
    scale, cores = float(known.get("cpu.communication_cost.scale", 1)), float(known.get("cores", 1))
    for o, row in enumerate(found_table):
        for i, cost in enumerate(row):
            wanted = min(known_table[min(o, len(known_table) - 1)][min(i, len(known_table) - 1)] * scale, cores) if known_table else 0
            if abs(cost - wanted) > 0.02 * wanted + 5e-5:
                check(False, f"CPU cost [{o}][{i}]: found {cost}, wanted {wanted}")
    if known_table and int(known["nodes"]) > 1 and len(found_table) < 2:
        check("allow larger ones" in warnings, "a CPU cost that is not found is warned of")


def compare_times(bench, known, found):
    found_cluster = ["--cluster", output, *speeds()]
    n = int(known.get("nodes", 1)) if int(known.get("nodes", 1)) > 1 else 2
    is_within = n == 2 and "nodes" not in known or "network.intra_node.latency" in found
    messages = [bench.operations(of, programs.MESSAGES + OPERATIONS) for of in (known_cluster, found_cluster)]
    compute_s = {size: bench.operations(known_cluster, [f"latency {size} 2"])[f"latency {size} 2"] for _, size in programs.PATTERNS}
    compare("messages", *messages)
    if is_within:
        compare("messages within a node", *(bench.operations(of, programs.MESSAGES, "0,0") for of in (known_cluster, found_cluster)))
    compare("programs", *(bench.programs(of, n, compute_s) for of in (known_cluster, found_cluster)))


def compare(what, wanted, found):
    off = programs.errors(wanted, found)
    sizes = [abs(value) for value in off.values()]
    check(statistics.median(sizes) <= MOST_MEDIAN and programs.late(sizes) <= MOST_LATE,
          f"{what}: median {statistics.median(sizes):.2%}, 95th percentile {programs.late(sizes):.2%}, most {programs.worst(off)}")


with tempfile.TemporaryDirectory() as scratch:
    bench = programs.Bench(pathlib.Path(build), pathlib.Path(scratch))
    samples = bench.calibrate(known_cluster, ranks, "first", *options)
    check(bench.calibrate(known_cluster, ranks, "second", *options).read_bytes() == samples.read_bytes(), "two runs have the same samples")
    if not settings: # the same measurements are made again
        said = subprocess.run([bench.fit, samples, "--check", cluster], capture_output=True, text=True, check=False).stdout
        check("the file reproduces" in said and "not compared" not in said, f"a replay: {said}")
    output, warnings, _, is_silent = bench.find(samples)
    text = output.read_text(encoding="utf-8")
    if os.environ.get("SHOW"):
        print(text)
    failures.extend(sourced.complaints(output))
    (values, table), (found_values, found_table) = read_known(), read(output)
    n_nodes = int(values.get("nodes", 1))
    check(not is_silent, "what the file does not reproduce is warned of")
    compare_numbers(values, found_values, text)
    compare_cpu_cost(values, table, found_table, warnings)
    compare_times(bench, values, found_values)
    check(("one node only" in warnings) == (n_nodes == 1), f"one node is warned of: {warnings}")
    # its intervals are around its values, and values can be drawn from them
    succeed(bench.run, "--quiet", "--compute", "modelled", "--vary-cluster", "--cluster", output, "-n", "2", bench.build / "calibrate/mpisim-calibrate.simulated", "--help")
    check(not any(name.suffix == ".part" for name in bench.folder.iterdir()), "no temporary files are left")
print(f"{len(failures)} failures", *failures)
sys.exit(bool(failures))
