#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=orders on programs whose orders are known (orders/*.c).

usage: orders.py BIN_DIR SOURCE_DIR APPS_DIR

m: complete match maps, d: deadlocks, both over all orders, strict and loose view. The verdicts of T1 to T20 come from an exhaustive search
in an independent small model.
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import CLUSTER, Folder, call, paths  # noqa: E402

BIN, SOURCE, APPS = paths(3)
# case: ranks, (m, d) strict, (m, d) loose, class of the finding
VERDICTS = {
    "t1": (2, (1, 0), (1, 0), None),
    "t2": (3, (0, 1), (0, 1), "deadlock"),
    "t3": (3, (0, 1), (0, 1), "deadlock"),
    "t4": (3, (2, 0), (2, 0), "message-race"),
    "t5": (3, (1, 0), (1, 0), None),
    "t6": (3, (1, 1), (1, 1), "deadlock-in-order"),
    "t6_late": (3, (1, 1), (1, 1), "deadlock-in-order"),
    "t7": (3, (1, 0), (2, 0), "message-race"),
    "t8": (2, (2, 0), (2, 0), "message-race"),
    "t9": (3, (0, 1), (0, 1), "deadlock"),
    "t10": (3, (0, 1), (1, 0), "potential-deadlock"),
    "t11": (3, (1, 0), (1, 0), None),
    "t12": (3, (0, 1), (1, 0), "potential-deadlock"),
    "t13": (1, (1, 0), (1, 0), None),
    "t13b": (1, (0, 1), (1, 0), "potential-deadlock"),
    "t13c": (1, (0, 1), (1, 0), "potential-deadlock"),
    "t14": (3, (1, 1), (1, 1), "deadlock-in-order"),
    "t15": (3, (2, 0), (2, 0), "harmless-wildcard"),
    "t15b": (3, (2, 0), (2, 0), "message-race"),
    "t16": (3, (4, 0), (4, 0), "message-race"),
    "t16_no_barrier": (3, (6, 0), (6, 0), "message-race"),
    "t16_send": (3, (4, 0), (6, 0), "message-race"),
    "t17": (3, (3, 0), (3, 0), "message-race"),
    "t18": (2, (0, 1), (1, 0), "potential-deadlock"),
    "t19": (3, (1, 0), (1, 0), None),
    "t19_no_barrier": (3, (2, 0), (2, 0), "message-race"),
    "t20": (3, (1, 0), (1, 0), None),
    "t23": (3, (1, 0), (1, 0), None),
    "t24": (3, (2, 0), (2, 0), "message-race"),
    "t24_sum": (3, (2, 0), (2, 0), "harmless-wildcard"),
    "commute": (6, (4, 0), (4, 0), "message-race"),
    "probe": (3, (2, 0), (2, 0), "message-race"),
    "iprobe": (2, (1, 0), (1, 0), "message-race"),
    "test_loop": (2, (1, 0), (1, 0), None),
    "poll_for_ever": (1, (0, 1), (0, 1), "polling-in-order"),
    "locks": (3, (2, 0), (2, 0), "message-race"),
    "cancel": (2, (2, 0), (2, 0), "message-race"),
    "cancel_late": (2, (2, 0), (2, 0), "message-race"),  # how long ranks compute decides nothing
    "cancel_unmatched": (2, (1, 0), (1, 0), None),
    "accept": (3, (2, 0), (2, 0), "message-race"),
    "ssend": (2, (1, 0), (1, 0), None),
    "ssend_orders": (3, (1, 0), (1, 0), None),
    "clocks": (3, (2, 0), (2, 0), "harmless-wildcard"),
}


FORTRAN = """program f
use mpi
use mpisim
implicit none
integer :: rank, n, i, x, ierr
integer :: r(1) = 0
call MPI_Init(ierr)
call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
call mpisim_state('r', r, 1, MPI_INTEGER)
do i = 1, n - 1
  if (rank > 0) exit
  call MPI_Recv(x, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  r = 2 * r + x
end do
if (rank > 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
call MPI_Finalize(ierr)
end program
"""


class Orders(Folder):
    cluster_text = CLUSTER.replace("nodes: 4", "nodes: 8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.dir / "orders"
        cls.made(BIN / "mpisim-cc", "-g", "-O1", f"-I{SOURCE.parents[1]}/include", f"-I{SOURCE.parents[1]}", *sorted((SOURCE / "orders").glob("*.c")), "-o", cls.program)

    def run_tool(self, n, program, *options):
        return call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", n, "--quiet", *options, *program, cwd=self.dir)

    def explore(self, n, program, orders="view=both", *options):
        """what each view says, and all findings"""
        done = self.run_tool(n, program, "--verify=orders", "--json", "out.json", "--orders", orders, *options)
        self.assertTrue((self.dir / "out.json").exists(), done.stderr)
        report = json.loads((self.dir / "out.json").read_text(encoding="utf-8"))
        (self.dir / "out.json").unlink()
        views = {view["view"]: view for view in report["orders"]}
        findings = report["findings"]
        self.assertEqual(done.returncode, 1 if report["exit"]["state"] != "completed" or any(f["severity"] != "note" for f in findings) else 0,
                         done.stderr)
        return views, findings

    def case(self, name, orders="view=both", *options, n=None):
        return self.explore(n or VERDICTS[name][0], [self.program, name], orders, *options)

    def advice(self, name, class_name):
        """what is advised, with times that do not depend on the host"""
        _, findings = self.case(name, "advice=yes", "--compute", "modelled")
        return [f for f in findings if f["class"] == class_name]

    def test_every_verdict_is_found_in_both_views(self):
        for name, (_, strict, loose, class_name) in VERDICTS.items():
            with self.subTest(name):
                views, findings = self.case(name)
                found = [(views[v]["match_maps"], views[v]["deadlocks"]) for v in ("strict", "loose")]
                self.assertEqual(found, [strict, loose])
                self.assertEqual([v["incomplete"] for v in views.values()], [None, None])
                classes = {f["class"] for f in findings}
                self.assertEqual(classes - {"harmless-wildcard"} if class_name is None else classes, {class_name} - {None})

    def test_without_a_choice_one_execution_says_so(self):
        views, _ = self.case("t23")
        self.assertEqual([(v["executions"], v["states"]) for v in views.values()], [(1, 1), (1, 1)])

    def test_merge_sort_has_12_orders_and_truncates_in_14_ways(self):
        views, _ = self.explore(8, [APPS / "mergesort", "--roomy", "--n", "64"], "view=loose,reduce=no")
        self.assertEqual((views["loose"]["match_maps"], views["loose"]["states"], views["loose"]["results"]), (12, 77, 1))
        views, findings = self.explore(8, [APPS / "mergesort", "--n", "64"], "view=loose")
        self.assertEqual((views["loose"]["match_maps"], views["loose"]["errors"]), (1, 14))
        self.assertIn("error-in-order", [f["class"] for f in findings])
        views, _ = self.explore(4, [APPS / "mergesort", "--roomy", "--n", "64"], "view=loose,reduce=no")
        self.assertEqual((views["loose"]["match_maps"], views["loose"]["states"], views["loose"]["choices"]), (2, 7, 7))
        views, _ = self.explore(8, [APPS / "mergesort", "--named", "--n", "64"], "view=loose")
        self.assertEqual((views["loose"]["match_maps"], views["loose"]["executions"]), (1, 1))

    def test_neighbours_have_known_orders_and_results(self):
        for n, options, maps, results, states, edges in ((3, [], 3, 3, 22, 26), (4, [], 40, 9, 573, 1052),
                                                         (4, ["--double-buffered"], 40, 1, 573, 1052), (4, ["--no-start"], 6, 1, None, None)):
            views, _ = self.explore(n, [APPS / "neighbours", *options], "view=loose,reduce=no")
            loose = views["loose"]
            self.assertEqual((loose["match_maps"], loose["results"]), (maps, results))
            if states:
                self.assertEqual((loose["states"], loose["choices"]), (states, edges))
            reduced = self.explore(n, [APPS / "neighbours", *options], "view=loose")[0]["loose"]
            self.assertEqual((reduced["match_maps"], reduced["results"]), (maps, results))
            self.assertLessEqual(reduced["states"], loose["states"])

    def test_reduction_keeps_the_outcomes(self):
        views, _ = self.case("three", "view=loose,merge=none", n=4)
        self.assertEqual((views["loose"]["executions"], views["loose"]["match_maps"], views["loose"]["results"]), (1680, 1680, 1))
        views, findings = self.case("three", "view=loose,merge=state", n=4)
        self.assertLess(views["loose"]["executions"], 10)
        self.assertEqual((views["loose"]["states"], views["loose"]["choices"], views["loose"]["results"]), (64, 144, 1))
        self.assertEqual([f["class"] for f in findings], ["harmless-wildcard"])

    def test_a_gather_of_n_inputs_merges_by_memory(self):
        for n, by_memory, by_history, naive in ((4, 32, 64, 24), (5, 80, 325, 120)):
            views, _ = self.case("t24_sum", "view=loose,merge=state", n=n + 1)
            self.assertEqual(views["loose"]["choices"], by_memory)
            views, _ = self.case("t24_sum", "view=loose,merge=histories", n=n + 1)
            self.assertEqual((views["loose"]["choices"], views["loose"]["match_maps"]), (by_history, naive))

    def test_floating_point_sums_are_equal_within_epsilon(self):
        views, _ = self.case("t24_float", "view=loose", n=4)
        self.assertGreater(views["loose"]["results"], 1)
        views, findings = self.case("t24_float", "view=loose,epsilon=1e-6", n=4)
        self.assertEqual(views["loose"]["results"], 1)
        self.assertEqual([f["class"] for f in findings], ["harmless-wildcard"])

    def test_all_ways_to_search_see_the_same(self):
        for orders in ("engine=rerun", "search=depth-first,jobs=2", "search=breadth-first", "merge=none", "engine=rerun,merge=none"):
            views, _ = self.case("t16_no_barrier", f"view=loose,{orders}")
            self.assertEqual((views["loose"]["match_maps"], views["loose"]["results"], views["loose"]["incomplete"]), (6, 6, None), orders)

    def test_partial_searches_say_that_they_are_incomplete(self):
        for orders in ("bound=2", "search=one", "search=random:4:7", "stop=first"):
            views, _ = self.case("t16_no_barrier", f"view=loose,{orders}")
            self.assertTrue(views["loose"]["incomplete"], orders)
            self.assertLess(views["loose"]["match_maps"], 6)
        again = [self.case("t16_no_barrier", "view=loose,search=random:4:7")[0]["loose"]["match_maps"] for _ in range(2)]
        self.assertEqual(again[0], again[1])

    def test_a_search_goes_on_where_it_stopped(self):
        views, _ = self.case("t16_no_barrier", "view=loose,bound=2,save=stand")
        self.assertTrue(views["loose"]["incomplete"])
        views, _ = self.case("t16_no_barrier", "view=loose,resume=stand")
        self.assertEqual((views["loose"]["match_maps"], views["loose"]["results"], views["loose"]["incomplete"]), (6, 6, None))
        done = self.run_tool(2, [self.program, "t8"], "--verify=orders", "--orders", "view=loose,resume=stand")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is of another program", done.stderr)

    def test_a_file_of_decisions_brings_the_order_about_again(self):
        _, findings = self.case("probe", "view=loose,decisions=d")
        race, = [f for f in findings if f["class"] == "message-race"]
        outputs = [self.run_tool(3, [self.program, "probe"], "--decisions", name).stdout for name in race["decisions"].split(", ")]
        self.assertEqual(sorted(outputs), ["1 first\n", "2 first\n"])
        self.assertIn("takes", race["found"].replace("finds", "takes"))
        self.assertIn("choices.c:", race["found"])
        self.assertIn("orders.c:", race["found"])
        _, findings = self.case("t6", "view=loose,decisions=d")
        deadlock, = [f for f in findings if f["class"] == "deadlock-in-order"]
        done = self.run_tool(3, [self.program, "t6"], "--decisions", deadlock["decisions"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("deadlock", done.stderr)
        (self.dir / "bad.json").write_text('{"mpisim_decisions": 1, "view": "loose", "decisions": [{"rank": 0}]}', encoding="utf-8")
        done = self.run_tool(3, [self.program, "t6"], "--decisions", "bad.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("decision 0: wanted rank, kind", done.stderr)

    def test_a_race_shows_what_differs_and_the_choice(self):
        _, findings = self.case("t24", "view=loose")
        race, = [f for f in findings if f["class"] == "message-race"]
        self.assertRegex(race["found"], r"rank 0: r is (5 or 4|4 or 5); they part where rank 0: MPI_Recv at registered.c:\d+ \(gather\) takes message 0 of "
                                        r"rank \d .*, sent at registered.c:\d+ .*, or rank 0: MPI_Recv at registered.c:\d+")
        self.assertEqual([c["rank"] for c in race["calls"]][0], 0)

    def test_a_race_is_one_finding_with_its_files(self):
        for name in ("t16_no_barrier", "t17"):
            _, findings = self.case(name, "decisions=one")
            race, = [f for f in findings if f["class"] == "message-race"]
            self.assertGreater(race["count"], 1, name)
            self.assertEqual(sorted(p.name for p in self.dir.glob("one-*")), sorted(race["decisions"].split(", ")), name)
            for path in self.dir.glob("one-*"):
                path.unlink()
        views, findings = self.explore(8, [APPS / "mergesort", "--n", "64"], "view=loose,decisions=one")
        error, = [f for f in findings if f["class"] == "error-in-order"]
        self.assertEqual((error["count"], views["loose"]["errors"]), (14, 14))
        self.assertEqual([p.name for p in self.dir.glob("one-*")], [error["decisions"]])

    def test_a_race_that_can_end_in_a_deadlock_is_one_finding(self):
        for name in ("t6", "t6_late", "t14"):
            for view in ("loose", "strict", "both"):
                _, findings = self.case(name, f"view={view},decisions=dead")
                deadlock, = findings
                self.assertEqual((deadlock["class"], [p.name for p in self.dir.glob("dead-*")]), ("deadlock-in-order", [deadlock["decisions"]]))
                self.assertRegex(deadlock["found"], r"no rank can go on: .*; the last choice: (.*); an order that ends well parts from it there: (?!\1).*orders.c:\d+")
                (self.dir / deadlock["decisions"]).unlink()

    def test_findings_name_the_calls_of_both_sides(self):
        _, findings = self.case("t24", "view=loose")
        race, = [f for f in findings if f["class"] == "message-race"]
        self.assertEqual([c["call"] for c in race["calls"]], ["MPI_Recv"] + ["MPI_Send"] * (len(race["calls"]) - 1))
        self.assertGreater(len(race["calls"]), 1)
        _, findings = self.case("t6", "view=loose")
        deadlock, = [f for f in findings if f["class"] == "deadlock-in-order"]
        self.assertEqual([(c["rank"], c["call"]) for c in deadlock["calls"]], [(0, "MPI_Ssend"), (1, "MPI_Recv")])
        self.assertRegex(deadlock["found"], r"the last choice: rank 1: MPI_Recv at orders.c:\d+ .* takes message 0 of rank 2")
        _, findings = self.case("t2", "view=loose")
        self.assertEqual([(c["rank"], c["call"]) for c in findings[0]["calls"]], [(2, "MPI_Recv")])
        (self.dir / "known").write_text("deadlock MPI_Recv orders.c:*", encoding="utf-8")
        done = self.run_tool(3, [self.program, "t2"], "--verify=orders", "--verify-suppress", "known")
        self.assertNotIn("error: deadlock", done.stderr)

    def test_choices_of_polls_and_waits_name_the_message(self):
        _, findings = self.case("iprobe", "view=loose")
        self.assertRegex(findings[0]["found"], r"MPI_Iprobe at choices.c:\d+ \(iprobe\) finds the message from rank 1 \(tag 0, 4 B\), sent at orders.c:\d+")
        _, findings = self.case("t15", "view=loose,decisions=wait")
        self.case("t15b", "view=loose,decisions=wait")
        texts = "".join(path.read_text(encoding="utf-8") for path in self.dir.glob("wait-*"))
        self.assertRegex(findings[0]["found"] + texts, r"(tells of request \d of 2, the receive (of the message )?from rank \d with tag 0|takes message)")

    def test_an_orders_finding_tells_no_time_of_another_run(self):
        done = self.run_tool(3, [self.program, "t24"], "--verify=orders")
        self.assertIn("message-race", done.stderr)
        self.assertNotIn("of simulated time", done.stderr)
        self.assertNotIn(" view: ", done.stderr)

    def test_files_of_decisions_that_cannot_be_written_are_told_before_the_run(self):
        done = self.run_tool(3, [self.program, "t24"], "--verify=orders", "--orders", "decisions=no/such/folder")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('--orders decisions: cannot write files "no/such/folder-', done.stderr)

    def test_decisions_of_another_program_are_refused(self):
        self.case("t24", "view=loose,decisions=other")
        done = self.run_tool(3, [self.program, "t6"], "--decisions", "other-loose-1.json")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r'found decisions of the program ".*orders t24", wanted those of this one with the same arguments')
        done = self.run_tool(4, [self.program, "t24"], "--decisions", "other-loose-1.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found decisions for 3 ranks, wanted 4", done.stderr)

    def test_barriers_that_order_nothing_can_go(self):
        for name, is_removable in (("t20", True), ("t16", False), ("t16_send", False), ("t19", False)):
            advice = self.advice(name, "removable-barrier")
            self.assertEqual(len(advice), int(is_removable), name)
            if advice:
                self.assertRegex(advice[0]["found"], r"predicted time is .* without it, .* with it \(-")

    def test_synchronous_sends_that_order_nothing_can_be_standard_ones(self):
        for name, wanted in (("ssend", 1), ("t6", 0), ("t6_late", 0), ("t16", 0), ("ssend_orders", 0)):
            advice = self.advice(name, "needless-synchronous-send")
            self.assertEqual(len(advice), wanted, name)
            if name == "ssend":
                self.assertEqual((advice[0]["severity"], advice[0]["calls"][0]["call"]), ("note", "MPI_Ssend"))
                self.assertRegex(advice[0]["found"], r"predicted time is .* without it, .* with it \(-")

    def test_messages_that_are_a_collective_by_hand(self):
        program = self.dir / "series"
        self.made(BIN / "mpisim-cc", "-g", "-O1", SOURCE / "programs" / "series.c", "-o", program)
        for name, n, class_name, hub, others, wanted in (
                ("bcast", 8, "sends-are-bcast", "MPI_Send", ["MPI_Recv"], r"these 7 sends .* 3 times, can be one MPI_Bcast: .* \(-[1-9]"),
                ("bcast_nonblocking", 4, "sends-are-bcast", "MPI_Isend", ["MPI_Recv"], r"these 2 sends .* 1 time, .* one MPI_Bcast: "),
                ("scatter", 4, "sends-are-scatter", "MPI_Ssend", ["MPI_Recv"], r"these 3 sends .* one MPI_Scatter: "),
                ("gather", 4, "receives-are-gather", "MPI_Recv", ["MPI_Send", "MPI_Ssend"], r"these 3 receives .* one MPI_Gather: ")):
            with self.subTest(name):
                _, findings = self.explore(n, [program, name], "advice=yes", "--compute", "modelled")
                advice = [f for f in findings if "-are-" in f["class"]]
                self.assertEqual([(f["class"], f["severity"]) for f in advice], [(class_name, "note")])
                root, *rest = advice[0]["calls"]
                self.assertEqual((root["rank"], root["call"]), (2 if name == "bcast_nonblocking" else 0, hub))
                self.assertEqual(sorted(c["call"] for c in rest), others)
                self.assertRegex(root["site"], r"^series.c:\d+ ")
                self.assertRegex(advice[0]["found"], wanted)
                self.assertRegex(advice[0]["found"], r"no result changes in either view; the predicted time is .* then, .* now \([-+]")
        for name in ("other_data", "not_all", "other_size", "answered", "from_any", "each_to_all", "other_receives", "crossed"):
            with self.subTest(name):
                _, findings = self.explore(4, [program, name], "advice=yes", "--compute", "modelled")
                self.assertEqual([f["class"] for f in findings if "-are-" in f["class"]], [])

    def test_which_order_the_run_takes_changes_no_finding(self):
        told = []
        for name, state in (("t6", "failed"), ("t6_late", "completed")):
            done = self.run_tool(3, [self.program, name], "--compute", "modelled", "--verify=deadlock,orders", "--json", "out.json")
            report = json.loads((self.dir / "out.json").read_text(encoding="utf-8"))
            self.assertEqual((report["exit"]["state"], done.returncode), (state, 1))
            told.append([(f["class"], f["count"]) for f in report["findings"]])
        self.assertEqual(told[0], told[1])

    def test_fortran_registers_memory(self):
        if not (BIN / "mpisim-fc").exists() or not shutil.which("gfortran"):
            self.skipTest("no Fortran compiler")
        (self.dir / "f.f90").write_text(FORTRAN, encoding="utf-8")
        self.made(BIN / "mpisim-fc", "-g", "f.f90", "-o", "f")
        views, findings = self.explore(3, ["./f"], "view=loose")
        self.assertEqual((views["loose"]["match_maps"], views["loose"]["results"]), (2, 2))
        self.assertRegex(findings[0]["found"], r"rank 0: r is (5 or 4|4 or 5); .*f.f90:\d+")

    def test_output_of_explored_orders_is_held_back(self):
        done = self.run_tool(3, [self.program, "probe"], "--verify=orders")
        self.assertEqual(done.stdout.count("first"), 1)

    def test_an_end_is_told_in_one_sentence(self):
        _, findings = self.case("t2", "view=loose")
        found = findings[0]["found"]
        self.assertNotIn("\n", found)
        self.assertNotIn("  ", found)
        self.assertIn("no rank can go on: rank ", found)

    def test_standard_input_has_to_be_a_file(self):
        words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", "3", "--verify=orders", self.program, "reads_input"]
        done = call(*words, input="42")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("found a pipe or a terminal, wanted a file (< FILE)", done.stderr)
        (self.dir / "input").write_text("42")
        with open(self.dir / "input", encoding="utf-8") as file:
            done = call(*words, stdin=file, cwd=self.dir)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("view: 2 complete match maps"), 2)

    def test_an_interrupted_search_ends_with_what_it_has_seen(self):
        run = subprocess.Popen([BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", "4", "--verify=orders", "--orders", "merge=none,reduce=no,time=300s",
                                APPS / "neighbours"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=self.dir)
        process = run.pid  # explores by a process of its own, which has others
        for _ in range(2):
            while not (children := pathlib.Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()):
                time.sleep(0.01)
            process = children[0]
        run.send_signal(signal.SIGINT)
        error = run.communicate(timeout=250)[1]
        self.assertEqual(run.returncode, 130, error)
        self.assertIn("strict view: incomplete: it was interrupted", error)
        self.assertNotIn("loose view", error)

    def test_wrong_options_are_refused(self):
        done = self.run_tool(2, [self.program, "t1"], "--orders", "view=loose")
        self.assertEqual((done.returncode, done.stderr), (2, "mpisim-run: --orders needs --verify=orders\n"))
        for orders, wanted in (("view=odd", "strict, loose or both"), ("bound=0", "from 1"), ("foo=1", "wanted search, view"),
                               ("search=random:x", "a whole number"), ("time=0s", "more than 0")):
            done = self.run_tool(2, [self.program, "t1"], "--verify=orders", "--orders", orders)
            self.assertEqual(done.returncode, 2, orders)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
