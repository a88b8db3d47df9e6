#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --explain with a schedule.

usage: explain_jobs.py BIN_DIR SOURCE_DIR APPS_DIR
"""
import json
import unittest

from explaining import Base, IDEAL, ps


class Jobs(Base):
    """Each job of a schedule has an analysis of its own: that of the same program alone, where they share nothing."""
    CASES = [("late_sender", 2, "0s"), ("in_turn", 2, "1s"), ("barrier", 3, "0s")]

    def schedule(self, *options):
        jobs = "".join(f"  - {{name: {name}, program: {self.dir}/waits, arguments: [{name}], ranks: {n}, nodes: {n}, begin: {begin}, "
                       f"bench: {self.dir}/kernels.bench}}\n" for name, n, begin in self.CASES)
        (self.dir / "jobs.yaml").write_text("jobs:\n" + jobs)
        return self.call(None, [], ["--set", "nodes=4", "--schedule", self.dir / "jobs.yaml", *options])

    def same(self, job, alone):
        for key, value in alone["efficiency"].items():
            if isinstance(value, float):
                self.near(job["efficiency"][key], value, 1e-11)
            else:
                self.assertEqual(job["efficiency"][key], value, key)
        path, wanted = job["critical_path"], alone["critical_path"]
        self.near(path["length_s"], wanted["length_s"])
        for part, seconds in wanted["parts_s"].items():
            self.near(path["parts_s"][part], seconds)
        self.assertEqual(self.blame(job).keys(), self.blame(alone).keys())
        self.assertEqual(path["derivatives"], wanted["derivatives"])
        self.assertEqual(job["wait_states"], alone["wait_states"]["all"])

    def test_jobs_that_share_nothing_are_as_they_are_alone(self):
        run = self.schedule()
        text = " ".join(self.text.split())
        a, begins = run["analysis"], {job["name"]: job["begin_s"] for job in run["jobs"]}
        self.assertEqual([job["name"] for job in a["jobs"]], [name for name, _, _ in self.CASES])
        # the third waits for nodes until both others are over
        self.near(begins["barrier"], run["jobs"][1]["end_s"])
        for job, (name, n, _) in zip(a["jobs"], self.CASES):
            _, alone = self.case(name, n)
            self.same(job, alone)
            for window in job["efficiency_curve"]:
                self.assertGreaterEqual(window["begin_s"], begins[name])
            self.near(sum((w["end_s"] - w["begin_s"]) * w["parallel"] for w in job["efficiency_curve"]),
                      job["efficiency"]["useful_mean_s"], 1e-6)
            phases = {p["name"]: p["load_balance"] for p in alone["phases"]}
            for phase in a["phases"]:
                job_name, own_name = phase["name"].split(": ")
                if job_name == name:
                    self.near(phase["load_balance"], phases[own_name], 1e-9)
        # the path of the whole is that of the last job, and what was before it
        tree = a["efficiency"]
        self.near(tree["time_s"], run["predicted_time_s"])
        self.assertEqual(ps(sum(a["critical_path"]["parts_s"].values())), ps(run["predicted_time_s"]))
        self.near(a["critical_path"]["parts_s"]["start"], begins["barrier"])
        self.assertIn("critical path of late_sender", text)
        self.assertRegex(text, "all jobs .* late_sender .* in_turn .* barrier")

    def test_equal_places_of_several_jobs_are_told_by_their_job(self):
        """The same program and case twice: call and place alone are the same."""
        jobs = "".join(f"  - {{name: {name}, program: {self.dir}/waits, arguments: [late_sender], ranks: 2, nodes: 2, bench: {self.dir}/kernels.bench}}\n"
                       for name in ("first", "second"))
        (self.dir / "jobs.yaml").write_text("jobs:\n" + jobs)
        run = self.call(None, [], ["--set", "nodes=4", "--schedule", self.dir / "jobs.yaml"])
        sites = [(site["call"], site["site"], site["job"]) for site in run["analysis"]["wait_states"]["sites"]]
        self.assertEqual(len(set(sites)), len(sites))
        self.assertEqual({job for _, _, job in sites}, {"first", "second"})
        self.assertRegex(self.text, r"late sender .*waits.c:\d+ \(recv\) of first")
        self.assertRegex(self.text, r"late sender .*waits.c:\d+ \(recv\) of second")

    def test_an_ideal_run_of_the_schedule_is_compared_job_by_job(self):
        ideal = self.schedule(*IDEAL)
        (self.dir / "ideal.json").write_text(json.dumps(ideal))
        a = self.schedule("--ideal", self.dir / "ideal.json")["analysis"]
        self.assertEqual(a["efficiency"]["ideal_time_s"], ideal["predicted_time_s"])
        for job, same in zip(a["jobs"], ideal["jobs"]):
            self.near(job["efficiency"]["ideal_time_s"], same["end_s"] - same["begin_s"])
            self.assertEqual(job["efficiency"]["ideal_from"], "run")


if __name__ == "__main__":
    unittest.main()
