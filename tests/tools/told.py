#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a run says beside its figures: what they leave out, who failed, where a rank stands, what other runs left behind.

usage: told.py BIN_DIR SOURCE_DIR
"""
import json
import os
import re
import signal
import subprocess
import time
import unittest

from base import BIN, Base, call


class Placement(Base):
    def nodes(self, *options, n):
        done = self.run_misc("work", "--json", "-", *options, n=n)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [rank["node"] for rank in json.loads(done.stdout)["ranks"]], done.stderr

    def test_the_default_fills_the_cores_of_a_node_before_the_next(self):
        self.assertEqual(self.nodes("--set", "cores=4", n=6)[0], [0, 0, 0, 0, 1, 1])
        self.assertEqual(self.nodes("--set", "cores=4", "--placement", "spread", n=6)[0], [0, 0, 1, 1, 2, 3])

    def test_more_ranks_than_cores_are_told(self):
        wanted = "carries more ranks than cores, up to 3 on 2: they share them\n"
        self.assertIn("1 node " + wanted, self.nodes("--set", "cores=2", "--placement", "0,0,0,1", n=4)[1])
        self.assertIn("4 nodes carry more ranks than cores, up to 2 on 1", self.nodes(n=8)[1])
        self.assertNotIn("more ranks than cores", self.nodes("--set", "cores=2", n=8)[1])

    def test_a_job_with_nodes_of_its_own_uses_them_all(self):
        jobs = self.dir / "jobs.yaml"
        jobs.write_text(f"jobs:\n  - {{name: a, program: {self.misc}, arguments: [work], ranks: 4, nodes: 4}}\n"
                        f"  - {{name: b, program: {self.misc}, arguments: [work], ranks: 4, nodes: 4, placement: block}}\n")
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "--set", "cores=2", "--compute", "modelled", "--schedule", jobs, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([rank["node"] for rank in json.loads(done.stdout)["ranks"]], [0, 1, 2, 3, 0, 0, 1, 1])
        self.assertNotIn("more ranks than cores", done.stderr)


class First(Base):
    """What must not stand below a figure."""

    def text_and_json(self, program, *words):
        done = call(*self.words("--json", self.dir / "out.json"), program, *words)
        return done, json.loads((self.dir / "out.json").read_text())

    def test_uncharged_computation_is_told_first(self):
        (self.dir / "plain.c").write_text("""
#include <mpi.h>
int main(int argc, char **argv)
{
	volatile double sum = 0;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 1000000; i++)
		sum += i;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
""")
        self.assertEqual(call(BIN / "mpisim-cc", self.dir / "plain.c", "-o", self.dir / "plain").returncode, 0)
        wanted = "no computation is charged: the program says nothing of what it takes"
        done, found = self.text_and_json(self.dir / "plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.strip().startswith("warning: " + wanted), done.stderr)
        self.assertEqual(done.stderr.count(wanted), 1)
        self.assertIn(wanted, found["warnings"][0])
        quiet = call(*self.words("--quiet", "--record", self.dir / "plain.mtrace"), self.dir / "plain").stderr
        self.assertTrue(quiet.startswith("mpisim-run: warning: " + wanted), quiet)
        self.assertIn("no computation is charged: the trace has none", call(BIN / "mpisim-replay", self.dir / "plain.mtrace").stderr)
        measured = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 2, self.dir / "plain").stderr
        self.assertNotIn("no computation is charged", measured + self.run_misc("work").stderr)

    def test_a_rank_that_ends_badly_is_the_first_line(self):
        wanted = "ranks 1, 3 returned exit code 3"
        done, found = self.text_and_json(self.misc, "exit")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.splitlines()[0], "mpisim-run: " + wanted)
        self.assertEqual(done.stderr.count(wanted), 1)
        self.assertEqual(found["warnings"][0], wanted)
        quiet = self.run_misc("exit", "--quiet")
        self.assertEqual(quiet.stderr.splitlines()[0], "mpisim-run: " + wanted)
        self.assertEqual(quiet.stderr.count(wanted), 1)
        self.run_misc("exit", "--quiet", "--report", self.dir / "bad")
        self.assertEqual((self.dir / "bad" / "summary.txt").read_text().splitlines()[0], "mpisim-run: " + wanted)


class Tools(Base):
    def test_every_tool_has_a_version(self):
        names = sorted(path.name for path in BIN.iterdir() if path.is_file() and path.suffix not in (".installed", ".yaml"))
        self.assertLessEqual({"mpisim-run", "mpisim-cc", "mpisim-replay"}, set(names))
        for name in names:
            done = call(BIN / name, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
            self.assertRegex(done.stdout, rf"(^|\n){re.escape(name.split('.')[0])}(: mpisim)? \d+\.\d+\.\d+\n$")

    def test_errors_carry_the_name_of_the_tool_that_was_called(self):
        for name, words in (("run", ["--no-such"]), ("replay", ["--no-such"]), ("replay", ["nowhere.mtrace"]), ("whatif", ["nowhere.mtrace"]),
                            ("report", ["nowhere.mtrace"]), ("report", ["--no-what-if", "nowhere.mtrace"]), ("report", ["--no-such"]),
                            ("sweep", ["run", "nowhere.yaml"]), ("validate", ["nowhere.csv"])):
            done = call(BIN / f"mpisim-{name}", *words, cwd=self.dir)
            self.assertEqual(done.returncode, 2, (name, words, done))
            lines = done.stderr.splitlines()
            self.assertTrue(lines and lines[0].startswith(f"mpisim-{name}: "), (name, words, lines))
            self.assertEqual([other for line in lines for other in re.findall(r"mpisim-\w+", line) if other != f"mpisim-{name}"], [], lines)

    def test_a_report_that_cannot_be_made_is_refused_before_the_run(self):
        empty = self.dir / "empty"
        empty.mkdir()
        for folder in ("/proc/report", "/proc/self/task/report"):
            done = self.run_misc("pieces", "--report", folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(f"mpisim-run: --report: cannot make the report {folder}: ", done.stderr)
        self.assertEqual(self.run_misc("work", "--quiet", "--report", empty).returncode, 0)
        if os.getuid() != 0:
            locked = self.dir / "locked"
            locked.mkdir(mode=0o555)
            self.assertEqual(self.run_misc("pieces", "--report", locked).stdout, "")

    def test_leaks_name_the_option_that_leaves_them_out_once(self):
        (self.dir / "leaky.c").write_text("#include <mpi.h>\nint main(int argc, char **argv) { MPI_Comm a; MPI_Group b; MPI_Init(&argc, &argv);\n"
                                          "MPI_Comm_dup(MPI_COMM_WORLD, &a); MPI_Comm_group(a, &b); return MPI_Finalize(); }\n")
        self.assertEqual(call(BIN / "mpisim-cc", self.dir / "leaky.c", "-o", self.dir / "leaky").returncode, 0)
        said = call(*self.words("--quiet"), self.dir / "leaky").stderr
        self.assertEqual((said.count("at MPI_Finalize: "), said.count("--ignore-leaks")), (2, 1), said)


class Interrupted(Base):
    def said(self, what, *options, n=4):
        child = subprocess.Popen([str(word) for word in [*self.words("--quiet", *options, n=n), self.misc, what]],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "started\n")
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=60)[1]
        self.assertEqual(child.returncode, 130, said)
        return said

    def test_ranks_of_an_endless_loop_are_told_with_call_line_and_time(self):
        said = self.said("forever")
        self.assertRegex(said, r"^mpisim-run: interrupted .*\nmpisim-run: at \S+ m?s of simulated time 4 of 4 ranks have not ended:\n")
        self.assertEqual(len(re.findall(r"(?m)^  rank [0-3]: (computing before )?MPI_Barrier at misc\.c:\d+ .*since \S+ m?s$", said)), 4, said)

    def test_a_rank_that_never_calls_mpi_is_told_with_its_line(self):
        said = self.said("stuck")
        self.assertRegex(said, r"(?m)^  rank 0: the program's own code at misc\.c:\d+ \(stay_stuck\): it runs and calls nothing that would let others go on$")
        self.assertRegex(said, r"(?m)^  rank 3: .*(it has not called MPI yet|its turn has not come|MPI_\w+ at )")

    def test_many_ranks_are_told_in_groups(self):
        # how many groups depends on where in its loop the run is stopped: who has left the barrier, and since when
        said = self.said("forever", n=100)
        self.assertIn("100 of 100 ranks have not ended", said)
        self.assertLess(len(said.splitlines()), 50, said)


if __name__ == "__main__":
    unittest.main()
