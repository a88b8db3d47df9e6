#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-sweep where computation is measured: rounds, intervals, what can be told, shared recordings. Most of it with a mpisim-run of
our own whose times scatter as they are told to, by a seed.

usage: measured.py BIN_DIR SOURCE_DIR
"""
import json
import math
import pathlib
import random
import shutil
import sqlite3
import sys
import unittest

from common import Base, call

Base.bin = pathlib.Path(sys.argv.pop(1)).resolve()
Base.source = pathlib.Path(sys.argv.pop(1)).resolve()
SEED = 20261123
# Notes the point, and takes the time that stands for it and the number of its run in times.json.
RUN = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
name = words[words.index("log") + 1]
with open("log", "a") as log:
    log.write(name + "\\n")
with open("log") as log, open("times.json") as times:
    n = log.read().split().count(name)
    told = json.load(times)[name]
time = told["times"][n - 1]
result = {"exit": {"state": "completed"}, "predicted_time_s": time, "efficiency": 0.5, "messages": n, "ranks": [], "efficiency_curve": [],
          "nodes": [{"released_s": None}] * told.get("nodes", 1), "warnings": told.get("warnings", []), "cluster": {"cores_per_node": 1}}
if "interval" in told:
    result["prediction_interval"] = dict(zip(("low_s", "high_s"), told["interval"]))
if time < 0:
    sys.exit("mpisim-run: will not")
with open(words[words.index("--json") + 1], "w") as out:
    json.dump(result, out)
"""
BODY = "arguments: log {a}\nrun: {n: 1}\nparameters: {a: [%s]}\n"


def scattered(draw, mean, relative, n=20):
    return [mean * math.exp(draw.gauss(0, relative)) for _ in range(n)]


class Measured(Base):
    def setUp(self):
        super().setUp()
        (self.dir / "bin").mkdir()
        shutil.copy(self.bin / "mpisim-sweep", self.dir / "bin")
        (self.dir / "bin/mpisim-run").write_text(RUN)
        (self.dir / "bin/mpisim-run").chmod(0o755)

    def sweep(self, *words, **more):
        return call(self.dir / "bin/mpisim-sweep", *words, cwd=self.dir, **more)

    def measure(self, points, *options, more="", status=0):
        """`points`: name → what RUN reads."""
        self.log.unlink(missing_ok=True)
        (self.dir / "times.json").write_text(json.dumps(points))
        self.write(BODY % ", ".join(points) + more)
        return self.run_sweep("-j", 1, *options, status=status)

    def counts(self):
        return {name: self.logged().count(name) for name in set(self.logged())}

    def status(self):
        return self.sweep("status", "s.db").stdout

    def test_noise_has_no_winner(self):
        print("seed", SEED)
        for k in range(5):
            with self.subTest(k):
                draw = random.Random(SEED + k)
                (self.dir / "s.db").unlink(missing_ok=True)
                done = self.measure({name: {"times": scattered(draw, 1, 0.1)} for name in ("x", "y", "z")})
                self.assertEqual(self.counts(), {"x": 9, "y": 9, "z": 9})
                for said in (done.stdout, self.status()):
                    self.assertIn("no difference can be told between 3 points that may be the fastest:\n a=x\n", said)
                    self.assertNotIn("fastest: ", said)
                    self.assertIn("9 measurements)", said)

    def test_clear_winner_takes_the_least_number_of_runs(self):
        draw = random.Random(SEED)
        done = self.measure({name: {"times": scattered(draw, mean, 0.02)} for name, mean in (("x", 2), ("y", 1), ("z", 3))})
        self.assertEqual(self.counts(), {"x": 3, "y": 3, "z": 3})
        self.assertIn("3 run now, 9 measurements, in ", done.stdout)
        self.assertIn("fastest: a=y\n", done.stdout)

    def test_rounds_go_in_turns_until_intervals_part(self):
        draw = random.Random(SEED)
        self.measure({name: {"times": scattered(draw, mean, 0.03)} for name, mean in (("x", 1), ("y", 1.1), ("z", 5))})
        counts = self.counts()
        self.assertEqual(counts["z"], 3)  # not the fastest, and it can be told
        self.assertEqual(counts["x"], counts["y"])
        self.assertTrue(3 < counts["x"] < 9, counts)
        self.assertEqual(self.logged(), ["x", "y", "z"] * 3 + ["x", "y"] * (counts["x"] - 3))
        self.assertIn("fastest: a=x\n", self.status())

    def test_slow_spells_fall_on_all(self):
        # Each round as slow as it is, up to three times: x is a twentieth faster in each.
        draw = random.Random(SEED)
        rounds = [draw.uniform(1, 3) for _ in range(9)]
        self.measure({"x": {"times": [scattered(draw, t, 0.001, 1)[0] for t in rounds]},
                      "y": {"times": [scattered(draw, 1.05 * t, 0.001, 1)[0] for t in rounds]}})
        self.assertIn("fastest: a=x\n", self.status())
        self.assertEqual(self.counts(), {"x": 3, "y": 3})

    def test_table_has_the_run_in_the_middle_and_its_interval(self):
        times = [1.0, 1.2, 1.1]
        self.measure({"x": {"times": times}, "y": {"times": [7, 7.1, 7.2]}})
        row = self.rows()[0]
        self.assertEqual((row["predicted_time_s"], row["messages_sent"], row["measurements"]), ("1.1000000000000001", "3", "3"))
        # Student's t for two degrees of freedom: 9.925 of the standard error of the logarithms' mean, within 99 %.
        logs = [math.log(t) for t in times]
        mean = sum(logs) / 3
        error = 9.925 * math.sqrt(sum((x - mean) ** 2 for x in logs) / 2 / 3)
        self.assertAlmostEqual(float(row["predicted_low_s"]), math.exp(mean - error), places=9)
        self.assertAlmostEqual(float(row["predicted_high_s"]), math.exp(mean + error), places=9)
        found = json.loads(self.sweep("export", "--json", "s.db").stdout)[0]
        self.assertEqual((found["measurements"], found["predicted_low_s"]), (3, float(row["predicted_low_s"])))

    def test_number_of_runs_is_bounded_by_key_and_option(self):
        same = {name: {"times": [1.0] * 20} for name in "xy"}
        self.measure(same, more="measurements: 4\n")
        self.assertEqual(self.counts(), {"x": 4, "y": 4})
        self.measure(same, "--measurements", 6, more="measurements: 4\n")
        self.assertEqual(self.counts(), {"x": 2, "y": 2})  # four are known
        (self.dir / "s.db").unlink()
        self.measure(same, "--measurements", 1)
        self.assertEqual(self.counts(), {"x": 1, "y": 1})
        self.assertIn("no difference can be told between 2 points", self.status())
        self.assertIn("(1 measurement)", self.status())
        for bad in (0, 1001, "many"):
            self.refused("--measurements: ", "run", "--measurements", bad, "s.yaml")

    def test_known_points_are_not_measured_again_but_compared_with_new_ones(self):
        draw = random.Random(SEED)
        points = {name: {"times": scattered(draw, mean, 0.02)} for name, mean in (("x", 2), ("y", 1))}
        self.measure(points)
        self.assertIn("0 run now, in ", self.measure(points).stdout)
        self.assertEqual(self.logged(), [])
        points["w"] = {"times": scattered(draw, 0.5, 0.02)}
        self.assertIn("1 run now, 3 measurements, in ", self.measure(points).stdout)
        self.assertIn("fastest: a=w\n", self.status())

    def test_point_that_fails_in_any_run_has_failed(self):
        self.measure({"x": {"times": [1, -1, 1]}, "y": {"times": [2, 2, 2]}}, status=1)
        self.assertEqual([row["state"] for row in self.rows()], ["failed", "done"])
        self.assertEqual(self.counts(), {"x": 2, "y": 3})
        self.measure({"x": {"times": [1, 1, 1]}, "y": {"times": [2, 2, 2]}}, "--retry-failed")
        self.assertEqual(self.rows()[0]["measurements"], "3")

    def test_files_of_earlier_versions_are_read_and_go_on(self):
        points = {"x": {"times": [1, 1, 1, 1, 1]}, "y": {"times": [2, 2, 2, 2, 2]}}
        self.measure(points)
        with sqlite3.connect(self.dir / "s.db") as db:
            db.execute("DROP TABLE measured")
            db.execute("DROP TABLE interval")
        self.assertIn("fastest: a=x\n", self.status())
        self.assertNotIn("measurements", self.rows()[0])
        self.measure(points)
        self.assertEqual(self.rows()[0]["measurements"], "3")

    def test_what_is_modelled_runs_once_and_has_the_columns_that_it_had(self):
        points = {"x": {"times": [1]}, "y": {"times": [1]}}
        (self.dir / "times.json").write_text(json.dumps(points))
        self.write((BODY % "x, y").replace("{n: 1}", "{n: 1, compute: modelled}"))
        self.run_sweep()
        self.assertEqual(list(self.rows()[0])[-2:], ["engine", "error"])
        self.assertIn("fastest: a=x\n  1 s, efficiency", self.status())

    def test_intervals_of_mpisim_run_are_kept_and_compared(self):
        points = {"x": {"times": [1], "interval": [0.9, 1.2]}, "y": {"times": [1.1], "interval": [1, 1.2]}, "z": {"times": [2], "interval": [1.9, 2.1]}}
        (self.dir / "times.json").write_text(json.dumps(points))
        self.write((BODY % "x, y, z").replace("{n: 1}", "{n: 1, compute: modelled}"))
        self.run_sweep()
        self.assertEqual([(float(row["predicted_low_s"]), float(row["predicted_high_s"])) for row in self.rows()], [(0.9, 1.2), (1, 1.2), (1.9, 2.1)])
        self.assertIn("no difference can be told between 2 points that may be the fastest:\n a=x\n", self.status())

    def test_warnings_reach_table_status_and_pictures(self):
        self.measure({"x": {"times": [1, 1, 1], "warnings": ["looks odd, \"somehow\"", "and more"]}, "y": {"times": [2, 2, 2]}})
        self.assertEqual([row["warnings"] for row in self.rows()], ["looks odd, \"somehow\"; and more", ""])
        self.assertIn("warnings, 1 point, the first: a=x\n  looks odd, \"somehow\"\n", self.status())
        if not shutil.which("gnuplot"):
            return
        done = self.sweep("plot", "s.db", "pareto")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("warnings of 1 point, see mpisim-sweep status", (self.dir / "s-pareto.gp").read_text())
        self.assertIn("warnings of 1 point", done.stderr)

    def test_pictures_have_bars_and_say_what_cannot_be_told(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        draw = random.Random(SEED)
        self.measure({str(n): {"times": scattered(draw, 1, 0.1), "nodes": n} for n in (1, 2, 4)})
        for kind in ("time", "speedup", "heatmap"):
            if kind != "heatmap":  # it needs two parameters
                done = self.sweep("plot", "s.db", kind)
                self.assertEqual(done.returncode, 0, done)
                script = (self.dir / f"s-{kind}.gp").read_text()
                self.assertIn("with yerrorbars", script)
                self.assertIn("no difference can be told between the fastest 3 points", script)
                self.assertIn("no difference can be told", done.stderr)
        self.assertIn("set logscale x\n", script := (self.dir / "s-speedup.gp").read_text())
        self.assertIn("set logscale y 2\n", script)
        with open(self.dir / "s-time.csv", encoding="utf-8") as file:
            first = file.read().splitlines()[1].split(",")
        self.assertEqual([float(first[2]), float(first[3])], [float(f"{float(self.rows()[0][key]):.12g}") for key in ("predicted_low_s", "predicted_high_s")])


class Shared(Base):
    """With the real tools: points that differ only in the cluster share what was measured."""

    def setUp(self):
        super().setUp()
        if not (self.bin / "mpisim-replay").exists():
            self.skipTest("mpisim-replay is not built")

    def test_points_of_several_clusters_share_recordings(self):
        # Computes for as long as it likes, 10 to 20 ms: no two runs say the same. Four messages of 20 ms are no matter of luck.
        self.write("arguments: log x 0 random\nrun: {n: 2}\nset: {network.latency: '{latency}'}\nparameters: {latency: [40ms, 1ms, 5ms]}\n")
        done = self.run_sweep()
        n = len(self.logged())
        self.assertTrue(3 <= n <= 9, n)
        with sqlite3.connect(self.dir / "s.db") as db:
            times = db.execute("SELECT place, round, m.predicted_time_s FROM point JOIN measured AS m USING (hash)").fetchall()
        by = {(place, k): time for place, k, time in times}
        self.assertEqual({k for _, k in by}, set(range(n)))
        for k in range(3):
            # The computation of a round is that of its recording: what differs is one barrier of two ranks, a latency. It is longer than what a rank
            # computes after the barrier: so the last to end is the one that waited there.
            self.assertAlmostEqual(by[0, k] - by[1, k], 0.04 - 1e-3, places=9)
            self.assertAlmostEqual(by[2, k] - by[1, k], 0.005 - 1e-3, places=9)
        self.assertIn("fastest: latency=1ms\n", done.stdout)

    def test_program_that_reads_a_clock_shares_them_where_its_course_is_the_same(self):
        self.write("arguments: log x 0 random+clock\nrun: {n: 2}\nset: {network.latency: '{latency}'}\n"
                   "parameters: {latency: [40ms, 10us]}\n")
        self.run_sweep("--measurements", 3)
        self.assertEqual(len(self.logged()), 3 + 1)  # a recording a round, and one run to see its course
        for row in self.rows():
            self.assertTrue(row["engine"] == "direct" or "read a clock" in row["warnings"], row)
        self.assertEqual({row["engine"] for row in self.rows()}, {"direct", "replay"})

    def test_program_whose_course_depends_on_a_clock_is_run(self):
        self.write("arguments: log x 0 until\nrun: {n: 2}\nset: {network.latency: '{latency}'}\n"
                   "parameters: {latency: [40ms, 10us]}\n")
        self.run_sweep("--measurements", 3)
        self.assertEqual(len(self.logged()), 3 * 2 + 1)
        self.assertEqual({row["engine"] for row in self.rows()}, {"direct"})


if __name__ == "__main__":
    unittest.main()
