#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of picture: a valid file in each format, tables against values worked out by hand, refusals.

usage: plots.py BIN_DIR SOURCE_DIR
"""
import csv
import pathlib
import shutil
import sys
import unittest

from common import Base

Base.bin = pathlib.Path(sys.argv.pop(1)).resolve()
Base.source = pathlib.Path(sys.argv.pop(1)).resolve()
# point takes SECONDS × ranks on each rank. Seconds are work / nodes² × (2 for b), so nodes × seconds: time = work / nodes (× 2).
BODY = """name: points
arguments: log x {work / nodes^2 * (1 + (kind == 'b'))}
run: {n: '{nodes}', placement: cyclic, compute: modelled}
set: {nodes: '{nodes}', network.latency: 0, network.bandwidth: inf}
parameters:
  nodes: [1, 2, 4]
  work: [4, 8]
  kind: [a, b]
"""
KINDS = ["speedup", "efficiency", "time", "heatmap", "tornado", "curves", "pareto"]


class Plots(Base):
    def setUp(self):
        super().setUp()
        self.write(BODY)
        self.run_sweep()

    def plot(self, kind, *options, status=0):
        done = self.sweep("plot", "s.db", kind, *options)
        self.assertEqual(done.returncode, status, done)
        return done

    def table(self, kind, *options):
        self.plot(kind, *options)
        with open(self.dir / f"s-{kind}.csv", encoding="utf-8") as file:
            return list(csv.reader(file))

    def numbers(self, kind, *options):
        """Rows without the header, numbers rounded: the barrier takes nothing, but sums are rounded."""
        def value(text):
            try:
                return round(float(text), 6)
            except ValueError:
                return text
        return [[value(text) for text in row] for row in self.table(kind, *options)[1:]]

    def test_every_kind_makes_every_format_in_every_style(self):
        magic = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}
        for style in ("screen", "paper", "dark"):
            for kind in KINDS:
                base = f"{style}-{kind}"
                done = self.plot(kind, "--style", style, "--format", "png,svg,pdf", "-o", base, "--where", "work == 4")
                self.assertEqual(done.stdout.split(), [f"{base}.{end}" for end in magic])
                for end, begin in magic.items():
                    data = (self.dir / f"{base}.{end}").read_bytes()
                    self.assertTrue(data.startswith(begin), base + "." + end)
                    self.assertGreater(len(data), 1000)
        self.assertFalse((self.dir / "gnuplot.log").exists())

    def test_tables_and_scripts_are_the_same_every_time(self):
        for kind in KINDS:
            first = [(self.table(kind, "--where", "work == 4"), (self.dir / f"s-{kind}.gp").read_text()) for _ in range(2)]
            self.assertEqual(first[0], first[1])

    def test_speedup_is_nodes_times_reference_over_time(self):
        # The fastest on one node is kind a with work 4: 4 s. Kind a on 2 nodes: 4 / (4 / 2) = 2; kind b takes twice as long.
        rows = self.numbers("speedup")
        self.assertEqual([row[:2] + [row[5]] for row in rows], [[1, 1, 0.5], [2, 2, 1], [4, 4, 2]])
        self.assertIn("with lines lw 1.5 dt 3 lc rgb ink title 'ideal'", (self.dir / "s-speedup.gp").read_text())
        rows = self.numbers("efficiency")
        self.assertEqual([row[:2] + [row[5]] for row in rows], [[1, 1, 0.5], [2, 1, 0.5], [4, 1, 0.5]])

    def test_a_line_has_its_own_reference_where_that_is_asked_for(self):
        # Work 4 and 8: 4 s and 8 s on one node. With one reference the second line would be half as high.
        rows = self.numbers("speedup", "--by", "work", "--reference-per-line")
        self.assertEqual([row[:4] + row[5:8] for row in rows], [[n, n, n, n, n, n, n] for n in (1, 2, 4)])
        self.assertIn("reference: of each line its fewest nodes", (self.dir / "s-speedup.gp").read_text())
        rows = self.numbers("speedup", "--by", "work")
        self.assertEqual([row[5] for row in rows], [0.5, 1, 2])
        rows = self.numbers("efficiency", "--by", "work", "--by", "kind", "--reference-per-line", "--where", "work == 4 or nodes > 1")
        self.assertEqual([row[1] for row in rows], [1, 1, 1])
        self.assertEqual([[value for value in row[9:14:4]] for row in rows], [["", ""], [1, 1], [1, 1]])

    def test_titles_name_the_condition(self):
        for kind in KINDS:
            self.plot(kind, "--where", "work == 4 and nodes > 0")
            titles = [line for line in (self.dir / f"s-{kind}.gp").read_text().splitlines() if line.startswith("set title ")]
            self.assertEqual(len(titles), 1)
            self.assertIn("only where work == 4 and nodes > 0", titles[0])
            self.plot(kind, "--where", "work == 4", "--title", "mine")
            self.assertNotIn("only where", (self.dir / f"s-{kind}.gp").read_text())

    def test_other_parameters_count_by_their_fastest(self):
        rows = self.numbers("time", "--x", "work")
        # Four nodes are the fastest: work / 4.
        self.assertEqual([row[:2] for row in rows], [[4, 1], [8, 2]])
        self.assertEqual(rows[0][4], "nodes=4")
        self.assertIn("the fastest over nodes", (self.dir / "s-time.gp").read_text())
        rows = self.numbers("time", "--x", "work", "--by", "none", "--where", "nodes == 1")
        self.assertEqual([row[:2] for row in rows], [[4, 4], [8, 8]])
        rows = self.numbers("time", "--x", "work", "--by", "nodes", "--by", "kind", "--where", "nodes <= 2",
                            "--value", "node_seconds")
        self.assertEqual([row[1] for row in rows], [4, 8])

    def test_heatmap_has_a_cell_for_each_pair(self):
        rows = self.numbers("heatmap", "--x", "nodes", "--y", "work", "--where", "nodes != 2 or work == 4")
        self.assertEqual(rows, [[1, 4, 4, 0, 0], [2, 4, 2, 1, 0], [4, 4, 1, 2, 0],
                                [1, 8, 8, 0, 1], [2, 8, "", 1, 1], [4, 8, 2, 2, 1]])

    def test_tornado_sorts_by_length(self):
        # Base: 1 node, work 4, kind a: 4 s. 4 nodes: 1 s, -75 %; 2 nodes: 2 s. work 8 and kind b: 8 s, +100 %.
        self.assertEqual(self.numbers("tornado"), [["work", 4, 0, 4, 1, 8], ["kind", "a", 0, "a", 1, "b"],
                                                   ["nodes", 1, -0.75, 4, 0, 1]])

    def test_curves_are_steps_of_efficiency(self):
        rows = self.numbers("curves", "--where", "work == 4 and kind == 'a'")
        # All ranks compute all the time; each curve ends with its run: 4, 2 and 1 s.
        self.assertEqual({row[3] for row in rows}, {1})
        self.assertEqual([max(row[2] for row in rows if row[0] == k) for k in range(3)], [4, 2, 1])
        self.assertEqual({row[1] for row in rows}, {1, 2, 4})
        rows = self.numbers("curves", "--where", "work == 4 and kind == 'a'", "--relative")
        self.assertEqual([max(row[2] for row in rows if row[0] == k) for k in range(3)], [1, 1, 1])

    def test_pareto_front_holds_what_nothing_beats(self):
        # All cost work node-seconds (× 2 for b) however many nodes: the fastest of the cheapest is alone on the front.
        rows = self.numbers("pareto")
        self.assertEqual([row[:4] for row in rows if row[3]], [["4, 4, a", 4, 1, 1]])
        self.assertEqual(len(rows), 12)

    def test_pareto_front_is_sorted_by_cost(self):
        # Time = work / sqrt(nodes), cost = work × sqrt(nodes): more nodes are faster and dearer; b is beaten by a on as many.
        self.write(BODY.replace("nodes^2", "nodes^1.5"), "p.yaml")
        self.run_sweep(name="p.yaml")
        done = self.sweep("plot", "p.db", "pareto", "--where", "work == 4")
        self.assertEqual(done.returncode, 0, done)
        with open(self.dir / "p-pareto.csv", encoding="utf-8") as file:
            front = [(row[0], float(row[1]), float(row[2]), row[4]) for row in list(csv.reader(file))[1:] if row[3] == "1"]
        self.assertEqual([row[0] for row in front], ["1, a", "2, a", "4, a"])
        self.assertEqual([row[3] for row in front], ["A", "B", "C"])
        for row, nodes in zip(front, (1, 2, 4)):
            self.assertAlmostEqual(row[1], 4 * nodes ** 0.5, places=6)
            self.assertAlmostEqual(row[2], 4 / nodes ** 0.5, places=6)

    def test_repetitions_become_median_and_bars(self):
        self.write(BODY.replace("compute: modelled", "compute: modelled, vary_compute: 0.2") + "repeat: 3\n", "r.yaml")
        self.run_sweep(name="r.yaml")
        done = self.sweep("plot", "r.db", "time", "--x", "work", "--where", "nodes == 1 and kind == 'a'")
        self.assertEqual(done.returncode, 0, done)
        with open(self.dir / "r-time.csv", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        for row in rows:
            times = sorted(float(point["predicted_time_s"]) for point in
                           self.rows("--where", f"nodes == 1 and kind == 'a' and work == {row[0]}", db="r.db"))
            for found, wanted in zip(row[1:4], (times[1], times[0], times[2])):
                self.assertAlmostEqual(float(found), wanted, places=9)
        self.assertIn("median of 3 runs", (self.dir / "r-time.gp").read_text())

    def test_refusals_leave_nothing(self):
        def refused(wanted, *words):
            self.refused(wanted, "plot", *words)
        refused("found the kind \"pie\", wanted speedup", "s.db", "pie")
        refused("found 1 words, wanted two", "s.db")
        refused("--x: found \"q\", wanted a parameter: nodes, work, kind", "s.db", "time", "--x", "q")
        refused("--x: found kind, whose values are texts", "s.db", "time", "--x", "kind")
        refused("--by: found \"q\"", "s.db", "time", "--by", "q")
        refused("--value: found \"q\", wanted one of predicted_time_s", "s.db", "time", "--value", "q")
        refused("--style: found \"pink\"", "s.db", "time", "--style", "pink")
        refused("--format: found \"gif\"", "s.db", "time", "--format", "gif")
        refused("--where: found no point", "s.db", "time", "--where", "nodes > 4")
        refused("found 12 curves, wanted at most 8", "s.db", "curves")
        refused("found no numeric parameter", "s.db", "time", "--where", "nodes == 1 and work == 4")
        refused("found no two parameters", "s.db", "heatmap", "--where", "nodes == 1 and work == 4")
        refused("found no result of the base", "s.db", "tornado", "--where", "nodes == 2")
        refused("cannot write nowhere/x.csv", "s.db", "time", "-o", "nowhere/x")
        self.assertEqual(list(self.dir.glob("s-*")), [])

    def test_without_gnuplot_table_and_script_are_there(self):
        empty = self.dir / "empty"
        empty.mkdir()
        done = self.sweep("plot", "s.db", "time", env={"PATH": str(empty)})
        self.assertEqual(done.returncode, 2)
        self.assertIn("found no gnuplot", done.stderr)
        self.assertTrue((self.dir / "s-time.gp").exists())
        self.assertTrue((self.dir / "s-time.csv").exists())


if __name__ == "__main__":
    if not shutil.which("gnuplot"):
        print("skipped: gnuplot is not installed")
        sys.exit(77)
    unittest.main()
