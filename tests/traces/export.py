#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --trace-out: each format read by a strict parser, against what the run itself reports.

usage: export.py BIN_DIR SOURCE_DIR
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

from waits import BIN, HERE, Waits
from harness import call  # its folder is known since waits

CLUSTER = """mpisim_cluster: 1
nodes: 4
cores: 2
run: {placement: spread}
network: {latency: 10us, bandwidth: 100 MB/s}
"""


class Base(Waits):
    cluster_text = CLUSTER

    def start(self, name, n, case, *options, **more):
        words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", n, "--compute", "modelled", "--bench",
                 self.dir / "kernels.bench", "--json", self.dir / "run.out", "--trace-out", name, *options,
                 self.dir / "waits", case]
        return call(*words, timeout=300, **more)

    def trace(self, ending, n, case, *options):
        """The path of the trace; self.run_json is what the run reports."""
        path = self.dir / f"{case}{ending}"
        done = self.start(path, n, case, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_json = json.loads((self.dir / "run.out").read_text())
        self.n_messages = self.run_json["messages"] + self.run_json["collective_messages"]
        return path

    def count(self, table, keys=None):
        return sum(entry["steps" if table == "kernels" else "count"] for entry in self.run_json[table])


class Replay(Base):
    def test_a_replay_writes_the_same_bytes(self):
        recorded = self.dir / "run.mtrace"
        for ending in (".json", ".paje", ".prv"):
            written = self.trace(ending, 4, "loop", "--record", recorded).read_bytes()
            again = self.dir / f"again{ending}"
            done = call(BIN / "mpisim-replay", recorded, "--quiet", "--trace-out", again)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(again.read_bytes(), written, ending)


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
            done = call("pj_dump", path)
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


def largest_file(size_B):
    """To be called in a process that is to write no larger file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_B, size_B))


class Otf2(Base):
    """Read by otf2-print (Debian: otf2-tools), and against the same run in Chrome's format."""
    LINE = re.compile(r"([A-Z_]+) +(\d+) +(\d+)  (.*)$")
    FIELD = re.compile(r'(\w+): "?([^",]*)"?(?: \("[^"]*" <\d+>\))?(?: <(\d+)>)?(?:, |$)')

    def setUp(self):
        done = self.start("here/a.otf2", 2, "late_sender")
        if "without OTF2" in done.stderr:
            self.assertEqual(done.returncode, 2)
            self.skipTest(done.stderr)
        if not shutil.which("otf2-print"):
            self.skipTest("otf2-print of the package otf2-tools is not installed")

    def print(self, *words):
        done = call("otf2-print", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def folder(self, name):
        folder = self.dir / name
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return folder

    def archive(self, case, n, *options):
        path = self.folder("otf2") / "run.otf2"
        done = self.start(path, n, case, *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(sorted(f.name for f in path.parent.iterdir()), ["run", "run.def", "run.otf2"])
        self.run_json = json.loads((self.dir / "run.out").read_text())
        return path

    def events(self, path):
        """(event, rank, time in ps, fields) in the order of time."""
        found, last = [], 0
        for line in self.print(path):
            match = self.LINE.match(line)
            if match:
                event, rank, time, rest = match.groups()
                found.append((event, int(rank), int(time), {k: v for k, v, _ in self.FIELD.findall(rest)}))
                self.assertLessEqual(last, int(time))
                last = int(time)
        self.assertGreater(len(found), 0)
        return found

    def check(self, case, n, *options):
        events = self.events(self.archive(case, n, *options))
        stacks, regions, sums, sent, received = {}, {}, {}, {}, {}
        for event, rank, time, fields in events:
            stack = stacks.setdefault(rank, [])
            if event == "ENTER":
                stack.append((fields["Region"], time))
                sums[rank] = [0, 0]
            elif event == "LEAVE":
                name, begin = stack.pop()
                self.assertEqual(name, fields["Region"])
                regions.setdefault(name, []).append((rank, begin, time))
            elif event in ("MPI_SEND", "MPI_RECV"):
                self.assertTrue(stack[-1][0].startswith("MPI_"), (event, rank, time, stack))
                key = ((rank, int(fields["Receiver"])) if event == "MPI_SEND" else (int(fields["Sender"]), rank)) + (
                    fields["Communicator"], fields["Tag"])
                (sent if event == "MPI_SEND" else received).setdefault(key, []).append((time, int(fields["Length"])))
                if fields["Communicator"] != "messages":
                    sums[rank][event == "MPI_RECV"] += int(fields["Length"])
            elif event == "MPI_COLLECTIVE_END":
                self.assertEqual([int(fields["Sent"]), int(fields["Received"])], sums[rank])
        self.assertFalse(any(stacks.values()))
        self.assertEqual(sent.keys(), received.keys())
        for key in sent:  # as tools pair them, by order
            self.assertEqual([s for _, s in sent[key]], [s for _, s in received[key]])
            self.assertTrue(all(a <= b for (a, _), (b, _) in zip(sent[key], received[key])))
        for kind in "BEGIN", "END":
            self.assertEqual(sum(e == "MPI_COLLECTIVE_" + kind for e, *_ in events),
                             sum(len(regions.get(name, [])) for name in ("MPI_Bcast", "MPI_Reduce", "MPI_Barrier")))
        self.as_in_chrome(case, n, options, regions, sent)
        return events

    def as_in_chrome(self, case, n, options, regions, sent):
        path = self.dir / "same.json"
        self.assertIn(self.start(path, n, case, *options).returncode, (0, 1))
        chrome, messages, open_phases = {}, 0, {}
        for e in json.loads(path.read_text())["traceEvents"]:
            if e["ph"] == "X":
                begin = round(e["ts"] * 1e6)
                chrome.setdefault(e["name"], []).append((e["tid"], begin, begin + round(e["dur"] * 1e6)))
            elif e["ph"] == "B":
                open_phases.setdefault(e["tid"], []).append((e["name"], round(e["ts"] * 1e6)))
            elif e["ph"] == "E":
                name, begin = open_phases[e["tid"]].pop()
                chrome.setdefault(name, []).append((e["tid"], begin, round(e["ts"] * 1e6)))
            messages += e["ph"] == "s"
        self.assertEqual({k: sorted(v) for k, v in regions.items()}, {k: sorted(v) for k, v in chrome.items()})
        self.assertEqual(sum(map(len, sent.values())), messages)

    def test_read_by_otf2_print(self):
        for case, n in [("late_sender", 2), ("phases", 2), ("rooted", 8), ("many", 3), ("overlap", 2), ("barrier", 4)]:
            with self.subTest(case):
                self.check(case, n)

    def test_values(self):
        events = self.check("rooted", 3)  # a broadcast of 1 byte from rank 2, a reduction of 4 to rank 1
        ends = [(rank, f["Operation"], f["Communicator"], f["Root"]) for e, rank, _, f in events if e == "MPI_COLLECTIVE_END"]
        self.assertEqual(sorted(ends), sorted((rank, op, "MPI_COMM_WORLD", root) for rank in range(3)
                                              for op, root in (("BCAST", "2"), ("REDUCE", "1"))))
        events = self.check("late_sender", 2)  # 1 MB; rank 0 computes 3 s, 10.01 ms later all is over
        self.assertIn(("MPI_SEND", 0, 3 * 10**12, {"Receiver": "1", "Communicator": "messages", "Tag": "0",
                                                   "Length": "1000000"}), events)
        self.assertIn(("MPI_RECV", 1, 3010010 * 10**6, {"Sender": "0", "Communicator": "messages", "Tag": "0",
                                                        "Length": "1000000"}), events)

    def test_definitions(self):
        lines = self.print("-G", self.archive("rooted", 4))
        text = "\n".join(lines)
        self.assertIn("Ticks per Seconds: 1000000000000", text)
        places = {m[1]: m[2] for m in map(re.compile(r'LOCATION_GROUP .*Name: "(.*?)".*Parent: "node::(.*?)"').match, lines) if m}
        self.assertEqual(places, {"rank 0": "node 0", "rank 1": "node 1", "rank 2": "node 2", "rank 3": "node 3"})
        self.assertEqual(sorted(m[1] for m in map(re.compile(r'COMM  .*Name: "(.*?)"').match, lines) if m),
                         ["MPI_COMM_WORLD", "messages", "messages of collectives"])
        self.assertRegex(text, r'"MPI_Bcast".*Role: COLL_ONE2ALL, Paradigm: "MPI"')

    def test_a_failed_run_is_there_up_to_that_moment(self):
        events = self.check("late_sender", 3)  # rank 2 waits for a message that nobody sends
        self.assertEqual(self.run_json["failure"]["kind"], "deadlock")
        self.assertEqual({rank for _, rank, *_ in events}, {0, 1, 2})

    def test_equal_runs_give_equal_bytes(self):
        def contents():
            path = self.archive("rooted", 4)
            return {f.relative_to(path.parent): f.read_bytes() for f in path.parent.rglob("*") if f.is_file()}
        self.assertEqual(contents(), contents())

    def refused(self, path, wanted, **more):
        before = sorted(path.parent.rglob("*"))
        done = self.start(path, 2, "many", **more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(wanted, done.stderr)
        self.assertIn("mpisim-run: --trace-out: ", done.stderr.splitlines()[-1])
        self.assertEqual(sorted(path.parent.rglob("*")), before)

    def test_what_is_there_stays(self):
        for there in ("run", "run.def", "run.otf2", "run.otf2.partial"):
            folder = self.folder("taken")
            (folder / there).mkdir()
            self.refused(folder / "run.otf2", f"{there} is there already")
        self.refused(self.folder("taken") / ".otf2", "wanted one, as in run.otf2")

    def test_a_full_disk_leaves_nothing(self):
        self.refused(self.folder("full") / "run.otf2", "cannot write", preexec_fn=lambda: largest_file(20000))


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
        self.assertEqual([path.name for path in self.dir.glob("taken.json*")], ["taken.json"])


if __name__ == "__main__":
    unittest.main()
