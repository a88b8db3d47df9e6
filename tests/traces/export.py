#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --trace-out: each format read by a strict parser, against what the run itself reports.

usage: export.py BIN_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN, HERE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
CLUSTER = """mpisim_cluster: 1
nodes: 4
cores: 2
network: {latency: 10us, bandwidth: 100 MB/s}
"""
KERNELS = ["before", "after", "between", "sender", "receiver", "step", "all", "one"]


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="mpisim-export-"))
        (cls.dir / "cluster.yaml").write_text(CLUSTER)
        (cls.dir / "kernels.bench").write_text("# mpisim-bench 1\n" + "".join(f"model,{k},p1\n" for k in KERNELS))
        done = subprocess.run([BIN / "mpisim-cc", "-g", HERE / "programs" / "waits.c", "-o", cls.dir / "waits"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    def start(self, name, n, case, *options):
        words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", n, "--compute", "modelled", "--bench",
                 self.dir / "kernels.bench", "--json", self.dir / "run.out", "--trace-out", name, *options,
                 self.dir / "waits", case]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)

    def trace(self, ending, n, case, *options):
        """The path of the trace; self.run_json is what the run reports."""
        path = self.dir / f"{case}{ending}"
        done = self.start(path, n, case, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_json = json.loads((self.dir / "run.out").read_text())
        self.n_messages = self.run_json["messages"] + self.run_json["collective_messages"]
        return path

    def count(self, table, keys=None):
        return sum(entry["count"] for entry in self.run_json[table])


class Chrome(Base):
    def check(self, case, n):
        trace = json.loads(self.trace(".json", n, case).read_text())
        events = trace["traceEvents"]
        end_us = self.run_json["predicted_time_s"] * 1e6
        slices, flows, open_phases = {}, {}, {}
        for e in events:
            self.assertIn(e["ph"], "MXBEsf")
            self.assertIsInstance(e["pid"], int)
            if e["ph"] == "M":
                continue
            self.assertTrue(0 <= e["ts"] <= end_us + 1e-6, e)
            if e["ph"] == "X":
                self.assertTrue(0 <= e["dur"] and e["ts"] + e["dur"] <= end_us + 1e-6, e)
                slices.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"], e["cat"]))
            elif e["ph"] in "sf":
                self.assertNotIn((e["id"], e["ph"]), flows)
                flows[e["id"], e["ph"]] = e
            elif e["ph"] == "B":
                open_phases.setdefault(e["tid"], []).append(e["name"])
            else:
                self.assertEqual(open_phases[e["tid"]].pop(), e["name"])
        self.assertFalse(any(open_phases.values()))
        for of_rank in slices.values():  # one after the other
            for before, after in zip(of_rank, of_rank[1:]):
                self.assertLessEqual(before[1], after[0] + 1e-6)
        self.assertEqual(sum(cat == "mpi" for s in slices.values() for _, _, cat in s), self.count("calls"))
        self.assertEqual(sum(cat == "compute" for s in slices.values() for _, _, cat in s), self.count("kernels"))
        self.assertEqual(len(flows), 2 * self.n_messages)
        for (number, _), e in flows.items():
            self.assertLessEqual(flows[number, "s"]["ts"], flows[number, "f"]["ts"])
            self.assertTrue(any(b - 1e-6 <= e["ts"] <= t + 1e-6 and cat == "mpi" for b, t, cat in slices[e["tid"]]), e)
        return events

    def test_small(self):
        events = self.check("late_sender", 2)
        x = {(e["name"], e["tid"]): e for e in events if e["ph"] == "X"}
        # rank 0 computes 3 s; rank 1 waits for it 3 s and 10.01 ms more for the message
        self.assertEqual((x["before", 0]["ts"], x["before", 0]["dur"]), (0, 3e6))
        self.assertAlmostEqual(x["MPI_Recv", 1]["dur"], 3010010, places=6)
        self.assertEqual(x["after", 1]["dur"], 1e6)

    def test_phases_collectives_and_many(self):
        events = self.check("phases", 2)
        self.assertEqual([(e["ph"], e["name"], e["ts"]) for e in events if e["ph"] in "BE"],
                         [("B", "all", 0), ("E", "all", 1e6), ("B", "one", 1e6), ("E", "one", 2e6)])
        self.check("rooted", 8)
        self.check("many", 3)


class Paje(Base):
    def check(self, case, n):
        path = self.trace(".paje", n, case)
        now, stacks, links, seen = 0, {}, {}, 0
        for line in path.read_text().splitlines():
            if line.startswith("%"):
                continue
            words = re.findall(r'"[^"]*"|\S+', line)
            if words[0] not in "456789":
                continue
            self.assertGreaterEqual(float(words[1]), now)
            now = float(words[1])
            if words[0] == "6":
                stacks.setdefault((words[2], words[3]), []).append(words[4])
            elif words[0] == "7":
                stacks[words[2], words[3]].pop()
            elif words[0] == "8":
                self.assertNotIn(words[6], links)
                links[words[6]] = words[4]
            elif words[0] == "9":
                self.assertEqual(links.pop(words[6]), words[4])
                seen += 1
        self.assertFalse(any(stacks.values()) or links)
        self.assertEqual(seen, self.n_messages)
        return path

    def test_balance(self):
        for case, n in [("late_sender", 2), ("phases", 2), ("rooted", 8), ("many", 3)]:
            self.check(case, n)

    def test_pajeng_reads_it(self):
        if not shutil.which("pj_dump"):
            self.skipTest("pj_dump of the package pajeng is not installed")
        for case, n in [("late_sender", 2), ("phases", 2), ("rooted", 8)]:
            path = self.check(case, n)
            done = subprocess.run(["pj_dump", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = [line.split(", ") for line in done.stdout.splitlines()]
            self.assertEqual(sum(line[0] == "Link" for line in lines), self.n_messages)
            self.assertEqual(sum(line[0] == "State" and line[2] == "State" for line in lines),
                             self.count("calls") + self.count("kernels"))
            if case == "late_sender":
                self.assertIn(["State", "rank 0", "State", "0.000000", "3.000000", "3.000000", "0.000000", "before"], lines)


class Paraver(Base):
    HEADER = re.compile(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\)$")

    def check(self, case, n):
        path = self.trace(".prv", n, case)
        lines = path.read_text().splitlines()
        end, nodes, cpus, tasks, where = self.HEADER.match(lines[0]).groups()
        n_cpus = sum(int(c) for c in cpus.split(","))
        self.assertEqual((int(nodes), int(tasks), len(where.split(","))), (4, n, n))
        self.assertLess(abs(int(end) - self.run_json["predicted_time_s"] * 1e9), 1.5)
        values = self.values(path.with_suffix(".pcf"))
        last, messages, states, open_values = 0, 0, {}, {}
        for line in lines[1:]:
            f = [int(x) for x in line.split(":")]
            self.assertTrue(1 <= f[1] <= n_cpus and f[2] == 1 and 1 <= f[3] <= n and f[4] == 1, line)
            self.assertTrue(last <= f[5] <= int(end), line)
            last = f[5]
            if f[0] == 1:
                self.assertEqual(len(f), 8)
                self.assertTrue(f[5] < f[6] <= int(end), line)
                self.assertGreaterEqual(f[5], states.get(f[3], 0))
                states[f[3]] = f[6]
                self.assertIn(f[7], values["states"])
            elif f[0] == 2:
                self.assertEqual(len(f), 8)
                self.assertIn(f[7], values[f[6]])
                depth = open_values.setdefault((f[3], f[6]), [])
                depth.pop() if f[7] == 0 else depth.append(f[7])
            else:
                self.assertEqual((f[0], len(f)), (3, 15))
                self.assertTrue(f[5] <= f[6] <= f[12] <= f[11] <= int(end), line)
                messages += 1
        self.assertFalse(any(open_values.values()))
        self.assertEqual(messages, self.n_messages)
        rows = path.with_suffix(".row").read_text().split("\n\n")
        for row, (level, size) in zip(rows, [("CPU", n_cpus), ("NODE", 4), ("THREAD", n)]):
            head, *names = row.strip().splitlines()
            self.assertEqual((head, len(names)), (f"LEVEL {level} SIZE {size}", size))
        return lines

    def values(self, path):
        """{event type: values}, and the states."""
        found, lines, i = {"states": set()}, path.read_text().splitlines(), 0
        section = None
        for line in lines:
            words = line.split()
            if not words:
                continue
            if words[0] in ("STATES", "VALUES", "EVENT_TYPE", "STATES_COLOR"):
                section = words[0]
            elif section == "STATES":
                found["states"].add(int(words[0]))
            elif section == "EVENT_TYPE":
                i = int(words[1])
                found[i] = set()
            elif section == "VALUES":
                found[i].add(int(words[0]))
        return found

    def test_strict(self):
        for case, n in [("late_sender", 2), ("phases", 2), ("rooted", 8), ("many", 3)]:
            self.check(case, n)

    def test_values(self):
        # the cores of node 0 are 1 and 2; rank 1 is on node 1
        lines = self.check("late_sender", 2)
        self.assertIn("1:1:1:1:1:0:3000000000:1", lines)  # running
        self.assertIn("1:3:1:2:1:0:3010010000:3", lines)  # waiting for a message
        self.assertIn("3:1:1:1:1:3000000000:3000000000:3:1:2:1:3010010000:3010010000:1000000:0", lines)

    def test_more_events_than_memory_holds_are_sorted(self):
        self.check("many", 30)


class All(Base):
    def test_equal_runs_give_equal_bytes_and_nothing_else_changes(self):
        for ending in (".json", ".paje", ".prv"):
            first = self.trace(ending, 4, "rooted").read_bytes()
            time = self.run_json["predicted_time_s"]
            self.assertEqual(self.trace(ending, 4, "rooted", "--explain").read_bytes(), first)
            self.assertEqual(self.run_json["predicted_time_s"], time)
        self.assertEqual([f.name for f in self.dir.iterdir() if "partial" in f.name], [])

    def test_nodes_are_held_as_without_a_trace(self):
        with_trace = self.trace(".json", 2, "reacquired") and self.run_json
        words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", "2", "--compute", "modelled", "--bench",
                 self.dir / "kernels.bench", "--json", "-", "--quiet", self.dir / "waits", "reacquired"]
        without = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        for key in ("predicted_time_s", "efficiency"):
            self.assertEqual(with_trace[key], without[key])
        self.assertLess(abs(without["efficiency"] - 3 / 8), 0.01)  # 2 + 1 of 2 cores each, for 3 and 1 s

    def test_wrong_names_are_refused_before_the_run(self):
        for name, wanted in [("trace.xyz", "wanted a name that ends in"), (".json", "wanted a name"),
                             (self.dir / "nowhere" / "a.prv", "nowhere/a.prv")]:
            done = self.start(name, 2, "late_sender")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(wanted, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_directory_in_the_way_is_an_error_and_leaves_nothing(self):
        os.mkdir(self.dir / "taken.json")
        done = self.start(self.dir / "taken.json", 2, "late_sender")
        self.assertEqual(done.returncode, 2)
        self.assertIn("taken.json", done.stderr)
        self.assertFalse((self.dir / "taken.json.partial").exists())


if __name__ == "__main__":
    unittest.main()
