#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fortran programs as users build and run them: lines in reports, what each rank has for itself, what is refused.

usage: fortran.py BIN_DIR SOURCE_DIR
"""
import json
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402  (the folder above)

ignore_leaks()
BIN, HERE = paths(2)
HEAD = {"mpif.h": ("", "include 'mpif.h'"), "mpi": ("use mpi", ""), "mpi_f08": ("use mpi_f08", "")}


class Base(Folder):
    def compiled(self, text, *options, suffix=".f90", tool="mpisim-fc"):
        source = self.dir / f"{self._testMethodName}{suffix}"
        source.write_text(text)
        for_fortran = ["-fallow-argument-mismatch", "-J", self.dir] if tool == "mpisim-fc" else []
        return call(BIN / tool, "-g", *for_fortran, *options, source, "-o", source.with_suffix(""), cwd=self.dir)

    def built(self, text, *options, **more):
        done = self.compiled(text, *options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.dir / self._testMethodName

    def run_it(self, program, *options, n=2, status=0):
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", n, "--compute", "modelled", *options, program, cwd=self.dir)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done


def program(body, interface="mpi_f08", declarations="", more=""):
    use, include = HEAD[interface]
    return f"program p\n{use}\nimplicit none\n{include}\ninteger :: rank, n, ierr\n{declarations}\ncall MPI_Init(ierr)\n" \
           f"call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)\ncall MPI_Comm_size(MPI_COMM_WORLD, n, ierr)\n{body}\n" \
           f"call MPI_Finalize(ierr)\nend program\n{more}"


def line_of(text, part):
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


class Reports(Base):
    def test_errors_name_the_line_of_the_program_in_all_interfaces(self):
        for interface in HEAD:
            text = program("call MPI_Barrier(MPI_COMM_WORLD, ierr)\ncall MPI_Send(rank, 1, MPI_INTEGER, 9, 0, MPI_COMM_WORLD, ierr)", interface)
            done = self.run_it(self.built(text), "--quiet", status=1)
            self.assertRegex(done.stderr, rf"MPI_Send at \w+.f90:{line_of(text, 'MPI_Send')} .*MPI_ERR_RANK")

    def test_deadlocks_and_leaks_name_lines_too(self):
        text = program("call MPI_Recv(rank, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)")
        done = self.run_it(self.built(text), "--quiet", status=1)
        self.assertEqual(done.stderr.count(f".f90:{line_of(text, 'MPI_Recv')}"), 2, done.stderr)
        text = program("call MPI_Comm_dup(MPI_COMM_WORLD, comm)", declarations="type(MPI_Comm) :: comm")
        done = self.run_it(self.built(text), "--quiet")
        self.assertIn(f"made by MPI_Comm_dup at {self._testMethodName}.f90:{line_of(text, 'MPI_Comm_dup')}", done.stderr)

    def test_functions_that_enter_no_library_leave_no_line_behind(self):
        """MPI_Wtick does not say where it was called; a function of C that comes next has its own line."""
        text = program("print *, MPI_Wtick() > 0, MPI_Aint_add(1_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND)\ncall from_c()",
                       declarations="interface\nsubroutine from_c() bind(C)\nend subroutine\nend interface")
        source = self.dir / "wrong.c"
        source.write_text("#include <mpi.h>\nvoid from_c(void)\n{\n\tMPI_Send(0, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n}\n")
        self.assertEqual(call(BIN / "mpisim-cc", "-g", "-c", source, "-o", self.dir / "wrong.o").returncode, 0)
        done = self.run_it(self.built(text, self.dir / "wrong.o"), "--quiet", status=1)
        self.assertIn("MPI_Send at wrong.c:4", done.stderr)

    def test_the_summary_counts_calls_as_of_c(self):
        self.run_it(self.built(program("call MPI_Barrier(MPI_COMM_WORLD, ierr)\ncall MPI_Barrier(MPI_COMM_WORLD, ierr)", "mpi")),
                    "--quiet", "--json", self.dir / "out.json")
        calls = json.loads((self.dir / "out.json").read_text())
        counts = {name: number for name, number in re.findall(r'"name": "(MPI_\w+)"[^}]*?"count": (\d+)', json.dumps(calls))}
        self.assertEqual(counts.get("MPI_Barrier"), "4", json.dumps(calls)[:3000])


class Private(Base):
    def test_common_saved_and_module_variables_and_units_are_each_ranks_own(self):
        text = "module m\ninteger :: in_module = 5\nend module\n" + program("""
            in_common = rank
            in_module = in_module + rank
            call count_calls(times)
            if (rank > 0) call count_calls(times)
            write (name, '(A,I0)') 'unit', rank
            open (10, file=name)
            call MPI_Barrier(MPI_COMM_WORLD, ierr)
            write (10, '(4(I0,1X))') rank, in_common, in_module, times
            call MPI_Barrier(MPI_COMM_WORLD, ierr)
            close (10)
            """, "mpi", "integer :: in_common, times\ncharacter(len=8) :: name\ncommon /shared/ in_common", """
            subroutine count_calls(n)
            integer :: n
            integer, save :: calls = 10
            calls = calls + 1
            n = calls
            end subroutine
            """).replace("use mpi\n", "use mpi\nuse m\n")
        self.run_it(self.built(text), "--quiet", n=3)
        found = [(self.dir / f"unit{rank}").read_text().strip() for rank in range(3)]
        self.assertEqual(found, ["0 0 5 11", "1 1 6 12", "2 2 7 12"])

    def test_a_program_may_replace_the_profiled_names(self):
        text = program("call MPI_Barrier(MPI_COMM_WORLD, ierr)", "mpi", more="""
            subroutine mpi_barrier(comm, ierr)
            integer :: comm, ierr
            print '(A)', 'profiled'
            call pmpi_barrier(comm, ierr)
            end subroutine
            """)
        self.assertEqual(self.run_it(self.built(text), "--quiet").stdout, "profiled\n" * 2)


class Refused(Base):
    def test_clocks_have_eight_bytes_whatever_real_means(self):
        # "double precision" is real(16) with the first option alone, real(8) with both; MPI's clocks stay C's double
        for options in (["-fdefault-real-8"], ["-fdefault-real-8", "-fdefault-double-8"], []):
            for interface in HEAD:
                text = program("t = MPI_Wtime()\ncall mpisim_add_compute_time(2.5_8)\nprint '(4f9.4)', MPI_Wtime() - t, PMPI_Wtime() - t, "
                               "1e9 * MPI_Wtick(), 1e9 * PMPI_Wtick()", interface, declarations="real(8) :: t")
                text = text.replace("implicit none", "use mpisim\nimplicit none" if interface == "mpif.h" else "implicit none")
                done = self.run_it(self.built(text.replace("program p\nuse", "program p\nuse mpisim\nuse"), *options), "--quiet", n=1)
                self.assertRegex(done.stdout, r"^ +2\.5000 +2\.5000 +(\d+\.\d+) +\1\n$", (options, interface))
                self.assertGreater(float(done.stdout.split()[2]), 0)

    def test_integers_of_eight_bytes(self):
        for interface in ("mpif.h", "mpi", "mpi_f08"):
            done = self.compiled(program("", interface), "-fdefault-integer-8")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("Error", done.stderr)

    def test_sections_with_gaps_where_they_cannot_be_taken(self):
        for call_text in ("call MPI_Win_create(a(1, :), 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w)",
                          "call MPI_Put(a(1, :), 1, t, 0, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, w)"):
            text = program(f"call MPI_Type_vector(2, 1, 2, MPI_INTEGER, t)\n{call_text}",
                           declarations="integer :: a(4, 4)\ntype(MPI_Win) :: w\ntype(MPI_Datatype) :: t")
            error = self.run_it(self.built(text), "--quiet", status=1).stderr
            self.assertRegex(error, rf"{call_text.split('(')[0][5:]} at \w+.f90:{line_of(text, call_text)} ")
            self.assertIn("section of an array with gaps", error)

    def test_sections_that_are_too_short(self):
        text = program("call MPI_Isend(a(1, :), 5, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, r)",
                       declarations="integer :: a(4, 4)\ntype(MPI_Request) :: r")
        self.assertIn("fewer elements than the call names", self.run_it(self.built(text), "--quiet", status=1).stderr)

    def test_addresses_that_do_not_fit(self):
        text = program("call MPI_Address(rank, n, ierr)", "mpi")
        self.assertRegex(self.run_it(self.built(text), "--quiet", status=1).stderr,
                         rf"MPI_Address at \w+.f90:{line_of(text, 'MPI_Address')} .*does not fit in an INTEGER")

    def test_numbers_that_are_no_handles(self):
        for call_text, wanted in (("call MPI_Barrier(123456, ierr)", "MPI_ERR_COMM"), ("call MPI_Barrier(0, ierr)", "MPI_ERR_COMM"),
                                  ("n = 777777\ncall MPI_Wait(n, MPI_STATUS_IGNORE, ierr)", "MPI_ERR_REQUEST"),
                                  ("call MPI_Send(n, 1, -3, 0, 0, MPI_COMM_WORLD, ierr)", "MPI_ERR_TYPE")):
            self.assertIn(wanted, self.run_it(self.built(program(call_text, "mpi")), "--quiet", status=1).stderr)


class Languages(Base):
    C = """
        #include <mpi.h>
        #include <stddef.h>
        void receive_(MPI_Fint *comm, MPI_Fint *status, int *is_ignored);
        int both(MPI_Fint comm, MPI_Fint type, MPI_Fint *f_status)
        {
            MPI_Comm c = MPI_Comm_f2c(comm);
            MPI_Status status;
            int rank, size, value, *pointer, flag, keyval, ignored;
            MPI_Comm_rank(c, &rank);
            MPI_Type_size(MPI_Type_f2c(type), &size);
            if (MPI_Comm_c2f(c) != comm || size != 8 || MPI_Comm_f2c(9999999) != MPI_COMM_NULL || MPI_Op_c2f(MPI_SUM) <= 0)
                return 1;
            MPI_Sendrecv(&rank, 1, MPI_INT, rank, 5, &value, 1, MPI_INT, rank, 5, c, &status);
            MPI_Status_c2f(&status, f_status);
            status.MPI_TAG = 0;
            MPI_Status_f2c(f_status, &status);
            receive_(&comm, MPI_F_STATUS_IGNORE, &ignored);
            MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
            MPI_Comm_get_attr(c, KEYVAL, &pointer, &flag);
            MPI_Comm_free_keyval(&keyval);
            return status.MPI_TAG != 5 || !ignored || !flag || *(MPI_Aint *)pointer != 77;
        }
        """

    def test_c_and_fortran_exchange_handles_statuses_and_attributes(self):
        text = program("""
            call MPI_Type_contiguous(2, MPI_INTEGER, type)
            call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
            if (keyval /= 4096) stop 5
            call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 77_MPI_ADDRESS_KIND)
            if (both(MPI_COMM_WORLD%MPI_VAL, type%MPI_VAL, status) /= 0) stop 7
            if (status(MPI_TAG) /= 5 .or. status(MPI_SOURCE) /= rank) stop 8
            call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
            call MPI_Comm_free_keyval(keyval)
            call MPI_Type_free(type)""", declarations="""
            type(MPI_Datatype) :: type
            integer :: keyval, status(MPI_STATUS_SIZE)
            interface
            integer function both(comm, type, status) bind(C)
            integer, value :: comm, type
            integer :: status(*)
            end function
            end interface""", more="""
            subroutine receive(comm, status, is_ignored)
            use mpi_f08
            integer :: comm, is_ignored
            type(MPI_Status) :: status
            is_ignored = merge(1, 0, loc(status) == loc(MPI_STATUS_IGNORE))
            end subroutine
            """)
        source = self.dir / "both.c"
        source.write_text(self.C.replace("KEYVAL", "4096"))
        done = call(BIN / "mpisim-cc", "-g", "-Wall", "-Werror", "-c", source, "-o", self.dir / "both.o")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_it(self.built(text, self.dir / "both.o"), "--quiet")

    def test_c_alone_has_the_conversions(self):
        path = self.built('#include <mpi.h>\nint main(void) { return MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_SELF)) != MPI_COMM_SELF ||'
                          ' PMPI_Type_f2c(0) != MPI_DATATYPE_NULL; }\n', suffix=".c", tool="mpisim-cc")
        self.run_it(path, "--quiet")


class Files(Base):
    def test_files_and_representations_of_the_programs_own(self):
        text = program("""
            call MPI_File_open(MPI_COMM_WORLD, 'data  ', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
            call MPI_Register_datarep('negative', turned, turned, extent, 4_MPI_ADDRESS_KIND)
            call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
            call MPI_File_write_at_all(file, int(2 * rank, MPI_OFFSET_KIND), a(2, :), 2, MPI_INTEGER, status)
            call MPI_Get_count(status, MPI_INTEGER, count)
            call MPI_Barrier(MPI_COMM_WORLD)
            call MPI_File_get_size(file, bytes)
            call MPI_File_read_at(file, int(2 * n - 2, MPI_OFFSET_KIND), b, 2, MPI_INTEGER, MPI_STATUS_IGNORE)
            if (count /= 2 .or. bytes /= 8 * n .or. any(b /= a(2, :))) stop 4
            call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL)
            call MPI_File_get_view(file, bytes, etype, filetype, name)
            if (name /= 'negative' .or. etype /= MPI_INTEGER) stop 6
            call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, b, 2, MPI_INTEGER, MPI_STATUS_IGNORE)
            if (any(b /= -a(2, :))) stop 5
            call MPI_File_close(file)
            if (file /= MPI_FILE_NULL) stop 8""", declarations="""
            type(MPI_File) :: file
            type(MPI_Status) :: status
            type(MPI_Datatype) :: etype, filetype
            integer(kind=MPI_OFFSET_KIND) :: bytes
            integer :: a(2, 2) = reshape([1, 2, 3, 4], [2, 2]), b(2), count
            character(len=MPI_MAX_DATAREP_STRING) :: name
            procedure(MPI_Datarep_conversion_function) :: turned
            procedure(MPI_Datarep_extent_function) :: extent""", more="""
            subroutine turned(userbuf, datatype, count, filebuf, position, extra_state, ierror)
            use mpi_f08
            use iso_c_binding
            type(c_ptr), value :: userbuf, filebuf
            type(MPI_Datatype) :: datatype
            integer :: count, ierror
            integer(kind=MPI_OFFSET_KIND) :: position
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            integer, pointer :: in(:), out(:)
            ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, position == 0 .and. extra_state == 4)
            call c_f_pointer(filebuf, in, [count])
            call c_f_pointer(userbuf, out, [count])
            out = -in
            end subroutine
            subroutine extent(datatype, bytes, extra_state, ierror)
            use mpi_f08
            type(MPI_Datatype) :: datatype
            integer(kind=MPI_ADDRESS_KIND) :: bytes, extra_state
            integer :: ierror
            bytes = extra_state
            ierror = MPI_SUCCESS
            end subroutine
            """)
        self.run_it(self.built(text), "--quiet", n=3)


class Agreements(Base):
    """What the Fortran bindings do with characters and integers that C's have no counterpart of."""

    def test_commands_and_arguments_lose_outer_blanks(self):
        text = program("""
            call MPI_Comm_get_parent(other)
            if (other /= MPI_COMM_NULL) then
              call get_command_argument(1, found(1), length(1))
              call get_command_argument(2, found(2), length(2))
              if (command_argument_count() /= 2 .or. any(length /= [1, 3]) .or. found(1) /= 'a' .or. found(2) /= 'b c') stop 3
              print '(A)', 'spawned'
            else
              call get_command_argument(0, name)
              call MPI_Comm_spawn(' ' // name, given, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, other, MPI_ERRCODES_IGNORE)
            end if
            call MPI_Comm_disconnect(other)""", declarations="""
            type(MPI_Comm) :: other
            character(len=6) :: given(3) = ['  a   ', ' b c  ', '      '], found(2)
            character(len=400) :: name
            integer :: length(2)""")
        self.assertEqual(self.run_it(self.built(text), "--quiet", n=1).stdout, "spawned\n")

    def test_callbacks_of_generalized_requests_get_the_callers_variable(self):
        text = program("""
            state = 5
            call MPI_Grequest_start(query, release, cancel, state, request, ierr)
            call MPI_Grequest_complete(request, ierr)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
            if (state /= 17) stop 3""", "mpi", declarations="""
            integer :: request
            integer(kind=MPI_ADDRESS_KIND) :: state
            external :: query, release, cancel""", more="""
            subroutine query(extra_state, status, ierror)
            use mpi
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            integer :: status(MPI_STATUS_SIZE), ierror
            extra_state = extra_state + 2
            call MPI_Status_set_elements(status, MPI_BYTE, 0, ierror)
            call MPI_Status_set_cancelled(status, .false., ierror)
            end subroutine
            subroutine release(extra_state, ierror)
            use mpi
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            integer :: ierror
            extra_state = extra_state + 10
            ierror = MPI_SUCCESS
            end subroutine
            subroutine cancel(extra_state, complete, ierror)
            use mpi
            integer(kind=MPI_ADDRESS_KIND) :: extra_state
            logical :: complete
            integer :: ierror
            ierror = MPI_SUCCESS
            end subroutine
            """)
        self.run_it(self.built(text), "--quiet", n=1)


class Tools(Base):
    def test_recorded_runs_replay_in_the_same_time(self):
        text = program("""
            call MPI_Isend(a(1, :), 4, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, r)
            call MPI_Recv(b, 4, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
            call MPI_Wait(r, MPI_STATUS_IGNORE)
            call MPI_Allreduce(rank, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)""", declarations="integer :: a(4, 4), b(4)\ntype(MPI_Request) :: r")
        self.run_it(self.built(text), "--quiet", "--record", self.dir / "t.trace", "--json", self.dir / "run.json")
        done = call(BIN / "mpisim-replay", "--quiet", "--json", self.dir / "replay.json", self.dir / "t.trace")
        self.assertEqual(done.returncode, 0, done.stderr)
        times = [json.loads((self.dir / name).read_text()) for name in ("run.json", "replay.json")]
        key = next(k for k in times[0] if "time" in k and isinstance(times[0][k], (int, float)))
        self.assertEqual(times[0][key], times[1][key])

    def test_annotations(self):
        text = program("""
            call mpisim_phase_begin('all of it  ')
            call mpisim_add_compute_time(0.5d0)
            if (mpisim_kernel_begin('twice', 1, [2d0])) stop 3
            call mpisim_kernel_end()
            call mpisim_phase_end()
            if (.not. mpisim_is_simulated()) stop 4
            memory = mpisim_alloc(100_c_size_t)
            if (.not. c_associated(memory)) stop 5
            call mpisim_free(memory)
            if (rank == 0) print '(F0.3)', MPI_Wtime()""", "mpi_f08", "type(c_ptr) :: memory").replace(
                "use mpi_f08\n", "use mpi_f08\nuse mpisim\nuse iso_c_binding\n")
        path = self.built(text)
        collected = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 1, "--compute", "collect", "--quiet",
                         "--bench-out", self.dir / "own.bench", path)
        self.assertIn("STOP 3", collected.stderr)  # the kernel is to be executed
        done = self.run_it(path, "--quiet", status=1)
        self.assertIn("twice", done.stderr)  # modelled, without a model
        self.assertRegex(done.stderr, r"test_annotations.f90:\d+")

    def test_streams(self):
        text = program("""
            memory = mpisim_device_alloc(40000000_c_size_t)
            call c_f_pointer(memory, device, [10000000])
            host = [(n, n = 1, size(host))]
            call mpisim_stream_copy(memory, c_loc(host), 40000000_c_size_t, 0)
            call mpisim_stream_wait(1, 0)
            if (mpisim_stream_kernel_begin('twice', 1, [2d0], 1)) stop 3
            call mpisim_kernel_end()
            call mpisim_stream_synchronize(1)
            if (any(device /= host)) stop 4
            call MPI_Bcast(device, size(device), MPI_INTEGER, 0, MPI_COMM_WORLD)
            call mpisim_device_synchronize()
            call mpisim_device_free(memory)
            print '(F0.3)', MPI_Wtime()
            flush(6)
            if (mpisim_stream_kernel_begin('twice', 1, [2d0], MPISIM_MAX_STREAMS)) stop 5""", "mpi_f08",
                       "type(c_ptr) :: memory\ninteger, pointer :: device(:)\ninteger, allocatable, target :: host(:)").replace(
                           "use mpi_f08\n", "use mpi_f08\nuse mpisim\nuse iso_c_binding\n").replace("host = [(", "allocate(host(10000000))\nhost = [(")
        (self.dir / "streams.bench").write_text("model,twice,2*p1\n")
        done = self.run_it(self.built(text), "--quiet", "--bench", self.dir / "streams.bench", "--set",
                           "accelerators={per_node: 1, gpu_aware: true, link: {latency: 0, bandwidth: 40 MB/s}}", n=1, status=1)
        self.assertEqual(done.stdout, "5.000\n")  # 1 s of copying, then 4 s
        self.assertRegex(done.stderr, r"found stream 32, wanted 0 to 31")
        self.assertRegex(done.stderr, r"test_streams.f90:\d+")

    def test_a_program_contains_what_it_calls(self):
        path = self.built(program("call MPI_Barrier(MPI_COMM_WORLD, ierr)"))
        names = set(re.findall(r" U (MPI_\w+)", call("nm", "-D", path).stdout))
        self.assertEqual(names, {"MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Barrier", "MPI_Finalize"})

    def test_cmake_finds_mpi(self):
        if not shutil.which("cmake"):
            self.skipTest("no cmake")
        project = self.dir / "project"
        project.mkdir()
        (project / "p.f90").write_text(program("print '(I0)', n"))
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.13)\nproject(p Fortran)\nfind_package(MPI REQUIRED COMPONENTS Fortran)\n"
            "if(NOT MPI_Fortran_HAVE_F08_MODULE OR NOT MPI_Fortran_HAVE_F77_HEADER)\n  message(FATAL_ERROR incomplete)\nendif()\n"
            "add_executable(p p.f90)\ntarget_link_libraries(p MPI::MPI_Fortran)\n")
        made = call("cmake", "-S", project, "-B", project / "b", f"-DMPI_Fortran_COMPILER={BIN / 'mpisim-fc'}",
                    "-DCMAKE_POSITION_INDEPENDENT_CODE=ON")
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        built = call("cmake", "--build", project / "b")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        self.assertEqual(self.run_it(project / "b" / "p", "--quiet").stdout, "2\n" * 2)


if __name__ == "__main__":
    unittest.main()
