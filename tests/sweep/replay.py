#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-sweep --engine auto and replay, and sweeps of traces: what is replayed, and that it is what a run says.

usage: replay.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import sys
import unittest

from common import Base, call

Base.bin = pathlib.Path(sys.argv.pop(1)).resolve()
Base.source = pathlib.Path(sys.argv.pop(1)).resolve()
BODY = """arguments: log {a} {a * 0.001} %s
run: {n: 4, compute: modelled}
set: {network.latency: '{latency}'}
scale: {'*': '{cpu}'}
parameters: {a: [1, 2], latency: [10us, 1ms, 20ms], cpu: [1, 0.5]}
"""


class Replay(Base):
    def engines(self, db="s.db"):
        return [row["engine"] for row in self.rows(db=db)]

    def same_as_direct(self, db="s.db"):
        self.run_sweep("--engine", "direct", "-o", "direct.db")
        for one, other in zip(self.rows(db=db), self.rows(db="direct.db"), strict=True):
            for key in one:
                if key not in ("host_s", "engine"):
                    self.assertEqual(one[key], other[key], key)

    def test_program_runs_once_for_points_that_differ_in_cluster_and_kernels(self):
        self.write(BODY % "")
        self.run_sweep()
        # One run for each a; the other 5 of 6 points are replayed.
        self.assertEqual(sorted(self.logged()), ["1", "2"])
        self.assertEqual(sorted(self.engines()), ["direct"] * 2 + ["replay"] * 10)
        self.assertEqual(list(self.dir.glob("s.db.*")), [])
        self.same_as_direct()

    def test_program_that_reads_a_clock_is_run(self):
        self.write(BODY % "clock")
        self.run_sweep()
        self.assertEqual(len(self.logged()), 12)
        self.assertEqual(set(self.engines()), {"direct"})

    def test_replay_of_such_a_program_has_its_warning_and_is_another_result(self):
        self.write(BODY % "clock")
        self.run_sweep("--engine", "replay")
        self.assertEqual(len(self.logged()), 2)
        self.assertEqual(set(self.engines()), {"replay"})
        for row in json.loads(self.sweep("export", "--json", "s.db").stdout):
            self.assertIn("read a clock", row["warnings"][0])
        self.run_sweep("--engine", "direct")
        self.assertEqual(len(self.logged()), 2 + 12)
        self.assertEqual(set(self.engines()), {"direct"})

    def test_placement_and_times_of_kernels_are_replayed(self):
        for name, seconds in (("slow", 0.3), ("fast", 0.1)):
            (self.dir / name).write_text(f"name,p1,p2,p3,p4,seconds\nwork,4,,,,{seconds}\n")
        self.write("arguments: log 1 0.001 kernel\nrun: {n: 4, compute: modelled, placement: '{where}', bench: '{file}'}\n"
                   "parameters: {where: [block, '0*4', '0*2,1*2', '3,2,1,0'], file: [slow, fast]}\n")
        self.run_sweep()
        self.assertEqual(self.logged(), ["1"])
        self.assertEqual(self.engines(), ["direct"] + ["replay"] * 7)
        # Four nodes, one, two and four again; 0.304 s or 0.104 s of computation and the barrier.
        self.assertEqual([row["nodes_held"] for row in self.rows()], ["4", "4", "1", "1", "2", "2", "4", "4"])
        self.assertEqual(len({row["predicted_time_s"] for row in self.rows()}), 6)
        self.same_as_direct()

    def test_program_that_asks_where_it_runs_is_run_elsewhere(self):
        for how in ("name", "node"):
            with self.subTest(how):
                self.check_placed(how)

    def check_placed(self, how):
        self.write(f"arguments: log 1 0.001 {how}\n" "run: {n: 4, compute: modelled, placement: '{where}'}\n"
                   "set: {network.latency: '{latency}'}\n"
                   "parameters: {where: ['0*2,1*2', '0*3,1', '0,1,2,3'], latency: [10us, 20us]}\n")
        self.run_sweep()
        self.assertEqual(self.engines(), ["direct", "replay"] + ["direct"] * 4)
        self.same_as_direct()
        self.run_sweep("--engine", "replay", status=None)
        rows = json.loads(self.sweep("export", "--json", "s.db").stdout)
        self.assertEqual([bool(row["warnings"]) or row["state"] == "failed" for row in rows], [False] * 2 + [True] * 4)

    def test_second_run_replays_nothing_and_a_grown_grid_what_is_new(self):
        self.write(BODY % "")
        self.run_sweep("--engine", "replay")
        self.assertIn("0 run now", self.run_sweep("--engine", "replay").stdout)
        self.write((BODY % "").replace("20ms", "20ms, 30ms"))
        self.assertIn("4 run now", self.run_sweep("--engine", "replay").stdout)

    def test_few_points_are_run_and_failures_are_kept(self):
        self.write((BODY % "").replace("10us, 1ms, 20ms", "10us").replace("[1, 2]", "[1]"))
        self.run_sweep()
        self.assertEqual(self.engines(), ["direct"] * 2)
        self.write(BODY % "deadlock")
        self.run_sweep(status=1)
        self.assertEqual({row["state"] for row in self.rows()}, {"failed"})
        self.assertIn("deadlock: ", self.rows()[0]["error"])

    def test_what_is_random_is_not_replayed(self):
        self.write((BODY % "").replace("compute: modelled", "compute: modelled, vary_compute: 0.1"))
        self.run_sweep()
        self.assertEqual(set(self.engines()), {"direct"})
        self.refused("found points that vary at random", "run", "--engine", "replay", "-o", "other.db", "s.yaml")


class Traces(Base):
    """A trace takes the program's place: nothing else is needed."""

    def record(self, name, *words, options=()):
        done = call(self.bin / "mpisim-run", "--cluster", "cluster.yaml", "-n", 4, "--compute", "modelled", "--quiet", *options,
                    "--record", name, "./point", "log", *words, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)

    def write_trace(self, body):
        return self.write("", name="t.yaml").write_text("mpisim_sweep: 1\ntrace: '{file}.mtrace'\n" + body)

    def setUp(self):
        super().setUp()
        (self.dir / "slow").write_text("name,p1,p2,p3,p4,seconds\nwork,4,,,,0.3\n")
        for name in ("a", "b"):
            self.record(name + ".mtrace", name, "0.001" if name == "a" else "0.002", "kernel", options=["--bench", "slow"])
        (self.dir / "point").unlink()
        (self.dir / "other.yaml").write_text((self.dir / "cluster.yaml").read_text().replace("10us", "1ms"))
        (self.dir / "fast").write_text("name,p1,p2,p3,p4,seconds\nwork,4,,,,0.1\n")

    def replayed(self, *words):
        done = call(self.bin / "mpisim-replay", *words, "--json", "one.json", "--quiet", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.dir / "one.json").read_text())

    def test_points_say_what_mpisim_replay_says(self):
        self.write_trace("cluster: '{cluster}.yaml'\nset: {nodes: '{nodes}'}\nscale: {'*': '{cpu}'}\nrun: {placement: '{where}', bench: '{bench}'}\n"
                         "options: [--coll, 'barrier={coll}']\n"
                         "parameters: {file: [a, b], cluster: [cluster, other], nodes: [2, 4], cpu: [1, 0.5], where: [block, cyclic],\n"
                         "  bench: [slow, fast], coll: [recursive_doubling, tree]}\n")
        self.run_sweep("-o", "s.db", name="t.yaml")
        rows = self.rows()
        self.assertEqual(len(rows), 2 ** 7)
        for row in rows[::9]:
            wanted = self.replayed("--cluster", row["cluster"] + ".yaml", "--set", "nodes=" + row["nodes"], "--scale", "*=" + row["cpu"],
                                   "--placement", row["where"], "--bench", row["bench"], "--coll", "barrier=" + row["coll"],
                                   row["file"] + ".mtrace")
            self.assertEqual(float(row["predicted_time_s"]), wanted["predicted_time_s"])
            self.assertEqual(float(row["efficiency"]), wanted["efficiency"])
            self.assertEqual((row["ranks_run"], row["engine"], row["nodes_held"]), ("4", "replay", str(len(wanted["nodes"]))))

    def test_recorded_cluster_serves_and_repetitions_get_seeds(self):
        self.write_trace("run: {vary_compute: 0.1}\nparameters: {file: a}\nrepeat: 3\n")
        self.run_sweep(name="t.yaml")
        self.assertEqual([float(row["predicted_time_s"]) for row in self.rows(db="t.db")],
                         [self.replayed("--vary-compute", "0.1", "--seed", seed, "a.mtrace")["predicted_time_s"] for seed in range(3)])

    def test_results_belong_to_the_contents_of_the_trace(self):
        self.write_trace("set: {network.latency: '{latency}'}\nparameters: {file: [a, b], latency: [1us, 2us]}\n")
        self.run_sweep(name="t.yaml")
        self.assertIn("0 run now", self.run_sweep("--engine", "replay", name="t.yaml").stdout)
        (self.dir / "b.mtrace").write_bytes((self.dir / "a.mtrace").read_bytes())
        self.assertIn("0 run now", self.run_sweep(name="t.yaml").stdout)
        self.assertEqual(len({row["predicted_time_s"] for row in self.rows(db="t.db")}), 2)

    def test_damaged_traces_are_failed_points(self):
        (self.dir / "b.mtrace").write_bytes((self.dir / "a.mtrace").read_bytes()[:-1])
        self.write_trace("parameters: {file: [a, b]}\n")
        self.run_sweep(status=1, name="t.yaml")
        rows = self.rows(db="t.db")
        self.assertEqual([row["state"] for row in rows], ["done", "failed"])
        self.assertIn("b.mtrace", rows[1]["error"])
        self.assertIn("truncated", rows[1]["error"])

    def test_one_damaged_trace_is_refused_before_the_points(self):
        data = (self.dir / "a.mtrace").read_bytes()
        for cut, wanted in ((len(data) - 1, "truncated"), (len(data) // 2, "truncated"), (0, "no trace")):
            (self.dir / "cut.mtrace").write_bytes(data[:cut])
            self.write("", name="t.yaml").write_text("mpisim_sweep: 1\ntrace: cut.mtrace\nset: {network.latency: '{l}'}\nparameters: {l: [1us, 2us]}\n")
            for options in ((), ("--dry-run",)):
                self.refused("cut.mtrace' is " + wanted, "run", *options, "t.yaml")
            self.assertFalse((self.dir / "t.db").exists())

    def test_what_belongs_to_a_program_is_refused(self):
        def refuse(wanted, body, *options):
            self.write_trace(body)
            self.refused(wanted, "run", *options, "t.yaml")
            self.assertFalse((self.dir / "t.db").exists())
        refuse("t.yaml:3:1: found program beside trace", "program: ./point\nparameters: {file: a}\n")
        refuse("t.yaml:3:1: found arguments beside trace", "arguments: '1'\nparameters: {file: a}\n")
        refuse("t.yaml:3:1: found inputs beside trace", "inputs: x\nparameters: {file: a}\n")
        refuse("run of a trace: found unknown key \"n\", wanted one of placement, bench", "run: {n: 4}\nparameters: {file: a}\n")
        refuse("cannot read none.mtrace", "parameters: {file: none}\n")
        refuse("found the engine direct for a trace", "engine: direct\nparameters: {file: a}\n")
        refuse("found the engine direct for a trace", "parameters: {file: a}\n", "--engine", "direct")


if __name__ == "__main__":
    if not (Base.bin / "mpisim-replay").exists():
        print("skipped: mpisim-replay is not built")
        sys.exit(77)
    unittest.main()
