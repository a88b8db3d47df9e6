#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who is to blame: of ten planted causes each is the first reason, with its ranks, its line, and the time without it, which is that
of the program without the cause.

usage: causes.py BIN_DIR SOURCE INCLUDE_DIR
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, call, paths, succeed  # noqa: E402  (the folder above)

BIN, SOURCE, INCLUDE = paths(3)
CLUSTER = """mpisim_cluster: 1
name: test
nodes: {nodes}
cores: {cores}
cpu: {{speed: {speed}}}
network:
  latency: 10us
  bandwidth: 100 MB/s
  intra_node: {{latency: 1us, bandwidth: 2 GB/s}}
protocol: {{eager_threshold: 16KiB}}
"""
NEAR = 0.1  # of the gain: what one replay without a cause may be off


class Base(OwnFolder):
    def setUp(self):
        super().setUp()
        self.program = self.dir / "causes"
        succeed(BIN / "mpisim-cc", "-g", f"-I{INCLUDE}", SOURCE, "-o", self.program)


class Causes(Base):
    """The first reason of each."""
    def run_one(self, cause, how, *options, nodes=8, cores=1, speed=1):
        cluster, out = self.dir / "cluster.yaml", self.dir / f"{how}.json"
        cluster.write_text(CLUSTER.format(nodes=nodes, cores=cores, speed=speed), encoding="utf-8")
        succeed(BIN / "mpisim-run", "--cluster", cluster, "-n", 8, *([] if "--compute" in options else ["--compute", "modelled"]),
                "--quiet", "--explain", "--json", out, *options, self.program, cause, how)
        return json.loads(out.read_text(encoding="utf-8"))

    def first(self, planted, removed, kind, ranks, line):
        self.assertTrue(planted["analysis"]["reasons"], "no reasons")
        reason = planted["analysis"]["reasons"][0]
        gain_s = planted["predicted_time_s"] - removed["predicted_time_s"]
        print(reason["text"], "|", reason["where"], "|", reason["without"], reason["gain_s"], "is", gain_s)
        self.assertEqual((reason["kind"], reason["ranks"]), (kind, ranks))
        self.assertGreater(gain_s, 0)
        self.assertLess(abs(reason["gain_s"] - gain_s), NEAR * gain_s)
        self.assertAlmostEqual(reason["predicted_time_s"] + reason["gain_s"], planted["predicted_time_s"])
        self.assertIn(line, reason["where"])
        return reason

    def planted(self, cause, kind, ranks, line, **more):
        return self.first(self.run_one(cause, "planted", **more), self.run_one(cause, "removed", **more), kind, ranks, line)

    def test_slow_rank(self):
        reason = self.planted("slow-rank", "slow_ranks", [5], "(slow_rank)")
        self.assertIn("rank 5 computes 3.0 times as long", reason["text"])
        self.assertIn("MPI_Allreduce", reason["after"])
        self.assertIn("MPI_Sendrecv", reason["before"])

    def test_a_rank_that_nobody_waits_for_is_not_slow(self):
        self.planted("chance", "slow_ranks", [5], "(chance)")

    def test_the_summary_says_who_called_the_function(self):
        cluster = self.dir / "cluster.yaml"
        cluster.write_text(CLUSTER.format(nodes=8, cores=1, speed=1), encoding="utf-8")
        for cause, function in (("slow-rank", "slow_rank"), ("lock", "lock")):
            text = call(BIN / "mpisim-run", "--cluster", cluster, "-n", "8", "--compute", "modelled", "--verbose", self.program, cause, "planted").stderr
            self.assertRegex(text, rf"1\. .*\({function}\)\n   called from causes\.c:\d+ \(main\)\n")

    def test_json_says_who_called_the_function_also_of_a_recorded_run(self):
        run, trace, again = self.run_one("slow-rank", "planted"), self.dir / "run.mtrace", self.dir / "again.json"
        succeed(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 8, "--compute", "modelled", "--quiet", "--record", trace, self.program, "slow-rank", "planted")
        succeed(BIN / "mpisim-replay", trace, "--cluster", self.dir / "cluster.yaml", "--quiet", "--explain", "--json", again)
        self.assertRegex(run["analysis"]["reasons"][0]["called_from"], r"^causes\.c:\d+ \(main\)$")
        self.assertEqual(json.loads(again.read_text(encoding="utf-8"))["analysis"]["reasons"], run["analysis"]["reasons"])

    def test_slow_rank_whose_time_is_measured(self):
        reason = self.run_one("spin", "planted", "--compute", "direct")["analysis"]["reasons"][0]
        print(reason["text"], reason["where"])
        self.assertIn(reason["kind"], ("slow_ranks", "imbalance"))  # others may be disturbed
        self.assertIn(5, reason["ranks"])
        self.assertIn("(spin)", reason["where"])

    def test_slow_node(self):
        planted = self.run_one("slow-node", "planted", nodes=4, cores=2, speed=[1, 1, 0.5, 1])
        removed = self.run_one("slow-node", "planted", nodes=4, cores=2)
        reason = self.first(planted, removed, "slow_node", [4, 5], "(slow_node)")
        self.assertIn("node 2 is slow", reason["text"])

    def test_serial_part(self):
        self.planted("serial", "serial", [0], "(serial)")

    def test_serial_part_after_which_the_run_ends(self):
        self.planted("tail", "serial", [0], "(tail)")

    def test_late_sender(self):
        self.planted("late-sender", "slow_ranks", [6], "(late_sender)")

    def test_late_receiver(self):
        self.planted("late-receiver", "slow_ranks", [3], "(late_receiver)")

    def test_imbalance(self):
        reason = self.planted("imbalance", "imbalance", [4, 5, 6, 7], "(imbalance)")
        self.assertIn("1.8 times the mean", reason["text"])

    def test_each_rank_is_late_in_its_turn(self):
        reason = self.planted("turns", "imbalance", list(range(8)), "(turns)")
        self.assertIn("the longest rank takes 2.40 times the mean each time", reason["text"])

    def test_contended_link(self):
        reason = self.planted("link", "contention", [4], "MPI_Send at causes.c")
        self.assertIn("into node 4", reason["text"])

    def test_time_at_other_bandwidths_with_the_knee(self):
        planted = self.run_one("link", "planted", "--report", self.dir / "report")
        curve, table = planted["analysis"]["bandwidth"], (self.dir / "report" / "bandwidth.csv").read_text(encoding="utf-8").splitlines()
        times = {point["bandwidth_Bps"]: point["predicted_time_s"] for point in curve["points"]}
        self.assertEqual(sorted(times), [12.5e6 * 2 ** i for i in range(8)])
        self.assertEqual([tuple(map(float, line.split(","))) for line in table[1:]], list(times.items()))
        self.assertEqual((curve["own_Bps"], times[1e8]), (1e8, planted["predicted_time_s"]))
        twice = self.run_one("link", "planted", "--set", "network.bandwidth=200MB/s", "--set", "network.intra_node.bandwidth=4GB/s")
        self.assertEqual(times[2e8], twice["predicted_time_s"])
        near = min(bandwidth for bandwidth, time_s in times.items() if time_s <= 1.05 * times[1.6e9])  # the knee is between it and the point before
        self.assertTrue(near / 2 <= curve["knee_Bps"] <= near, curve)

    def test_wrong_placement(self):
        planted = self.run_one("placement", "planted", "--placement", "cyclic", nodes=4, cores=2)
        removed = self.run_one("placement", "planted", "--placement", "block", nodes=4, cores=2)
        reason = self.first(planted, removed, "placement", [0, 1], "MPI_Sendrecv at causes.c")
        self.assertEqual(reason["option"], "--placement block")

    def test_small_messages(self):
        self.planted("small", "messages", [0], "(small)")

    def test_locks(self):
        reason = self.planted("lock", "locks", [1, 2, 3, 4, 5, 6, 7], "MPI_Win_lock at causes.c")
        self.assertIn("rank 0's window", reason["text"])


class Summary(Base):
    """What a plain run prints."""
    def summary(self, *options, **more):
        cluster = self.dir / "cluster.yaml"
        cluster.write_text(CLUSTER.format(nodes=8, cores=1, speed=1), encoding="utf-8")
        return [BIN / "mpisim-run", "--cluster", cluster, "-n", 8, "--compute", "modelled", *options, self.program, "slow-rank", "planted"]

    def test_twelve_lines_with_the_reason(self):
        text = succeed(*self.summary()).stderr
        self.assertLessEqual(len(text.strip().splitlines()), 12)
        self.assertRegex(text, r"(?s)predicted running time: .* ms\nefficiency .* = load balance .* x serialization .* x transfer .*\n"
                               r"1\. rank 5 computes 3\.0 times as long as others, at causes\.c:.*\n   if it were as fast as the others: .* less")
        self.assertNotIn("\033", text)
        self.assertNotRegex(text, r"\b0\.0 %|\b0 s\b")

    def test_a_run_that_hardly_computes_has_no_zeros(self):
        source, program = self.dir / "few.c", self.dir / "few"
        source.write_text('''#include <mpi.h>
#include <mpisim.h>
int main(int argc, char **argv)
{
	int rank;
	char byte = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	mpisim_add_compute_time(1e-9);
	for (int i = 0; i < 1000; i++)
		if (rank == i % 2)
			MPI_Send(&byte, 1, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(&byte, 1, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	mpisim_add_compute_time(0);
	MPI_Finalize();
	return 0;
}
''', encoding="utf-8")
        succeed(BIN / "mpisim-cc", "-g", f"-I{INCLUDE}", source, "-o", program)
        words = self.summary()[:-3]
        words[words.index("-n") + 1] = 2
        text = succeed(*words, program).stderr
        self.assertRegex(text, r"efficiency 1e-05 % = .* x transfer 1e-05 %\n")  # 1 ns of 10 ms
        self.assertNotRegex(text, r"\b0\.0 %|\b0 s\b")
        self.assertIn("called 4 times with 2e-09 s in all, which count only", succeed(*[word for word in words if word not in ("--compute", "modelled")], program).stderr)

    def test_verbose_has_the_tables_and_the_same_reason(self):
        text = succeed(*self.summary("--verbose")).stderr
        for part in ("where the time went", "MPI call, over all ranks", "who is to blame\n1. rank 5 computes"):
            self.assertIn(part, text)
        refused = call(*self.summary("--verbose", "--quiet"))
        self.assertEqual((refused.returncode, "--verbose says more" in refused.stderr), (2, True))

    def on_terminal(self, **environment):
        ours, theirs = os.openpty()
        with subprocess.Popen([str(word) for word in self.summary()], stderr=theirs, env={**os.environ, "TERM": "xterm", **environment}) as run:
            os.close(theirs)
            text = b""
            try:
                while piece := os.read(ours, 4096):
                    text += piece
            except OSError:  # the other end is closed
                pass
            self.assertEqual(run.wait(), 0)
        os.close(ours)
        return text.decode()

    def test_terminals_have_bars_and_colours(self):
        self.assertRegex(self.on_terminal(), "\033\\[1mpredicted running time.*\033\\[0m(?s:.*)█░")
        self.assertNotIn("\033[1m", self.on_terminal(NO_COLOR="1"))

    def test_a_replay_says_the_same(self):
        first = succeed(*self.summary("--record", self.dir / "run.mtrace")).stderr
        again = succeed(BIN / "mpisim-replay", self.dir / "run.mtrace").stderr
        reasons = re.findall(r"(?m)^1\. .*\n   .*", first)
        self.assertEqual((len(reasons), reasons), (1, re.findall(r"(?m)^1\. .*\n   .*", again)))

    def polls(self, how):
        options = ["--cluster", self.summary()[self.summary().index("--cluster") + 1], "--compute", "partial", "-n", 2]
        return succeed(BIN / "mpisim-run", *options, self.program, "polls", how).stderr

    def test_a_loop_that_only_polls_waits_for_who_is_late(self):
        self.assertRegex(self.polls("planted"), r"1\. rank 0 computes while the others wait, at .*\(polls\)")

    def test_a_recording_that_polls_would_blow_up_ends(self):
        text = self.polls("removed")
        self.assertIn("reasons are not known: ranks poll all the time: --explain looks at it", text)

    def test_without_lines_of_the_source_calls_are_named(self):
        plain = self.dir / "plain"
        succeed(BIN / "mpisim-cc", f"-I{INCLUDE}", SOURCE, "-o", plain)
        text = succeed(*self.summary()[:-3], plain, "slow-rank", "planted").stderr
        self.assertRegex(text, r"1\. rank 5 computes 3\.0 times as long as others, at MPI_Allreduce.* to MPI_Sendrecv")


unittest.main()
