# SPDX-License-Identifier: BSD-3-Clause
"""Crashes of ranks end the run with a sentence that says where, and programs that cannot be run are refused with what to do.

usage: test-failures.py DRIVER SOURCE_ROOT
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
import ranks
from ranks import MODES, Run

EINPUT, EUNSUPPORTED = -1, -4


def line_of(comment):
    with open(f"{ranks.PROGRAMS}/faults.c", encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if f"/* {comment} */" in line)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stub = ranks.library("#include <stddef.h>\nvoid *mpisim_alloc(size_t n) { return NULL; }\n"
                             "void mpisim_free(void *b) {}\n", "libmpi_abi.so.1")
        cls.path = ranks.program("faults.c", stub)

    def fails(self, kind, failure, sentence, place=True, options=("-a",)):
        for mode in MODES:
            run = Run([self.path, kind], 3, mode, options)
            self.assertEqual((run.code, run.failure, run.running), (1, failure, "3"), run.end + run.errors)
            self.assertIn(sentence, run.end)
            # rank 0 is the first that wakes; the others never go on
            self.assertEqual(run.lines, ["before"])
            self.assertIn("time 0.000005 s", run.end)
            self.assertIn(f": rank 0 in the program at faults.c:{line_of(kind)} (fault)" if place else ": rank 0", run.end)

    def test_wild_pointers(self):
        self.fails("write", "crash", "segmentation fault at address (nil) (writing)")
        self.fails("read", "crash", "segmentation fault at address 0x4 (reading)")
        self.fails("jump", "crash", "segmentation fault at address (nil) (execution)")

    def test_a_crash_in_a_library_is_placed_where_the_program_called_it(self):
        self.fails("library", "crash", "segmentation fault at address (nil) (writing)")

    def test_arithmetic_and_illegal_instructions(self):
        self.fails("divide", "crash", "arithmetic fault")
        self.fails("illegal", "crash", "illegal instruction")

    def test_abort_and_assert(self):
        self.fails("abort", "abort", "the program called abort()")
        self.fails("assert", "abort", "the program called abort()")

    def test_stack_overflow_is_told_from_a_crash(self):
        self.fails("overflow", "overflow", "stack overflow: its stack of 8192 KiB is used up", place=False)
        self.fails("overflow", "overflow", "stack overflow: its stack of 64 KiB is used up", False, ("-a", "-s", "65536"))
        self.fails("hop", "overflow", "stack overflow: its stack of 8192 KiB is used up", place=False)

    def test_buffers_without_memory_must_not_be_touched(self):
        self.fails("absent", "annotation", "wrote to a buffer of mpisim_alloc outside of an annotated kernel")

    def test_freeing_what_was_not_given_out(self):
        self.fails("free", "annotation", "not the start of a buffer of mpisim_alloc")

    def test_uncaught_exceptions_are_aborts(self):
        with open(f"{ranks.FOLDER}/uncaught.cpp", "w", encoding="utf-8") as file:
            file.write("int main() { throw 1; }\n")
        run = Run([ranks.compile_file(f"{ranks.FOLDER}/uncaught.cpp", "uncaught")], 2)
        self.assertEqual((run.code, run.failure), (1, "abort"))
        self.assertIn("uncaught.cpp:1 (main)", run.end)


class Refusals(unittest.TestCase):
    def refused(self, path, code, *sentences, **options):
        run = Run([path], **options)
        self.assertEqual(run.code, 2, run.end)
        for sentence in (f"error {code}: ", *sentences):
            self.assertIn(sentence, run.errors)

    def written(self, name, content, mode=0o755):
        path = os.path.join(ranks.FOLDER, name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def patched(self, name, offset, value):
        with open(ranks.program("globals.c"), "rb") as file:
            content = bytearray(file.read())
        content[offset:offset + len(value)] = value
        return self.written(name, bytes(content))

    def test_what_is_no_program(self):
        self.refused("/no/such/program", EINPUT, "there is no program '/no/such/program'")
        self.refused(ranks.FOLDER, EINPUT, "is not a file that can be run")
        self.refused(self.written("script", b"#!/bin/sh\n"), EINPUT, "is a script: give the program that it starts")
        self.refused(self.written("text", b"hello, world"), EINPUT, "is no executable (not an ELF file)")
        self.refused(self.written("empty", b""), EINPUT, "is empty")
        self.refused(self.written("locked", b"hello", 0o644), EINPUT, "is not executable")

    def test_executables_of_other_machines(self):
        self.refused(self.patched("narrow", 4, b"\1"), EINPUT, "is a 32-bit program: rebuild it for 64 bits")
        self.refused(self.patched("arm", 18, b"\xb7\0"), EINPUT, "is for another processor (ELF machine 183)")

    def test_other_kinds_of_elf_files(self):
        source = f"{ranks.PROGRAMS}/globals.c"
        pie = "is not position-independent: compile it with -fPIE and link it with -pie"
        self.refused(ranks.compile_file(source, "fixed", "-no-pie", "-fno-pie"), EINPUT, pie)
        self.refused(ranks.compile_file(source, "static", "-static", "-no-pie"), EINPUT, "is statically linked")
        self.refused(ranks.compile_file(source, "static-pie", "-static-pie"), EINPUT, "is statically linked")
        self.refused(ranks.library("int x;", "libx.so"), EINPUT, "is a shared library, not a program")
        relocatable = ranks.compile_file(source, "object.o", "-c")
        os.chmod(relocatable, 0o755)
        self.refused(relocatable, EINPUT, "is no executable but an object file: link it")

    def test_damaged_files(self):
        self.refused(self.patched("headers", 56, b"\xff\xff"), EINPUT, "is damaged")
        with open(ranks.program("globals.c"), "rb") as file:
            self.refused(self.written("short", file.read(2000)), EINPUT, "is damaged")

    def test_a_missing_symbol_is_named(self):
        full = ranks.library("int nowhere(void) { return 1; }", "libsome.so")
        path = ranks.compile_text("int nowhere(void); int main(void) { return nowhere(); }", "unresolved", full,
                                  "-Wl,-rpath,$ORIGIN")
        ranks.library("int somewhere(void) { return 1; }", "libsome.so")
        self.refused(path, EINPUT, "needs the symbol 'nowhere', which no library has")

    def test_a_missing_weak_symbol_is_zero(self):
        path = ranks.compile_text("extern int weak(void) __attribute__((weak)); int (*volatile pointer)(void) = weak;"
                                  "int main(void) { return pointer ? 1 : 0; }", "weak")
        self.assertEqual((Run([path]).failure, Run([path]).bad), ("none", "0"))

    def test_a_missing_library_is_named(self):
        gone = ranks.library("int gone(void) { return 1; }", "libgone.so")
        path = ranks.compile_text("int gone(void); int main(void) { return gone(); }", "needs-gone", gone)
        os.remove(gone)
        self.refused(path, EINPUT, "a library that", "libgone.so")

    def test_libraries_are_found_on_the_programs_own_path(self):
        os.makedirs(f"{ranks.FOLDER}/lib", exist_ok=True)
        near = ranks.library("int near_by(void) { return 4; }", "libnear.so")
        options = [near, "-Wl,--enable-new-dtags", "-Wl,-rpath,/nowhere:$ORIGIN/lib"]
        path = ranks.compile_text("int near_by(void); int main(void) { return near_by() == 4 ? 0 : 1; }", "near", *options)
        os.rename(near, f"{ranks.FOLDER}/lib/libnear.so")
        self.assertEqual((Run([path], 3).failure, Run([path], 3).bad), ("none", "0"))

    def test_programs_of_another_mpi(self):
        for name in ("libmpi.so.40", "libmpich.so.12"):
            other = ranks.library("int MPI_Init(int *c, char ***v) { return 0; }", name)
            path = ranks.compile_text("int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }",
                                      "other", other)
            self.refused(path, EINPUT, "is linked with another MPI", name, "rebuild it with mpisim-cc")

    def test_a_variable_shared_with_a_library_would_be_two(self):
        shared = ranks.library("int shared_count; void count(void) { shared_count++; }", "libcount.so")
        source = "extern int shared_count; int main(void) { return shared_count; }"
        options = [shared, "-Wl,-rpath," + ranks.FOLDER]
        self.refused(ranks.compile_text(source, "shares", *options), EUNSUPPORTED,
                     "a copy of the variable 'shared_count'", "compile the program with -fPIC")
        path = ranks.compile_text(source, "uses", *options, "-fPIC", "-mno-direct-extern-access")
        self.assertEqual(Run([path]).failure, "none")

    def test_an_allocator_of_the_programs_own(self):
        path = ranks.compile_text("#include <stddef.h>\nvoid *malloc(size_t n) { return NULL; }\nvoid free(void *b) {}\n"
                                  "int main(void) { return 0; }", "allocator")
        self.refused(path, EUNSUPPORTED, "has its own ", "replace the memory allocator")

    def test_too_many_thread_local_variables(self):
        path = ranks.compile_text("_Thread_local char many[70000]; int main(int c, char **v) { many[c] = 1; return 0; }",
                                  "many-locals")
        self.refused(path, EUNSUPPORTED, "70000 bytes of thread-local variables, at most 65536")

    def test_no_ranks_and_more_images_than_mappings(self):
        path = ranks.program("globals.c")
        self.refused(path, EINPUT, "0 ranks were asked for, wanted at least 1", n=0)
        self.refused(path, EINPUT, "use isolation 'copy', or raise vm.max_map_count", n=1000000, mode="map")

    def test_variables_that_do_not_fit_kept_aside(self):
        # 100 MB each: 20000 ranks are 2 TB
        path = ranks.program("large.c")
        self.refused(path, EINPUT, "takes 2 TB of memory", "use isolation 'map'", n=20000, mode="copy")
        self.refused(path, EINPUT, "takes 2 TB of memory", n=20000)


if __name__ == "__main__":
    try:
        unittest.main(argv=sys.argv[:1], verbosity=2)
    finally:
        ranks.finish()
