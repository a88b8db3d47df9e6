#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs in C++: streams, handlers and static objects of each rank, exceptions of ranks and of their threads, how CMake finds MPI.

usage: cplusplus.py BIN_DIR SOURCE_DIR
"""
import shutil
import unittest

from base import BIN, HERE, Base, call

CMAKE = """cmake_minimum_required(VERSION 3.18)
project(p {languages})
find_package(MPI REQUIRED)
add_executable(program program{suffix})
target_link_libraries(program MPI::MPI_{language})
"""


class Programs(Base):
    def run_it(self, *words, n=3):
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", "cluster.yaml", "-n", n, *words, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


class Ranks(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        built = call(BIN / "mpisim-c++", "-g", "-std=c++17", "-pthread", HERE / "programs/streams.cpp", "-o", "streams", cwd=cls.dir)
        assert built.returncode == 0, built.stderr

    def told(self, what):
        done = self.run_it("./streams", what)
        self.assertNotIn("NO", done.stderr)
        return done

    def test_what_a_rank_does_to_its_streams_is_for_itself(self):
        self.assertEqual(self.told("streams").stdout, "rank 0 says **ff\n")

    def test_the_last_of_each_ranks_output_is_written(self):
        self.assertEqual(sorted(self.told("ends").stdout.splitlines()), [f"rank {rank} ends" for rank in range(3)])

    def test_exceptions_leave_error_handlers_and_handlers_are_each_ranks(self):
        self.assertEqual(self.told("exceptions").stderr.count(" yes"), 9)

    def test_threads_that_throw_and_call_once(self):
        self.assertEqual(self.told("threads").stderr.count(" yes"), 3)


class BuildSystems(Programs):
    def test_cmake_finds_the_wrappers_of_all_languages(self):
        for language, suffix, text, tool in (
                ("C", ".c", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }", "mpisim-cc"),
                ("CXX", ".cpp", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); }", "mpisim-c++"),
                ("Fortran", ".f90", "program p\nuse mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend program", "mpisim-fc")):
            folder = self.dir / language
            folder.mkdir()
            (folder / f"program{suffix}").write_text(text)
            languages = language if language != "Fortran" else "C Fortran"
            (folder / "CMakeLists.txt").write_text(CMAKE.format(languages=languages, suffix=suffix, language=language))
            made = call("cmake", ".", f"-DMPI_{language}_COMPILER={BIN / tool}", f"-DMPI_C_COMPILER={BIN / 'mpisim-cc'}", cwd=folder)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            made = call("cmake", "--build", ".", cwd=folder)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.run_it(folder / "program", n=2)


if shutil.which("cmake") is None:
    del BuildSystems
if __name__ == "__main__":
    unittest.main()
