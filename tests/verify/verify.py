#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify: its options, and which findings which program gives.

usage: verify.py BIN_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import CLUSTER, Folder, call, ignore_leaks, paths  # noqa: E402

ignore_leaks()
BIN, PROGRAMS = paths(2)
PROGRAMS /= "programs"


class Base(Folder):
    cluster_text = CLUSTER.replace("nodes: 4", "nodes: 8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for source in PROGRAMS.glob("*.c"):
            cls.made(BIN / "mpisim-cc", "-g", source, "-o", source.stem)

    def start(self, program, *options, n=2):
        out = self.dir / "out.json"
        out.unlink(missing_ok=True)
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", n, "--compute", "modelled", "--deterministic", "--json", out,
                    *options, self.dir / program[0], *program[1:])
        return done, json.loads(out.read_text()) if out.exists() else None

    def findings(self, *program, options=("--verify",), n=2, status=1):
        done, results = self.start(program, *options, n=n)
        self.assertEqual(done.returncode, status, done.stderr)
        return results["findings"]

    def classes(self, *program, **more):
        return [f["class"] for f in self.findings(*program, **more)]


class Options(Base):
    def test_a_right_program_has_no_findings(self):
        self.assertEqual(self.findings("cases", "fine", status=0), [])

    def test_without_the_option_there_are_no_findings(self):
        done, results = self.start(("cases", "wrong-tag"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("findings", results)

    def test_results_are_the_same_with_and_without(self):
        _, plain = self.start(("cases", "fine"))
        _, verified = self.start(("cases", "fine"), "--verify")
        self.assertEqual(verified.pop("findings"), [])
        plain.pop("simulation"), verified.pop("simulation")
        self.assertEqual(plain, verified)

    def test_an_error_that_the_program_takes_is_a_finding(self):
        (finding,) = self.findings("cases", "wrong-tag")
        self.assertEqual((finding["class"], finding["severity"], finding["count"]), ("invalid-tag", "error", 2))
        self.assertRegex(finding["calls"][0]["site"], r"cases\.c:\d+")
        self.assertIn("-5", finding["found"])

    def test_wrong_calls_are_told_where_the_program_makes_them(self):
        calls = [f["calls"][0] for f in self.findings("cases", "wrong-tags")]
        self.assertEqual([c["call"] for c in calls], ["MPI_Isend", "MPI_Irecv", "MPI_Sendrecv"])
        for call_made in calls:
            self.assertRegex(call_made["site"], r"cases\.c:\d+")

    def test_findings_need_not_change_the_exit_status(self):
        self.assertEqual(len(self.findings("cases", "wrong-tag", options=("--verify", "--verify-warn"), status=0)), 1)

    def test_only_what_is_asked_for_is_found(self):
        self.assertEqual(self.findings("cases", "lost-comm", options=("--verify=matching",), status=0), [])
        (finding,) = self.findings("cases", "lost-comm", options=("--verify=leaks,matching",))
        self.assertEqual((finding["class"], finding["count"], finding["calls"][0]["call"]), ("communicator-leak", 6, "MPI_Comm_dup"))

    def test_findings_are_suppressed_by_class_function_and_line(self):
        rules = self.dir / "rules"
        for text, status in (("communicator-*\n", 0), ("# none\n\n", 1), ("communicator-leak MPI_Comm_dup cases.c:*", 0), ("* MPI_Comm_split", 1),
                             ("group-leak", 1), ("* * other.c:*", 1)):
            rules.write_text(text)
            with self.subTest(text):
                found = self.findings("cases", "lost-comm", options=("--verify", "--verify-suppress", rules), status=status)
                self.assertEqual(len(found), status)

    def test_wrong_options_are_refused(self):
        rules = self.dir / "rules"
        rules.write_text("\nclass function place more\n")
        for options, text in ((("--verify=all",), 'found "all", wanted some of'), (("--verify-warn",), "--verify-warn needs --verify"),
                              (("--verify", "--record", self.dir / "t"), "found --record"), (("--verify", "--verify-suppress", rules), "rules:2: found"),
                              (("--verify", "--verify-suppress", self.dir / "none"), "cannot read"), (("--verify", "--verify-suppress", self.dir), "Is a directory")):
            with self.subTest(options):
                done, _ = self.start(("cases", "fine"), *options)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)

    def test_places_of_all_findings_are_looked_up_by_one_process(self):
        sends = "".join("MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);\n" for _ in range(100))
        (self.dir / "many.c").write_text("#include <mpi.h>\nint main(int argc, char **argv)\n{\nint x = 0; MPI_Init(&argc, &argv);\n"
                                         "MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n" + sends + "MPI_Finalize();\n}\n", encoding="utf-8")
        self.made(BIN / "mpisim-cc", "-g", "many.c", "-o", "many")
        tool = self.dir / "tools/addr2line"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\necho started >> "{self.dir}/started"\nexec {shutil.which("addr2line")} "$@"\n', encoding="utf-8")
        tool.chmod(0o755)
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 2, "--verify=matching", "--json", self.dir / "many.json", self.dir / "many",
                    env={**os.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}"})
        findings = json.loads((self.dir / "many.json").read_text(encoding="utf-8"))["findings"]
        self.assertEqual([f["calls"][0]["site"] for f in findings], [f"many.c:{line} (main)" for line in range(6, 106)], done.stderr)
        self.assertEqual((self.dir / "started").read_text(encoding="utf-8"), "started\n")

    def test_a_message_on_its_way_to_any_source_is_no_potential_deadlock(self):
        self.assertEqual(self.classes("cases", "abort-in-flight"), ["abort"])

    def test_failures_are_findings(self):
        (finding,) = self.findings("cases", "wrong-order")
        self.assertEqual(finding["class"], "collective-mismatch")


# What each case of cases.c gives under --verify=matching, on two ranks.
CASES = {
    "other-type": ["datatype-mismatch"],
    "bytes-for-ints": ["datatype-mismatch"],
    "double-for-ints": ["datatype-mismatch"],
    "shorter-message": [],
    "struct-as-elements": [],
    "struct-in-other-order": ["datatype-mismatch"],
    "bcast-of-other-type": ["datatype-mismatch"],
    "bcast-of-other-count": ["count-mismatch"],
    "gather-of-other-type": ["datatype-mismatch"],
    "gatherv-of-other-count": ["count-mismatch"],
    "right-collectives": [],
    "alltoallv-of-other-count": ["count-mismatch", "truncation"],
    "other-root": ["root-mismatch"],
    "other-op": ["operation-mismatch"],
    "other-end": ["collective-mismatch"],
    "freed-receive": ["request-freed-active"],
    "never-started": ["request-never-started"],
    "never-completed": [],  # of --verify=leaks
    "started-twice": ["invalid-request"],
    "persistent": [],
    "probes": [],
    "probed-as-other-type": ["datatype-mismatch"],
    "other-tag": ["tag-mismatch"],
    "fence-and-lock": ["rma-epoch"],
    "fence-then-lock": [],
    "between-groups-without-root": ["root-mismatch"],
    "allgatherv-of-other-type": ["datatype-mismatch"],
    "null-buffer": ["invalid-buffer"],
    "mixed-calls": [],
    "wild-of-other-type": ["datatype-mismatch"],
}


class Matching(Base):
    def test_each_error_has_its_class(self):
        for name, wanted in CASES.items():
            with self.subTest(name):
                done, results = self.start(("cases", name), "--verify=matching")
                found = {f["class"] for f in results["findings"]}
                self.assertLessEqual(found, set(wanted), done.stderr)
                self.assertEqual(bool(found), bool(wanted), done.stderr)

    def test_both_sides_of_a_mismatch_are_told(self):
        (finding,) = self.findings("cases", "other-type", options=("--verify=matching",))
        self.assertEqual([(c["rank"], c["call"]) for c in finding["calls"]], [(1, "MPI_Recv"), (0, "MPI_Send")])
        self.assertTrue(finding["wanted"] and finding["why"])

    def test_a_mismatch_of_a_collective_says_who_sends_and_who_receives(self):
        finding = self.findings("cases", "allgatherv-of-other-type", options=("--verify=matching",))[0]
        self.assertRegex(finding["found"], r"MPI_Allgatherv: rank \d sends 1 basic element, 4 B; rank \d receives 1 from it, 4 B, of other basic datatypes")
        finding = self.findings("cases", "between-groups-without-root", options=("--verify=matching",))[0]
        self.assertIn("no rank of either gives MPI_ROOT", finding["found"])
        self.assertIn("MPI_PROC_NULL at the other ranks", finding["wanted"])

    def test_the_class_of_a_failure_does_not_depend_on_the_parts(self):
        for parts in ("matching", "deadlock", "leaks", "matching,deadlock,leaks"):
            self.assertEqual(self.classes("cases", "null-buffer", options=(f"--verify={parts}",)), ["invalid-buffer"], parts)

    def test_what_is_never_completed_is_a_leak(self):
        self.assertEqual(self.classes("cases", "never-completed", options=("--verify=leaks",)), ["request-never-completed"])

    def test_right_programs_pass_in_every_view(self):
        for name, wanted in CASES.items():
            if not wanted and name != "never-completed":
                with self.subTest(name):
                    self.assertEqual(self.findings("cases", name, status=0), [])


# Each rank's program in the letters of orders.c, and the deadlock that is in it: actual, potential, or none. Of those with several orders, one that
# goes well is run here.
ORDERS = {
    "T1": (("S1", "R0"), None),
    "T2": (("S1", "R0", "R0"), "deadlock"),
    "T3": (("B", "B", "Bd"), "deadlock"),
    "T4": (("IS1 B W", "IR* B W R*", "B S1"), None),
    "T5": (("IS1 B W", "IR* W B R*", "B S1"), None),
    "T7": (("C0 S1", "R* C0 R*", "S1 C0"), None),
    "T8": (("IS0 R* R* W", "S0"), None),
    "T9": (("C0", "C0", "D0"), "deadlock"),
    "T10": (("S1 R2", "S2 R0", "S0 R1"), "potential-deadlock"),
    "T11": (("R2 S1", "S2 R0", "S0 R1"), None),
    "T12": (("IS1 IS2 W R1 R2", "S0 R0", "S0 R0"), "potential-deadlock"),
    "T13": (("IS0 R0 W",), None),
    "T13b": (("IS0 W R0",), "potential-deadlock"),
    "T13c": (("S0 R0",), "potential-deadlock"),
    "T15": (("IR1 IR2 w w", "S0", "S0"), None),
    "T15b": (("R* R*", "S0", "S0"), None),
    "T16": (("R* R* R* R*", "SS0 Bs S0", "SS0 Bs S0"), None),
    "T16b": (("R* R* R* R*", "S0 S0", "S0 S0"), None),
    "T17": (("S1", "R* R* R*", "S1 S1"), None),
    "T18": (("S1 S1", "R0"), "potential-deadlock"),
    "T19": (("R* B R*", "S0 B", "B S0"), None),
    "T20": (("R1 B", "S0 B", "B"), None),
    "X1": (("X12", "X20", "X01"), None),
    "X2": (("X11", "S0 R0"), None),
    "X3": (("X11", "R0 S0"), None),
    "X4": (("X11", "R0"), "deadlock"),
    "X5": (("X11 B", "S0 S0 R0 B"), "potential-deadlock"),
    "X6": (("X11 R1", "S0 S0 R0"), "potential-deadlock"),
    "X7": (("X12 R1", "X20 S0", "X01"), None),
    "X8": (("X12", "S2 X20", "R1 X01"), None),
    "X9": (("X12 R1", "S2 S0 R0", "S0 R1"), "potential-deadlock"),
    "X10": (("X11 X22", "R* S0", "X00"), None),
    "X11": (("X00 S1", "R*"), None),
}


class Deadlocks(Base):
    def test_the_two_views_tell_actual_from_potential_deadlocks(self):
        for name, (ranks, wanted) in ORDERS.items():
            with self.subTest(name):
                done, results = self.start(("orders", *ranks), "--verify=deadlock", n=len(ranks))
                found = [f["class"] for f in results["findings"]]
                self.assertEqual(found, [wanted] if wanted else [], done.stderr)

    def test_a_message_that_depends_on_the_order_deadlocks_or_goes_well(self):
        for ranks in (("SS1", "R* R2", "S1"), ("IR* W R1", "S0", "S0")):  # T6, T14
            with self.subTest(ranks):
                _, results = self.start(("orders", *ranks), "--verify=deadlock", n=len(ranks))
                self.assertEqual([f["class"] for f in results["findings"]], ["deadlock"] if results["failure"] else [])

    def test_the_stuck_ranks_are_told_with_their_calls(self):
        # rank 2 waits at the end only, where all come together: it is no part of the knot
        (finding,) = self.findings("orders", "S1 R1", "S0 R0", "", options=("--verify=deadlock",), n=3)
        calls = {(c["rank"], c["call"]) for c in finding["calls"]}
        self.assertEqual(calls, {(0, "MPI_Send"), (1, "MPI_Send")})

    def test_some_ranks_deadlock_while_others_go_on(self):
        done, results = self.start(("cases", "some-wait"), "--verify=deadlock", n=3)
        (finding,) = results["findings"]  # found again at the end, when nobody goes on
        self.assertEqual((finding["class"], finding["count"]), ("deadlock", 2), done.stderr)
        self.assertIn("while others go on", finding["found"])
        self.assertLess(finding["time_s"], results["failure"]["time_s"])
        self.assertEqual([c["rank"] for c in finding["calls"]], [0, 1])

    def test_what_nearly_matched_is_told(self):
        self.assertLessEqual({"deadlock", "communicator-mismatch"}, set(self.classes("orders", "C0", "C0", "D0", n=3)))

    def test_a_lost_message_is_told_where_it_was_sent(self):
        self.assertEqual(sorted(self.classes("orders", "S1 S1", "R0")), ["potential-deadlock", "unmatched-send"])
        (lost,) = [f for f in self.findings("orders", "S1 S1", "R0") if f["class"] == "unmatched-send"]
        self.assertEqual([(c["rank"], c["call"]) for c in lost["calls"]], [(0, "MPI_Send")])
        self.assertRegex(lost["calls"][0]["site"], r"orders\.c:\d+")

    def test_a_message_whose_receive_is_never_completed_is_told_of_the_receive(self):
        self.assertEqual(self.classes("orders", "S1", "IR0"), ["request-never-completed"])

    def test_a_deadlock_is_told_once(self):
        done, _ = self.start(("orders", "S1", "R0", "R0"), "--verify", n=3)
        self.assertEqual(done.stderr.count("receive from rank 0, tag 0"), 1, done.stderr)
        self.assertIn("error: deadlock: rank 2: MPI_Recv at orders.c:", done.stderr)
        self.assertIn("the only rank that has not ended waits", done.stderr)


class Places(Base):
    def test_a_call_in_a_librarys_header_is_told_where_the_program_uses_it(self):
        if not (BIN / "mpisim-c++").exists() or not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        (self.dir / "places.cpp").write_text("#include <mpi.h>\n#include <functional>\n#include <algorithm>\n#include <array>\n\n"
                                             "int main(int argc, char **argv)\n{\n\tstd::array<int, 1> tags{-5};\n\n\tMPI_Init(&argc, &argv);\n"
                                             "\tMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n"
                                             "\tstd::invoke(MPI_Send, &argc, 1, MPI_INT, 0, tags[0], MPI_COMM_WORLD);\n\tMPI_Finalize();\n}\n")
        built = call(BIN / "mpisim-c++", "-std=c++17", "-g", "-O2", self.dir / "places.cpp", "-o", self.dir / "places")
        self.assertEqual(built.returncode, 0, built.stderr)
        (finding,) = self.findings("places", n=1)
        self.assertEqual(finding["calls"][0]["site"], "places.cpp:12 (main)")


if __name__ == "__main__":
    unittest.main()
