#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes that are spawned: when and where they begin, what reports say of them.

usage: spawn.py BIN_DIR SOURCE_DIR
"""
import json
import re
import shutil
import subprocess
import unittest

from base import BIN, HERE
from harness import Folder, call
# Messages cost next to nothing, so that times are those of starting and computing.
CLUSTER = """mpisim_cluster: 1
nodes: 3
cores: 2
run: {placement: spread}
network:
  latency: 0s
  bandwidth: 1000 GB/s
spawn:
  startup: 500ms
  per_process: 20ms
"""


class Base(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.dir / "spawner"
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "spawner.c", "-o", cls.program)

    def start(self, ranks, number, what, *options):
        return call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "--compute", "modelled", *options,
                    "-n", ranks, self.program, number, what)

    def run_well(self, ranks, number, what, *options):
        done = self.start(ranks, number, what, "--json", self.dir / "out.json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.json = json.loads((self.dir / "out.json").read_text())
        return done

    def places(self, done):
        """[(node, begin)] by rank."""
        lines = sorted(line.split() for line in done.stdout.splitlines())
        return [(line[4], float(line[6])) for line in lines]


class Starting(Base):
    def test_nodes_start_their_processes_one_after_the_other(self):
        # ranks 0 and 1 are on nodes 0 and 1, so five more go to 2, then 0, 1, 2 and 0: two on node 0 and node 2
        places = self.places(self.run_well(2, 5, "work"))
        self.assertEqual([node for node, _ in places], ["node2", "node0", "node1", "node2", "node0"])
        for _, begin_s in places:
            self.assertAlmostEqual(begin_s, 0.5 + 2 * 0.02, delta=1e-5)
        # 2 s of work each; node 0 has a rank that waits and two that compute on its two cores
        self.assertAlmostEqual(self.json["predicted_time_s"], 2.54, delta=1e-5)

    def test_they_go_where_the_cluster_file_says(self):
        done = self.run_well(1, 4, "work", "--set", "run.spawn.placement=1*3,0")
        self.assertEqual([node for node, _ in self.places(done)], ["node1", "node1", "node1", "node0"])
        self.assertAlmostEqual(self.places(done)[0][1], 0.56, delta=1e-5)
        done = self.run_well(1, 4, "work", "--set", "run.spawn.placement=cyclic", "--set", "spawn.startup=0")
        self.assertEqual([node for node, _ in self.places(done)], ["node0", "node1", "node2", "node0"])
        self.assertAlmostEqual(self.places(done)[0][1], 0.04, delta=1e-5)

    def test_a_placement_with_too_few_places_is_an_error_of_the_call(self):
        done = self.start(1, 4, "work", "--set", "run.spawn.placement=0,1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("MPI_ERR_SPAWN: run.spawn.placement: ", done.stderr)

    def test_there_are_not_more_than_the_cluster_file_allows(self):
        self.run_well(1, 3, "work", "--set", "run.spawn.processes=3")
        done = self.start(1, 4, "work", "--set", "run.spawn.processes=3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("MPI_Comm_spawn at spawner.c:54 (main): MPI_ERR_SPAWN: 4 processes", done.stderr)
        self.assertIn("3 more can be spawned", done.stderr)

    def test_the_same_run_twice_gives_the_same_bytes(self):
        texts = []
        for _ in range(2):
            self.run_well(2, 5, "work")
            del self.json["simulation"]
            texts.append(json.dumps(self.json))
        self.assertEqual(*texts)


class Stages(Base):
    """A launcher's terms, connections and places; times that are derived by hand."""
    cluster_text = """mpisim_cluster: 1
nodes: 520
run: {placement: spread}
network:
  latency: 10us
  bandwidth: 1000 TB/s
spawn:
  startup: 10ms
  launcher: {kind: daemon, publish: 1ms, init: 2ms}
  connection: {connect: 500us}
"""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.dir / "starter"
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "starter.c", "-o", cls.program)

    def run_times(self, ranks, number, times, *options, seconds=0, after=0):
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "--compute", "modelled", "--json", self.dir / "out.json", *options,
                    "-n", ranks, self.program, number, times, seconds, after)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.json = json.loads((self.dir / "out.json").read_text())
        return done

    def values(self, done, word):
        return [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith(word)]

    def assert_times(self, found, wanted):
        self.assertEqual(len(found), len(wanted), found)
        for one, other in zip(found, wanted):
            self.assertAlmostEqual(one, other, delta=1e-3)

    # 1000 + 10000 + 2000; twice an exchange of two messages and the longer broadcast, of log2 n steps; n = 8: 2 x (20 + 30).
    def test_terms_add_up_until_both_groups_have_met(self):
        for n, wanted in ((8, 13100), (64, 13160), (512, 13220)):
            for connection, more in (("ud", 0), ("rc", 500)):
                done = self.run_times(4, n, 1, "--set", f"spawn.connection.kind={connection}")
                self.assert_times(self.values(done, "spawned"), [wanted + more] * 4)
                startup = self.json["spawned"][0]["startup"]
                broadcast = (wanted - 13040) * 1e-6
                for term, time_s in {"publish": 1e-3, "launch": 1e-2, "init": 2e-3, "connect": more * 1e-6, "exchange": 40e-6, "broadcast": broadcast}.items():
                    self.assertAlmostEqual(startup[term + "_s"], time_s, delta=1e-9, msg=term)
        self.assertIn("start-up 13.7 ms: publish 1 ms (7.3 %) launch 10 ms (72.9 %)", done.stderr)

    # 1 / 13.1 ms; without messages between them, which a group of one does not send: log2 1 = 0, parents 4: 2 x (20 + 20).
    def test_spawns_follow_each_other(self):
        done = self.run_times(4, 1, 10)
        self.assert_times(self.values(done, "spawned"), [10 * 13080] * 4)
        done = self.run_times(4, 8, 1)
        self.assertAlmostEqual(1e6 / self.values(done, "spawned")[0], 76.3, delta=0.05)

    # A ring starts processes one after the other; a tree of n nodes has floor(log2 n) + 1 levels, and starts those of a node after that.
    def test_launchers_grow_each_in_its_way(self):
        for launcher, n, wanted in (("daemon", 2, 2 * 1000), ("daemon", 64, 64 * 1000), ("tree", 2, 1000 + 2 * 8000), ("tree", 64, 1000 + 7 * 8000)):
            done = self.run_times(1, n, 1, "--set", f"spawn.launcher.kind={launcher}", "--set", "spawn.per_process=1ms", "--set", "spawn.launcher.per_node=8ms",
                                  "--set", "network.latency=0")
            self.assert_times(self.values(done, "spawned"), [13000 + wanted])

    # Both messages pay the translation; the first one also the connection, which is there afterwards. 5000 B are three pieces.
    def test_messages_between_groups_cost_more(self):
        cases = (((), 10, 10), (("spawn.connection.translation=3us",), 13, 13), (("spawn.connection.translation=3us", "spawn.connection.kind=rc"), 13 + 250, 13),
                 (("spawn.connection.kind=ud", "spawn.connection.per_piece=2us"), 12, 16))
        for settings, first, second in cases:
            done = self.run_times(1, 2, 1, *(word for setting in settings for word in ("--set", setting)))
            self.assert_times(self.values(done, "between"), [first, second])

    def test_connections_are_counted(self):
        done = self.run_times(2, 4, 1, "--set", "spawn.connection.kind=rc", "--set", "spawn.connection.memory=88kB")
        # the leaders, and rank 0 to the second process; nobody else of both groups sends to the other before the barrier of MPI_Comm_disconnect
        self.assertGreaterEqual(self.json["connections"]["count"], 2)
        self.assertEqual(self.json["connections"]["memory_B"], 2 * 88000 * self.json["connections"]["count"])
        self.assertIn("connections set up: ", done.stderr)
        self.run_times(2, 4, 1)
        self.assertNotIn("connections", self.json)

    # Two spawns of 2 on 4 nodes; computation of 1 s each on single cores.
    def test_places_begin_anew_or_go_on(self):
        times = {}
        for placement, nodes in (("cyclic", ["0", "0", "1", "1"]), ("global", ["0", "1", "2", "3"])):
            done = self.run_times(1, 2, 2, "--set", "nodes=4", "--set", f"run.spawn.placement={placement}", seconds=1)
            self.assertEqual(sorted(line[-1] for line in done.stdout.splitlines() if line.startswith("at")), nodes)
            times[placement] = self.json["predicted_time_s"]
        self.assertAlmostEqual(times["cyclic"] / times["global"], 2, delta=0.05)

    # All compute for 100 s: the two that are spawned first, then the one that spawned them. Their nodes are held for the first half.
    def test_ranks_that_end_give_their_nodes_back(self):
        self.run_times(1, 2, 1, "--set", "nodes=3", "--set", "run.spawn.placement=1,2", seconds=100, after=100)
        self.assertAlmostEqual(self.json["efficiency"], 300 / (200 + 2 * 100), delta=1e-3)


class Scheduled(Base):
    """Jobs that spawn: one computes for 5 s after its two processes have computed for 10 s."""
    cluster_text = Stages.cluster_text.replace("520", "4")

    def schedule(self, *jobs):
        program = self.dir / "starter"
        self.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "starter.c", "-o", program)
        lines = [f"  - {{name: {name}, program: {program}, arguments: {json.dumps([str(word) for word in words])}, ranks: 1, {rest}}}" for name, words, rest in jobs]
        (self.dir / "jobs.yaml").write_text("jobs:\n" + "\n".join(lines) + "\n")
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "--compute", "modelled", "--schedule", self.dir / "jobs.yaml",
                    "--json", self.dir / "out.json", "--explain")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, {job["name"]: job for job in json.loads((self.dir / "out.json").read_text())["jobs"]}

    def test_processes_go_to_free_nodes_and_give_them_back(self):
        done, jobs = self.schedule(("a", [2, 1, 10, 5], "nodes: 1"), ("b", [1, 1, 2], "nodes: 1, begin: 1s"), ("c", [1, 1, 2], "nodes: 3, begin: 1s"))
        # a is on node 0 and its processes on 1 and 2, so that b has node 3 for itself; c waits for three nodes until they end, and has 1, 2 and 3
        self.assertEqual(sorted(line for line in done.stdout.splitlines() if line.startswith("at")), ["at node1", "at node2", "at node2", "at node3"])
        self.assertEqual([jobs[name]["begin_s"] for name in "ab"], [0, 1])
        self.assertAlmostEqual(jobs["c"]["begin_s"], 10, delta=0.1)
        # a holds one node for 15 s and two for 10 s
        self.assertAlmostEqual(jobs["a"]["node_s"], 35, delta=0.1)
        self.assertAlmostEqual(jobs["a"]["efficiency"], 25 / 35, delta=0.01)


class Reports(Base):
    def test_summary_and_json_tell_of_the_spawned(self):
        done = self.run_well(2, 4, "work")
        self.assertIn("6 ranks (4 of them spawned during the run) on 3 nodes", done.stderr)
        self.assertRegex(done.stderr, r"spawner, spawn 1 +2-5 +3 +540 ms +2 s")
        spawned, = self.json["spawned"]
        self.assertEqual((spawned["name"], spawned["first_rank"], spawned["ranks"], spawned["nodes"]),
                         ("spawner, spawn 1", 2, 4, 3))
        self.assertEqual(spawned["command"][1:], ["4", "work"])
        self.assertAlmostEqual(spawned["begin_s"], 0.54, delta=1e-6)
        self.assertAlmostEqual(spawned["end_s"], 2.54, delta=1e-5)
        # a rank's times add up to the run's
        for rank in self.json["ranks"]:
            parts = sum(value for key, value in rank.items() if key.endswith("_s") and key not in ("end_s", "computing_s"))
            self.assertAlmostEqual(parts, self.json["predicted_time_s"], delta=1e-6, msg=rank)
        # held: node 0 and 1 all the time, node 2 from 0.54 s on until the end, two cores each; 8 s of work
        held_s = 2 * (2.54 + 2.54 + 2)
        self.assertAlmostEqual(self.json["efficiency"], 8 / held_s, delta=1e-4)
        self.assertEqual(self.json["phases"][0]["name"], "spawner, spawn 1: work")

    def test_a_deadlock_says_who_was_spawned(self):
        done = self.start(1, 2, "stuck")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r'rank 1: MPI_Recv at spawner.c:\d+ \(work\): .*as rank 0 of job "spawner, spawn 1"')
        self.assertIn("cycle: rank 1 waits for 2, which waits for 1", done.stderr)

    def test_who_never_calls_init_keeps_its_parents_waiting(self):
        done = self.start(1, 2, "mute")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rank 0: MPI_Comm_spawn at spawner.c:54 (main): the processes that it spawned to call MPI_Init",
                      done.stderr)
        self.assertIn("deadlock", done.stderr)

    def test_failures_say_which_spawned_process_it_was(self):
        done = self.start(1, 2, "crash")
        self.assertIn('the program called abort(): rank 1 of job "spawner, spawn 1"', done.stderr)
        done = self.start(1, 2, "hopeless")
        self.assertIn('MPI_ERR_COUNT', done.stderr)
        self.assertIn('rank 0 of job "spawner, spawn 1"', done.stderr)
        done = self.start(1, 2, "bad")
        self.assertIn("ranks 1-2 returned exit code 1", done.stderr)
        self.assertIn("(exit code not 0)", done.stderr)

    def test_lines_are_tagged_and_timelines_written(self):
        done = self.run_well(1, 2, "work", "--tag-output", "--trace-out", self.dir / "out.prv")
        self.assertIn("[1] 0 of 2 on ", done.stdout)
        self.assertIn("[2] 1 of 2 on ", done.stdout)
        self.assertIn(":1:3(", (self.dir / "out.prv").read_text().splitlines()[0])
        if shutil.which("otf2-print"):
            self.run_well(1, 2, "work", "--trace-out", self.dir / "out.otf2")
            read = subprocess.run(["otf2-print", "-G", self.dir / "out.otf2"], capture_output=True, text=True, check=True)
            self.assertEqual((len(re.findall("^LOCATION ", read.stdout, re.M)), read.stderr), (3, ""))

    def test_runs_that_spawn_are_explained(self):
        # 0.54 s of starting, then four of six ranks compute 2 s; each has a core
        done = self.run_well(2, 4, "work", "--explain", "--html", self.dir / "r.html", "--report", self.dir / "r")
        a = self.json["analysis"]
        tree, path = a["efficiency"], a["critical_path"]
        self.assertEqual(tree["units"], 6)
        for key, wanted in (("ideal_time_s", 2.54), ("load_balance", 2 / 3), ("serialization", 2 / 2.54), ("transfer", 1)):
            self.assertAlmostEqual(tree[key], wanted, delta=1e-6, msg=key)
        self.assertAlmostEqual(path["parts_s"]["start"], 0.54, delta=1e-9)
        self.assertAlmostEqual(path["parts_s"]["compute"], 2, delta=1e-9)
        self.assertAlmostEqual(sum(path["parts_s"].values()), self.json["predicted_time_s"], delta=1e-12)
        # rank 0 waits for the children's end; rank 1 for rank 0, which is in its call already and so is not late
        self.assertAlmostEqual(a["wait_states"]["all"]["late_sender"]["time_s"], 2, delta=1e-5)
        self.assertEqual(len(a["wait_states"]["ranks"]), 6)
        phase, = a["phases"]
        self.assertAlmostEqual(phase["parallel"], 2 / 3, delta=1e-6)
        for window in a["efficiency_curve"]:
            if 0.6 < window["begin_s"] and window["end_s"] < 2.5:
                self.assertAlmostEqual(window["load_balance"], 2 / 3, delta=1e-9)
        self.assertIn("starting processes", done.stderr)
        # rows of the tables and of the page: all six ranks; the four that were spawned talk to each other
        with open(self.dir / "r" / "breakdown.csv", encoding="utf-8") as stream:
            self.assertEqual(len(stream.readlines()), 1 + 6)
        with open(self.dir / "r" / "timeline.csv", encoding="utf-8") as stream:
            self.assertEqual({line.split(",")[0] for line in stream.readlines()[1:] if ",computing," in line}, {"2", "3", "4", "5"})
        self.assertIn('"spawned":[{', (self.dir / "r.html").read_text())

    def test_an_ideal_run_is_compared_though_ranks_are_spawned(self):
        self.run_well(2, 4, "work")
        (self.dir / "ideal.json").write_text(json.dumps(self.json))
        self.run_well(2, 4, "work", "--set", "network.latency=10ms", "--ideal", self.dir / "ideal.json")
        self.assertAlmostEqual(self.json["analysis"]["efficiency"]["ideal_time_s"], 2.54, delta=1e-6)
        done = self.start(3, 4, "work", "--ideal", self.dir / "ideal.json")
        self.assertIn("found 2, wanted a run of the same program with 3 ranks", done.stderr)

    def test_more_processes_than_rows_of_pictures_are_drawn_in_groups(self):
        self.run_well(1, 600, "work", "--report", self.dir / "many")
        with open(self.dir / "many" / "breakdown.csv", encoding="utf-8") as stream:
            rows = stream.readlines()[1:]
        self.assertEqual(len(rows), 301)  # two ranks each

    def test_a_recording_is_replayed_here_and_elsewhere(self):
        def times(path):
            values = json.loads(path.read_text())
            for key in ("simulation", "warnings", "settings", "trace"):
                values.pop(key, None)
            return values

        replay = [BIN / "mpisim-replay", self.dir / "out.mtrace", "--quiet", "--json", self.dir / "replay.json"]
        self.run_well(2, 5, "work", "--record", self.dir / "out.mtrace")
        for settings in ([], ["--set", "spawn.startup=1s"], ["--set", "run.spawn.placement=cyclic"]):
            self.run_well(2, 5, "work", *settings)
            done = call(*replay, *settings)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(times(self.dir / "out.json"), times(self.dir / "replay.json"))

    def test_wrong_keys_are_refused(self):
        for setting, text in (("run.spawn.placement=near", "run.spawn.placement: found"),
                              ("run.spawn.processes=-1", "run.spawn.processes"),
                              ("spawn.startup=5", "spawn.startup"), ("spawn.per_process=-1s", "spawn.per_process")):
            done = self.start(1, 2, "work", "--set", setting)
            self.assertEqual(done.returncode, 2, setting)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
