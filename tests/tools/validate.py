#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-validate as users call it: figures, choices, refusals, pictures.

usage: validate.py BIN_DIR
"""
import json
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, call, paths  # noqa: E402  (the folder above)

(BIN,) = paths(1)

# Errors of model a: +4, -6, +12, +20 %; of b: 0, 0, 0 % and nothing for the last.
TABLE = """# provenance
configuration,group,choice,measured_s,low_s,high_s,n,library,a_predicted_s,b_predicted_s,note
"one, two",X,variant;size,100,99,101,5,openmpi,104,100,
three,X,variant,50,49,51,5,openmpi,47,50,
four,Y,size,25,,,,mpich,28,25,
five,Y,size,10,,,,mpich,12,,"a ""reason"" | here"
"""


class Validate(OwnFolder):
    def setUp(self):
        super().setUp()
        self.table = self.dir / "table.csv"

    def call(self, text, *options):
        self.table.write_text(text) if isinstance(text, str) else self.table.write_bytes(text)
        return call(str(BIN / "mpisim-validate"), *map(str, options), str(self.table), timeout=60)

    def describe(self, text, *options):
        done = self.call(text, "--quiet", "--json", "-", *options)
        self.assertEqual(done.returncode, 0, done)
        return json.loads(done.stdout)

    def cells(self, text, title):
        """Rows of the Markdown table under a title."""
        lines = text.split(f"## {title}\n\n")[1].split("\n\n")[0].strip().splitlines()
        return [[cell.strip() for cell in line.replace("\\|", "/").strip("|").split("|")] for line in lines[2:]]

    def test_errors_are_predicted_over_measured_less_one(self):
        a, b = self.describe(TABLE)["models"]
        # (4 + 6 + 12 + 20) / 4 = 10.5; sorted 4 6 12 20: median 9; (4 - 6 + 12 + 20) / 4 = 7.5
        for key, wanted in (("mean_error", .105), ("median_error", .09), ("largest_error", .2), ("bias", .075)):
            self.assertAlmostEqual(a[key], wanted, 12, key)
        self.assertEqual((a["predicted"], b["predicted"], b["mean_error"]), (4, 3, 0))

    def test_a_limit_is_met_by_what_equals_it(self):
        self.assertEqual([share["within"] for share in self.describe(TABLE)["models"][0]["shares"]], [1, 2, 3])

    def test_predictions_inside_the_measured_interval_are_counted(self):
        models = self.describe(TABLE)["models"]
        self.assertEqual([(m["in_interval"], m["with_interval"]) for m in models], [(0, 2), (2, 2)])

    def test_the_alternative_predicted_to_be_fastest_is_right_when_it_was(self):
        # a turns the order around: three takes half of one's time, and is predicted to take more
        wrong = TABLE.replace(",47,50,", ",110,50,")
        a, b = self.describe(wrong)["models"]
        variant, size = a["choices"]
        self.assertEqual((variant["question"], variant["right"], variant["fastest_measured"], variant["fastest_predicted"]),
                         ("variant", False, "three", "one, two"))
        self.assertEqual((variant["pairs"], variant["pairs_in_order"]), (1, 0))
        self.assertEqual((size["right"], size["alternatives"], size["pairs"], size["pairs_in_order"]), (True, 3, 3, 3))
        self.assertTrue(all(choice["right"] for choice in b["choices"]))
        self.assertEqual(self.cells(self.call(wrong).stdout, "Wrong choices"), [["a", "variant", "three", "one, two", "+100.0 %"]])

    def test_measured_times_within_the_margin_are_the_same(self):
        near = TABLE.replace("three,X,variant,50,49,51", "three,X,variant,96,95,97").replace(",47,50,", ",110,50,")
        self.assertTrue(self.describe(near)["models"][0]["choices"][0]["right"])
        self.assertFalse(self.describe(near, "--margin", "1")["models"][0]["choices"][0]["right"])

    def test_models_are_compared_on_what_all_predict(self):
        out = self.call(TABLE).stdout
        common = self.cells(out, "How close, where all models predict")
        self.assertEqual([(row[0], row[1]) for row in common], [("a", "3"), ("b", "3")])
        self.assertEqual(common[0][5], "7.33 %")  # (4 + 6 + 12) / 3

    def test_what_is_further_off_than_the_last_limit_is_listed_with_its_reason(self):
        self.assertEqual(self.cells(self.call(TABLE).stdout, "Further off than 12 %"),
                         [["a", "five", "10", "12", "+20.0 %", 'a "reason" / here']])

    def test_a_model_has_its_own_reason_or_that_of_the_line(self):
        # columns in any order; of a model that is none, they describe the line as other columns do
        text = ("a_note,c_note,configuration,measured_s,a_predicted_s,b_predicted_s,note\n"
                "of a,of c,one,1,2,2,of one\n,of c,two,1,2,2,of two\n,,three,1,2,2,\n")
        reasons = [row[-1] for row in self.cells(self.call(text).stdout, "Further off than 12 %")]
        self.assertEqual(reasons, ["of a", "of two", "no note in the table", "of one", "of two", "no note in the table"])
        self.assertEqual([row["notes"] for row in self.describe(text)["configurations"]],
                         [{"a": "of a", "b": "of one"}, {"a": "of two", "b": "of two"}, {"a": "", "b": ""}])

    def test_requirements_decide_the_exit_status(self):
        self.assertEqual(self.call(TABLE, "--require", "a:25@4,50@6,75@12", "--require", "b:100@0.1").returncode, 0)
        done = self.call(TABLE, "--quiet", "--require", "a:25@4,51@6")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("2 of 4 predictions of a are within 6 %, wanted 51 %", done.stderr)
        self.assertEqual(self.call(TABLE, "--require", "a:mean@90,25@4").returncode, 0)
        done = self.call(TABLE, "--quiet", "--require", "a:mean@0.1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"predictions of a are off by [\d.]+ % in the mean, wanted 0.1 %")

    def test_predictions_come_from_files_of_mpisim_run(self):
        (self.dir / "p.json").write_text('{"predicted_time_s": 9.5, "exit": {"state": "completed"}}')
        rows = self.describe("configuration,measured_s,x_predicted_json\nc,10,p.json\n")["configurations"]
        self.assertEqual(rows[0]["predicted_s"], {"x": 9.5})

    def test_pictures_are_drawn_with_their_data(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        done = self.call(TABLE.replace("a_pred", '"a `$(x) \'_predicted_s"').replace("icted_s\"icted_s", "icted_s\""), "--plot", self.dir / "plot")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(p.name for p in (self.dir / "plot").iterdir()),
                         ["errors.gp", "errors.png", "errors.svg", "histogram.csv", "points.csv", "scatter.gp", "scatter.png", "scatter.svg"])
        counts = [line.split(",")[2:] for line in (self.dir / "plot/histogram.csv").read_text().splitlines()[1:]]
        self.assertEqual([sum(int(c) for c in column) for column in zip(*counts)], [4, 3])

    def test_one_error_of_thousands_of_percent_does_not_hide_the_others(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        rows = "".join(f"r{k},100,{100.5 + k}\n" for k in range(19))
        done = self.call(f"configuration,measured_s,a_predicted_s\n{rows}far,1,100\n", "--plot", self.dir / "plot")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        bins = [line.split(",") for line in (self.dir / "plot/histogram.csv").read_text().splitlines()[1:]]
        self.assertLess(float(bins[-1][1]), 0.21)
        self.assertEqual([int(row[2]) for row in bins if float(row[0]) >= 0], [1] * 17 + [3])

    def test_the_axes_have_three_labels_or_more(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        for least, most in ((2.7, 3.1), (2.7, 4.4), (0.07, 0.5), (11, 20), (1, 1000), (1, 1.000001)):
            table = f"configuration,measured_s,a_predicted_s\nx,{least},{most}\ny,{most},{least}\n"
            done = self.call(table, "--plot", self.dir / "plot")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            script = (self.dir / "plot/scatter.gp").read_text()
            low, high = (float(x) for x in re.search(r"set xrange \[(.*):(.*)\]", script).groups())
            tics = [float(x) for x in re.search(r"set xtics \((.*)\)", script).group(1).split(",")]
            self.assertGreaterEqual(sum(low <= tic <= high for tic in tics), 3, script)

    def test_equal_tables_give_equal_bytes(self):
        self.assertEqual(self.call(TABLE, "--rows", "--json", "-").stdout, self.call(TABLE, "--rows", "--json", "-").stdout)

    def refused(self, wanted, text, *options):
        done = self.call(text, *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn(wanted.replace("TABLE", str(self.table)), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_the_table_is_not_replaced(self):
        self.refused("--json: found 'TABLE', which is the table", TABLE, "--json", self.table)

    def test_bad_tables_are_refused_with_their_line(self):
        head = "configuration,measured_s,low_s,high_s,a_predicted_s\n"
        for wanted, text in (
                ("TABLE: found nothing", ""),
                ("TABLE: found nothing", "# only this\n\n"),
                ("TABLE: found no configuration", head),
                ("TABLE:2: found a prediction of 1e+300 s for 1e-300 s measured", "configuration,measured_s,a_predicted_s\nx,1e-300,1e300\n"),
                ('TABLE:1: found no column "measured_s"', "configuration,a_predicted_s\nx,1\n"),
                ('TABLE:1: found no column "configuration"', "measured_s\n1\n"),
                ('TABLE:1: found column "measured_s" twice', "configuration,measured_s,measured_s\nx,1,1\n"),
                ('TABLE:1: found unknown column "meassured_s"', "configuration,meassured_s\nx,1\n"),
                ("TABLE:1: found one of low_s and high_s", "configuration,measured_s,low_s\nx,1,1\n"),
                ('second column of predictions of "a"', "configuration,measured_s,a_predicted_s,a_predicted_json\nx,1,1,\n"),
                ("TABLE:4: found 3 fields, wanted 5 as in line 1", head + "\n# c\nx,1,\n"),
                ('TABLE:2: measured_s: found "fast", wanted a number above 0', head + "x,fast,,,\n"),
                ('TABLE:2: measured_s: found "0", wanted a number above 0', head + "x,0,,,\n"),
                ('TABLE:2: measured_s: found "", wanted', head + "x,,,,\n"),
                ('TABLE:2: a_predicted_s: found "-1"', head + "x,1,,,-1\n"),
                ('TABLE:2: a_predicted_s: found "nan"', head + "x,1,,,nan\n"),
                ("TABLE:2: found measured_s 3 outside its interval", head + "x,3,1,2,\n"),
                ("TABLE:2: found low_s without high_s", head + "x,3,1,,\n"),
                ("TABLE:2: found no configuration", head + ",1,,,\n"),
                ('TABLE:3: found configuration "x" again, which stands in line 2', head + "x,1,,,\nx,1,,,\n"),
                ("TABLE:2: found a quote that begins here", head + 'x,1,,,"2\n\n'),
                ("TABLE:2: found text behind a closing quote", head + '"x"y,1,,,2\n'),
                ("TABLE:2: found a byte of zero", (head + "x\0,1,,,2\n").encode())):
            with self.subTest(wanted):
                self.refused(wanted, text)

    def test_bad_predictions_are_refused(self):
        table = "configuration,measured_s,x_predicted_json\nc,10,p.json\n"
        self.refused("TABLE:2: cannot read " + str(self.dir / "p.json"), table)
        for wanted, text in (("p.json:1: found", "{"), ("without predicted_time_s", "{}"),
                             ('a run that ended as "failed"', '{"predicted_time_s": 9.5, "exit": {"state": "failed"}}')):
            (self.dir / "p.json").write_text(text)
            self.refused(wanted, table)

    def compare(self, log, prediction):
        (self.dir / "p.json").write_text(json.dumps(prediction))
        (self.dir / "log").write_text(log)
        return call(str(BIN / "mpisim-validate"), "--phases", str(self.dir / "log"), str(self.dir / "p.json"), timeout=60)

    def test_phases_are_compared_by_the_time_that_ranks_spend_in_them(self):
        # solve: 3 s on rank 0, 2 s on rank 1, of it 1 s in "exchange" on each; lines of ranks come in any order
        log = "0,solve,begin,10\n1,solve,begin,100\n0,exchange,begin,11\n0,exchange,end,12\n1,exchange,begin,100.5\n0,solve,end,13\n" \
              "1,exchange,end,101.5\n1,solve,end,102\n"
        done = self.compare(log, {"predicted_time_s": 3, "exit": {"state": "completed"}, "phases": [
            {"name": "solve", "ranks": 2, "rank_time_s": 5.5}, {"name": "exchange", "ranks": 1, "rank_time_s": 0.5, "parent": "solve"},
            {"name": "exchange", "ranks": 1, "rank_time_s": 1, "parent": "solve"}, {"name": "only here", "ranks": 2, "rank_time_s": 1}]})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "^mpisim-validate: warning: .*/log and .*/p.json are not of the same run: only predicted: only here\n$")
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()[4:]]
        self.assertEqual(rows, [["solve", "2", "2", "5", "5.5", "+0.5", "+10.0 %"], ["exchange", "2", "2", "2", "1.5", "-0.5", "-25.0 %"],
                                ["only here", "0", "2", "0", "1", "+1", "-"], ["total of those in no other", "2", "4", "5", "6.5", "+1.5", "+30.0 %"]])

    def test_phases_may_have_any_name(self):
        done = self.compare("0,(init),begin,1\n0,(init),end,2\n", {"predicted_time_s": 3, "exit": {"state": "completed"}, "phases": []})
        self.assertIn("| (init)                     |        1 |         0 |", done.stdout)
        self.assertIn("only measured: (init)", done.stderr)

    def test_a_prediction_of_another_run_is_told(self):
        done = self.compare("0,a,begin,1\n0,a,end,2\n", {"predicted_time_s": 3, "exit": {"state": "completed"}, "settings": {"ranks": 2},
                                                         "phases": [{"name": "b", "ranks": 2, "rank_time_s": 5.5}]})
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "are not of the same run: only measured: a; only predicted: b\n$")
        done = self.compare("2,a,begin,1\n2,a,end,2\n", {"predicted_time_s": 3, "exit": {"state": "completed"}, "settings": {"ranks": 2}, "phases": []})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "/log: found at least 3 ranks, wanted the 2 that .*/p.json predicts\n$")

    def test_wrong_logs_of_phases_are_refused(self):
        good = {"predicted_time_s": 3, "exit": {"state": "completed"}, "phases": []}
        for wanted, log, prediction in (
                ("log: found no phases", "", good), ("log:1: found 3 fields", "0,a,begin\n", good),
                ("log:1: rank: ", "x,a,begin,1\n", good), ("log:1: seconds: ", "0,a,begin,x\n", good),
                ('log:1: found "start"', "0,a,start,1\n", good), ('log:2: found the end of "a" before its begin in line 1', "0,a,begin,2\n0,a,end,1\n", good),
                ('log:1: found the begin of "a" on rank 0, wanted its end', "0,a,begin,2\n", good),
                ("wanted its begin before", "1,a,begin,2\n0,a,end,3\n", good), ("wanted that of the phase begun last", "0,a,begin,2\n0,b,end,3\n", good),
                ("without predicted_time_s", "0,a,begin,2\n0,a,end,3\n", {})):
            done = self.compare(log, prediction)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(wanted, done.stderr)

    def test_wrong_usage_is_refused(self):
        self.refused("--within: found \"6,4\"", TABLE, "--within", "6,4")
        self.refused("--margin: found \"x\"", TABLE, "--margin", "x")
        self.refused("has no such model", TABLE, "--quiet", "--require", "c:1@2")
        self.refused("wanted MODEL:SHARE@LIMIT", TABLE, "--quiet", "--require", "a:75")
        self.refused("unknown option --fast; see mpisim-validate --help", TABLE, "--fast")
        self.refused("--rows=1 takes no value", TABLE, "--rows=1")
        self.refused("--json: found an empty value", TABLE, "--json", "")
        self.refused("--margin: found it twice, wanted it once", TABLE, "--margin", "5", "--margin", "6")
        self.refused("found 2 files", TABLE, "another.csv")
        for option in (["--plot", "p"], ["--rows"], ["--within", "4"], ["--margin", "4"], ["--require", "a:1@2"]):
            self.refused(f"found {option[0]} beside --phases, wanted --json or --quiet only", TABLE, "--phases", "log", *option)
        self.refused("cannot write /dev/null/x", TABLE, "--quiet", "--json", "/dev/null/x")
        self.refused("cannot make the directory", TABLE, "--quiet", "--plot", "/dev/null/x")


unittest.main()
