#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --verify=memory: which of cases/*.c is found by which back end, and with which line.

usage: memory.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from harness import CLUSTER, Folder, call, ignore_leaks, paths  # noqa: E402

ignore_leaks()
BIN, SOURCE = paths(2)
SOURCES = sorted((SOURCE / "cases").glob("*.c"))
BENCH = "# mpisim-bench 1\nmodel,fill,1e-6\n"
PROGRAMS = {"snapshot": (), "callbacks": ("--verify-memory",)}
# Case: (class, rank, what is said of the offset, comments of the two lines); None: nothing is found. Snapshots tell the call that completes the
# operation instead of the line of the access, and see no reads.
BOTH = {
    "E1": ("unaddr-send", 0, "first bad byte 5, 5 bytes", "call"),
    "E2": ("unaddr-recv", 1, "first bad byte 15, 1 byte", "call"),
    "E3": ("undef-send", 0, "first bad byte 4, 36 bytes", "call"),
    "E4": None,
    "E4-waitall": None,
    "E6": None,
    "E12-read": None,
    "E17": None,
    "E20": ("freed-active", 0, "the buffer of MPI_Irecv (4 bytes, source 1, tag 0)", "access", "post"),
    "E21": ("dead-stack", 0, "the buffer of MPI_Irecv (4 bytes, source 1, tag 0)", "wait", "post"),
    "puts": ("rma-conflict", None, "put by rank", "put", "put"),
    "accumulates": None,
    "types": ("rma-conflict", None, "of the same 2 bytes of a window"),
    "flush": None,
    "exclusive": None,
    "post": None,
    "shorter": None,
    "reused": None,
    "given-up": None,
    "freed": ("unaddr-send", 0, "first bad byte 0, 40 bytes in all: the buffer of MPI_Send (40 bytes, dest 1, tag 0) was freed", "call", "free"),
    "freed-recv": ("unaddr-recv", 1, "first bad byte 0, 4 bytes in all: the buffer of MPI_Recv (4 bytes, source 0, tag 0) was freed", "call", "free"),
    "reallocated": ("unaddr-send", 0, "first bad byte 0, 40 bytes in all", "call", "free"),
    "global": ("unaddr-send", 0, "first bad byte 12, 8 bytes in all: the buffer of MPI_Send (20 bytes, dest 1, tag 0) reaches beyond the variable table, which has 16 bytes", "call"),
    "two-globals": None,
    "bottom": None,
    "two-blocks": None,
    "in-place": None,
    "in-place-unwritten": ("undef-send", 1, "first bad byte 80, 80 bytes in all", "call"),
    "beyond-block": ("unaddr-send", 0, "first bad byte 16, 8 bytes in all"),
    "split": None,
    "inter": None,
    "inter-short": ("unaddr-send", 1, "first bad byte 4, 4 bytes in all: sendbuf of MPI_Gather (8 bytes)", "call"),
    "dead-send": ("unaddr-send", 0, "first bad byte 0, 4 bytes in all", "call"),
    "E18": ("undef-send", 0, "first bad byte 4, 36 bytes", "call"),
    "E22": ("undef-send", 0, "first bad byte 4, 36 bytes", "call"),
    "undefined": None,
    "no-mpi": None,
    "overlap": ("overlapping-buffers", None, "4 bytes, from offset 4 on", "call"),
}
SNAPSHOT = {
    "E5": ("active-write", 0, "bytes [0,4) of the buffer of MPI_Irecv (4 bytes, source 1, tag 0)", "wait", "post"),
    "E7": ("active-write", 0, "bytes [0,4) of the buffer of MPI_Isend (4 bytes, dest 1, tag 0)", "wait", "post"),
    "E8": None,
    "E9": ("active-write", 0, "bytes [0,4)", "wait", "post"),
    "E12": ("active-write", 0, "bytes [8,16) of the buffer of MPI_Accumulate (32 bytes, target 1)", "fence", "post"),
    "E13": ("active-write", 0, "bytes [16,24) of the buffer of MPI_Get (32 bytes, target 1)", "fence", "post"),
    "E13-read": None,
    "too-early": None,
    "E19": ("active-write", 0, "bytes [0,4)", "wait", "post"),
    "E23": None,
    "collective": ("active-write", 0, "bytes [4,8) of sendbuf of MPI_Iallreduce (8 bytes)", "wait", "post"),
    "file-write": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_iwrite (8 bytes)", "wait", "post"),
    "file-read": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_iread (8 bytes)", "wait", "post"),
    "file-read-read": None,
    "split-read": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_read_at_all_begin (8 bytes)", "wait", "post"),
    "split-write": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_write_at_all_begin (8 bytes)", "wait", "post"),
    "inter-early": ("active-write", 1, "bytes [4,8) of the buffer of MPI_Ibcast (8 bytes)", "wait", "post"),
    "inter-root": ("active-write", 0, "bytes [4,8) of the buffer of MPI_Ibcast (8 bytes)", "wait", "post"),
    "untouched": ("active-write", 0, "write of 4 bytes: bytes [20000,20004) of the buffer of MPI_Irecv (40000 bytes, ", "wait", "post"),
}
CALLBACKS = {
    "E5": ("active-write", 0, "write of 4 bytes: bytes [0,4) of the buffer of MPI_Irecv (4 bytes, source 1, tag 0)", "access", "post"),
    "E7": ("active-write", 0, "bytes [0,4) of the buffer of MPI_Isend (4 bytes, dest 1, tag 0)", "access", "post"),
    "E8": ("active-read", 0, "read of 4 bytes: bytes [0,4)", "access", "post"),
    "E9": ("active-write", 0, "bytes [0,4)", "access", "post"),
    "E12": ("active-write", 0, "write of 8 bytes: bytes [8,16) of the buffer of MPI_Accumulate (32 bytes, target 1)", "access", "post"),
    "E13": ("active-write", 0, "bytes [16,24) of the buffer of MPI_Get (32 bytes, target 1)", "access", "post"),
    "E13-read": ("active-read", 0, "read of 8 bytes: bytes [0,8)", "access", "post"),
    "too-early": ("rma-conflict", 1, "load by rank 1 and put by rank 0 of the same 4 bytes", "load", "put"),
    "E19": ("active-write", 0, "bytes [0,4)", "access", "post"),
    "E23": ("rma-conflict", 0, "put by rank 0 and load by rank 1 of the same 4 bytes", "put", "access"),
    "collective": ("active-write", 0, "bytes [4,8) of sendbuf of MPI_Iallreduce (8 bytes)", "access", "post"),
    "file-write": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_iwrite (8 bytes)", "access", "post"),
    "file-read": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_iread (8 bytes)", "access", "post"),
    "file-read-read": ("active-read", 0, "read of 4 bytes: bytes [0,4) of the buffer of MPI_File_iread (8 bytes)", "access", "post"),
    "split-read": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_read_at_all_begin (8 bytes)", "split access", "post"),
    "split-write": ("active-write", 0, "bytes [4,8) of the buffer of MPI_File_write_at_all_begin (8 bytes)", "split access", "post"),
    "inter-early": ("active-write", 1, "bytes [4,8) of the buffer of MPI_Ibcast (8 bytes)", "access", "post"),
    "inter-root": ("active-write", 0, "bytes [4,8) of the buffer of MPI_Ibcast (8 bytes)", "access", "post"),
    "untouched": ("active-write", 0, "write of 4 bytes: bytes [20000,20004) of the buffer of MPI_Irecv (40000 bytes, ", "access", "post"),
}
# Valgrind sees accesses to buffers that MPI writes to, each with its line; to others it sees writes, as snapshots do. And it knows what is undefined.
VALGRIND = {
    **{case: CALLBACKS[case] for case in ("E5", "E8", "E9", "E13", "E13-read", "file-read", "file-read-read", "split-read", "inter-early", "untouched")},
    **{case: SNAPSHOT[case] for case in ("E7", "E12", "E19", "E23", "collective", "file-write", "split-write", "inter-root", "too-early")},
    "E4": ("undef-use", 1, "a branch depends on bytes that nothing was written to", "access"),
    "E18": [("undef-send", 0, "first bad byte 4, 36 bytes", "call"), ("undef-use", 1, "created by a heap allocation", "access", "block")],
    "E22": [("undef-send", 0, "first bad byte 4, 36 bytes", "call"), ("undef-use", 0, "created by a heap allocation", "access", "block")],
    "undefined": [("undef-send", 0, "first bad byte 0, 4 bytes", "call"), ("undef-use", 1, "a branch depends on bytes", "access")],
    "no-mpi": [("invalid-read", 0, "read of 1 bytes that are not the program's: 0 bytes after a block of size 64 alloc'd", "read"),
               ("invalid-write", 0, "40 bytes behind the beginning of a heap block that was freed", "write", "free")],
}
# --verify-memory=unread, which needs the compiler's calls.
UNREAD = {
    "E10": [("overwritten-unread", 1, "write of 1 byte that came and that nobody has read: bytes [0,1) of the buffer of MPI_Recv (2 bytes", "access", "call"),
            ("never-read", 1, "1 of 2 bytes in 1 message came for nothing, 1 of them overwritten unread; never read in any: bytes [0,1)", "call")],
    "E11": [("never-read", 1, "10 of 20 bytes in 10 messages came for nothing, 0 of them overwritten unread; never read in any: bytes [0,1)", "call")],
    "E16": [("overwritten-unread", 1, "write of 8 bytes that came and that nobody has read: bytes [8,16) of the buffer of MPI_Bcast (24 bytes); they were a pointer",
             "access", "call"),
            ("never-read", 1, "16 of 24 bytes in 1 message came for nothing, 8 of them overwritten unread; never read in any: bytes [4,8), [8,16), [20,24), "
             "8 of them padding", "call")],
    # 8 ms on the link, or 4 ms; and a latency
    "half": [("never-read", 1, "never read in any: bytes [400000,800000); without them the predicted time is 4.01 ms instead of 8.01 ms (-49.94 %)", "call")],
    "plus": [],
    "read-all": [],
    "frames": [("never-read", 1, "63 of 64 bytes in 1 message came for nothing, 0 of them overwritten unread; never read in any: bytes [1,64)", "call")],
}
EXPECTED = {"snapshot": {**BOTH, **SNAPSHOT}, "callbacks": {**BOTH, **CALLBACKS}, "valgrind": {**BOTH, **VALGRIND}}


def listed(expected):
    return expected if isinstance(expected, list) else [expected] if expected else []


def place_of(case, comment):
    """FILE:LINE of the comment"""
    if case in ("E13-read", "file-read-read"):
        case, comment = case.removesuffix("-read"), {"access": "read"}.get(comment, comment)
    if comment == "fence":
        case = "E12"
    if comment == "split access":
        case, comment = "split", "access"
    return next(f"{source.name}:{i}" for source in SOURCES for i, line in enumerate(source.read_text().splitlines(), 1)
                if f"/* {case} {comment} */" in line)


class Memory(Folder):
    cluster_text = CLUSTER.replace("nodes: 4", "nodes: 8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, options in PROGRAMS.items():
            cls.made(BIN / "mpisim-cc", *options, "-g", "-O1", f"-I{SOURCE.parents[2]}", *SOURCES, "-o", name)

    def run_case(self, back_end, case, *options, status=None, compute="modelled"):
        out = self.dir / "out.json"
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 2, "--compute", compute, "--deterministic", "--json", out,
                    *options, self.dir / back_end, *(case if isinstance(case, list) else [case]), cwd=self.dir)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(out.read_text())

    def check(self, back_end, case, expected):
        findings = self.run_case(back_end, case, "--verify=memory", status=1 if expected else 0)["findings"]
        if back_end == "snapshot":  # which says what it does not see
            findings = [finding for finding in findings if finding["class"] != "unchecked-accesses"]
        self.assertEqual([finding["class"] for finding in findings], [finding[0] for finding in listed(expected)])
        for finding, wanted in zip(findings, listed(expected)):
            self.assertTrue(self.is_as(case, finding, wanted), finding)

    @staticmethod
    def is_as(case, finding, expected):
        class_name, rank, text, *comments = expected
        places = [re.match(r"\w+\.c:\d+", entry["site"])[0] for entry in finding["calls"]]
        return (finding["class"] == class_name and rank in (None, finding["calls"][0]["rank"]) and text in finding["found"]
                and (not comments or places[:len(comments)] == [place_of(case, comment) for comment in comments]))

    def test_each_case_is_found_by_each_back_end_that_can_see_it(self):
        for back_end in PROGRAMS:
            for case, expected in EXPECTED[back_end].items():
                with self.subTest(back_end=back_end, case=case):
                    self.check(back_end, case, expected)

    def test_a_collective_with_two_counts_is_told_with_both_lines(self):
        """E24. Checks of memory alone tell that it fails."""
        wanted = ("count-mismatch", 1, "rank 1 has 8 basic elements, 32 B; rank 0 has 10, 40 B", "call", "root")
        for back_end in PROGRAMS:
            with self.subTest(back_end):
                findings = self.run_case(back_end, "E24", "--verify=matching,memory", status=1)["findings"]
                self.assertEqual([finding["class"] for finding in findings], ["count-mismatch", "truncation"])
                self.assertTrue(self.is_as("E24", findings[0], wanted), findings)
                (finding,) = self.run_case(back_end, "E24", "--verify=memory", status=1)["findings"]
                self.assertEqual(finding["class"], "truncation")

    def test_what_is_received_for_nothing_is_told_with_its_offsets(self):
        for case, expected in UNREAD.items():
            with self.subTest(case):
                findings = self.run_case("callbacks", case, "--verify-memory=unread", status=0)["findings"]
                findings = [finding for finding in findings if finding["class"] in ("overwritten-unread", "never-read")]
                self.assertEqual([finding["class"] for finding in findings], [finding[0] for finding in expected])
                for finding, wanted in zip(findings, expected):
                    self.assertEqual(finding["severity"], "note")
                    self.assertTrue(self.is_as(case, finding, wanted), finding)
        # a rendezvous has two latencies more, and its control messages keep their size
        (note,) = self.run_case("callbacks", "half", "--verify-memory=unread", "--set", "protocol.eager_threshold=1KB", status=0)["findings"]
        self.assertIn("is 4.03 ms instead of 8.03 ms", note["found"])
        (note,) = self.run_case("snapshot", "E10", "--verify-memory=unread", status=0)["findings"]
        self.assertEqual(note["class"], "unchecked-reads")

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_valgrind_finds_all_cases_and_nothing_else(self):
        """They run in one program, since valgrind takes its time to start."""
        cases = EXPECTED["valgrind"]
        findings = self.run_case("snapshot", list(cases), "--verify-memory=valgrind", status=1)["findings"]
        for case, expected in cases.items():
            for wanted in listed(expected):
                with self.subTest(case=case, wanted=wanted):
                    found = [finding for finding in findings if self.is_as(case, finding, wanted)]
                    self.assertEqual(len(found), 1, [finding["found"] for finding in findings if finding["class"] == wanted[0]])
                    findings.remove(found[0])
        self.assertEqual(findings, [])

    def test_without_valgrind_an_error_says_what_is_needed(self):
        done = call(BIN / "mpisim-run", "--verify-memory=valgrind", "--cluster", self.dir / "cluster.yaml", "-n", 2, self.dir / "snapshot", env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("valgrind", done.stderr)
        done = call(BIN / "mpisim-run", "--verify-memory=magic", "--cluster", self.dir / "cluster.yaml", "-n", 2, self.dir / "snapshot")
        self.assertEqual(done.returncode, 2)
        self.assertIn('--verify-memory: found "magic", wanted valgrind, unread, impact or strict', done.stderr)

    def test_padding_that_is_sent_as_bytes_is_a_note(self):
        for back_end in PROGRAMS:
            with self.subTest(back_end):
                (note,) = self.run_case(back_end, "padding", "--verify=memory", status=0)["findings"]
                self.assertEqual((note["class"], note["severity"]), ("undef-padding", "note"))
                self.assertIn("8 bytes, from offset 4 on", note["found"])

    def test_memory_that_a_skipped_kernel_should_have_written_is_not_looked_at_which_a_note_says(self):
        (self.dir / "bench").write_text(BENCH)
        for back_end in PROGRAMS:
            with self.subTest(back_end):
                (note,) = self.run_case(back_end, "kernel", "--verify=memory", "--bench", self.dir / "bench", status=0)["findings"]
                self.assertEqual((note["class"], note["severity"]), ("unchecked-definedness", "note"))
                self.assertEqual(self.run_case(back_end, "kernel", "--verify=memory", status=0, compute="direct")["findings"], [])

    def test_skipped_kernels_access_what_they_say(self):
        (self.dir / "bench").write_text(BENCH)
        part = ("undef-send", 0, "first bad byte 20, 20 bytes", "call")
        early = ("active-read", 1, "read of 4 bytes: bytes [0,4) of the buffer of MPI_Irecv (40 bytes", "access", "post")
        ways = [("snapshot", "--verify=memory"), ("callbacks", "--verify=memory")]
        if shutil.which("valgrind"):
            ways.append(("snapshot", "--verify-memory=valgrind"))
        for back_end, option in ways:
            for case, expected in ("kernel-all", None), ("kernel-part", part), ("kernel-reads", None), ("kernel-early", early):
                with self.subTest(back_end=back_end, option=option, case=case):
                    findings = self.run_case(back_end, case, option, "--bench", self.dir / "bench", status=1 if expected else 0)["findings"]
                    self.assertEqual(len(findings), 1 if expected else 0, findings)
                    self.assertTrue(not expected or self.is_as(case, findings[0], expected), findings)
        # where the kernel runs, what it does counts
        self.assertEqual(self.run_case("snapshot", "kernel-early", "--verify=memory", compute="direct", status=1)["findings"][0]["class"], "active-write")
        (note,) = self.run_case("callbacks", "kernel-reads", "--verify-memory=unread", "--bench", self.dir / "bench", status=0)["findings"]
        self.assertIn("never read in any: bytes [4,8), [12,16), [20,24), [28,32)", note["found"])

    def test_wrong_arguments_of_touch_end_the_run(self):
        for case, text in ("touch-late", "found the fraction 1.5, wanted one from 0 to 1"), ("touch-nothing", "the type is no committed datatype"), (
                "touch-idly", "found the use 0, wanted MPISIM_READ, MPISIM_WRITE or both"):
            with self.subTest(case):
                failure = self.run_case("snapshot", case, status=1)["failure"]
                self.assertIn(text, failure["text"])
                self.assertEqual(failure["kind"], "annotation")

    def test_a_repeated_run_tells_whether_a_finding_changes_results(self):
        sent = "; with the data that the buffer has at the completion instead of the post, "
        came = "; with what comes there at the post instead of the completion, "
        for case, expected in ("impact-output", sent + "rank 1 writes something else"), ("impact-memory", sent + "memory that rank 1 registered is another"), (
                "impact-none", sent + "the results are the same"), ("impact-end", came + "the run ends otherwise"):
            for back_end in PROGRAMS:
                with self.subTest(case=case, back_end=back_end):
                    (finding,) = self.run_case(back_end, case, "--verify-memory=impact", status=1)["findings"]
                    self.assertEqual(finding["class"], "active-write")
                    self.assertTrue(finding["found"].endswith(expected), finding["found"])
        finding, note = self.run_case("snapshot", "impact-clock", "--verify-memory=impact", status=1)["findings"]
        self.assertNotIn("instead of", finding["found"])
        self.assertEqual(note["class"], "unknown-impact")

    def test_predicted_times_are_the_same_with_every_back_end(self):
        ways = [(back_end, options) for back_end in PROGRAMS for options in ((), ("--verify=memory", "--verify-warn"))]
        if shutil.which("valgrind"):
            ways.append(("snapshot", ("--verify-memory=valgrind", "--verify-warn")))
        for case in [*EXPECTED["snapshot"], list(EXPECTED["snapshot"])]:
            is_all = isinstance(case, list)  # which does wrong things, that need not end well where nobody looks
            results = [self.run_case(back_end, case, *options) for back_end, options in ways
                       if (options if is_all else "--verify-memory=valgrind" not in options)]
            times = [result["predicted_time_s"] for result in results]
            with self.subTest(case):
                self.assertEqual(len(set(times)), 1, times)


if __name__ == "__main__":
    unittest.main()
