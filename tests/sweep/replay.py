#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-sweep --engine auto and replay: what is replayed, and that it is what a run says.

usage: replay.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import sys
import unittest

from common import Base

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

    def test_what_is_measured_or_random_is_not_replayed(self):
        self.write((BODY % "").replace("compute: modelled", "compute: modelled, vary_compute: 0.1"))
        self.run_sweep()
        self.assertEqual(set(self.engines()), {"direct"})
        self.refused("found points that measure or vary at random", "run", "--engine", "replay", "-o", "other.db", "s.yaml")


if __name__ == "__main__":
    if not (Base.bin / "mpisim-replay").exists():
        print("skipped: mpisim-replay is not built")
        sys.exit(77)
    unittest.main()
