#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The compiler wrappers as users and build systems call them.

usage: wrappers.py BIN_DIR SOURCE_DIR
"""
import os
import shutil
import unittest

from base import BIN, HERE, Base, call


class Wrappers(Base):
    def wrapper(self, *words, name="mpisim-cc", **more):
        return call(BIN / name, *words, cwd=self.dir, **more)

    def source(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def test_show_prints_the_command_and_runs_nothing(self):
        shown = self.wrapper("-show", "a b.c", "-o", "x")
        self.assertEqual(shown.returncode, 0)
        self.assertRegex(shown.stdout, r"^\S+ -pie -fPIE (-mno-direct-extern-access )?-I\S+ .*'a b\.c' -o x -L\S+ -Wl,-rpath,\S+ -lmpi_abi\n$")
        compiled = self.wrapper("a.c", "-c", "-show").stdout
        self.assertNotIn("-lmpi_abi", compiled)
        self.assertNotIn("-show", compiled)
        self.assertNotIn("-pie", self.wrapper("-show", "-shared", "a.c").stdout.split())

    def test_parts_are_shown_as_other_wrappers_do(self):
        for word in ("-show-compile", "--showme:compile", "-showme:compile", "-compile_info"):
            self.assertIn("-I", self.wrapper(word).stdout)
        for word in ("-show-link", "--showme:link", "-link_info"):
            self.assertIn("-lmpi_abi", self.wrapper(word).stdout)
        self.assertEqual(self.wrapper("--showme:libs").stdout, "mpi_abi\n")
        self.assertEqual(self.wrapper("--showme:nonsense").returncode, 2)

    def test_compiler_is_chosen_by_the_environment(self):
        env = dict(os.environ, MPISIM_CC="my-cc -m64")
        self.assertTrue(self.wrapper("-show", "a.c", env=env).stdout.startswith("my-cc -m64 -pie -fPIE -I"))

    def test_steps_short_of_linking_work(self):
        name = self.source("half.c", "#include <mpi.h>\n#include <mpisim.h>\nint half(void) { return MPI_SUCCESS; }\n")
        self.assertEqual(self.wrapper("-Wall", "-Werror", "-c", name, "-o", "half.o").returncode, 0)
        self.assertIn("half", self.wrapper("-E", name).stdout)
        self.assertIn("mpi.h", self.wrapper("-M", name).stdout)
        self.assertEqual(self.wrapper("-shared", "-fPIC", name, "-o", "libhalf.so").returncode, 0)

    def test_without_inputs_it_is_the_compiler(self):
        said = self.wrapper("--version").stdout
        self.assertTrue(said.startswith(call("cc", "--version").stdout), said)
        self.assertRegex(said, r"\nmpisim-cc: mpisim \d+\.\d+\.\d+\n$")
        self.assertNotEqual(self.wrapper().returncode, 0)
        self.assertIn("no input files", self.wrapper().stderr)

    def test_names_with_blanks_and_quotes_survive(self):
        name = self.source("it's a name.c", '#include <stdio.h>\nint main(void) { puts(WORD); return 0; }\n')
        self.assertEqual(self.wrapper('-DWORD="a b"', name, "-o", "it's").returncode, 0)
        self.assertEqual(call(self.dir / "it's").stdout, "a b\n")

    def test_cxx_programs_build_and_run(self):
        if not shutil.which("c++"):
            self.skipTest("no C++ compiler")
        name = self.source("hello.cc", "#include <mpi.h>\n#include <cstdio>\n#include <string>\nstatic std::string hello = \"hello\";\n"
                           "int main(int c, char **v) { MPI_Init(&c, &v); int r; MPI_Comm_rank(MPI_COMM_WORLD, &r);"
                           "std::printf(\"%s %d\\n\", hello.c_str(), r); MPI_Finalize(); }\n")
        built = self.wrapper(name, "-o", "hello", name="mpisim-c++")
        self.assertEqual(built.returncode, 0, built.stderr)
        done = call(*self.words("--quiet", n=3), self.dir / "hello")
        self.assertEqual(sorted(done.stdout.split("\n")), ["", "hello 0", "hello 1", "hello 2"], done.stderr)

    def test_fortran_objects_link(self):
        if not shutil.which("gfortran"):
            self.skipTest("no Fortran compiler")
        name = self.source("calc.f90", "program calc\n print *, 1 + 1\nend program\n")
        self.assertEqual(self.wrapper(name, "-o", "calc", name="mpisim-fc").returncode, 0)

    def test_cmake_finds_mpi(self):
        if not shutil.which("cmake"):
            self.skipTest("no cmake")
        project = self.dir / "project"
        project.mkdir()
        shutil.copy(HERE / "programs" / "misc.c", project)
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nfind_package(MPI REQUIRED COMPONENTS C)\n"
            "add_executable(misc misc.c)\ntarget_link_libraries(misc MPI::MPI_C)\n")
        made = call("cmake", "-S", project, "-B", project / "b", f"-DMPI_C_COMPILER={BIN / 'mpisim-cc'}",
                    "-DCMAKE_POSITION_INDEPENDENT_CODE=ON")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        built = call("cmake", "--build", project / "b")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        done = call(*self.words("--quiet"), project / "b" / "misc", "work")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_cmake_takes_the_wrapper_as_compiler(self):
        if not shutil.which("cmake"):
            self.skipTest("no cmake")
        project = self.dir / "plain"
        project.mkdir()
        shutil.copy(HERE / "programs" / "misc.c", project)
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_executable(misc misc.c)\n")
        made = call("cmake", "-S", project, "-B", project / "b", f"-DCMAKE_C_COMPILER={BIN / 'mpisim-cc'}")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        self.assertEqual(call("cmake", "--build", project / "b").returncode, 0)
        self.assertEqual(call(*self.words("--quiet"), project / "b" / "misc", "work").returncode, 0)


if __name__ == "__main__":
    unittest.main()
