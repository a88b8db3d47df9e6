#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-debug, driven by its line protocol.

usage: debug.py BIN_DIR APPS_DIR
"""
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402

ignore_leaks()
BIN, APPS = paths(2)
# Ranks 1 … n-1 send 1, 2, 3 … doubles to rank 0, which takes them with wildcards and prints whose.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, n, count;
	double a[8] = {0};
	MPI_Status s;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (rank)
		MPI_Ssend(a, rank, MPI_DOUBLE, 0, rank % 2, MPI_COMM_WORLD);
	for (int i = 1; i < n && rank == 0; i++) {
		MPI_Recv(a, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		MPI_Get_count(&s, MPI_DOUBLE, &count);
		printf("%d:%d ", s.MPI_SOURCE, count);
	}
	if (rank == 0)
		printf("\n");
	MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
RECV = "MPI_Recv(count 8, datatype MPI_DOUBLE, source MPI_ANY_SOURCE, tag MPI_ANY_TAG, comm MPI_COMM_WORLD)"


class Session:
    """Commands and their answers: lists of lines, without the last one, which is ok."""

    def __init__(self, folder, program, *options, ranks=4):
        command = [BIN / "mpisim-debug", "--cluster", "cluster.yaml", "-n", str(ranks), "--compute", "modelled", "--quiet", *options, *program]
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first = self.answer()

    def answer(self):
        lines = []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == "ok":
                return lines
            lines.append(line)
            if line.startswith("error "):
                return lines
        return lines

    def __call__(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.answer()

    def finish(self):
        """(standard output that is left, standard error, exit status)"""
        out, err = self.process.communicate(timeout=60)
        return out, err, self.process.returncode


class Debug(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "p.c").write_text(PROGRAM)
        (cls.dir / "d.c").write_text('#include <mpi.h>\nint main(void)\n{\n\tint r;\n\tMPI_Init(0, 0);\n\tMPI_Comm_rank(MPI_COMM_WORLD, &r);\n'
                                        '\tMPI_Recv(&r, 1, MPI_INT, (r + 1) % 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\tMPI_Finalize();\n}\n')
        for name in "pd":
            cls.made(BIN / "mpisim-cc", "-g", "-O0", name + ".c", "-o", name)

    def open(self, *options, program=("./p",), ranks=4):
        session = Session(self.dir, program, *options, ranks=ranks)
        self.addCleanup(lambda: (session.process.kill(), session.process.wait(), session.process.stdin.close(), session.process.stdout.close(),
                                 session.process.stderr.close()))
        return session

    def places(self, answer):
        """(state, rank, call) of the lines of `ranks`."""
        return [re.match(r"rank (\d+) (\w+)(?: (?:at |in )?(MPI_\w+))?", line).group(2, 1, 3) for line in answer]

    def test_all_ranks_are_held_at_their_first_call(self):
        s = self.open()
        self.assertEqual(s.first, ["stopped all ranks at their first call, 0 s"])
        self.assertEqual(self.places(s("ranks")), [("at", str(r), "MPI_Init") for r in range(4)])
        self.assertEqual(s("continue"), ["1:1 2:2 3:3 ", "ended"])
        out, err, code = s.finish()
        self.assertEqual((out, code), ("", 0))
        self.assertNotIn("held back", err)

    def test_a_step_goes_to_the_next_call_of_any_rank_or_of_one(self):
        s = self.open()
        self.assertTrue(s("step")[0].startswith("stopped rank 0 " + RECV + " at p.c:16 (main), "))
        self.assertTrue(s("step")[0].startswith("stopped rank 1 MPI_Ssend(count 1, "))
        self.assertTrue(s("step 3")[0].startswith("stopped rank 3 MPI_Ssend(count 3, "))
        self.assertTrue(s("step 0")[0].startswith("stopped rank 0 " + RECV))
        self.assertTrue(s("step 3")[0].startswith("stopped rank 3 MPI_Bcast"))
        self.assertEqual(self.places(s("ranks"))[3], ("at", "3", "MPI_Bcast"))

    def test_breakpoints_stop_by_call_rank_size_type_destination_tag_and_count(self):
        cases = [("call MPI_Ssend", "rank 1 MPI_Ssend(count 1"), ("call MPI_Ssend rank 2", "rank 2 MPI_Ssend(count 2"),
                 ("call MPI_Ssend size 16", "rank 2 MPI_Ssend(count 2"), ("call MPI_Ssend size >16", "rank 3 MPI_Ssend(count 3"),
                 ("rank 1 size <9", "rank 1 MPI_Ssend(count 1"), ("type MPI_INT", "MPI_Bcast(count 1, datatype MPI_INT"),
                 ("dest 0 tag 0", "rank 2 MPI_Ssend(count 2"), ("call MPI_Recv count 3", "rank 0 MPI_Recv"),
                 ("call MPI_Ssend count 3", "rank 3 MPI_Ssend(count 3"), ("call MPI_Get_count", "rank 0 MPI_Get_count")]
        for condition, wanted in cases:
            with self.subTest(condition):
                s = self.open()
                self.assertEqual(s("break " + condition), ["breakpoint 1"])
                self.assertIn(wanted, s("continue")[-1])
                self.assertEqual(s("delete 1"), [])
                self.assertEqual(s("continue")[-1], "ended")

    def test_pending_shows_sends_receives_and_candidates(self):
        s = self.open()
        s("choose 0 receive 0 3")
        s("hold 3")
        s("break call MPI_Ssend rank 2")
        s("continue")
        place = ", MPI_Ssend at p.c:14 (main)"
        one, two = (f"from {r} to 0 tag {r % 2} size {8 * r} " for r in (1, 2))
        self.assertEqual(s("pending"), ["send " + one + "under way" + place, "receive on 0 from any, receive 0 tag any size 64", "  candidate " + one + "under way" + place])
        self.assertTrue(s("continue")[0].startswith("stopped nothing can go on, "))
        self.assertEqual(s("pending"), ["send " + one + "arrived" + place, "send " + two + "arrived" + place, "receive on 0 from any, receive 0 tag any size 64",
                                        "  candidate " + one + "arrived" + place, "  candidate " + two + "arrived" + place])
        self.assertEqual(s("choose 0 receive 0 2") + s("release 3"), [])
        self.assertEqual(s("continue")[0], "2:2 1:1 3:3 ")

    def test_a_choice_changes_the_match_and_can_be_saved_and_loaded(self):
        s = self.open()
        self.assertEqual(s("choose 0 receive 0 3") + s("choose 0 receive 1 2"), [])
        self.assertEqual(s("choices"), ["planned choose 0 receive 0 3", "planned choose 0 receive 1 2"])
        s("break call MPI_Bcast rank 0")
        s("continue")
        self.assertEqual(s("choices"), ["taken choose 0 receive 0 3 0", "taken choose 0 receive 1 2 0", "taken choose 0 receive 2 1 0"])
        self.assertEqual(s("choose 0 receive 0 1"), ["error this receive or probe has its message already"])
        self.assertEqual(s("save choices"), [])
        self.assertEqual(s("continue"), ["3:3 2:2 1:1 ", "ended"])
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", 4, "--compute", "modelled", "--quiet", "--decisions", "choices", "./p",
                    cwd=self.dir)
        self.assertEqual((done.stdout, done.returncode), ("3:3 2:2 1:1 \n", 0), done.stderr)
        s = self.open()
        self.assertEqual(s("load choices"), [])
        self.assertEqual(s("continue"), ["3:3 2:2 1:1 ", "ended"])

    def test_a_choice_can_bring_an_error_about(self):
        s = self.open("--bench", "m.bench", program=(APPS / "mergesort",)) if self.bench() else None
        s("choose 0 receive 0 1")
        self.assertEqual(s("continue")[-1], "ended")
        _, err, code = s.finish()
        self.assertEqual(code, 1)
        self.assertIn("MPI_ERR_TRUNCATE", err)

    def bench(self):
        return (self.dir / "m.bench").write_text("model,sort,1e-6\nmodel,merge,1e-6\n")

    def test_a_held_rank_stands_until_it_is_released_or_stepped(self):
        s = self.open()
        self.assertEqual(s("hold 1"), [])
        self.assertTrue(s("continue")[0].startswith("stopped nothing can go on, "))
        s("step 1")
        self.assertEqual(self.places(s("ranks"))[1], ("held", "1", "MPI_Ssend"))
        self.assertTrue(s("continue")[0].startswith("stopped nothing can go on, "))
        self.assertEqual(self.places(s("ranks")), [("waits", "0", "MPI_Recv"), ("held", "1", "MPI_Ssend"), ("waits", "2", "MPI_Bcast"), ("waits", "3", "MPI_Bcast")])
        self.assertEqual(s("release 1"), [])
        self.assertEqual(s("continue"), ["2:2 3:3 1:1 ", "note ranks were held back while time went on: predicted times are not those of the run alone", "ended"])

    def test_predicted_times_are_those_of_a_run_that_nobody_stops(self):
        for program in (["./p"], [APPS / "neighbours"], [APPS / "tsp", "--cities", "8"], [APPS / "pingpong", "--max-size", "100000"]):
            self.made(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", 4, "--compute", "modelled", "--quiet", "--json", "a.json", *program)
            s = self.open("--json", "b.json", program=program)
            s("break call MPI_Recv count 5")
            for command in ("step", "step 2", "step", "continue", "ranks", "pending", "step", "gdb", "delete 1", "continue"):
                if (s(command) or [""])[-1] == "ended":
                    break
            self.assertEqual(s.finish()[2], 0)
            a, b = (json.loads((self.dir / name).read_text()) for name in ("a.json", "b.json"))
            a.pop("simulation"), b.pop("simulation")
            self.assertEqual(a, b)

    def test_gdb_finds_the_variables_of_the_rank(self):
        s = self.open()
        s("step 2")
        line = s("gdb")[0]
        self.assertRegex(line, r"^gdb -p \d+ -ex 'add-symbol-file .*/p -o 0x[0-9a-f]+' -ex 'frame function main'$")
        if shutil.which("gdb"):
            done = call(*shlex.split(line), "-batch", "-ex", "print rank")
            if "ptrace: Operation not permitted" not in done.stdout + done.stderr:
                self.assertIn("$1 = 2", done.stdout)
                self.assertIn("MPI_Ssend(a, rank, MPI_DOUBLE, 0", done.stdout)
        self.assertEqual(self.places(s("ranks"))[2], ("at", "2", "MPI_Ssend"))
        self.assertEqual(s("gdb 0"), ["error this rank stands at no call: step or hold it first"])
        self.assertEqual(s("continue")[-1], "ended")

    def test_a_deadlock_stops_the_run_before_it_ends_it(self):
        s = self.open(program=("./d",), ranks=2)
        self.assertTrue(s("continue")[0].startswith("stopped nothing can go on, "))
        self.assertEqual(self.places(s("ranks")), [("waits", "0", "MPI_Recv"), ("waits", "1", "MPI_Recv")])
        self.assertEqual(s("continue"), ["ended"])
        _, err, code = s.finish()
        self.assertEqual(code, 1)
        self.assertIn("deadlock", err)

    def test_the_end_of_the_commands_ends_the_run(self):
        s = self.open()
        out, err, code = s.finish()
        self.assertEqual(code, 0)
        self.assertIn("interrupted", err)
        s = self.open()
        self.assertEqual(s("kill"), ["ended"])
        self.assertEqual(s.finish()[2], 0)

    def test_findings_of_verify_are_told_and_the_run_stops_as_without(self):
        s = self.open("--verify", program=("./d",), ranks=2)
        self.assertEqual(self.places(s("ranks")), [("at", "0", "MPI_Init"), ("at", "1", "MPI_Init")])
        self.assertRegex(s("step")[0], r"stopped rank \d MPI_Recv\(count 1, datatype MPI_INT, source \d, tag 0, comm MPI_COMM_WORLD\) at d.c:7")
        self.assertTrue(s("continue")[0].startswith("stopped nothing can go on, "))
        self.assertEqual(s("continue"), ["ended"])
        _, err, code = s.finish()
        self.assertEqual(code, 1)
        self.assertIn("error: deadlock: ", err)
        done = call(BIN / "mpisim-debug", "--cluster", "cluster.yaml", "-n", 2, "--verify=orders", "./d", cwd=self.dir, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, "mpisim-debug is of one run that is not recorded; found --verify=orders" in done.stderr), (2, True))

    def test_wrong_commands_are_refused(self):
        s = self.open()
        for command, wanted in [("go", "there is no such command: see help"), ("step 4", "wanted a rank"), ("hold", "wanted a rank or all"),
                                ("break call MPI_Sende", "wanted the name of an MPI function behind call"), ("break size x", "wanted a number of bytes"),
                                ("break rank 9", "wanted a rank from 0 to 3, found 9"),
                                ("break dest -1", "wanted a rank from 0 to 3, found -1"), ("step 9", "wanted a rank from 0 to 3, found 9"),
                                ("hold 4", "wanted a rank or all; ranks go from 0 to 3"), ("choose 0 receive 0 7", "wanted a rank from 0 to 3, found 7"),
                                ("break type MPI_IMT", "there is no datatype MPI_IMT; nearest: MPI_INT"), ("break type", "wanted the name of a datatype"), ("break rank", "wanted conditions"), ("delete 7", "there is no such breakpoint"),
                                ("choose 0 receive", "wanted choose RANK receive|probe NUMBER SOURCE [MESSAGE]"), ("load nothing", "cannot read nothing: No such file"),
                                ("step " + 30 * "x ", "too many words")]:
            self.assertTrue(s(command)[-1].startswith("error " + wanted), command)
        self.assertEqual(len(s("help")), 16)
        self.assertEqual(s("breaks"), [])

    def test_options_are_those_of_mpisim_run(self):
        done = call(BIN / "mpisim-debug", "--cluster", "cluster.yaml", "-n", 2, "--record", "r", "./p", cwd=self.dir, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, "mpisim-debug is of one run that is not recorded; found --record" in done.stderr), (2, True))
        done = call(BIN / "mpisim-debug", "--help")
        self.assertTrue(done.stdout.startswith("mpisim-debug runs"))

    def test_at_a_terminal_there_is_a_prompt(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BIN / "mpisim-debug", "--cluster", "cluster.yaml", "-n", "2", "--compute", "modelled", "--quiet", "./p"], cwd=self.dir,
                                   stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "dumb"})
        os.close(theirs)
        os.write(ours, b"continue\n")
        text = b""
        try:
            while chunk := os.read(ours, 4096):
                text += chunk
        except OSError:
            pass # the other side is closed
        os.close(ours)
        self.assertEqual(process.wait(60), 0)
        self.assertIn(b"(mpisim) ", text)
        self.assertIn(b"1:1", text)


if __name__ == "__main__":
    unittest.main()
