#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-mpiexec: command lines that scripts and test suites have for mpiexec.

usage: mpiexec.py BIN_DIR SOURCE_DIR
"""
import os
import shutil
import unittest

from base import BIN, Base, call

SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char folder[4096];
	const char *value = getenv("WANTED");
	int rank, n, *number, flag;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
	if (rank == n - 1)
		printf("%d ranks, program %d, %s, %s, \"%s\"\n", n, *number, value ? value : "unset",
		       getcwd(folder, sizeof folder), argc > 1 ? argv[1] : "");
	MPI_Finalize();
	return argc > 2;
}
"""


class MpiExec(Base):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "say.c").write_text(SOURCE)
        cls.say = cls.dir / "say"
        cls.made(BIN / "mpisim-cc", cls.dir / "say.c", "-o", cls.say)

    def run_it(self, *words, **environment):
        return call(BIN / "mpisim-mpiexec", *words, env=dict(os.environ, **environment))

    def says(self, wanted, *words, **environment):
        done = self.run_it(*words, **environment)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, wanted, ""))

    def test_each_way_to_give_the_number_of_ranks(self):
        for words in (("-n", 3), ("-np", 3), ("--np", 3), ("-c", 3)):
            self.says(f'3 ranks, program 0, unset, {os.getcwd()}, ""', *words, self.say)
        self.says(f'1 ranks, program 0, unset, {os.getcwd()}, "a b"', self.say, "a b")

    def test_options_of_real_launchers(self):
        here = self.dir.resolve()
        self.says(f'2 ranks, program 0, yes, {here}, ""', "-n", 2, "-wdir", here, "-x", "WANTED=yes", "--oversubscribe",
                  "--bind-to", "none", "--mca", "btl", "tcp,self", "-hostfile", "none", self.say)
        self.says(f'2 ranks, program 0, a b, {os.getcwd()}, ""', "-ppn", 1, "-genv", "WANTED", "a b", "-n", 2, self.say)

    def test_several_programs(self):
        self.says(f'3 ranks, program 1, unset, {os.getcwd()}, "two"', "-np", 1, self.say, "one", ":", "-np", 2, self.say, "two")

    def test_environment_chooses_cluster_and_options(self):
        done = self.run_it("-n", 2, self.say, MPISIM_CLUSTER="infiniband-hdr", MPISIM_OPTIONS="--deterministic")
        self.assertIn("InfiniBand HDR", done.stderr)
        self.assertIn("(did you mean infiniband-hdr?)", self.run_it(self.say, MPISIM_CLUSTER="infiniband-hd").stderr)

    def test_exit_status_is_the_programs(self):
        self.assertEqual(self.run_it("-n", 2, self.say, "a", "b").returncode, 1)

    def test_what_it_does_not_know_is_refused(self):
        for words, wanted in ((("--frobnicate", self.say), 'found the option "--frobnicate"'), (("-n",), "-n needs a value"),
                              (("-env", "A"), "-env needs two values"), ((), "found no program"), (("-n", "two", self.say), "-n: ")):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(wanted, done.stderr)

    @unittest.skipUnless(shutil.which("cmake"), "no cmake here")
    def test_ctest_of_a_cmake_project(self):
        project, build = self.dir / "project", self.dir / "project" / "build"
        project.mkdir()
        shutil.copy(self.dir / "say.c", project)
        (project / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.20)
project(say C)
find_package(MPI REQUIRED)
enable_testing()
add_executable(say say.c)
target_link_libraries(say MPI::MPI_C)
add_test(NAME say COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 4 ${MPIEXEC_PREFLAGS} $<TARGET_FILE:say> ${MPIEXEC_POSTFLAGS})
set_tests_properties(say PROPERTIES PASS_REGULAR_EXPRESSION "4 ranks")
""")
        self.made("cmake", "-S", project, "-B", build, f"-DMPI_C_COMPILER={BIN / 'mpisim-cc'}", f"-DMPIEXEC_EXECUTABLE={BIN / 'mpisim-mpiexec'}")
        self.made("cmake", "--build", build)
        self.made("ctest", "--test-dir", build)


if __name__ == "__main__":
    unittest.main(argv=["mpiexec"])
