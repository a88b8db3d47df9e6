#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that take a process for their own: input, files, folders, threads, libraries with variables, ends.

usage: unfriendly.py BIN_DIR SOURCE_DIR
"""
import os
import unittest

from base import BIN, HERE
from harness import Folder, call, read_json
CLUSTER = """mpisim_cluster: 1
nodes: 3
network:
  latency: 1us
  bandwidth: 1 GB/s
"""


class Base(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = HERE / "programs"
        for words in (["-shared", "-o", "libunfriendly.so", source / "unfriendly_library.c"],
                      ["-shared", "-DPLUGIN", "-o", "unfriendly_plugin.so", source / "unfriendly_library.c"]):
            cls.made(BIN / "mpisim-cc", "-fPIC", "-Wl,-rpath,$ORIGIN", *words)
        cls.made(BIN / "mpisim-cc", "-g", "-pthread", source / "unfriendly.c", "-o", "program", "-L.", "-lunfriendly",
                 "-Wl,-rpath,$ORIGIN", "-ldl")

    def start(self, what, *options, how=None, **more):
        return call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", *options, "-n", 3, "./program", what,
                    *([how] if how else []), cwd=self.dir, **more)

    def lines(self, what, *options, **more):
        done = self.start(what, *options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.splitlines())


class Processes(Base):
    def test_rank_0_reads_the_input_and_the_others_find_none(self):
        self.assertEqual(self.lines("input", input="12\nsecond line\nthird\n"),
                         ["0: 12 second line", "1: -1 none", "2: -1 none"])

    def test_each_rank_has_standard_streams_of_its_own(self):
        done = self.start("redirect")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(sorted(done.stderr.splitlines()), ["0: of 0", "1: of 1", "2: of 2"])

    def test_each_rank_is_in_a_folder_of_its_own(self):
        for rank in range(3):
            (self.dir / f"folder.{rank}").mkdir()
        self.assertEqual(self.lines("move", "--json", "out.json"), ["0: 0", "1: 1", "2: 2"])
        self.assertTrue((self.dir / "out.json").exists())  # where mpisim-run was started, not where a rank went

    def test_stacks_hold_what_processes_put_there(self):
        self.assertEqual(self.lines("stack"), [f"{rank}: 3 jumps, depth 20000, 0 wrong" for rank in range(3)])

    def test_ranks_wait_for_each_other_in_the_system(self):
        self.assertEqual(self.lines("sockets"), ["0: 3", "1: 1", "2: 3"])
        self.assertEqual(self.lines("lock"), ["0: 3", "1: 3", "2: 3"])

    def test_hosts_are_the_simulated_nodes(self):
        self.assertEqual(self.lines("hosts"), ["0: node0", "1: node1", "2: node2"])

    def test_timers_of_the_host_are_told(self):
        done = self.start("timer")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: rank 1 called alarm at unfriendly.c:\d+ \(run\): such timers go by the time of this machine")
        self.assertNotIn("timers", self.start("hosts").stderr)

    def test_children_may_become_other_programs_and_ranks_not(self):
        self.assertEqual(self.lines("children"), [f"{rank}: 5" for rank in range(3)])
        done = self.start("exec")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"rank 1: the program's own code at unfriendly.c:\d+ \(harm\): execlp\(\"echo\"\) would put")

    def test_a_child_of_fork_ends_as_a_process(self):
        for how, code in (("returns", 4), ("exits", 3)):
            done = self.start("fork", how=how)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"warning: rank 0 started a process \(fork at unfriendly.c:\d+ .*what such processes compute is not")
            self.assertEqual(sorted(done.stdout.splitlines()),
                             sorted(["bye"] * 6 + [f"{rank}: {line}" for rank in range(3) for line in ("before", "child", code)]))
        done = self.start("fork", how="calls")
        self.assertEqual((done.returncode, done.stdout.count(": 1\n")), (0, 3), done.stderr)
        self.assertRegex(done.stderr, r"MPI_Barrier at unfriendly.c:\d+ \(is_child_of_fork\): called by a child of fork\(\) of rank 0: only ranks")

    def test_a_buffer_that_cannot_be_written_is_the_receivers_fault(self):
        done = self.start("constant")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"rank 1: MPI_Recv at unfriendly.c:\d+ \(harm\): segmentation fault at address \w+ \(writing\)")

    def test_threads_that_end_something(self):
        done = self.start("pthread_exit")
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 rank ended without calling MPI_Finalize, first of them rank 1", done.stderr)
        done = self.start("exit_there")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit(7): called by a thread that the program started", done.stderr)

    def test_who_forgets_finalize_is_told(self):
        done = self.start("return")
        self.assertEqual((done.returncode, done.stdout), (0, "1: 0\n"), done.stderr)
        self.assertIn("warning: 2 ranks ended without calling MPI_Finalize", done.stderr)

    def test_an_exit_code_without_finalize_ends_the_run(self):
        done = self.start("exit")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rank 1: ended (exit code 3) without calling MPI_Finalize", done.stderr)


class Files(Base):
    def test_closing_all_files_leaves_those_of_the_simulator(self):
        self.assertEqual(self.lines("files"), ["0: 1 -1", "1: 1 -1", "2: 1 -1"])
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "--json", "out.json", "--record", "out.mtrace", "-n", 3, "./program",
                    "files", cwd=self.dir)
        self.assertEqual(done.returncode, 0)
        self.assertIn("predicted", done.stderr)
        self.assertIn("predicted_time_s", (self.dir / "out.json").read_text())
        done = call(BIN / "mpisim-replay", "--cluster", "cluster.yaml", "out.mtrace", cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)


class Libraries(Base):
    # rank r counts r + 1 times, in turns with the others; the library sees what the program does to its variable
    PRIVATE = ["0: 1 101 1 51 51", "1: 2 102 2 52 52", "2: 3 103 3 53 53"]

    def test_a_programs_own_libraries_and_plugins_are_private(self):
        for isolation in ("map", "copy"):
            self.assertEqual(self.lines("libraries", "--isolation", isolation), self.PRIVATE, isolation)

    def test_what_is_private_is_said_by_name_too(self):
        self.assertEqual(self.lines("libraries", "--private-lib", "libunfriendly", "--private-lib", "unfriendly_plugin.so"),
                         self.PRIVATE)

    def test_what_a_library_loads_and_calls_is_as_the_programs_own(self):
        self.assertEqual(self.lines("loads", "--record", "loads.trace"), ["0: 1", "1: 1", "2: 1"])
        replay = call(BIN / "mpisim-replay", "--quiet", "--cluster", "cluster.yaml", "--json", "loads.json", "loads.trace",
                      cwd=self.dir)
        self.assertEqual(replay.returncode, 0, replay.stderr)
        self.assertEqual(read_json(self.dir / "loads.json")["predicted_time_s"] > 0, True)

    def test_names_that_no_library_has_are_told(self):
        done = self.start("libraries", "--private-lib", "libunfriend")
        self.assertIn('--private-lib: no library "libunfriend" was loaded', done.stderr)
        done = self.start("libraries", "--private-lib", "./libunfriendly.so")
        self.assertEqual(done.returncode, 2)
        self.assertIn('--private-lib: found "./libunfriendly.so"', done.stderr)

    def test_shared_variables_of_the_systems_libraries_are_told_when_a_rank_crashes(self):
        (self.dir / "crash.c").write_text("#include <mpi.h>\n#include <stdlib.h>\n"
                                          "int main(void) { MPI_Init(0, 0); abort(); }\n")
        built = call(BIN / "mpisim-cc", "crash.c", "-o", "crash", "-Wl,--no-as-needed", "-lresolv", cwd=self.dir)
        self.assertEqual(built.returncode, 0, built.stderr)
        run = (BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml")
        done = call(*run, "-n", 2, "./crash", cwd=self.dir)
        self.assertIn("give each rank its own with --private-lib libresolv.so.2", done.stderr)
        done = call(*run, "-n", 2, "--private-lib", "libresolv", "./crash", cwd=self.dir)
        self.assertNotIn("--private-lib", done.stderr)


# As libtool writes it: read by a shell with libtool_execute_magic set, it only says where the program is.
WRAPPER = """#! /bin/sh

# program - temporary wrapper script for .libs/program
# Generated by libtool (GNU libtool) 2.4.7
if test "$libtool_execute_magic" != "%%%MAGIC variable%%%"; then
  file="$0"
  ECHO="printf %s\\n"
fi
thisdir=`$ECHO "$file" | sed 's%/[^/]*$%%'`
progdir=`cd "$thisdir" && pwd`/.libs
program=program
LD_LIBRARY_PATH="$progdir/lib:$LD_LIBRARY_PATH"
export LD_LIBRARY_PATH
if test "$libtool_execute_magic" != "%%%MAGIC variable%%%"; then
  exec "$progdir/$program" "$@"
fi
"""


class Libtool(Base):
    """The program without a folder to find its library in, behind a wrapper that knows it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "it's here/.libs/lib").mkdir(parents=True)
        (cls.dir / "libunfriendly.so").rename(cls.dir / "it's here/.libs/lib/libunfriendly.so")
        (cls.dir / "program").rename(cls.dir / "it's here/.libs/program")
        wrapper = cls.dir / "it's here/program"
        wrapper.write_text(WRAPPER)
        wrapper.chmod(0o755)

    def test_wrappers_are_their_programs(self):
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", "-n", 2, "it's here/program", "libraries",
                    cwd=self.dir)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, Libraries.PRIVATE[:2]), done.stderr)
        words = ["-n", 1, "it's here/program", "libraries", ":", "-n", 1, "./it's here/program", "libraries"]
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", *words, cwd=self.dir)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, Libraries.PRIVATE[:2]), done.stderr)

    def test_wrappers_are_checked_as_their_programs(self):
        for words in (["--check-binary", "it's here/program"], ["--check-binary=./it's here/program"]):
            done = call(BIN / "mpisim-run", *words, cwd=self.dir)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("/it's here/.libs/program: position-independent program", done.stdout)

    def test_other_scripts_are_not_started(self):
        script = self.dir / "script"
        script.write_text("#!/bin/sh\nexec './program'\n")
        script.chmod(0o755)
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", 1, script, cwd=self.dir)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is a script: give the program that it starts", done.stderr)


class Processors(Base):
    def test_each_rank_has_one_processor_and_binds_itself_alone(self):
        self.assertEqual(self.lines("cores"), ["0: 1 1 1 1, 1 -1", "1: 1 1 1 1, 2 -1", "2: 1 1 1 1, 1 -1"])

    def test_ranks_of_a_node_have_different_ones(self):
        (self.dir / "where.c").write_text(
            "#define _GNU_SOURCE\n#include <mpi.h>\n#include <sched.h>\n#include <stdio.h>\n"
            "int main(void) { MPI_Init(0, 0); printf(\"%d\\n\", sched_getcpu()); MPI_Finalize(); }\n")
        built = call(BIN / "mpisim-cc", "where.c", "-o", "where", cwd=self.dir)
        self.assertEqual(built.returncode, 0, built.stderr)
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", "--set", "cores=2", "--placement", "0,1,0,0",
                    "-n", 4, "./where", cwd=self.dir)
        self.assertEqual(sorted(done.stdout.split()), ["0", "0", "0", "1"], done.stderr)

    def test_openmp_begins_with_one_thread(self):
        (self.dir / "omp.c").write_text("#include <mpi.h>\n#include <omp.h>\n#include <stdio.h>\n"
                                        "int main(void) { MPI_Init(0, 0); printf(\"%d\\n\", omp_get_max_threads()); MPI_Finalize(); }\n")
        built = call(BIN / "mpisim-cc", "-fopenmp", "omp.c", "-o", "omp", cwd=self.dir)
        self.assertEqual(built.returncode, 0, built.stderr)
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        words = (BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", "-n", 2, "./omp")
        self.assertEqual(call(*words, cwd=self.dir, env=environment).stdout, "1\n1\n")
        self.assertEqual(call(*words, cwd=self.dir, env=dict(environment, OMP_NUM_THREADS="3")).stdout, "3\n3\n")


class Threads(Base):
    def test_threads_that_do_not_call_mpi_work(self):
        self.assertEqual(self.lines("threads"), ["0: 10000", "1: 10000", "2: 10000"])

    def test_a_thread_that_calls_mpi_is_an_error(self):
        done = self.start("thread")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"MPI_Comm_rank at unfriendly.c:\d+ \(call_mpi\): called by a thread that the program "
                                      r"started \(while rank 1 ran\)")

    def test_regions_of_openmp_run(self):
        source = self.dir / "openmp.c"
        source.write_text("""
            #include <mpi.h>
            #include <stdio.h>
            int main(void) {
                double sum = 0, all = 0;
                MPI_Init(NULL, NULL);
                #pragma omp parallel for reduction(+: sum)
                for (int i = 0; i < 1000; i++) sum += i;
                #pragma omp parallel
                {
                    #pragma omp master
                    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                }
                printf("%g\\n", all);
                MPI_Finalize(); }""")
        built = call(BIN / "mpisim-cc", "-fopenmp", source, "-o", self.dir / "openmp")
        self.assertEqual(built.returncode, 0, built.stderr)
        for threads in "1", "2":
            done = call(BIN / "mpisim-run", "--quiet", "--cluster", self.dir / "cluster.yaml", "-n", 2, self.dir / "openmp",
                        env={**os.environ, "OMP_NUM_THREADS": threads})
            self.assertEqual((done.returncode, done.stdout), (0, "999000\n" * 2), done.stderr)


if __name__ == "__main__":
    unittest.main()
