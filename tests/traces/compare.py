#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--compare: another run beside this one, in --json and in the summary.

usage: compare.py BIN_DIR
"""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402  (the folder above)

ignore_leaks()
(BIN,) = paths(1)
CLUSTER = "mpisim_cluster: 1\nnodes: 2\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
# Rank 1 computes 1 s, then both 0.5 s; rank 0 waits for it in a barrier.
PROGRAM = r"""
#include <mpi.h>
#include <mpisim.h>
static void kernel(const char *name)
{
	if (mpisim_kernel_begin(name, 0, NULL)) {}
	mpisim_kernel_end();
}
int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		kernel("late");
	MPI_Barrier(MPI_COMM_WORLD);
	mpisim_phase_begin("even");
	kernel("both");
	mpisim_phase_end();
	MPI_Finalize();
	return 0;
}
"""


class Compared(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "program.c").write_text(PROGRAM)
        (cls.dir / "program.bench").write_text("model,late,1\nmodel,both,0.5\n")
        cls.made(BIN / "mpisim-cc", "-g", cls.dir / "program.c", "-o", cls.dir / "program")
        cls.run_it("--json", cls.dir / "before.json", "--explain")

    @classmethod
    def run_it(cls, *options):
        return call(BIN / "mpisim-run", "--cluster", cls.dir / "cluster.yaml", "-n", "2", "--compute", "modelled", "--bench", cls.dir / "program.bench",
                    *options, cls.dir / "program", timeout=60)

    def compared(self, *options):
        path = self.dir / "after.json"
        done = self.run_it("--json", path, "--compare", self.dir / "before.json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(path.read_text())["compared"], done.stderr

    def test_changes_are_listed_largest_first(self):
        found, _ = self.compared("--scale", "late=0.25", "--explain")
        self.assertAlmostEqual(found["before_s"], 1.5, delta=1e-3)
        self.assertAlmostEqual(found["after_s"], 0.75, delta=1e-3)
        self.assertEqual((found["file"], found["before_ranks"]), (str(self.dir / "before.json"), 2))
        kernels = [(one["name"], one["before_s"], one["after_s"]) for one in found["kernels"]]
        self.assertEqual(kernels, [("late", 1, 0.25), ("both", 1, 1)])
        self.assertEqual([one["name"] for one in found["mean_rank"]][:2], ["computing", "waiting"])  # 0.375 s each, but for the barrier's own time
        efficiency = {one["name"]: one for one in found["efficiency"]}
        self.assertAlmostEqual(efficiency["load balance"]["before"], 1 / 1.5, places=4)
        self.assertAlmostEqual(efficiency["load balance"]["after"], 0.625 / 0.75, places=4)
        self.assertEqual([one["name"] for one in found["phases"]], ["even"])
        for key, unit in (("kernels", "_s"), ("calls", "_s"), ("mean_rank", "_s"), ("efficiency", "")):
            changes = [abs((one["after" + unit] or 0) - (one["before" + unit] or 0)) for one in found[key]]
            self.assertEqual(changes, sorted(changes, reverse=True))

    def test_a_reason_that_goes_has_no_gain_after(self):
        found, _ = self.compared("--scale", "late=0.001", "--explain")
        gone = [one for one in found["reasons"] if one["after_s"] is None]
        self.assertTrue(gone and "rank 1" in gone[0]["name"], found["reasons"])
        self.assertAlmostEqual(gone[0]["before_s"], 0.5, delta=1e-3)  # without: both compute half of it

    def test_factors_that_one_run_does_not_know_are_left_out(self):
        found, _ = self.compared("--quiet")
        self.assertEqual([one["name"] for one in found["efficiency"]], ["dynamic efficiency"])
        self.assertNotIn("reasons", found)

    def test_the_summary_says_it(self):
        _, text = self.compared("--scale", "late=0.25")
        self.assertRegex(text, r"compared with .*before\.json: 1\.5 s before, 750 ms now, 50\.0 % less\n")
        self.assertNotIn("kernel, over all ranks", text)
        _, text = self.compared("--scale", "late=0.25", "--verbose")
        self.assertRegex(text, r"\n  late +1 s +250 ms -750 ms\n")
        self.assertTrue(all(len(line) <= 100 for line in text.splitlines() if re.search(r" [+-]\d", line)))

    def test_the_same_run_does_not_differ(self):
        found, text = self.compared("--verbose")
        self.assertTrue(all(one["before_s"] == one["after_s"] for one in found["kernels"] + found["calls"]))
        self.assertRegex(text, r"compared with .*: 1\.5 s before, 1\.5 s now\n")

    def test_what_is_no_run_is_refused_before_the_run(self):
        (self.dir / "no.json").write_text("{}")
        (self.dir / "broken.json").write_text("{")
        for name, wanted in (("no.json", "no.json: found no run, wanted what mpisim-run --json writes"), ("broken.json", "broken.json:1:1:"), ("nowhere.json", "cannot read"), (".", "Is a directory")):
            done = self.run_it("--compare", self.dir / name)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--compare: ", done.stderr)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    unittest.main()
