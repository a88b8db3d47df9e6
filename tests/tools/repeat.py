#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --repeat: intervals of predictions.

usage: repeat.py MPISIM_RUN PINGPONG
"""
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, call, paths  # noqa: E402  (the folder above)

RUN, PINGPONG = paths(2)
CLUSTER = """mpisim_cluster: 1
nodes: 2
network: {latency: 100us, bandwidth: 10 MB/s}
uncertainty: {network.latency: [90us, 110us], network.bandwidth: [9 MB/s, 11 MB/s]}
"""


class Repeat(OwnFolder):
    cluster_text = CLUSTER

    def words(self, *options, program=PINGPONG):
        return list(map(str, [RUN, "--cluster", "cluster.yaml", "-n", 2, "--compute", "modelled", *options, program]))

    def call(self, *options, **more):
        return call(*self.words(*options, **more), timeout=120, cwd=self.dir)

    def interval(self, *options):
        done = self.call("--vary-cluster", "--quiet", "--json", "out.json", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads((self.dir / "out.json").read_text())

    def test_the_interval_lies_between_order_statistics(self):
        # 99 times: with k = 5 a further one is between the 5th and the 95th with probability 90 / 100
        out = self.interval("--repeat", 99, "--interval", 90)["prediction_interval"]
        times = sorted(out["times_s"])
        self.assertEqual((out["low_s"], out["median_s"], out["high_s"]), (times[4], times[49], times[94]))
        self.assertAlmostEqual(out["coverage"], .9, 12)
        self.assertEqual(len(set(times)), 99)

    def test_few_runs_cover_what_they_can(self):
        out = self.interval("--repeat", 4)["prediction_interval"]
        times = sorted(out["times_s"])
        self.assertEqual((out["low_s"], out["high_s"]), (times[0], times[3]))
        self.assertEqual(out["median_s"], (times[1] + times[2]) / 2)
        self.assertAlmostEqual(out["coverage"], 3 / 5, 12)

    def test_thirty_nine_runs_cover_ninety_five_percent(self):
        self.assertAlmostEqual(self.interval("--repeat", 39)["prediction_interval"]["coverage"], .95, 12)

    def test_each_run_is_that_of_its_seed_alone(self):
        out = self.interval("--repeat", 4, "--seed", 5)
        times = out["prediction_interval"]["times_s"]
        self.assertEqual((out["predicted_time_s"], out["prediction_interval"]["first_seed"]), (times[0], 5))
        for k, wanted in enumerate(times):
            self.assertEqual(self.interval("--seed", 5 + k)["predicted_time_s"], wanted)

    def test_equal_seeds_give_equal_intervals(self):
        one, two = (self.interval("--repeat", 20)["prediction_interval"] for _ in range(2))
        self.assertEqual(one, two)

    def test_the_summary_says_it_in_one_line_and_the_program_prints_once(self):
        done = self.call("--vary-cluster", "--repeat", 9, "--seed", 3)
        self.assertRegex(done.stderr, r"prediction: [0-9.]+ m?s \(80 %: [0-9.]+ … [0-9.]+\), median of 9 runs with seeds 3 … 11\n")
        self.assertEqual(done.stdout.count("\n"), self.call().stdout.count("\n"))

    def test_time_only_is_a_number_and_nothing_else(self):
        done = self.call("--time-only", "time", "--json", "out.json", "--report", "report")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(float((self.dir / "time").read_text()), 0)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["cluster.yaml", "time"])

    def test_time_only_refuses_what_it_would_not_write(self):
        for option in ("--record", "--trace-out", "--html"):
            done = self.call("--time-only", "time", option, "other")
            self.assertEqual((done.returncode, f"found {option}" in done.stderr), (2, True), done.stderr)
            self.assertEqual([p.name for p in self.dir.iterdir()], ["cluster.yaml"])

    def test_a_run_that_fails_leaves_no_time_of_another_one(self):
        (self.dir / "time").write_text("1\n")
        done = self.call("--time-only", "time", "--set", "cores=0")
        self.assertEqual((done.returncode, (self.dir / "time").read_text()), (2, "1\n"), done.stderr)
        done = call(*self.words("--time-only", "time", program="/bin/false"), timeout=60, cwd=self.dir)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual((self.dir / "time").read_text(), "")

    def test_options_that_end_with_two_dashes_reach_the_further_runs(self):
        out = call(*self.words("--vary-cluster", "--repeat", 3, "--json", "o.json", "--", program="--")[:-1], str(PINGPONG), timeout=60, cwd=self.dir)
        self.assertEqual(out.returncode, 0, out)
        self.assertEqual(len(json.loads((self.dir / "o.json").read_text())["prediction_interval"]["times_s"]), 3)

    def test_a_run_that_fails_is_named_by_its_seed(self):
        script = self.dir / "flaky.c"
        script.write_text('#include <mpi.h>\nint main(int c, char **v) { double t; MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); '
                          't = MPI_Wtime(); MPI_Finalize(); return t > 1.1e-4; }')
        subprocess.run([str(RUN.parent / "mpisim-cc"), str(script), "-o", str(self.dir / "flaky")], check=True)
        # a barrier takes one latency here: with more than 110 us, and only then, it fails
        done = self.call("--vary-cluster", "--repeat", 200, program=self.dir / "flaky")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"mpisim-run: --repeat: the run with seed \d+ failed; --repeat 1 --seed \d+ shows why")
        self.assertNotIn("prediction:", done.stderr)

    def test_wrong_usage_is_refused(self):
        for wanted, *options in (("found nothing that varies", "--repeat", 9), ("--interval needs --repeat", "--interval", 95),
                                 ("wanted at least 39 runs", "--vary-cluster", "--repeat", 38, "--interval", 95),
                                 ("wanted at least 199 runs", "--vary-cluster", "--repeat", 38, "--interval", 99),
                                 ('--interval: found "100"', "--vary-cluster", "--repeat", 38, "--interval", 100),
                                 ("--repeat", "--repeat", 0), ("--vary-cluster: found no intervals", "--vary-cluster", "--set", "uncertainty={}")):
            done = self.call(*options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(wanted, done.stderr)

    def test_an_interrupt_ends_all_runs(self):
        process = subprocess.Popen(self.words("--vary-cluster", "--repeat", 100000), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, cwd=self.dir)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text():  # the first run is under way
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertIn("interrupted", said)
        self.assertNotIn("prediction:", said)
        self.assertNotIn(" 0 of ", said)  # ranks of the first run, which have all ended


unittest.main()
