#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --explain against runs with other networks, and on the applications.

usage: explain_runs.py BIN_DIR SOURCE_DIR APPS_DIR
"""
import json
import unittest

from explaining import APPS, Base, BIN, IDEAL, ROOT, call


class AgainstOtherRuns(Base):
    def test_derivatives_are_finite_differences_where_nothing_is_shared(self):
        time, a = self.case("ring", 4)
        d = a["critical_path"]["derivatives"]
        self.assertEqual((d["latency"], d["inverse_bandwidth_B"], d["inexact_s"]), (39, 39000, 0))
        other, _ = self.case("ring", 4, "--set", "network.latency=11us")
        self.near(other - time, d["latency"] * 1e-6, 1e-10)
        other, _ = self.case("ring", 4, "--set", "network.bandwidth=80 MB/s")
        self.near(other - time, d["inverse_bandwidth_B"] * (1 / 80e6 - 1 / 100e6), 1e-10)
        other, _ = self.case("ring", 4, "--set", "protocol.overhead.send=1us")
        self.near(other - time, 39e-6, 1e-10)
        other, _ = self.case("shared", 3, "--set", "network.bandwidth=50 MB/s")
        self.near(other, 0.04001, 1e-10)

    def test_the_ideal_clock_is_the_run_on_an_ideal_network(self):
        for name, n in [("late_sender", 2), ("barrier", 4), ("rooted", 4), ("shared", 3), ("ring", 4), ("many", 4)]:
            _, a = self.case(name, n)
            ideal, _ = self.case(name, n, *IDEAL)
            self.near(a["efficiency"]["ideal_time_s"], ideal, 1e-10)

    def test_a_request_meets_a_receive_that_was_posted_meanwhile(self):
        # rendezvous sent at 1.5 s, its request arrives at 2.5 s, the receive is posted at 2 s; without latency they
        # meet at 2 s, and the sender computes 1 s more
        _, a = self.case("posted", 2, "--set", "protocol.eager_threshold=0", "--set", "network.latency=1s")
        self.near(a["efficiency"]["ideal_time_s"], 3)

    def test_the_same_phases_of_two_runs_are_compared(self):
        lu = Applications.lu
        ideal = lu(self, *IDEAL)
        (self.dir / "ideal.json").write_text(json.dumps(ideal))
        run = lu(self, "--ideal", self.dir / "ideal.json")
        a, spans = run["analysis"], {(p["name"], p["index"]): p["span_s"] for p in ideal["phases"]}
        self.assertEqual(a["efficiency"]["ideal_from"], "run")
        self.assertEqual(a["efficiency"]["ideal_time_s"], ideal["predicted_time_s"])
        self.assertEqual(len(a["phases"]), 8)
        for phase in a["phases"]:
            self.assertEqual(phase["ideal_time_s"], spans[phase["name"], phase["index"]])
            self.near(phase["parallel"], phase["load_balance"] * phase["serialization"] * phase["transfer"], 1e-12)

    def test_what_is_no_ideal_run_is_refused(self):
        done = self.call(4, [self.dir / "waits", "barrier"])
        for text, wanted in [("", "ideal.json:1:0"), ("{}", "wanted what mpisim-run --json writes"),
                             (json.dumps(done), "found 4, wanted a run of the same program with 2 ranks"),
                             (json.dumps({**self.call(2, [self.dir / "waits", "many"])}),
                              'command[1]: found "many", wanted "barrier"'),
                             (json.dumps({**done, "exit": {"state": "failed"}}), "wanted a completed run")]:
            (self.dir / "ideal.json").write_text(text)
            words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", "2", "--ideal", self.dir / "ideal.json",
                     self.dir / "waits", "barrier"]
            run = call(*words)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(wanted, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_looking_changes_nothing_and_is_reproducible(self):
        program = [self.dir / "waits", "many"]
        runs = [self.call(4, program, explain=explain) for explain in (False, True, True)]
        for run in runs:
            del run["simulation"]
        self.assertEqual(runs[1], runs[2])
        del runs[1]["analysis"]
        self.assertEqual(runs[0], runs[1])


class Applications(Base):
    def lu(self, *options):
        return self.call(16, [APPS / "lu", "--n", 2592, "--r", 324, "--variant", "basic"], ["--no-alloc", *options],
                         ROOT / "clusters" / "ultrasparc-fast-ethernet.yaml", ROOT / "apps" / "lu" / "ultrasparc.bench")

    def test_lu(self):
        run = self.lu()
        self.check(run)
        ideal = self.lu(*IDEAL)["predicted_time_s"]
        self.near(run["analysis"]["efficiency"]["ideal_time_s"] / ideal, 1, 1e-3)

    def test_others(self):
        protocols = ["--set", "protocol.eager_threshold=1KiB", "--set", "protocol.overhead=1us", "--set",
                     "protocol.progress=in_mpi", "--set", "cpu.communication_cost.incoming=0.1"]
        for program in (["jacobi"], ["sor"], ["tsp"], ["pingpong"]):
            for options in ([], protocols, [*protocols, "--isolation", "copy", "--placement", "0*2,1*2"]):
                n = 2 if program[0] == "pingpong" else 4
                words = [o.replace("0*2,1*2", "0,0") if n == 2 else o for o in options]
                run = self.call(n, [APPS / program[0], *program[1:]], words, mode="direct")
                self.check(run)


if __name__ == "__main__":
    unittest.main()
