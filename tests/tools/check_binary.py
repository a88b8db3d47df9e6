#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --check-binary over programs of every kind: what it says, its JSON, its exit status.

usage: check_binary.py BIN_DIR LIBRARY COMPILER...
"""
import json
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, paths  # noqa: E402  (the folder above)

(BIN,) = paths(1)
LIBRARY = sys.argv.pop(1)
CC = sys.argv[1:]
del sys.argv[1:]
HELLO = """#include <mpi.h>
int main(int argc, char **argv)
{
	int provided, size;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	return MPI_Finalize();
}
"""


class Base(Folder):
    def write(self, name, text):
        path = self.dir / name
        path.write_text(text)
        return path

    def build(self, name, text, *options, compiler=(BIN / "mpisim-cc",)):
        out = self.dir / name
        built = call(*compiler, "-g", self.write(name.replace(".", "_") + ".c", text), "-o", out, *options)
        self.assertEqual(built.returncode, 0, built.stderr)
        return out

    def check(self, path, status):
        """The JSON, which says the same as the text."""
        said = call(BIN / "mpisim-run", "--check-binary", path)
        self.assertEqual((said.returncode, said.stderr), (status, ""), said)
        done = call(BIN / "mpisim-run", "--check-binary", path, "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (status, ""), done)
        found = json.loads(done.stdout)
        for sentence in found["stops"] + found["may_stop"] + found["notes"] + [f["symbol"] for f in found["functions"]]:
            self.assertIn(f"  {sentence}", said.stdout)
        self.assertEqual(found["can_run"], status == 0)
        self.assertEqual("nothing is known that would stop a run" in said.stdout, status == 0 and not found["may_stop"])
        return found

    def stopped(self, path, *wanted):
        found = self.check(path, 1)
        for text in wanted:
            self.assertTrue(any(text in sentence for sentence in found["stops"]), (text, found["stops"]))
        return found


class Kinds(Base):
    def test_a_program_of_the_wrapper_can_run(self):
        found = self.check(self.build("hello", HELLO), 0)
        self.assertEqual((found["kind"], found["bits"], found["mpi"], found["has_lines"]),
                         ("position-independent program", 64, "mpisim", True))
        self.assertEqual([(f["name"], f["symbol"], f["support"]) for f in found["functions"]],
                         [("MPI_Comm_size", "PMPI_Comm_size", "supported"), ("MPI_Finalize", "MPI_Finalize", "supported"),
                          ("MPI_Init_thread", "MPI_Init_thread", "restricted")])
        self.assertRegex(found["functions"][2]["since"], r"^\d+\.\d+\.\d+$")
        self.assertTrue(found["functions"][2]["restriction"])
        self.assertTrue(all(library["path"] for library in found["libraries"]), found["libraries"])
        self.assertEqual(found["notes"], [])

    def test_programs_that_cannot_be_loaded_say_what_to_do(self):
        self.stopped(self.build("fixed", HELLO, "-no-pie", "-fno-pie"), "compile it with -fPIE")
        self.stopped(self.build("static", "int main(void) { return 0; }", "-static", compiler=CC), "without -static")
        self.stopped(self.build("shared.so", "int x;", "-shared", "-fPIC", compiler=CC), "shared library")
        self.stopped(self.build("object.o", "int x;", "-c", compiler=CC), "object file: link it")
        self.stopped(self.build("large", "_Thread_local char x[1 << 20]; int main(void) { return x[9]; }", "-fPIE", "-pie", compiler=CC),
                     "thread-local")

    def test_programs_for_other_processors_are_told(self):
        compiler = shutil.which("aarch64-linux-gnu-gcc")
        if not compiler:
            self.skipTest("no compiler for aarch64")
        path = self.build("foreign", "int main(void) { return 0; }", "-fPIE", "-pie", compiler=(compiler,))
        found = self.stopped(path, "another processor (aarch64)")
        self.assertEqual(found["processor"], "aarch64")

    def test_notes_say_what_one_should_know(self):
        found = self.check(self.build("plain", "int main(void) { return 0; }", "-g0", "-fPIE", "-pie", compiler=CC), 0)
        self.assertTrue(any("no function of MPI" in note for note in found["notes"]))
        self.assertTrue(any("-g" in note for note in found["notes"]))
        threads = "#include <pthread.h>\nint main(void) { pthread_t t; return pthread_create(&t, 0, 0, 0); }"
        found = self.check(self.build("threads", threads, "-fPIE", "-pie", "-w", compiler=CC), 0)
        self.assertTrue(any("threads" in note for note in found["notes"]))
        self.assertTrue(any("ends the run" in doubt for doubt in found["may_stop"]))
        forks = "#include <unistd.h>\nint main(void) { return fork(); }"
        found = self.check(self.build("forks", forks, "-fPIE", "-pie", compiler=CC), 0)
        self.assertTrue(any("processes" in note for note in found["notes"]))

    def test_programs_that_ask_for_threads_are_told_what_holds(self):
        found = self.check(self.build("level", HELLO), 0)
        self.assertEqual(len(found["may_stop"]), 1)
        self.assertIn("MPI_THREAD_FUNNELED is the highest", found["may_stop"][0])
        single = HELLO.replace("MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided)", "MPI_Init(&argc, &argv); provided = 0")
        self.assertEqual(self.check(self.build("single", single, "-w"), 0)["may_stop"], [])
        openmp = single.replace("PMPI", "\n#pragma omp parallel\nprovided++;\nPMPI")
        self.assertTrue(any("another one" in doubt for doubt in self.check(self.build("openmp", openmp, "-w", "-fopenmp"), 0)["may_stop"]))


class Libraries(Base):
    def test_what_libraries_need_counts(self):
        self.build("libring.so", "#include <mpi.h>\nint ring(void) { return MPI_Barrier(MPI_COMM_WORLD); }", "-shared", "-fPIC")
        path = self.build("with", "int ring(void);\nint main(void) { return ring(); }", "-L", self.dir, "-lring",
                          "-Wl,-rpath,$ORIGIN")
        found = self.check(path, 0)
        self.assertEqual([(f["name"], f["needed_by"]) for f in found["functions"]],
                         [("MPI_Barrier", str(self.dir.resolve() / "libring.so"))])
        self.assertEqual(found["notes"], [])  # its own library: private
        (self.dir / "libring.so").unlink()
        self.assertEqual(len(self.stopped(path, "libring.so, which")["stops"]), 1)

    def test_libraries_of_the_system_are_named_unless_they_are_runtimes(self):
        path = self.build("yaml", "#include <yaml.h>\nint main(void) { return yaml_get_version_string()[0] == 0; }", "-lyaml", "-lm")
        self.assertEqual([note.split()[0] for note in self.check(path, 0)["notes"] if "--private-lib" in note], ["libyaml-0.so.2"])

    def test_other_mpis_are_to_be_rebuilt(self):
        self.build("libmpi.so.40", "int MPI_Finalize(void) { return 0; }", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", compiler=CC)
        path = self.build("other", "int MPI_Finalize(void);\nint main(void) { return MPI_Finalize(); }", "-fPIE", "-pie",
                          self.dir / "libmpi.so.40", compiler=CC)
        found = self.stopped(path, "another MPI (Open MPI", "rebuild it with mpisim-cc")
        self.assertEqual(found["mpi_library"], "libmpi.so.40")
        self.build("libmpi_mpifh.so.40", "void mpi_send_(void) {}", "-shared", "-fPIC", "-Wl,-soname,libmpi_mpifh.so.40", compiler=CC)
        path = self.build("fortran", "void mpi_send_(void);\nint main(void) { mpi_send_(); return 0; }", "-fPIE", "-pie",
                          self.dir / "libmpi_mpifh.so.40", compiler=CC)
        found = self.stopped(path, "another MPI (Open MPI", "rebuild it with mpisim-cc")
        self.assertEqual([(f["name"], f["symbol"], f["support"]) for f in found["functions"]], [("MPI_Send", "mpi_send_", "supported")])
        self.assertEqual(len(found["stops"]), 1)
        self.build("libmpich.so.12", "int f(void) { return 0; }", "-shared", "-fPIC", "-Wl,-soname,libmpich.so.12", compiler=CC)
        self.build("libuser.so", "int f(void);\nint g(void) { return f(); }", "-shared", "-fPIC", self.dir / "libmpich.so.12", compiler=CC)
        path = self.build("indirect", "int g(void);\nint main(void) { return g(); }", self.dir / "libuser.so",
                          f"-Wl,-rpath-link,{self.dir}")
        self.stopped(path, "libuser.so is linked with another MPI (MPICH")

    def calling(self, name, functions):
        """A program that calls functions of which nobody has heard at run time."""
        self.build("libgone.so", "".join(f"int {function}(void) {{ return 0; }}\n" for function in functions), "-shared", "-fPIC", compiler=CC)
        declared = "".join(f"int {function}(void);\n" for function in functions)
        path = self.build(name, f"{declared}int main(void) {{ return {' + '.join(f'{function}()' for function in functions)}; }}",
                          self.dir / "libgone.so")
        self.build("libgone.so", "int nothing;", "-shared", "-fPIC", compiler=CC)
        return path

    def test_functions_that_are_missing_stop(self):
        listing = call("nm", "-D", "--defined-only", LIBRARY).stdout
        stubs = re.findall(r" W (MPI_\w+)$", listing, re.MULTILINE)
        names = ["mpi_nosuch_"] + stubs[:1]
        found = self.stopped(self.calling("missing", names), "symbol mpi_nosuch_, which no library has")
        self.assertEqual([(f["name"], f["support"]) for f in found["functions"]], [(name, "missing") for name in stubs[:1]])

    def test_many_symbols_that_are_missing_are_not_all_listed(self):
        found = self.stopped(self.calling("many", [f"nosuch{i}" for i in range(20)]), "12 more symbols that no library has")
        self.assertEqual(len(found["stops"]), 9)

    def test_names_of_fortran_are_those_of_c(self):
        found = self.check(self.calling("fortran", ["mpi_barrierless_", "MPI_COMM_RANK__", "pmpi_bcast_", "mpi_send_f08_"]), 1)
        self.assertEqual([f["name"] for f in found["functions"]], ["MPI_Bcast", "MPI_Comm_rank", "MPI_Send"])


class Refusals(Base):
    def refused(self, wanted, *words):
        done = call(BIN / "mpisim-run", "--check-binary", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn(wanted, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_what_is_no_program_is_refused(self):
        self.refused("No such file", self.dir / "nowhere")
        self.refused("not an ELF file", self.write("text", "hello"))
        self.refused("is a script", self.write("script", "#!/bin/sh\n"))
        self.refused("is empty", self.write("empty", ""))
        self.refused("not a file", self.dir)
        good = self.build("good", HELLO).read_bytes()
        (self.dir / "cut").write_bytes(good[:len(good) // 2])
        self.refused("damaged", self.dir / "cut")

    def test_options_of_a_run_are_refused(self):
        hello = self.build("hello", HELLO)
        self.refused("found -n beside --check-binary", hello, "-n", 2)
        self.refused("found --cluster", hello, "--cluster", "c.yaml")
        self.refused("found argument", hello, "argument")
        self.refused("o.json", hello, "--quiet", "--json", self.dir / "no" / "o.json")

    def test_quiet_leaves_the_exit_status(self):
        done = call(BIN / "mpisim-run", "--quiet", "--check-binary", self.build("quiet", HELLO))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


unittest.main()
