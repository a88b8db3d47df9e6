# SPDX-License-Identifier: BSD-3-Clause
"""Programs in C, C++ and Fortran as ranks: each rank behaves as the same program started on its own.

usage: test-programs.py DRIVER SOURCE_ROOT. What a program should print is what it prints when it is run natively,
wherever that does not depend on time.
"""
import random
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
import ranks
from ranks import MODES, Run, native, program


class Alike(unittest.TestCase):
    def alike(self, arguments, n, environment=None, modes=MODES):
        """Every rank prints what the program prints alone: n ranks that take turns print n times each line of it."""
        text, code, _ = native(arguments, environment)
        for mode in modes:
            run = Run(arguments, n, mode, environment=environment)
            self.assertEqual(sorted(run.lines), sorted(text.splitlines() * n), f"{arguments} {mode} {run.errors}")
            self.assertEqual((run.failure, int(run.bad)), ("none", n if code else 0))


class PrivateGlobals(Alike):
    def test_c_globals_and_thread_locals_are_each_ranks_own(self):
        path = program("globals.c")
        self.alike([path, "argument"], 5)
        # by hand: ten steps of +1, +2, +3, +4, +5 from 0, 1, 2, 7, 0; the last letter is 'a' + 9
        self.assertEqual(Run([path, "x"]).lines, ["10 21 32 47 50 text x j 1"])

    def test_relocations_of_every_kind_of_linking_are_applied(self):
        for name, options in {"lazy": ["-Wl,-z,lazy"], "now": ["-Wl,-z,now"], "pic": ["-fPIC"],
                              "norelro": ["-Wl,-z,norelro"], "relr": ["-Wl,-z,pack-relative-relocs"],
                              "aligned": ["-Wl,-z,max-page-size=0x200000"], "noseparate": ["-Wl,-z,noseparate-code"],
                              "lld": ["-fuse-ld=lld"], "exported": ["-rdynamic"],
                              "sysv": ["-Wl,--hash-style=sysv"]}.items():
            if name == "lld" and not shutil.which("ld.lld"):
                continue
            path = ranks.compile_file(f"{ranks.PROGRAMS}/globals.c", "globals-" + name, *options)
            with self.subTest(name):
                self.alike([path, "x"], 3)

    def test_functions_that_choose_their_implementation_are_called(self):
        path = ranks.compile_text("""
            #include <stdio.h>
            static int counter = 5;
            static int chosen(void) { return counter++; }
            static int (*choose(void))(void) { return chosen; }
            int get(void) __attribute__((ifunc("choose")));
            int (*pointer)(void) = get;
            int main(void) { int a = get(), b = pointer(); printf("%d %d\\n", a, b); return 0; }""", "ifunc")
        self.alike([path], 2)

    def test_cplusplus_has_constructors_exceptions_and_streams_per_rank(self):
        path = program("language.cpp")
        text, code, _ = native([path])
        self.assertEqual(code, 0)
        for mode in MODES:
            run = Run([path], 1, mode)
            self.assertEqual((run.text, run.failure, run.bad), (text, "none", "0"))
            # three ranks throw, catch and print in turns: the same words in all, three times
            run = Run([path], 3, mode)
            self.assertEqual(sorted(run.text.split()), sorted(text.split() * 3))
            self.assertEqual((run.failure, run.bad), ("none", "0"))

    def test_streams_survive_that_they_are_taken_off_stdio(self):
        with open(f"{ranks.FOLDER}/sync.cpp", "w", encoding="utf-8") as file:
            file.write("#include <iostream>\nint main() { std::ios::sync_with_stdio(false); std::cin.tie(nullptr); "
                       "std::cout << \"text\\n\"; }\n")
        self.alike([ranks.compile_file(f"{ranks.FOLDER}/sync.cpp", "sync")], 3)

    @unittest.skipUnless(shutil.which("gfortran"), "no Fortran compiler")
    def test_fortran_common_blocks_saved_and_module_variables_are_each_ranks_own(self):
        path = program("common.f90")
        self.alike([path, "word"], 4)
        # by hand: in_common 2, 4 … 20; more their sum 110; in_module 10 + 30; field 1000 * 2^10; stop code 4
        run = Run([path, "word"])
        self.assertEqual((run.lines, run.bad), (["10 20 110 40 1024000.0 word"], "1"))

    def test_large_static_arrays_take_only_what_is_touched(self):
        path = program("large.c")
        run = Run([path], 64, "auto")
        self.assertEqual(run.lines, ["3 6 9 3"] * 64)
        cost = Run([path], 64, "auto", ["-q"]).errors
        self.assertIn("cost: map", cost)
        # 100 MB each; three pages of each are touched, so 4 MiB per rank is ample, even for the sanitizers' own
        self.assertLess(float(cost.split("peak ")[1].split()[0]), 4096)

    def test_counters_in_20000_ranks(self):
        path = program("globals.c")
        self.assertEqual(Run([path, "x"], 20000).lines, ["10 21 32 47 50 text x j 1"] * 20000)
        self.assertIn("cost: copy", Run([path, "x"], 20000, "auto", ["-q"]).errors)

    def test_copying_large_globals_works_too(self):
        path = ranks.compile_text("""
            #include <unistd.h>
            #include <stdio.h>
            static int array[100000], filled[1000] = {1};
            int main(void) {
                long sum = 0;
                for (int i = 0; i < 100000; i++) { array[i] += i; if (i % 20000 == 0) usleep(1); }
                for (int i = 0; i < 100000; i++) sum += array[i] + filled[i % 1000];
                printf("%ld\\n", sum); return 0; }""", "moved")
        self.alike([path], 3)


class LibcState(Alike):
    def test_hidden_state_of_libc_is_each_ranks_own(self):
        self.alike([program("libc-state.c")], 3, {"PD_GIVEN": "given"})

    def test_each_rank_has_a_working_directory_of_its_own(self):
        """Every rank goes elsewhere, and to the same places in another order, between steps in which the others run."""
        path = ranks.compile_text("""
            #include <fcntl.h>
            #include <limits.h>
            #include <stdint.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <unistd.h>
            int main(void) {
                char start[PATH_MAX], here[PATH_MAX];
                const char *const places[] = {"/", "/usr", "/proc", "/usr/.."};
                void *own = malloc(1);
                unsigned first = (uintptr_t)own >> 5 & 3; /* another one on each rank */
                int back = open(".", O_RDONLY | O_DIRECTORY), wrong = 0;
                if (!getcwd(start, sizeof start) || back < 0) return 2;
                for (unsigned i = first; i < first + 4; i++) {
                    if (chdir(places[i & 3])) return 3;
                    usleep(1);
                    wrong += !getcwd(here, sizeof here) || access(i & 3 ? "." : "proc/self", F_OK);
                    wrong += (i & 3) == 1 ? here[1] != 'u' : (i & 3) == 2 ? here[1] != 'p' : here[1] != 0;
                }
                wrong += chdir("/no/such/place") != -1 || fchdir(back);
                usleep(1);
                wrong += !getcwd(here, sizeof here) || access(start, F_OK);
                for (int i = 0; start[i] || here[i]; i++) wrong += start[i] != here[i];
                printf("%d wrong\\n", wrong);
                return chdir("/usr") != 0; }""", "directories")
        self.alike([path], 5)
        self.assertEqual(Run([path], 5).lines, ["0 wrong"] * 5)

    def test_values_that_differ_between_ranks_stay_with_them(self):
        """Each rank's heap address is another one; the program has no copy of `environ`, so libc's must change hands."""
        path = ranks.compile_text("""
            #include <errno.h>
            #include <stdint.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            int main(void) {
                char *mine = malloc(32); int number = (int)((uintptr_t)mine >> 4 & 0xffffff);
                snprintf(mine, 32, "%p", (void *)mine);
                setenv("PD_MINE", mine, 1);
                srand((unsigned)number);
                int first = rand();
                srand((unsigned)number);
                errno = number;
                usleep(1);
                int same = errno == number;
                printf("%d %d %d\\n", same, !strcmp(getenv("PD_MINE"), mine), rand() == first); return 0; }""", "differ")
        self.alike([path], 3)

    def test_getopt_does_what_libc_does(self):
        path = program("options.c")
        seed = 1
        print("seed", seed)
        random.seed(seed)
        words = ["-a", "-b", "x", "-bval", "--", "-ab", "-c", "-cfoo", "--alpha", "--beta", "--beta=2", "--al", "--bet",
                 "--betam", "-", "--gamma=1", "--gamma", "-alpha", "-g", "-flag", "--flag", "y", "-z", "--zz", "--alpha=3"]
        for _ in range(150):
            options = random.choice(["", "!"]) + random.choice(["", "+", "-"]) + random.choice(["", ":"]) + "ab:c::"
            arguments = [path, random.choice(["short", "long", "only"]), options]
            arguments += random.choices(words, k=random.randint(0, 7))
            text, _, errors = native(arguments)
            run = Run(arguments, 2)
            self.assertEqual(run.text, text * 2, arguments)
            # libc also lists what an ambiguous option could mean
            errors = {line.split("; possibilities")[0] for line in errors.splitlines()}
            self.assertEqual(set(run.errors.splitlines()), errors, arguments)

    def test_ends_run_the_handlers_that_a_process_runs(self):
        path = program("ends.c")
        for how in ("return", "exit", "nested", "now", "quick"):
            for code in (0, 3):
                with self.subTest(how=how, code=code):
                    self.alike([path, how, str(code)], 1)
                    self.alike([path, how, str(code)], 3)

    def test_children_of_fork_are_no_ranks(self):
        path = ranks.compile_text("""
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/wait.h>
            #include <unistd.h>
            int main(void) {
                int status; pid_t child = fork();
                if (child == 0) exit(7);
                waitpid(child, &status, 0);
                printf("%d ", WEXITSTATUS(status));
                printf("%d\\n", WEXITSTATUS(system("exit 5"))); return 0; }""", "fork")
        self.alike([path], 2)

    def test_libraries_before_the_mpi_library_come_first(self):
        """A profiling library has its own MPI_X; here it stands in front of mpisim_is_simulated, which the driver has too."""
        tool = ranks.library("int mpisim_is_simulated(void) { return 42; }", "libtool.so", "-Wl,-rpath," + ranks.FOLDER)
        mpi = ranks.library("int mpisim_is_simulated(void) { return 0; }", "libmpi_abi.so.0")
        text = ("#include <stdio.h>\nint mpisim_is_simulated(void);"
                "int main(void) { printf(\"%d\\n\", mpisim_is_simulated()); return 0; }")
        for name, libraries, value in (("tool-first", [tool, mpi], "42"), ("mpi-first", [mpi, tool], "1")):
            path = ranks.compile_text(text, name, "-Wl,--no-as-needed", *libraries, "-Wl,-rpath," + ranks.FOLDER)
            self.assertEqual(Run([path], 2).lines, [value] * 2, name)

    def test_threads_of_the_program_are_left_alone(self):
        path = ranks.compile_text("""
            #include <pthread.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <time.h>
            #include <unistd.h>
            static time_t seen;
            static void *run(void *argument) { usleep(10); seen = time(NULL); rand(); return argument; }
            int main(void) {
                pthread_t thread; void *result;
                pthread_create(&thread, NULL, run, &thread);
                pthread_join(thread, &result);
                printf("%d %d\\n", result == &thread, seen > 1700000000); return 0; }""", "threads", "-pthread")
        # the thread sees the host's clock, which is past 2023
        self.assertEqual(Run([path], 2, "map").lines, ["1 1"] * 2)


class Clocks(unittest.TestCase):
    def test_clocks_and_sleeps_use_simulated_time(self):
        # by hand: 1.5 ms, +1 s, +2.0000005 s twice, to 6.0000005 s, to 7.0000005 s, +1.000005 s, +3 ms; wall clocks
        # count from 2000-01-01 = 946684800 s; 100 ticks are a second
        self.assertEqual(Run([program("times.c")]).text, """0 946684800000000000
usleep 1500000
sleep 1001500000
nanosleep 3001500500 -1 1
relative 5001501000
absolute 6000000500
absolute 7000000500
select 8000005500
946684808.003005 946684808003005500 946684808 8003005 8.003005 800
""")


if __name__ == "__main__":
    ranks.library("#include <stdlib.h>\nvoid *mpisim_alloc(size_t n) { return malloc(n); }\n"
                  "void mpisim_free(void *b) { free(b); }\n", "libmpi_abi.so.1")
    try:
        unittest.main(argv=sys.argv[:1], verbosity=2)
    finally:
        ranks.finish()
