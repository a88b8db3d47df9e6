#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-sweep as users call it: grids, refusals, results, resuming, exports.

usage: sweep.py BIN_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

import common
from common import Base, call

Base.bin = pathlib.Path(sys.argv.pop(1)).resolve()
Base.source = pathlib.Path(sys.argv.pop(1)).resolve()
SIMPLE = """arguments: log {a} 0.001 {how}
run: {n: 2, compute: modelled}
"""


class Grid(Base):
    def points(self, body):
        """The values of all points, as texts."""
        self.write("arguments: log {a}{b} 0.001\nrun: {n: 1, compute: modelled}\n" + body)
        self.run_sweep("--engine", "direct", "-o", "grid.db")
        return [(row["a"], row["b"]) for row in self.rows(db="grid.db")]

    def values(self, text):
        """The values of one parameter; nothing runs."""
        self.write(f"arguments: log {{a}} 0\nrun: {{n: 1, compute: modelled}}\nparameters: {{a: {text}}}\n")
        shown = self.run_sweep("--dry-run").stdout.splitlines()
        return [line.split()[-2] for line in shown[1:]]

    def test_lists_make_all_combinations_the_last_fastest(self):
        self.assertEqual(self.points("parameters: {a: [1, x], b: [2, 3]}\n"), [("1", "2"), ("1", "3"), ("x", "2"), ("x", "3")])

    def test_conditions_choose_points(self):
        body = "parameters: {a: {from: 1, to: 6}, b: [2, 3]}\nonly: [a % b == 0]\nexcept: a == 6 and b == 3\n"
        # Multiples: 2/2, 3/3, 4/2, 6/2, 6/3; the last is taken out.
        self.assertEqual(self.points(body), [("2", "2"), ("3", "3"), ("4", "2"), ("6", "2")])

    def test_one_at_a_time_varies_around_the_base(self):
        body = "parameters: {a: [1, 2, 3], b: [4, 5]}\nvary: one\nbase: {a: 2}\n"
        self.assertEqual(self.points(body), [("2", "4"), ("1", "4"), ("3", "4"), ("2", "5")])

    def test_ranges_hold_both_ends(self):
        self.assertEqual(self.values("{from: 1, to: 4}"), ["1", "2", "3", "4"])
        self.assertEqual(self.values("{from: 0, to: 1, step: 0.25}"), ["0", "0.25", "0.5", "0.75", "1"])
        # Ten steps of 0.1 are 0.9999999999999999 in binary.
        self.assertEqual(self.values("{from: 0.1, to: 0.3, step: 0.1}"), ["0.1", "0.2", "0.3"])
        self.assertEqual(self.values("{from: 1, to: 10, step: 4}"), ["1", "5", "9"])
        self.assertEqual(self.values("{from: 1, to: 64, factor: 4}"), ["1", "4", "16", "64"])
        self.assertEqual(self.values("{from: 1us, to: 1000us, points: 4}"), ["1us", "10us", "100us", "1000us"])
        self.assertEqual(self.values("{from: 1, to: 10, points: 3}"), ["1", "3.16228", "10"])
        # 1, 2.15, 4.64, 10, and two that round to the same are one.
        self.assertEqual(self.values("{from: 1, to: 10, points: 4, integer: true}"), ["1", "2", "5", "10"])
        self.assertEqual(self.values("{from: 1, to: 2, points: 4, integer: true}"), ["1", "2"])

    def test_repetitions_get_seeds(self):
        self.write("arguments: log {a} 0.001\nrun: {n: 2, compute: modelled, vary_compute: 0.1}\n"
                   "parameters: {a: [1]}\nrepeat: 3\nfirst_seed: 7\n")
        self.run_sweep()
        rows = self.rows()
        self.assertEqual([row["seed"] for row in rows], ["7", "8", "9"])
        self.assertEqual(len({row["predicted_time_s"] for row in rows}), 3)

    def test_repetitions_on_a_cluster_with_variation_are_one_run_each(self):
        # medians of nine seeds that follow each other would share eight of them
        body = "arguments: log {a} 0.001\nset: {variation.computation: '0.1'}\nrun: {n: 2, compute: modelled}\nparameters: {a: [1]}\n"
        self.write(body + "repeat: 3\n")
        self.write(body, "plain.yaml")
        self.run_sweep()
        self.run_sweep(name="plain.yaml")
        run = [self.bin / "mpisim-run", "--cluster", "cluster.yaml", "--set", "variation.computation=0.1", "-n", 2, "--compute", "modelled",
               "--json", "-", "--quiet"]
        one = [json.loads(call(*run, "--seed", seed, "--repeat", 1, "./point", "log", "x", "0.001", cwd=self.dir).stdout) for seed in range(3)]
        median = json.loads(call(*run, "./point", "log", "x", "0.001", cwd=self.dir).stdout)
        self.assertEqual([float(row["predicted_time_s"]) for row in self.rows()], [out["predicted_time_s"] for out in one])
        self.assertEqual([float(row["predicted_time_s"]) for row in self.rows(db="plain.db")], [median["predicted_time_s"]])
        self.assertEqual(len(median["prediction_interval"]["times_s"]), 9)

    def test_points_say_what_mpisim_run_says(self):
        self.write("arguments: [log, x, '{a}']\nset: {network.latency: '{b}'}\nscale: {'*': '{c}'}\n"
                   "run: {n: '{n * 2}', placement: cyclic, compute: modelled}\n"
                   "parameters: {a: 0.001, b: [1us, 1ms], c: [1, 0.5], n: [1, 2]}\n")
        self.run_sweep()
        for row in self.rows():
            out = self.dir / "one.json"
            call(self.bin / "mpisim-run", "--cluster", "cluster.yaml", "-n", 2 * int(row["n"]), "--set",
                 "network.latency=" + row["b"], "--scale", "*=" + row["c"], "--placement", "cyclic", "--compute", "modelled",
                 "--json", out, "./point", "log", "x", "0.001", cwd=self.dir)
            wanted = json.loads(out.read_text())
            self.assertEqual(float(row["predicted_time_s"]), wanted["predicted_time_s"])
            self.assertEqual(float(row["efficiency"]), wanted["efficiency"])
            self.assertEqual(int(row["nodes_held"]), len(wanted["nodes"]))
            self.assertAlmostEqual(float(row["node_seconds"]), len(wanted["nodes"]) * wanted["predicted_time_s"], places=12)
            self.assertEqual(int(row["ranks_run"]), 2 * int(row["n"]))


class Refusals(Base):
    def check(self, wanted, body, text=None):
        path = self.write(body)
        if text is not None:
            path.write_text(text)
        self.refused(wanted, "run", "s.yaml")
        self.assertFalse((self.dir / "s.db").exists())

    def test_mistakes_in_the_file_have_their_place(self):
        good = "arguments: log {a} 0\nrun: {n: 2}\nparameters: {a: [1, 2]}\n"
        # The head has three lines: this begins in line 4.
        self.check("s.yaml:7:1: sweep: found unknown key \"bogus\"", good + "bogus: 1\n")
        self.check("s.yaml:7:1: found key \"run\" twice", good + "run: {n: 3}\n")
        self.check("s.yaml:7:7: only: found unknown parameter \"b\"", good + "only: b == 1\n")
        self.check("s.yaml:7:9: except: found the end", good + "except: a ==\n")
        self.check("s.yaml:7:9: repeat: ", good + "repeat: none\n")
        self.check("found first_seed without repeat", good + "first_seed: 1\n")
        self.check("vary: found \"two\", wanted all or one", good + "vary: two\n")
        self.check("base: found \"3\", wanted one of the values of a", good + "base: {a: 3}\n")
        self.check("base: found unknown parameter \"b\"", good + "base: {b: 3}\n")
        self.check("engine: found \"fast\", wanted auto, direct, replay or slurm", good + "engine: fast\n")
        self.check("timeout: '5' has no unit", good + "timeout: 5\n")
        self.check("run: found unknown key \"np\"", "run: {np: 2}\nparameters: {a: 1}\n")
        self.check("run: found no \"n\"", "run: {}\nparameters: {a: 1}\n")
        self.check("found no key \"run\"", "parameters: {a: 1}\n")
        self.check("parameters: found nothing", "run: {n: 1}\n")
        self.check("found parameter \"a\" that nothing uses", "run: {n: 1}\nparameters: {a: 1}\n")
        self.check("found unknown parameter \"c\"", "arguments: '{c}'\nrun: {n: 1}\nparameters: {a: 1}\n")
        self.check("found the name \"a-b\"", "run: {n: 1}\nparameters: {a-b: 1}\n")
        self.check("found the name \"efficiency\"", "run: {n: 1}\nparameters: {efficiency: 1}\n")
        for name in ("state", "engine", "error"):
            self.check(f"found the name \"{name}\"", f"run: {{n: 1}}\nparameters: {{{name}: 1}}\n")
        self.check("s.yaml:7:11: options: found --json, which the sweep needs", good + "options: [--json, x]\n")
        self.check("options: found --time-only, which the sweep needs", good + "options: --time-only=x\n")
        self.check("found no key \"program\"", "", "mpisim_sweep: 1\ncluster: c\nrun: {n: 1}\nparameters: {}\n")
        self.check("found no key \"mpisim_sweep\"", "", "cluster: c\n")
        self.check("mpisim_sweep: '2' is out of range", "", "mpisim_sweep: 2\n")
        self.check("found an empty file", "", "")
        self.check("seed", good + "repeat: 2\nfirst_seed: -1\n")
        self.check("found run.seed beside repeat", "arguments: '{a}'\nrun: {n: 1, seed: 1}\nparameters: {a: 1}\nrepeat: 2\n")
        self.check("found repeat beside a parameter \"seed\"", "run: {n: '{seed}'}\nparameters: {seed: 1}\nrepeat: 2\n")

    def test_bad_lists_and_ranges_are_refused(self):
        def values(wanted, text):
            self.check(wanted, f"arguments: '{{a}}'\nrun: {{n: 1}}\nparameters:\n  a: {text}\n")
        values("s.yaml:7:6: a: found an empty list", "[]")
        values("a: found \"1\" twice", "[1, 2, 1]")
        values("a: found a list of 1, wanted one value", "[[1]]")
        values("a: found nothing, wanted one value", "")
        values("found a range without \"to\"", "{from: 1}")
        values("wanted from <= to", "{from: 2, to: 1}")
        values("found the units \"us\" and \"ms\"", "{from: 1us, to: 1ms}")
        values("found several of step, factor and points", "{from: 1, to: 2, step: 1, points: 2}")
        values("a: step: found \"0\"", "{from: 1, to: 2, step: 0}")
        values("a: factor: found \"1\"", "{from: 1, to: 2, factor: 1}")
        values("wanted from > 0", "{from: 0, to: 2, factor: 2}")
        values("a: from: found \"x\"", "{from: x, to: 2}")
        values("integer: found \"yes\"", "{from: 1, to: 2, integer: yes}")
        values("found a range of 1000000000 values", "{from: 1, to: 1000000000}")

    def test_grids_that_are_empty_or_huge_are_refused_with_their_count(self):
        three = "arguments: '{a}{b}{c}'\nrun: {n: 1}\nparameters:\n" + "".join(
            f"  {name}: {{from: 1, to: 1000}}\n" for name in "abc")
        self.check("found a grid of 1000000000 points (a: 1000 × b: 1000 × c: 1000)", three)
        self.check("the conditions leave none of 2 (a: 2)",
                   "arguments: '{a}'\nrun: {n: 1}\nparameters: {a: [1, 2]}\nonly: a > 2\n")

    def test_files_that_are_not_there_are_said_before_anything_runs(self):
        self.check("cannot open the cluster file nowhere.yaml: no such file", "", common.HEAD.replace("cluster.yaml", "nowhere.yaml") +
                   "arguments: '{a}'\nrun: {n: 1}\nparameters: {a: 1}\n")
        self.check("cannot read ./nothing", "", common.HEAD.replace("./point", "./nothing") +
                   "arguments: '{a}'\nrun: {n: 1}\nparameters: {a: 1}\n")
        self.check("--bench: cannot read no.bench", "arguments: '{a}'\nrun: {n: 1, bench: no.bench}\nparameters: {a: 1}\n")
        self.check("wanted true or false", "run: {n: 1, no_alloc: '{a}'}\nparameters: {a: maybe}\n")
        self.refused("nowhere.yaml", "run", "nowhere.yaml")

    def test_usage(self):
        self.refused("found the subcommand \"walk\"", "walk")
        self.refused("found 0 sweep files", "run")
        self.refused("unknown option --fast", "run", "--fast", "s.yaml")
        self.refused("--jobs needs a value", "run", "--jobs")
        self.refused("--jobs: ", "run", "--jobs", "0", "s.yaml")
        self.refused("--engine: found \"warp\"", "run", "--engine", "warp", "s.yaml")
        self.refused("cannot open no.db", "status", "no.db")
        self.refused("found no SQLite file", "status", "cluster.yaml")
        other = sqlite3.connect(self.dir / "other.db")
        other.execute("CREATE TABLE t (x)")
        other.commit()
        other.close()
        self.refused("found an SQLite file of another program", "export", "other.db")
        self.write(SIMPLE.replace("{how}", "") + "parameters: {a: 1}\n")
        self.refused("found an SQLite file of another program", "run", "-o", "other.db", "s.yaml")
        self.assertEqual(self.sweep().returncode, 2)
        for words in ([], ["run"], ["status"], ["export"], ["plot"]):
            done = self.sweep(*words, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: mpisim-sweep", done.stdout)


class Results(Base):
    def test_second_run_runs_nothing(self):
        self.write(SIMPLE.replace("{how}", "") + "parameters: {a: [1, 2, 3]}\n")
        self.run_sweep()
        self.assertEqual(sorted(self.logged()), ["1", "2", "3"])
        self.assertIn("0 run now", self.run_sweep().stdout)
        self.assertEqual(len(self.logged()), 3)

    def test_grown_grid_runs_what_is_new_and_a_shrunk_one_nothing(self):
        body = SIMPLE.replace("{how}", "") + "parameters: {a: %s}\n"
        self.write(body % "[1, 2]")
        self.run_sweep()
        self.write(body % "[3, 2, 1, 4]")
        self.run_sweep()
        self.assertEqual(sorted(self.logged()), ["1", "2", "3", "4"])
        self.assertEqual([row["a"] for row in self.rows()], ["3", "2", "1", "4"])
        self.write(body % "[4]")
        self.run_sweep()
        self.assertEqual(len(self.logged()), 4)
        self.assertIn("3 results of other grids", self.sweep("status", "s.db").stdout)

    def test_changed_inputs_run_again_and_moved_ones_do_not(self):
        self.write(SIMPLE.replace("{how}", "") + "inputs: data\nparameters: {a: [1, 2]}\n")
        (self.dir / "data").write_text("one")
        self.run_sweep()
        (self.dir / "cluster.yaml").write_text(common.CLUSTER.replace("10us", "20us"))
        self.run_sweep()
        self.assertEqual(len(self.logged()), 4)
        (self.dir / "data").write_text("two")
        self.run_sweep()
        self.assertEqual(len(self.logged()), 6)
        with open(self.dir / "point", "ab") as program:
            program.write(b"\0")
        self.run_sweep()
        self.assertEqual(len(self.logged()), 8)
        (self.dir / "moved.yaml").write_text((self.dir / "cluster.yaml").read_text())
        (self.dir / "s.yaml").write_text((self.dir / "s.yaml").read_text().replace("cluster.yaml", "moved.yaml"))
        self.run_sweep()
        self.assertEqual(len(self.logged()), 8)

    def test_equal_points_run_once(self):
        self.write("arguments: log {a % 2} 0.001\nrun: {n: 1, compute: modelled}\nparameters: {a: [1, 2, 3, 4]}\n")
        self.run_sweep()
        self.assertEqual(sorted(self.logged()), ["0", "1"])
        self.assertEqual([row["state"] for row in self.rows()], ["done"] * 4)

    def test_failed_points_are_kept_with_their_error(self):
        self.write(SIMPLE + "parameters: {a: x, how: [fine, refuse, abort, deadlock]}\n")
        done = self.run_sweep(status=1)
        self.assertIn("1 done, 3 failed", done.stdout)
        errors = {row["how"]: row["error"] for row in self.rows()}
        self.assertEqual(errors["fine"], "")
        self.assertEqual(errors["refuse"], "a rank returned non-zero: point: will not")
        self.assertIn("abort: ", errors["abort"])
        self.assertIn("deadlock: ", errors["deadlock"])
        self.assertIn("how=refuse\n  a rank returned non-zero", self.sweep("status", "s.db").stdout)
        self.assertEqual([row["predicted_time_s"] for row in self.rows("--where", "how == 'abort'")], [""])
        n = len(self.logged())
        self.run_sweep(status=1)
        self.assertEqual(len(self.logged()), n)
        self.run_sweep("--retry-failed", status=1)
        self.assertEqual(len(self.logged()), n + 3)

    def test_points_end_with_their_timeout(self):
        self.write(SIMPLE + "timeout: 1s\nparameters: {a: x, how: gate=never}\n")
        self.run_sweep(status=1)
        self.assertIn("ran longer than its timeout", self.rows()[0]["error"])

    def test_bad_option_of_one_point_fails_that_point(self):
        self.write("arguments: log {a} 0\nrun: {n: '{a}', compute: modelled}\nparameters: {a: [1, zero]}\n")
        self.run_sweep(status=1)
        self.assertEqual([row["state"] for row in self.rows()], ["done", "failed"])
        self.assertIn("-n: ", self.rows()[1]["error"])

    def test_command_that_cannot_start_ends_the_sweep_and_is_no_result(self):
        self.write(SIMPLE.replace("{how}", "") + "parameters: {a: [1, 2]}\n")
        tools = self.dir / "tools"
        tools.mkdir()
        shutil.copy(self.bin / "mpisim-sweep", tools)
        (tools / "mpisim-run").write_text("#!/nowhere/sh\n")
        (tools / "mpisim-run").chmod(0o755)
        done = call(tools / "mpisim-sweep", "run", "s.yaml", cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot start ", done.stderr)
        self.assertEqual([row["state"] for row in self.rows()], ["to run", "to run"])

    def test_dry_run_shows_commands_and_writes_nothing(self):
        self.write(SIMPLE + "parameters: {a: 1, how: [\"it's\"]}\n".replace("it's", "two words"))
        shown = self.run_sweep("--dry-run").stdout
        self.assertIn("1 points, 1 to run", shown)
        self.assertIn("-n 2 --compute modelled ./point log 1 0.001 two words", shown)
        self.assertFalse((self.dir / "s.db").exists())
        self.run_sweep()
        self.assertIn("0 to run", self.run_sweep("--dry-run").stdout)

    def test_exports_hold_every_point(self):
        self.write("arguments: [log, '{a}', '0.001', '{how}']\nrun: {n: 2, compute: modelled}\n"
                   "parameters: {a: [1, 2.5, 'x,\"y'], how: [fine, refuse]}\n")
        self.run_sweep(status=1)
        rows = self.rows()
        self.assertEqual([row["a"] for row in rows[::2]], ["1", "2.5", 'x,"y'])
        found = json.loads(self.sweep("export", "--json", "s.db").stdout)
        self.assertEqual([row["parameters"]["a"] for row in found[::2]], [1, 2.5, 'x,"y'])
        # 2 ranks × 0.001 s × 2 ranks, and a barrier.
        self.assertAlmostEqual(found[0]["predicted_time_s"], 0.002, places=3)
        self.assertEqual(found[1]["predicted_time_s"], None)
        self.assertEqual(found[0]["efficiency_curve"][0][0], 0)
        self.assertEqual(len(self.rows("--where", "a == 2.5 and efficiency > 0")), 1)
        self.refused("--where: found unknown parameter", "export", "--where", "q", "s.db")
        self.refused("--where: found no point", "export", "--where", "a == 7", "s.db")
        self.assertEqual(self.sweep("export", "s.db").stdout, self.sweep("export", "--csv", "s.db").stdout)


class Interrupts(Base):
    N = 12

    def start(self, how="slow=0.15", **more):
        self.write("arguments: log {a} 0.001 %s\nrun: {n: 1, compute: modelled}\n"
                   "parameters: {a: {from: 1, to: %d}}\n" % (how, self.N))
        return subprocess.Popen([self.bin / "mpisim-sweep", "run", "-j", "2", "s.yaml"], cwd=self.dir, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def wait_for(self, n):
        until = time.monotonic() + 60
        while len(self.logged()) < n and time.monotonic() < until:
            time.sleep(0.02)

    def n_results(self):
        return sum(row["state"] == "done" for row in self.rows())

    def test_kills_lose_only_what_was_in_flight_and_repeat_nothing(self):
        for k in range(3):
            begun = len(self.logged())
            sweep = self.start()
            self.wait_for(begun + 3 + k)
            sweep.kill()
            sweep.communicate()
            # Points end with the sweep, so those without a result are the ones that were at work: two at most.
            n_lost = len(self.logged()) - self.n_results()
            self.assertLessEqual(n_lost, 2 * (k + 1))
        done = self.start()
        out = done.communicate()[0]
        self.assertEqual(done.returncode, 0, out)
        self.assertEqual(self.n_results(), self.N)
        self.assertLessEqual(len(self.logged()), self.N + 6)
        self.assertEqual(set(self.logged()), {str(i) for i in range(1, self.N + 1)})
        database = sqlite3.connect(self.dir / "s.db")
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        database.close()

    def test_points_end_with_a_killed_sweep(self):
        self.write("arguments: log 1 {a} slow=60\nrun: {n: 1, compute: modelled}\nparameters: {a: 0}\n")
        sweep = subprocess.Popen([self.bin / "mpisim-sweep", "run", "s.yaml"], cwd=self.dir)
        self.wait_for(1)
        children = call("ps", "-o", "pid=", "--ppid", sweep.pid).stdout.split()
        self.assertEqual(len(children), 1)
        sweep.kill()
        sweep.wait()
        until = time.monotonic() + 30
        while os.path.exists(f"/proc/{children[0]}") and time.monotonic() < until:
            time.sleep(0.02)
            if "Z" in call("ps", "-o", "stat=", "-p", children[0]).stdout:
                break
        self.assertNotIn("S", call("ps", "-o", "stat=", "-p", children[0]).stdout)

    def test_interrupt_says_how_to_go_on(self):
        sweep = self.start("gate=go")
        self.wait_for(2)
        sweep.send_signal(signal.SIGINT)
        err = sweep.communicate()[1]
        self.assertEqual(sweep.returncode, 130)
        self.assertRegex(err, r"interrupted with \d+ of 12 points; the same command goes on")
        (self.dir / "go").touch()
        self.assertEqual(self.run_sweep().stderr, "")
        self.assertLessEqual(len(self.logged()), self.N + 2)

    def test_two_runs_at_once_are_refused(self):
        sweep = self.start("gate=go")
        self.wait_for(1)
        self.refused("found another mpisim-sweep at work", "run", "s.yaml")
        self.assertEqual(self.sweep("status", "s.db").returncode, 0)
        sweep.kill()
        sweep.communicate()

    def test_of_two_that_begin_at_once_one_waits_for_nobody(self):
        both = [self.start(), self.start()]
        for sweep, err in [(sweep, sweep.communicate()[1]) for sweep in both]:
            self.assertIn((sweep.returncode, "found another mpisim-sweep at work" in err), ((0, False), (2, True)), err)
        self.assertIn(0, [sweep.returncode for sweep in both])
        self.assertEqual(len(self.logged()), self.N)

    def test_progress_is_for_terminals(self):
        sweep = self.start()
        self.assertEqual(sweep.communicate()[1], "")
        (self.dir / "s.db").unlink()
        controller, terminal = pty.openpty()
        sweep = subprocess.Popen([self.bin / "mpisim-sweep", "run", "-j", "2", "s.yaml"], cwd=self.dir,
                                 stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        shown = b""
        try:
            while part := os.read(controller, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        self.assertEqual(sweep.wait(), 0)
        self.assertRegex(shown.decode(), r"\d+ of 12 points \(\d+ %\), 2 at work, \d+ s left")


if __name__ == "__main__":
    unittest.main()
