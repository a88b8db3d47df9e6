#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads of ranks: what they compute counts, on the cores that their rank holds.

usage: threads.py BIN_DIR SOURCE_DIR

The programs' threads use a stated CPU time each, by their own clocks, so no other load changes what is to be predicted.
"""
import json
import os
import unittest

from base import BIN, HERE
from harness import Folder, call
CLUSTER = """mpisim_cluster: 1
nodes: 2
cores: 8
network:
  latency: 1us
  bandwidth: 1 GB/s
"""
# Above what the threads say they compute: their start, waking each other, the last look at their clocks.
TOLERANCE = 0.04


THREADS_TOLD = "mpisim-run: warning: ranks computed with threads: the efficiency and the times of ranks count each rank as one core\n"


class Base(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made(BIN / "mpisim-cc", "-g", "-O1", "-fopenmp", HERE / "programs" / "threads.c", "-o", "program")

    def start(self, what, *options, ranks=1, threads=None):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
        if threads:
            environment["OMP_NUM_THREADS"] = str(threads)
        return call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", *options, "-n", ranks, "./program", what,
                    cwd=self.dir, env=environment)

    def takes(self, expected_ms, what, cores, more=(), **how):
        done = self.start(what, "--cpus-per-rank", cores, *more, **how)
        self.assertEqual((done.returncode, done.stderr), (0, THREADS_TOLD), done)
        found = float(done.stdout.split()[0])
        self.assertGreaterEqual(found, expected_ms, (what, cores))
        self.assertLess(found, expected_ms * (1 + TOLERANCE), (what, cores))


class Times(Base):
    def test_a_region_takes_its_serial_part_and_its_cpu_time_by_cores(self):
        for cores, threads in ((1, 1), (1, 4), (2, 4), (4, 4), (8, 8), (4, 8), (8, 2)):
            self.takes(20 + 40 * max(1, threads / cores), "region", cores, threads=threads)

    def test_barriers_wait_for_the_last_thread(self):
        self.takes(40 + 40, "barriers", 4)  # each thread alone computes 50 ms
        self.takes(2 * (10 + 20 + 30 + 40), "barriers", 1)

    def test_work_that_threads_take_as_it_comes_is_spread_evenly(self):
        # 80 ms by a dynamic loop, 40 by a guided one, 40 by tasks; then sections of 10 and 30 ms
        self.takes(160 / 4 + 30, "loops", 4)
        self.takes(160 / 2 + 30, "loops", 2)
        self.takes(160 + 40, "loops", 1)

    def test_threads_that_are_joined_begin_when_they_are_created(self):
        self.takes(30 + 2 * 50, "joined", 1)
        self.takes(30 + 50, "joined", 2)

    def test_threads_compute_while_their_rank_waits(self):
        self.takes(60, "beside", 2)  # 60 ms beside 40 ms of waiting

    def test_a_pool_waits_for_its_rank_and_its_rank_for_the_pool(self):
        self.takes(2 * (20 + 30), "pool", 2)
        self.takes(2 * (20 + 2 * 30), "pool", 1)

    def test_threads_of_which_nothing_is_known_are_told(self):
        done = self.start("lost")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: threads of rank 0 computed up to .* that nobody was seen to wait for")

    def test_threads_that_a_library_starts_when_it_is_loaded_are_told(self):
        (self.dir / "early.c").write_text("#include <pthread.h>\nstatic void *run(void *none) { return none; }\nint early;\n"
                                          "__attribute__((constructor)) static void begin(void)\n"
                                          "{ pthread_t id; early = pthread_create(&id, 0, run, 0); }\n")
        (self.dir / "main.c").write_text("#include <mpi.h>\nint early_code(void);\n"
                                         "int main(void) { MPI_Init(0, 0); MPI_Finalize(); return 0; }\n")
        for words in (["-shared", "-fPIC", "-o", "libearly.so", "early.c"], ["-o", "main", "main.c", "-Wl,--no-as-needed", "-L.", "-learly",
                                                                             "-Wl,-rpath,$ORIGIN"]):
            built = call(BIN / "mpisim-cc", *words, cwd=self.dir)
            self.assertEqual(built.returncode, 0, built.stderr)
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", "-n", 1, "./main", cwd=self.dir)
        self.assertIn("libraries started threads when they were loaded (1)", done.stderr)


class Memory(Base):
    # 20 ms alone and 40 on 4 cores: 180 ms of CPU time in 60, 30 MB/s on a domain that has 20
    LEVELS = "cores={per_domain: 8, memory: 20 MB/s, computation: 10 MB/s}"

    def test_threads_draw_on_memory_and_slow_down_by_what_it_lacks(self):
        for memory, wanted_ms in (("20 MB/s", 60 * 1.5), ("40 MB/s", 60)):
            done = self.start("region", "--cpus-per-rank", 4, "--set", self.LEVELS, "--set", f"cores.memory={memory}", threads=4)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = float(done.stdout.split()[0])
            self.assertGreaterEqual(found, wanted_ms)
            self.assertLess(found, wanted_ms * (1 + TOLERANCE))

    def test_threads_that_take_work_as_it_comes_draw_as_much(self):
        # 200 ms of CPU time in 70 on 4 cores draw 2 MB
        self.takes(100, "loops", 4, more=["--set", self.LEVELS])

    def test_a_replay_knows_what_threads_drew(self):
        done = self.start("region", "--cpus-per-rank", 4, "--set", self.LEVELS, "--record", "run.mpitrace", "--json", "run.json", threads=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = call(BIN / "mpisim-replay", "--cluster", "cluster.yaml", "--set", self.LEVELS, "--json", "again.json", "run.mpitrace",
                     cwd=self.dir)
        self.assertEqual(again.returncode, 0, again.stderr)
        times = [json.loads((self.dir / name).read_text())["predicted_time_s"] for name in ("run.json", "again.json")]
        self.assertEqual(times[0], times[1])


class Cores(Base):
    SEEN = "{rank}: {n} threads, {n} processors of {n} from {first} on, begins with 5, funneled 1"

    def see(self, *options, ranks):
        done = self.start("see", *options, ranks=ranks)
        self.assertEqual((done.returncode, done.stderr), (0, THREADS_TOLD), done)
        return sorted(line for line in done.stdout.splitlines() if "threads" in line)

    def test_a_rank_holds_as_many_cores_as_all_of_a_node_can_have(self):
        self.assertEqual(self.see("--placement", "0,0,1,0", ranks=4),
                         [self.SEEN.format(rank=rank, n=2, first=first) for rank, first in enumerate((0, 2, 0, 4))])
        self.assertEqual(self.see("--set", "cores=1", "--placement", "0,0", ranks=2),
                         [self.SEEN.format(rank=rank, n=1, first=0) for rank in range(2)])

    def test_a_rank_holds_what_is_asked_for(self):
        self.assertEqual(self.see("--cpus-per-rank", 3, "--placement", "0,0,1", ranks=3),
                         [self.SEEN.format(rank=rank, n=3, first=first) for rank, first in enumerate((0, 3, 0))])
        done = self.start("see", "--cpus-per-rank", 3, "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.dir / "out.json").read_text())["settings"]["cpus_per_rank"], 3)

    def test_a_node_is_full_when_its_cores_are_held(self):
        # of 8 cores: two ranks of 3 or 4 on each node, in blocks, without being told where
        for cores, first in ((3, 3), (4, 4)):
            self.assertEqual(self.see("--cpus-per-rank", cores, ranks=4),
                             [self.SEEN.format(rank=rank, n=cores, first=rank % 2 * first) for rank in range(4)])
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "--cpus-per-rank", 3, "-n", 3, "--show-cluster", "shown.json", cwd=self.dir)
        self.assertEqual((done.returncode, json.loads((self.dir / "shown.json").read_text())["node_of_rank"]), (0, [0, 0, 1]))

    def test_more_than_a_node_has_is_refused(self):
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "--cpus-per-rank", 4, "-n", 5, "--show-cluster", "-", cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cpus-per-rank: found 4, which is more than node 0 has left for rank 2: 0 of 8 cores", done.stderr)
        done = self.start("see", "--cpus-per-rank", 3, "--placement", "0,0,1,0", ranks=4)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cpus-per-rank: found 3, which is more than node 0 has left for rank 3: 2 of 8 cores", done.stderr)


class Calls(Base):
    def test_masters_call_mpi_within_regions_of_their_own(self):
        done = self.start("funneled", ranks=3)
        self.assertEqual(sorted(done.stdout.splitlines())[1:], [f"{rank}: 15 15 15 15" for rank in range(3)], done.stderr)


if __name__ == "__main__":
    unittest.main()
