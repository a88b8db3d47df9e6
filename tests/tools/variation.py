#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The variation of a cluster file: a plain run is the median of several.

usage: variation.py BIN_DIR PROGRAM ROOT
"""
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, call, paths  # noqa: E402  (the folder above)

BIN, PROGRAM, ROOT = paths(3)
PLAIN = """mpisim_cluster: 1
nodes: 4
network: {latency: 100us, bandwidth: 10 MB/s}
"""
VARIED = PLAIN + "variation: {computation: 0.01, messages: 0.01}\n"
SEEDS = list(range(9))
COST = re.compile(r'"simulation": \{.*?\}', re.DOTALL)


class Variation(OwnFolder):
    def setUp(self):
        super().setUp()
        (self.dir / "plain.yaml").write_text(PLAIN)
        (self.dir / "varied.yaml").write_text(VARIED)

    def call(self, what, *options, cluster="varied", compute="modelled", env=None, ranks=4, **given):
        words = [BIN / "mpisim-run", "--cluster", f"{cluster}.yaml", "-n", ranks, "--compute", compute, *options, PROGRAM, what, "ran"]
        return call(*words, timeout=120, cwd=self.dir, env=os.environ | (env or {}), **given or {"stdin": subprocess.DEVNULL})

    def result(self, what, *options, status=0, **more):
        done = self.call(what, "--json", "out.json", *options, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads((self.dir / "out.json").read_text())

    def replay(self, *options):
        done = call(str(BIN / "mpisim-replay"), "run.mtrace", "--json", "replay.json", *options, timeout=120, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.dir / "replay.json").read_text())

    def n_ran(self):
        return len((self.dir / "ran").read_text().split())

    def test_a_plain_run_is_the_median_and_says_so(self):
        done = self.call("ring", "--verbose", "--json", "out.json")
        found = json.loads((self.dir / "out.json").read_text())
        interval = found["prediction_interval"]
        times = interval["times_s"]
        self.assertEqual((done.returncode, len(times), interval["first_seed"]), (0, 9, 0))
        self.assertEqual(len(set(times)), 9)
        self.assertEqual(found["predicted_time_s"], statistics.median(times))
        self.assertEqual(times[interval["reported_seed"]], found["predicted_time_s"])
        self.assertEqual(found["settings"]["vary_compute"], 0.01)
        self.assertEqual(found["settings"]["vary_transfer"], 0.01)
        self.assertRegex(done.stderr, r"prediction: [0-9.]+ m?s \(80 %: [0-9.]+ … [0-9.]+\), median of 9 runs with seeds 0 … 8\n"
                         rf"the run described here has seed {interval['reported_seed']}; computations vary by up to 1 %, messages by up to 1 %\n")

    def test_the_program_runs_and_prints_once(self):
        done = self.call("ring")
        self.assertEqual((done.stdout, self.n_ran()), ("here\n", 1))

    def test_each_of_the_runs_is_that_of_its_seed(self):
        times = self.result("ring", "--seed", 3)["prediction_interval"]["times_s"]
        alone = [self.result("ring", "--seed", 3 + k, "--repeat", 1) for k in SEEDS]
        self.assertEqual([one["predicted_time_s"] for one in alone], times)
        self.assertNotIn("prediction_interval", alone[0])

    def test_what_is_reported_is_the_run_with_the_medians_seed(self):
        # all figures but those that say how many runs there were, and which
        several = self.result("ring", "--explain")
        one = self.result("ring", "--explain", "--repeat", 1, "--seed", several["prediction_interval"]["reported_seed"])
        self.assertNotEqual(several["prediction_interval"]["reported_seed"], 0)
        for found in (one, several):
            for key in ("simulation", "prediction_interval", "seed"):
                found.pop(key, None)
        self.assertEqual(several, one)

    def test_deterministic_is_the_run_without_variation(self):
        one, other = self.result("ring", "--deterministic"), self.result("ring", cluster="plain")
        self.assertNotIn("prediction_interval", one)
        for found in (one, other):
            for key in ("simulation", "cluster"):
                found.pop(key)
        self.assertEqual(one, other)

    def test_a_cluster_without_variation_makes_one_run(self):
        self.assertNotIn("prediction_interval", self.result("ring", cluster="plain"))
        self.assertNotIn("prediction_interval", self.result("ring", "--vary-compute", 0.01, cluster="plain"))
        self.assertNotIn("prediction_interval", self.result("ring", "--set", "variation.computation=0", "--set", "variation.messages=0"))

    def test_the_same_input_gives_the_same_bytes(self):
        for what in ("ring", "race"):
            both = []
            for _ in range(2):
                done = self.call(what, "--json", "out.json", "--html", "out.html", "--trace-out", "trace.json")
                self.assertEqual(done.returncode, 0, done.stderr)
                both.append([COST.sub("", (self.dir / "out.json").read_text()), (self.dir / "trace.json").read_text()])
            self.assertEqual(*both)

    def test_options_replace_the_files_amplitudes(self):
        found = self.result("ring", "--vary-compute", 0.2)
        wide = found["prediction_interval"]
        narrow = self.result("ring")["prediction_interval"]
        self.assertEqual(found["settings"]["vary_compute"], 0.2)
        self.assertEqual(found["settings"]["vary_transfer"], 0.01)
        self.assertGreater(wide["high_s"] - wide["low_s"], 3 * (narrow["high_s"] - narrow["low_s"]))

    def test_long_runs_are_repeated_less_often(self):
        # 4 ranks of 10000 rounds: 40000 messages, of 200000 that are replayed at most
        self.assertEqual(len(self.result("ring", env={"ROUNDS": "10000"})["prediction_interval"]["times_s"]), 5)

    def test_a_course_that_depends_on_time_is_run_again(self):
        times = self.result("race")["prediction_interval"]["times_s"]
        self.assertEqual(times, [self.result("race", "--seed", k, "--repeat", 1)["predicted_time_s"] for k in SEEDS])

    def test_the_reported_run_of_a_race_is_that_of_its_seed(self):
        several = self.result("race", "--explain")
        one = self.result("race", "--explain", "--repeat", 1, "--seed", several["prediction_interval"]["reported_seed"])
        for found in (one, several):
            for key in ("simulation", "prediction_interval", "seed"):
                found.pop(key, None)
        self.assertEqual(several, one)

    def test_measured_computation_is_not_executed_again(self):
        for what in ("ring", "race"):
            (self.dir / "ran").write_text("")
            found = self.result(what, compute="direct")
            self.assertEqual(len(found["prediction_interval"]["times_s"]), 9)
            self.assertEqual(found["predicted_time_s"], found["prediction_interval"]["median_s"])
            self.assertEqual(self.n_ran(), 1)

    def test_what_cannot_be_recorded_runs_once_and_says_why(self):
        found = self.result("failing")
        self.assertNotIn("prediction_interval", found)
        self.assertEqual(len(found["warnings"]), 1)
        self.assertRegex(found["warnings"][0], "the prediction is one run with variation, not the median of several: "
                         "MPI_Sendrecv returned error")
        self.assertEqual(found["predicted_time_s"], self.result("failing", "--repeat", 1)["predicted_time_s"])
        self.assertEqual(self.n_ran(), 2)

    def test_a_seed_that_fails_leaves_one_run_and_is_named(self):
        # two ranks send at the same time: which of them comes last depends on the seed, and where it is not the one of seed 0 the program fails
        fails = self.call("late", "--repeat", 1, env={"LAST": "1"}).returncode
        found = self.result("late", env={"LAST": "2" if fails else "1"})
        self.assertNotIn("prediction_interval", found)
        self.assertRegex(" ".join(found["warnings"]), r"one run with variation, not the median of several: .*seed \d+ failed")

    def test_further_runs_read_the_same_file(self):
        (self.dir / "input").write_text("what stands before\n3\n")
        times = []
        for options in ((), *(("--repeat", 1, "--seed", k) for k in SEEDS)):
            with open(self.dir / "input", "rb", buffering=0) as file:
                file.seek(len("what stands before\n"))
                times.append(self.result("input", *options, stdin=file))
        self.assertGreater(times[0]["predicted_time_s"], 3 * 20e-3)
        self.assertEqual(times[0]["prediction_interval"]["times_s"], [one["predicted_time_s"] for one in times[1:]])

    def test_input_that_is_gone_leaves_one_run_and_a_word(self):
        found = self.result("input", input="3\n")
        self.assertNotIn("prediction_interval", found)
        self.assertEqual(found["predicted_time_s"], self.result("input", "--repeat", 1, input="3\n")["predicted_time_s"])
        self.assertEqual(found["warnings"], ["the prediction is one run with variation, not the median of several: the program reads standard "
                                             "input, which the further runs have only if it is a file"])
        done = self.call("input", "--repeat", 3, input="3\n")
        self.assertEqual((done.returncode, "prediction:" in done.stderr), (2, False))
        self.assertIn("mpisim-run: --repeat: the program reads standard input, which the further runs have only if it is a file", done.stderr)

    def test_a_program_that_finds_what_it_left_runs_once_and_says_so(self):
        found = self.result("resume")
        self.assertNotIn("prediction_interval", found)
        self.assertGreater(found["predicted_time_s"], 1.5 * self.result("race", "--repeat", 1)["predicted_time_s"])
        self.assertRegex(" ".join(found["warnings"]), r"one run with variation, not the median of several: the program does something else when it "
                         r"is run again: with seed 0 it took [0-9.]+ s, then [0-9.]+ s; does it read what it wrote before\?")
        self.assertNotIn("warnings", [key for key, value in self.result("resume").items() if key == "warnings" and value])

    def test_an_interrupt_of_further_runs_says_that_the_program_had_ended(self):
        words = [BIN / "mpisim-run", "--cluster", "varied.yaml", "-n", 4, "--compute", "modelled", PROGRAM, "endless", "ran"]
        process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   cwd=self.dir)
        while process.poll() is None and (not (self.dir / "ran").exists() or self.n_ran() < 2):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertRegex(said, r"\nmpisim-run: the run ended at [0-9.]+ m?s of simulated time, those with further seeds did not\n")

    def test_input_that_nobody_reads_does_not_matter(self):
        self.assertEqual(self.result("race", input="3\n")["prediction_interval"], self.result("race")["prediction_interval"])

    def test_an_exit_code_is_not_repeated(self):
        found = self.result("exit", status=1)
        self.assertNotIn("prediction_interval", found)
        self.assertEqual(self.n_ran(), 1)

    def test_a_trace_predicts_what_the_run_did(self):
        run = self.result("ring", "--record", "run.mtrace")
        replay = self.replay()
        self.assertEqual(replay["prediction_interval"], run["prediction_interval"])
        self.assertEqual(replay["predicted_time_s"], run["predicted_time_s"])
        self.assertEqual(self.n_ran(), 1)
        self.assertEqual(self.replay("--deterministic")["predicted_time_s"], self.result("ring", "--deterministic")["predicted_time_s"])
        self.assertNotIn("prediction_interval", self.replay("--cluster", "plain.yaml"))

    def test_a_trace_of_measured_computation_predicts_what_the_run_did(self):
        for what, compute in (("race", "direct"), ("race", "partial"), ("ring", "direct")):
            run = self.result(what, "--record", "run.mtrace", "--explain", compute=compute)
            replay = self.replay("--explain")
            for found in (run, replay):
                for key in ("simulation", "warnings"):
                    found.pop(key)
            self.assertEqual(replay, run)

    def test_what_collects_measurements_runs_once(self):
        run = self.result("ring", "--record", "run.mtrace", "--bench-out", "bench", compute="collect")
        replay = self.replay()
        self.assertEqual(("prediction_interval" in run, "prediction_interval" in replay), (False, False))
        self.assertEqual(replay["predicted_time_s"], run["predicted_time_s"])

    def test_a_deterministic_trace_is_replayed_as_one_run(self):
        run = self.result("ring", "--record", "run.mtrace", "--deterministic")
        replay = self.replay()
        self.assertEqual((replay["predicted_time_s"], "prediction_interval" in replay), (run["predicted_time_s"], False))

    def test_repeat_varies_as_the_file_says(self):
        found = self.result("ring", "--repeat", 5)
        self.assertEqual(found["prediction_interval"]["times_s"], self.result("ring")["prediction_interval"]["times_s"][:5])

    def test_contradictions_are_refused(self):
        for option in (("--repeat", 3), ("--vary-compute", 0.1), ("--vary-transfer", 0.1), ("--vary-cluster",)):
            done = self.call("ring", "--deterministic", *option)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"--deterministic is one run without variation; found {option[0]}", done.stderr)
        for value in ("1", "-0.1", "much"):
            done = self.call("ring", "--set", f"variation.computation={value}")
            self.assertEqual(done.returncode, 2)
            self.assertIn("variation.computation", done.stderr)

    def test_the_files_of_real_libraries_vary_and_thesis_ones_do_not(self):
        for path in sorted([*ROOT.glob("validation/emulated/*.yaml"), *ROOT.glob("clusters/*.yaml")]):
            is_real = "calibrated" in path.read_text(encoding="utf-8")
            self.assertEqual(re.search("^variation:", path.read_text(encoding="utf-8"), re.M) is not None, is_real, path)


unittest.main()
