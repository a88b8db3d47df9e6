#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-whatif: predictions of a small program derived by hand, the published what-if table, refusals."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call  # noqa: E402  (the folder above)

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE.parent.parent / "validation"))
import lu_thesis  # pylint: disable=wrong-import-position

BIN = BUILD / "bin"
CLUSTER = """mpisim_cluster: 1
nodes: 2
network: {latency: 1ms, bandwidth: 10 MB/s}
protocol: {overhead: 10us}
"""
BENCH = "# mpisim-bench 1\nmodel,work,p1\nmodel,after,p1\n"
OPTIONS = ["--cluster", "c.yaml", "-n", "2", "--compute", "modelled", "--bench", "steps.bench"]
# Rank 0 computes 3 s and sends: overhead 10 us, latency 1 ms, 10 MB at 10 MB/s = 1 s; rank 1 takes it (10 us) and computes 2 s.
BASE = 3 + 10e-6 + 1e-3 + 1 + 10e-6 + 2
BY_HAND = {
    "ideal-network": 5,
    "latency/2": BASE - 0.5e-3,
    "latency/10": BASE - 0.9e-3,
    "latency/100": BASE - 0.99e-3,
    "latency/1000": BASE - 0.999e-3,
    "bandwidth*2": BASE - 0.5,
    "bandwidth*10": BASE - 0.9,
    "bandwidth*100": BASE - 0.99,
    "overhead/2": BASE - 10e-6,
    "kernel:work*0.9": BASE - 0.3,
    "kernel:after*0.9": BASE - 0.2,
    "computation/4": BASE - 5 * 0.75,
    # Node 1 computes 4 s, the mean is 3.5 s: on node 0 "work" takes 3.5 s, on node 1 "after" 2 s · 3.5/4.
    "balanced-load": BASE + 0.5 - 0.25,
    # Node 1, the busier one, at half speed: its "work" ends at 4 s, before the message is there; "after" takes 4 s. From half of the
    # running time on: its "work" was over before.
    "node:1/2": BASE + 2,
    "node:1/2@50%": BASE + 2,
    "cores*2": BASE,
}

# changes of validation/lu_thesis.csv as scenarios
LU_CHANGES = {"none": None, "latency 2us": "latency=2us", "latency 2us bandwidth 912 MB/s": "latency=2us+bandwidth=912 MB/s",
              "cpu cost of communication / 4": "cpu-cost/4", "panel LU 10 % faster": "kernel:panel*0.9"}


class Whatif(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "c.yaml").write_text(CLUSTER)
        (cls.dir / "steps.bench").write_text(BENCH)
        for command in ([BIN / "mpisim-cc", "-g", SOURCE / "steps.c", "-o", "steps"],
                        [BIN / "mpisim-run", "--quiet", "--record", "steps.mtrace", *OPTIONS, "./steps"]):
            cls.made(*command)

    def whatif(self, *words, status=0):
        done = call(BIN / "mpisim-whatif", *words, cwd=self.dir)
        self.assertEqual(done.returncode, status, done)
        return done

    def found(self, *words, status=0):
        return json.loads(self.whatif("--json", "-", *words, status=status).stdout)

    def times(self, *words):
        result = self.found("--no-derivatives", *words)
        return {s["name"]: s["time_s"] for s in result["scenarios"]}

    def refused(self, wanted, *words):
        done = self.whatif(*words, status=2)
        self.assertIn(wanted, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("mpisim-whatif: "), done.stderr)

    def assert_by_hand(self, found, wanted):
        self.assertEqual(set(found), set(wanted))
        for name, seconds in wanted.items():  # rounding: some steps, each to a picosecond
            self.assertAlmostEqual(found[name], seconds, delta=1e-11, msg=name)

    def test_the_usual_scenarios_are_those_by_hand_best_first(self):
        result = self.found("steps.mtrace")
        self.assertEqual((result["version"], result["name"]), (1, "steps.mtrace"))
        self.assertAlmostEqual(result["base_time_s"], BASE, delta=1e-11)
        rows = result["scenarios"]
        self.assert_by_hand({row["name"]: row["time_s"] for row in rows}, BY_HAND)
        self.assertEqual([row["time_s"] for row in rows], sorted(row["time_s"] for row in rows))
        for row in rows:
            self.assertAlmostEqual(row["gain"], 1 - row["time_s"] / result["base_time_s"], delta=1e-15)
            self.assertEqual(row["how"], "replay")
        lines = self.whatif("steps.mtrace").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[3:3 + len(rows)]], [row["name"] for row in rows])
        self.assertRegex(lines[2], r"^as it is +6 s$")
        self.assertRegex(lines[3], r"^computation/4 +2\.25 s +\+62\.5 %$")  # 3.75 of 6.00102

    def test_a_program_is_run_for_each_scenario(self):
        result = self.found("--no-derivatives", *OPTIONS, "./steps")
        self.assertEqual({row["how"] for row in result["scenarios"]}, {"run"})
        self.assert_by_hand({row["name"]: row["time_s"] for row in result["scenarios"]}, BY_HAND)

    def test_changes_are_options_that_give_the_same_prediction(self):
        for row in self.found("--pair", "latency/2+kernel:work*0.9", "steps.mtrace")["scenarios"]:
            options = [word for change in row["changes"] for word in change]
            done = call(BIN / "mpisim-replay", *options, "--quiet", "--json", "-", "steps.mtrace", cwd=self.dir)
            self.assertEqual(json.loads(done.stdout)["predicted_time_s"], row["time_s"], row["name"])

    def test_a_pair_stands_with_its_parts(self):
        found = self.times("--scenario", "cores=3", "--pair", "bandwidth=20 MB/s+kernel:after/2", "steps.mtrace")
        self.assert_by_hand(found, {"cores=3": BASE, "bandwidth=20 MB/s": BASE - 0.5, "kernel:after/2": BASE - 1,
                                    "bandwidth=20 MB/s+kernel:after/2": BASE - 1.5})

    def test_ranks_move_to_other_places(self):
        # on one node there is no latency, and no time for the bytes
        together = BASE - 1e-3 - 1
        wanted = {"placement=0,0+cores=2": together, "placement=cyclic": BASE, "placement=0*2+cores=2+bandwidth*2": together}
        scenarios = [word for name in wanted for word in ("--scenario", name)]
        self.assert_by_hand(self.times(*scenarios, "steps.mtrace"), wanted)
        self.assert_by_hand(self.times(*scenarios, "--placement", "spread", "steps.mtrace"), wanted)
        self.assert_by_hand(self.times(*scenarios, "--placement", "0,1", *OPTIONS, "./steps"), wanted)

    def test_parts_of_one_kind_work_on_each_other(self):
        found = self.times("--scenario", "latency/2+latency/5", "--scenario", "node:0/2+node:0*4@1s", "steps.mtrace")
        # node 0 at half its speed: 0.5 s of "work" are done after 1 s, the others take 1.25 s at twice its speed
        self.assert_by_hand(found, {"latency/2+latency/5": BASE - 0.9e-3, "node:0/2+node:0*4@1s": BASE - 3 + 2.25})

    def test_the_base_keeps_its_own_options(self):
        found = self.found("--no-derivatives", "--scale", "work=2", "--set", "network.latency=3ms", "--scenario", "kernel:work*0.5",
                           "--scenario", "latency/3", "--scenario", "network.bandwidth=20 MB/s", "steps.mtrace")
        base = BASE + 3 + 2e-3
        self.assertAlmostEqual(found["base_time_s"], base, delta=1e-11)
        self.assert_by_hand({row["name"]: row["time_s"] for row in found["scenarios"]},
                            {"kernel:work*0.5": base - 3, "latency/3": base - 2e-3, "network.bandwidth=20 MB/s": base - 0.5})

    def test_segments_follow_latency_and_bandwidth(self):
        # 10 MB: 2 ms + 10 MB / 20 MB/s = 0.502 s
        segments = "network.segments=[{from: 1MB, latency: 2ms, bandwidth: 20 MB/s}]"
        found = self.times("--set", segments, "--scenario", "latency/2", "--scenario", "bandwidth*2", "--scenario", "ideal-network",
                           "steps.mtrace")
        base = BASE - 1.001 + 0.502
        self.assert_by_hand(found, {"latency/2": base - 1e-3, "bandwidth*2": base - 0.25, "ideal-network": 5})

    def test_links_between_switches_follow_the_bandwidth(self):
        # 10 MB take 2 s on links of 5 MB/s, with a bandwidth of their own or of a graph's file
        (self.dir / "graph.txt").write_text("switch a nodes 0\nswitch b nodes 1\nlink a b bandwidth 5MB/s\n")
        base = BASE + 1
        for topology in ("{kind: fat-tree, nodes_per_leaf: 1, bandwidth: 5 MB/s}", f"{{kind: graph, file: {self.dir}/graph.txt}}"):
            found = self.times("--set", f"network.topology={topology}", "--scenario", "bandwidth*2", "--scenario", "bandwidth=40 MB/s",
                               "--scenario", "bandwidth*2+network.topology.scale=1", "--scenario", "ideal-network", "steps.mtrace")
            self.assert_by_hand(found, {"bandwidth*2": base - 1, "bandwidth=40 MB/s": base - 1.5, "bandwidth*2+network.topology.scale=1": base,
                                        "ideal-network": 5})

    def test_ranks_that_hold_several_cores_stay_where_they_are(self):
        # one on each node of two cores, also where a node has room for both
        found = self.times("--cpus-per-rank", "2", "--set", "cores=2", "--scenario", "cores*2", *OPTIONS, "./steps")
        self.assert_by_hand(found, {"cores*2": BASE})

    def test_a_faster_segment_takes_no_negative_time(self):
        # A burst of 1 MB passes at once: -50 ms + 10 MB / 20 MB/s = 0.45 s. At twice the bandwidth 1 MB would take -25 ms: the latency
        # becomes -25 ms, and 10 MB take 0.225 s.
        segments = "network.segments=[{from: 1MB, latency: -50ms, bandwidth: 20 MB/s}]"
        found = self.times("--set", segments, "--scenario", "bandwidth*2", "steps.mtrace")
        self.assert_by_hand(found, {"bandwidth*2": BASE - 1.001 + 0.225})

    def test_parameters_that_are_zero_have_differences(self):
        found = self.found("--set", "network.latency=0", "--set", "network.bandwidth=inf", "--set", "protocol.overhead=0",
                           "--scenario", "cores=2", "steps.mtrace")["derivatives"]
        for name, value in (("latency", 1), ("inverse_bandwidth", 1e7), ("overhead", 2)):
            self.assertAlmostEqual(found[name]["difference"] / value, 1, delta=1e-3, msg=name)

    def test_derivatives_are_those_of_one_run_where_the_cluster_varies(self):
        # the median of other seeds is another run, tens of milliseconds away; a step of the latency is 0.02 ms, which varies by up to 1 % itself
        found = self.found("--set", "variation.computation=0.01", "--set", "variation.messages=0.01", "--scenario", "cores=2",
                           "steps.mtrace")["derivatives"]
        for name, value in (("latency", 1), ("inverse_bandwidth", 1e7), ("overhead", 2)):
            self.assertAlmostEqual(found[name]["difference"] / value, 1, delta=0.011, msg=name)

    def test_derivatives_of_the_path_are_the_differences(self):
        found = self.found("--scenario", "cores=2", "steps.mtrace")["derivatives"]
        # one message of 10 MB, one overhead at each end, on the only path
        for name, value in (("latency", 1), ("inverse_bandwidth", 1e7), ("overhead", 2)):
            self.assertEqual(found[name]["how"], "path", name)
            self.assertAlmostEqual(found[name]["value"] / value, 1, delta=1e-9, msg=name)
            self.assertAlmostEqual(found[name]["difference"] / value, 1, delta=1e-3, msg=name)
        self.assertEqual(found["inexact_s"], 0)

    def lu_rows(self):
        """Commands of the published what-if rows by variant, and what is predicted for each change."""
        rows = [row for row in lu_thesis.read_rows() if (row["nodes"], row["r"]) == ("8", "324") and row["variant"] in ("basic", "P+FC")]
        self.assertEqual(len(rows), 10)
        commands = {row["variant"]: lu_thesis.command(BUILD, row, lu_thesis.CLUSTER, lu_thesis.BENCH) for row in rows if row["change"] == "none"}
        return commands, {(row["variant"], LU_CHANGES[row["change"]]): lu_thesis.predict(BUILD, row) for row in rows}

    def test_one_command_makes_the_published_table(self):
        commands, predicted = self.lu_rows()
        scenarios = [word for name in LU_CHANGES.values() if name for word in ("--scenario", name)]
        for variant, words in commands.items():
            done = call(words[0], "--record", f"{variant}.mtrace", *words[1:], cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
        runs = {run["name"]: run for run in self.found(*scenarios, "basic.mtrace", "P+FC.mtrace")["runs"]}
        for (variant, name), time_s in predicted.items():
            run = runs[variant + ".mtrace"]
            found = {s["name"]: s["time_s"] for s in run["scenarios"]} | {None: run["base_time_s"]}
            # lu takes blocks as they come: a replay keeps the order of the recorded run, which makes up to 1.8 % here (basic, cpu-cost/4)
            self.assertAlmostEqual(found[name] / time_s, 1, delta=0.02 if name else 0, msg=(variant, name))
        # transfers share links there: the path's derivatives are not what a prediction says
        derivatives = runs["basic.mtrace"]["derivatives"]
        self.assertGreater(derivatives["inexact_s"], 0)
        self.assertEqual(derivatives["latency"]["how"], "difference")
        self.assertEqual(derivatives["latency"]["value"], derivatives["latency"]["difference"])
        done = self.whatif("--scenario", "cores=1", "basic.mtrace")
        self.assertIn("use the difference", done.stdout)
        self.assertIn("warning: the program received from any source", done.stderr)
        self.assertTrue(any("received from any source" in text for text in runs["basic.mtrace"]["warnings"]))

    def test_runs_make_the_published_table_to_the_picosecond(self):
        commands, predicted = self.lu_rows()
        for variant, words in commands.items():
            scenarios = [word for name in LU_CHANGES.values() if name for word in ("--scenario", name)]
            at = words.index("--cluster")  # before it: the tool, and where its JSON goes
            run = self.found("--no-derivatives", *scenarios, *words[at:])
            found = {s["name"]: s["time_s"] for s in run["scenarios"]} | {None: run["base_time_s"]}
            self.assertEqual(found, {name: time_s for (v, name), time_s in predicted.items() if v == variant})

    def test_measured_computation_is_warned_of(self):
        options = ["--cluster", "c.yaml", "-n", "2", "./steps"]
        self.assertIn("computation was measured", self.whatif("--scenario", "cores=2", *options).stderr)
        self.assertNotIn("computation was measured", self.whatif("--scenario", "cores=2", *OPTIONS, "./steps").stderr)

    def test_a_scenario_that_fails_keeps_its_error(self):
        # 10 MB at 1 B/s are 1e7 s, more than the clock holds.
        slow = "network.bandwidth=1 B/s"
        result = self.found("--scenario", slow, "--scenario", "cores=2", "steps.mtrace", status=1)
        self.assertEqual([row["name"] for row in result["scenarios"]], ["cores=2", slow])
        self.assertIsNone(result["scenarios"][1]["time_s"])
        self.assertIn("later than simulated time can go", result["scenarios"][1]["error"])
        self.assertRegex(self.whatif("--scenario", slow, "steps.mtrace", status=1).stdout, slow + "  failed: ")

    def test_keys_that_do_not_exist_are_refused_before_anything_runs(self):
        unknown = "override \"network.nope=3\": found unknown key"
        ran = self.dir / "ran"
        program = ["--cluster", "c.yaml", "-n", "2", "/bin/touch", ran]
        for words in (["--scenario", "network.nope=3"], ["--scenario", "cores=2", "--scenario", "cpu.communication_cost.scale=1+network.nope=3"],
                      ["--pair", "latency/2+network.nope=3"], ["--pair", "network.nope=3+cores*2"]):
            for what in (["steps.mtrace"], program):
                self.refused(unknown, *words, *what)
        self.refused("has no unit", "--scenario", "network.latency=3", *program)
        self.assertFalse(ran.exists())

    def test_scenarios_that_cannot_be_are_refused(self):
        for scenario, wanted in (
                ("faster", "wanted ideal-network, latency, bandwidth, overhead, cpu-cost, computation, kernel:NAME"),
                ("kernel:wrok*0.9", "found no kernel \"wrok\", wanted one of those that ran: after, work"),
                ("kernel:work", "wanted a factor, as in kernel:dgemm*0.9"),
                ("latency/0", "wanted a factor above 0"),
                ("latency*-1", "wanted a factor above 0"),
                ("latency*x", "'x'"),
                ("latency", "wanted latency/10 or latency=2us"),
                ("latency=2", "has no unit"),
                ("bandwidth=2s", "scenario \"bandwidth=2s\""),
                ("latency/2+", "found nothing beside '+'"),
                ("node:2/2", "wanted 0 to 1"),
                ("node:0", "wanted a factor, as in node:0/2"),
                ("node:0/2@110%", "wanted 0% to 100%"),
                ("node:0/2@10", "has no unit"),
                ("cores=0", "wanted 1 to 1000000"),
                ("cpu-cost=3", "wanted a factor, as in cpu-cost/4"),
                ("placement", "wanted placement=cyclic or another placement"),
                ("placement=ring", "scenario \"placement=ring\": found \"ring\", wanted block, spread, cyclic"),
                ("balanced-load/2", "wanted balanced-load alone")):
            with self.subTest(scenario=scenario):
                self.refused(wanted, "--scenario", scenario, "steps.mtrace")
        self.refused("wanted two scenarios: A+B", "--pair", "latency/2", "steps.mtrace")

    def test_wrong_usage_and_traces_are_refused(self):
        data = (self.dir / "steps.mtrace").read_bytes()
        (self.dir / "cut.mtrace").write_bytes(data[:len(data) // 2])
        damaged = bytearray(data)
        damaged[len(data) // 2] ^= 0x40
        (self.dir / "damaged.mtrace").write_bytes(damaged)
        self.refused("cannot read 'no.mtrace'", "no.mtrace")
        self.refused("'cut.mtrace' is truncated", "cut.mtrace")
        self.refused("damaged.mtrace", "damaged.mtrace")
        self.refused("'c.yaml' is no trace", "c.yaml")
        self.refused("found no trace and no program")
        self.refused("wanted --cluster FILE with a program", "-n", "2", "./steps")
        self.refused("found -n after", "./steps", "-n", "2")
        self.refused("unknown option --what", "--what", "steps.mtrace")
        self.refused("--json needs a value", "steps.mtrace", "--json")
        self.refused("--jobs", "-j", "0", "steps.mtrace")
        self.refused("--json: cannot write", "--json", "no/out.json", "steps.mtrace")
        before = (self.dir / "steps.mtrace").read_bytes()
        self.refused("which is the file of the trace", "--json", "steps.mtrace", "steps.mtrace")
        self.refused("--html: found 'one', which is the file of --json", "--async", "chain", "--json", "one", "--html", "one", "steps.mtrace")
        self.refused("--async-trace: found 'steps.mtrace', which is the file of the trace", "--async", "chain", "--async-trace", "steps.mtrace", "steps.mtrace")
        self.assertEqual((self.dir / "steps.mtrace").read_bytes(), before)
        self.refused("--scale \"work=2\": the kernel has a factor already", "--scale", "work=3", "--scale", "work=2", *OPTIONS, "./steps")
        self.refused("./missing", *OPTIONS, "./missing")

    def test_a_killed_one_leaves_nothing(self):
        words = [str(w) for w in (BIN / "mpisim-whatif", "--json", "killed.json", *OPTIONS, "./steps", "slow")]
        with subprocess.Popen(words, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while not children.read_text().split():
                time.sleep(0.02)
            child = pathlib.Path("/proc") / children.read_text().split()[0]
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), 130)
        for _ in range(500):
            if not child.exists():
                break
            time.sleep(0.02)
        self.assertFalse(child.exists())
        self.assertFalse((self.dir / "killed.json").exists())

    def page(self, *words):
        """The data of the page that mpisim-report makes."""
        done = call(BIN / "mpisim-report", "-o", "page.html", *words, cwd=self.dir)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done)
        text = (self.dir / "page.html").read_text()
        return json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S).group(1))

    def test_the_report_has_the_what_if_table(self):
        data = self.page("steps.mtrace")
        self.assert_by_hand({row["name"]: row["time_s"] for row in data["what_if"]["scenarios"]}, BY_HAND)
        data = self.page("--set", "network.latency=3ms", "--scenario=cores=2", "--pair", "latency/2+network.bandwidth=1 B/s", "--scale", "work=2",
                         "steps.mtrace")
        self.assertEqual({row["name"]: row["time_s"] is None for row in data["what_if"]["scenarios"]},
                         {"cores=2": False, "latency/2": False, "network.bandwidth=1 B/s": True, "latency/2+network.bandwidth=1 B/s": True})
        self.assertAlmostEqual(data["what_if"]["base_time_s"], BASE + 2e-3 + 3, delta=1e-11)
        self.assertAlmostEqual(data["run"]["predicted_time_s"], BASE + 2e-3 + 3, delta=1e-11)
        self.assertNotIn("what_if", self.page("--no-what-if", "steps.mtrace"))

    def test_reports_that_cannot_be_are_refused(self):
        (self.dir / "wrong.json").write_text('{"version": 1, "scenarios": [{"name": 3}]}')
        (self.dir / "cut.json").write_text('{"version": 1,')
        for tool, wanted, words in (
                ("report", "cannot read 'no.mtrace'", ["no.mtrace"]),
                ("report", "wanted one trace", ["steps.mtrace", "steps.mtrace"]),
                ("report", "found no trace", []),
                ("report", "-o needs a value", ["steps.mtrace", "-o"]),
                ("report", "found the option \"--what\"", ["--what", "steps.mtrace"]),
                ("report", "scenario \"it's\"", ["--scenario", "it's", "steps.mtrace"]),
                ("report", "no/page.html", ["steps.mtrace", "-o", "no/page.html"]),
                ("replay", "--what-if: cut.json:1:", ["--what-if", "cut.json", "--html", "no.html", "steps.mtrace"]),
                ("replay", "wrong.json: found no table of scenarios", ["--what-if", "wrong.json", "--html", "no.html", "steps.mtrace"]),
                ("replay", "found no --html", ["--what-if", "wrong.json", "steps.mtrace"])):
            done = call(BIN / f"mpisim-{tool}", *words, cwd=self.dir)
            self.assertEqual(done.returncode, 2, (words, done))
            self.assertIn(wanted, done.stderr)
            self.assertFalse((self.dir / "no.html").exists())
            self.assertFalse((self.dir / "report.html").exists())
        self.assertIn("usage: mpisim-report", call(BIN / "mpisim-report", "--help", cwd=self.dir).stdout)

    def test_help_and_version(self):
        self.assertIn("usage: mpisim-whatif", self.whatif("--help").stdout)
        self.assertRegex(self.whatif("--version").stdout, r"^mpisim-whatif \d")
        self.assertEqual(self.whatif("--quiet", "--scenario", "cores=2", "steps.mtrace").stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
