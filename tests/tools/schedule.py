#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several programs in one run: mpisim-run --schedule, and PROGRAM : -n N PROGRAM.

usage: schedule.py BIN_DIR SOURCE_DIR
"""
import json
import unittest

from base import BIN, HERE
from harness import Folder, call
# Nothing costs time but computation, so that a job's times are sums of what it charges.
CLUSTER = """mpisim_cluster: 1
nodes: 4
network:
  latency: 0s
  bandwidth: 1000 GB/s
"""


class Base(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.job = cls.dir / "job"
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "job.c", "-o", cls.job)

    def run_file(self, text, *options):
        (self.dir / "jobs.yaml").write_text(text)
        return call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "--compute", "modelled",
                    "--schedule", self.dir / "jobs.yaml", "--json", self.dir / "out.json", *options)

    def entry(self, name, ranks, seconds, *more, what=""):
        lines = [f"  - name: {name}", f"    program: {self.job}", f"    arguments: [{seconds}, {what or 'plain'}]",
                 f"    ranks: {ranks}", *("    " + line for line in more)]
        return "\n".join(lines) + "\n"

    def jobs_of(self, *entries):
        done = self.run_file("jobs:\n" + "".join(entries))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.json = json.loads((self.dir / "out.json").read_text())
        return {job["name"]: job for job in self.json["jobs"]}

    def near(self, found, wanted):
        self.assertAlmostEqual(found, wanted, delta=1e-6)  # what crosses the network takes below a microsecond


class Schedules(Base):
    def test_jobs_wait_for_nodes_of_their_own(self):
        # 3 nodes for 2 s; b wants 2 and gets them then; c wants 1, which is free at once.
        jobs = self.jobs_of(self.entry("a", 3, 2, "nodes: 3"), self.entry("b", 2, 1, "nodes: 2"),
                            self.entry("c", 1, 1, "nodes: 1"))
        self.near(jobs["a"]["begin_s"], 0)
        self.near(jobs["b"]["begin_s"], 2)
        self.near(jobs["b"]["end_s"], 3)
        self.near(jobs["c"]["begin_s"], 0)
        self.near(jobs["a"]["node_s"], 6)
        self.near(jobs["b"]["node_s"], 2)
        # 3 x 2 + 2 x 1 + 1 x 1 of 4 x 3 node-seconds; all of it computes
        self.near(self.json["utilisation"], 9 / 12)
        self.near(self.json["efficiency"], 1)
        self.near(self.json["predicted_time_s"], 3)

    def test_begin_and_after_are_kept(self):
        jobs = self.jobs_of(self.entry("a", 1, 2, "nodes: 1"), self.entry("b", 1, 1, "nodes: 1", "begin: 500ms"),
                            self.entry("c", 1, 1, "nodes: 1", "after: [a, b]"))
        self.near(jobs["b"]["begin_s"], 0.5)
        self.near(jobs["c"]["due_s"], 2)
        self.near(jobs["c"]["begin_s"], 2)

    def test_placed_jobs_share_a_node(self):
        # One core: two ranks that compute 1 s each on it take 2 s.
        jobs = self.jobs_of(self.entry("a", 1, 1, 'placement: "0"'), self.entry("b", 1, 1, 'placement: "0"'))
        self.near(jobs["a"]["end_s"], 2)
        self.near(jobs["b"]["end_s"], 2)
        self.near(self.json["utilisation"], 1 / 4)

    def test_a_released_node_goes_to_who_waits_for_it(self):
        # a's last rank gives its node up after 1 s; b, which wants all that is left of four, begins then.
        jobs = self.jobs_of(self.entry("a", 2, 1, "nodes: 2", what="release"), self.entry("b", 3, 1, "nodes: 3"))
        self.near(jobs["b"]["begin_s"], 1)
        self.near(jobs["a"]["end_s"], 2)
        self.near(jobs["a"]["node_s"], 2 + 1)

    def test_a_node_is_had_back_when_the_other_job_leaves_it(self):
        # b has the released node from 1 s to 4 s; a, which wants it back at 2 s, gets it at 4 s.
        jobs = self.jobs_of(self.entry("a", 2, 1, "nodes: 2", what="acquire"), self.entry("b", 3, 3, "nodes: 3"))
        self.near(jobs["b"]["begin_s"], 1)
        self.near(jobs["a"]["end_s"], 4)
        self.near(jobs["a"]["node_s"], 4 + 1)

    def test_phases_belong_to_jobs(self):
        self.jobs_of(self.entry("a", 2, 1, "nodes: 2"), self.entry("b", 2, 2, "nodes: 2"))
        self.assertEqual([phase["name"] for phase in self.json["phases"]], ["a: work", "b: work"])

    def test_each_job_has_a_world_of_its_own(self):
        done = self.run_file("jobs:\n" + self.entry("a", 2, 1, what="who") + self.entry("b", 1, 1, what="who"))
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["rank 0 of 1, program 0, universe 4, node0", "rank 0 of 2, program 0, universe 4, node0",
                          "rank 1 of 2, program 0, universe 4, node1"])

    def test_summary_has_a_line_for_each_job(self):
        done = self.run_file("jobs:\n" + self.entry("first one", 2, 1) + self.entry("b", 1, 1, "after: first one"))
        self.assertIn("the last job ends at: 2 s\n2 jobs on the 4 nodes", done.stderr)
        self.assertRegex(done.stderr, r"\n  first one +2 +2 +0 s +0 s +1 s +2 s +100\.0 %\n")
        self.assertRegex(done.stderr, r"\n  b +1 +1 +1 s +0 s +1 s +1 s +100\.0 %\n")

    def test_failure_names_the_job(self):
        done = self.run_file("jobs:\n" + self.entry("a", 2, 1) + self.entry("b", 2, 1, what="crash"))
        self.assertEqual(done.returncode, 1)
        self.assertIn('rank 3: the program\'s own code at job.c:', done.stderr)
        self.assertIn('rank 1 of job "b"', done.stderr)
        self.assertIn("(did not end)", done.stderr)

    def test_deadlock_names_the_job_of_each_rank(self):
        done = self.run_file("jobs:\n" + self.entry("a", 1, 1) + self.entry("b", 2, 1, what="stuck"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r'rank 1: MPI_Recv .*receive from rank 1, .*as rank 0 of job "b"')
        self.assertIn("cycle: rank 1 waits for 2, which waits for 1", done.stderr)

    def test_every_kind_of_result_is_written(self):
        done = self.run_file("jobs:\n" + self.entry("a", 2, 1) + self.entry("b", 1, 1), "--report", self.dir / "report",
                             "--html", self.dir / "page.html", "--trace-out", self.dir / "trace.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--schedule", (self.dir / "report" / "index.html").read_text())
        self.assertIn('"jobs":[{"name":"a"', (self.dir / "page.html").read_text())
        self.assertIn('"ideal_from":"clock"', (self.dir / "page.html").read_text())

    def test_equal_schedules_give_equal_bytes(self):
        texts = []
        for _ in range(2):
            self.jobs_of(self.entry("a", 3, 2, "nodes: 3"), self.entry("b", 2, 1, 'placement: "0,3"'))
            del self.json["simulation"]
            texts.append(json.dumps(self.json))
        self.assertEqual(texts[0], texts[1])


class Refusals(Base):
    def refused(self, wanted, text, *options):
        done = self.run_file(text, *options)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(wanted, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_files_are_refused_with_the_place(self):
        a = self.entry("a", 1, 1)
        self.refused('jobs.yaml:1:1: wanted "jobs:" with a list of jobs', "job: 1\n")
        self.refused("jobs.yaml:1:7: jobs: wanted a list of 1 to 1000 jobs", "jobs: []\n")
        self.refused('unknown key "rank" of a job, wanted name', "jobs:\n" + a + "    rank: 2\n")
        self.refused('jobs.yaml:6:5: two jobs have the name "a"', "jobs:\n" + a + a)
        self.refused('after: found "b", wanted the name of a job that stands earlier', "jobs:\n" + a + "    after: b\n")
        self.refused('after: found "a", wanted', "jobs:\n" + a + "    after: a\n")
        self.refused("nodes: '5' is out of range, wanted 1 to 4", "jobs:\n" + a + "    nodes: 5\n")
        self.refused('job "a": placement: ', "jobs:\n" + a + '    placement: "7"\n')
        self.refused("begin: ", "jobs:\n" + a + "    begin: 12 parsecs\n")
        self.refused('a job has no "ranks"', "jobs:\n  - {name: a, program: b}\n")
        self.refused("jobs: wanted a mapping for each job", "jobs: [7]\n")
        self.refused('unknown key "queue", wanted jobs', "jobs:\n" + a + "queue: 1\n")
        self.refused("there-is-none", "jobs:\n  - {name: a, program: ./there-is-none, ranks: 1}\n")

    def test_options_that_the_file_gives_are_refused(self):
        a = "jobs:\n" + self.entry("a", 1, 1)
        self.refused("found -n beside --schedule", a, "-n", 4)
        self.refused("found --placement beside --schedule", a, "--placement", "block")
        self.refused("found ./a beside --schedule", a, "./a")


class Programs(Base):
    def call(self, *words):
        return call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "--compute", "modelled", *words)

    def test_programs_share_a_world(self):
        done = self.call("-n", 2, self.job, 1, "who", ":", "-n", 1, self.job, 1, "who")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["rank 0 of 3, program 0, universe 4, node0", "rank 1 of 3, program 0, universe 4, node1",
                          "rank 2 of 3, program 1, universe 4, node2"])

    def test_incomplete_programs_are_refused(self):
        for wanted, words in ((("after ':' found 'nothing', wanted -n RANKS PROGRAM"), [":"]),
                              (("after ':' found 'prog', wanted -n RANKS PROGRAM"), [":", "prog"]),
                              (("-n: '0' is out of range, wanted 1 to"), [":", "-n", 0, "prog"]),
                              (("found 'nothing', wanted a program"), [":", "-n", 1])):
            done = self.call("-n", 1, self.job, *words)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
