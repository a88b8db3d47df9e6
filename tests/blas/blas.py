# SPDX-License-Identifier: BSD-3-Clause
"""--blas-model: programs without annotations whose BLAS and LAPACK calls are charged instead of computed.

usage: blas.py BIN_DIR SOURCE_DIR BLAS_LINK_ARGUMENT...
"""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks  # noqa: E402  (the folder above)

ignore_leaks()
os.environ["OPENBLAS_NUM_THREADS"] = "1"
BIN, HERE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
LINK = sys.argv[3:]
# In place of LAPACKE, which needs not be installed: what is called shows.
LAPACKE = """
int LAPACKE_dgetrf(int order, int m, int n, double *a, int lda, int *pivots) { return 1; }
int LAPACKE_dgeqrf_work(int order, int m, int n, double *a, int lda, double *tau, double *work, int length)
{
	if (length != -1)
		return 1;
	work[0] = 3;
	return 0;
}
"""
CLUSTER = "mpisim_cluster: 1\nnodes: 4\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
PICOSECOND = 1.5e-12  # what rounding to simulated time may lose


class Base(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "lapacke.c").write_text(LAPACKE)
        library = cls.dir / "liblapacke-test.so"
        assert call("cc", "-shared", "-fPIC", "-o", library, cls.dir / "lapacke.c").returncode == 0
        for name in ("calls", "complex", "hpl"):
            cls.made(BIN / "mpisim-cc", "-g", "-O1", HERE / f"{name}.c", "-o", cls.dir / name, *LINK, library, "-lm")

    def run_program(self, model, program, *arguments, n=1, mode="modelled", options=()):
        (self.dir / "model").write_text(model)
        return call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", n, "--compute", mode, "--json",
                    self.dir / "out.json", *(("--blas-model", self.dir / "model") if model else ()), *options,
                    self.dir / program, *arguments)

    def result(self):
        return json.loads((self.dir / "out.json").read_text())

    def takes(self, seconds, model, *cases, prints="", program="calls"):
        done = self.run_program(model, program, *cases)
        self.assertEqual((done.returncode, done.stdout), (0, prints), done.stderr)
        self.assertAlmostEqual(self.result()["predicted_time_s"], seconds, delta=PICOSECOND)


class Charged(Base):
    def test_matrix_products_take_the_modelled_time_and_compute_nothing(self):
        model = "model,dgemm,1e-3*p1 + 1e-4*p2 + 1e-5*p3\n"
        # m = 2, n = 3, k = 4: 2e-3 + 3e-4 + 4e-5; c[0] stays what it was
        self.takes(0.00234, model, "gemm", prints="gemm 7\n")
        self.takes(0.00234, model, "gemm-fortran")
        # by rows it is the product of the transposed matrices: m = 3, n = 2
        self.takes(0.00324, model, "gemm-rows")
        self.takes(0.00468, model, "gemm", "gemm-fortran", prints="gemm 7\n")

    def test_triangular_solves_have_the_order_of_the_triangle_first(self):
        # left: order 2, 3 columns; right: order 3, 2 rows: 2e-3 + 3e-4 + 3e-3 + 2e-4
        self.takes(0.0055, "model,dtrsm,1e-3*p1 + 1e-4*p2\n", "trsm")

    def test_factorizations_say_that_they_succeeded_and_exchanged_no_rows(self):
        # getrf 4 x 3: 4e-3 + 3e-4; getrs of order 3, 2 right-hand sides: 3e-2 + 2e-3
        self.takes(0.0363, "model,dgetrf,1e-3*p1 + 1e-4*p2\nmodel,dgetrs,1e-2*p1 + 1e-3*p2\n", "getrf",
                   prints="getrf 1 2 3, 0 0\n")

    def test_a_question_for_the_size_of_the_workspace_is_answered_and_free(self):
        self.takes(0.0043, "model,dgeqrf,1e-3*p1 + 1e-4*p2\n", "geqrf", prints="geqrf 1\n")

    def test_results_that_programs_branch_on_are_computed_and_charged(self):
        # |x|^2 = 1 + 16 + 4; |1| + |-4| + |2|; the largest is the second. Charged: 2 dots, 1 sum, 2 searches of 3 elements
        self.takes(3 * (2e-3 + 1e-4 + 2e-5), "model,ddot,1e-3*p1\nmodel,dasum,1e-4*p1\nmodel,idamax,1e-5*p1\n", "numbers",
                   prints="numbers 21 21 7 2 1\n")

    def test_vector_operations_are_charged(self):
        self.takes(10e-3 + 20e-4, "model,daxpy,1e-3*p1\nmodel,dscal,1e-4*p1\n", "level1")

    def test_empty_calls_cost_nothing_and_need_no_model(self):
        self.takes(0, "model,daxpy,1\n", "empty")

    def test_calls_that_the_library_refuses_are_refused_by_it(self):
        done = self.run_program("model,daxpy,1\n", "calls", "negative")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("negative -1\n", done.stdout)  # the first argument of dgetrf is wrong
        self.assertEqual(self.result()["predicted_time_s"], 0)

    def test_measurements_and_scales_count_as_for_annotated_kernels(self):
        done = self.run_program("dgemm,2,3,4,,0.5\ndgemm,2,3,4,,0.7\n", "calls", "gemm", options=["--scale", "dgemm=0.1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(self.result()["predicted_time_s"], 0.06, delta=PICOSECOND)

    def test_variation_is_replayed_with_a_seed(self):
        model = "# mpisim-bench 2\nmodel,dgemm,1\nvary,dgemm,call,quantiles,0.5 1.5\n"
        times = []
        for options in ([], ["--vary-kernels"], ["--vary-kernels"], ["--vary-kernels", "--seed", "7"]):
            self.assertEqual(self.run_program(model, "calls", "gemm", options=options).returncode, 0)
            times.append(self.result()["predicted_time_s"])
        self.assertEqual(times[0], 1)
        self.assertNotEqual(times[1], 1)
        self.assertEqual(times[1], times[2])
        self.assertNotEqual(times[1], times[3])
        self.assertTrue(all(0.5 <= seconds <= 1.5 for seconds in times), times)
        self.assertIn("--vary-kernels needs", self.run_program("", "calls", mode="direct", options=["--vary-kernels"]).stderr)

    def test_cores_of_a_node_slow_each_other_down_as_the_file_says(self):
        model = "# mpisim-bench 2\nmodel,dgemm,1\ncontention,dgemm,1 0.5\ncontention,ddot,1 0.8\n"
        for kernel, seconds in (("dgemm", 2), ("ddot", 1.25)):  # two ranks on the two cores of a node
            done = self.run_program(model, "calls", "gemm", n=2, options=["--set", "nodes=1", "--set", "cores=2", "--contention", kernel])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertAlmostEqual(self.result()["predicted_time_s"], seconds, delta=PICOSECOND)
        for text, wanted in (("contention,dgemm,1 2", "model:3: contention of \"dgemm\": found the speed 2"),
                             ("contention,dgemm,0.9", "found the speed 0.9, wanted 1 first"), ("contention,dgemm,", "found no speeds"),
                             ("contention,dgemm", "found 2 fields"), ("contention,dgemm,x", "speed 1")):
            done = self.run_program("# mpisim-bench 2\nmodel,dgemm,1\n" + text + "\n", "calls", "gemm")
            self.assertEqual(done.returncode, 2)
            self.assertIn(wanted, done.stderr)
        done = self.run_program(model, "calls", "gemm", options=["--contention", "dtrsm"])
        self.assertEqual(done.returncode, 2)
        self.assertIn('--contention: found no line "contention,dtrsm,', done.stderr)

    def test_partial_measures_the_rest(self):
        done = self.run_program("model,dgemm,1000\n", "calls", "gemm", mode="partial")
        self.assertEqual((done.returncode, done.stdout), (0, "gemm 7\n"), done.stderr)
        self.assertGreater(self.result()["predicted_time_s"], 1000)

    def test_first_n_measures_what_has_no_model(self):
        done = self.run_program("model,daxpy,1\n", "calls", "gemm", "gemm", mode="partial", options=["--first-n", "1"])
        # the first call computes 4*4 + 1*1 + 1*1 + 1*1; then c[0] = 7 stays
        self.assertEqual((done.returncode, done.stdout), (0, "gemm 19\ngemm 7\n"), done.stderr)

    def test_collect_keeps_what_calls_take_for_models_of_them(self):
        kept = self.dir / "kept"
        done = self.run_program("", "calls", "gemm", "gemm-rows", "numbers", "annotated", mode="collect",
                                options=["--blas-model", "/dev/null", "--bench-out", kept])
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "gemm 19"), done.stderr)
        rows = [line.split(",") for line in kept.read_text().splitlines() if line and not line.startswith(("#", "name,"))]
        self.assertEqual(sorted(",".join(row[:4]) for row in rows),
                         ["dasum,3,,", "ddot,3,,", "ddot,3,,", "dgemm,2,3,4", "dgemm,3,2,4", "idamax,3,,", "idamax,3,,", "mine,,,"])
        self.assertTrue(all(float(row[-1]) > 0 for row in rows), rows)

    def test_within_annotated_kernels_and_on_other_threads_the_library_computes(self):
        done = self.run_program("model,dgemm,1000\n", "calls", "annotated", mode="partial", options=["--first-n", "1"])
        self.assertEqual((done.returncode, done.stdout), (0, "gemm 19\n"), done.stderr)
        self.assertLess(self.result()["predicted_time_s"], 1000)
        self.takes(0, "model,dgemm,1000\n", "thread", prints="gemm 19\n")

    def test_without_the_option_everything_is_computed(self):
        done = self.run_program("", "calls", "gemm")
        self.assertEqual((done.returncode, done.stdout), (0, "gemm 19\n"), done.stderr)
        self.assertEqual(self.result()["predicted_time_s"], 0)


class OtherNumbers(Base):
    def takes(self, seconds, model, case, prints=""):
        super().takes(seconds, model, case, prints=prints, program="complex")

    def test_complex_products_take_the_modelled_time_and_compute_nothing(self):
        # 2 x 3, inner dimension 4; by rows 3 x 2: 2e-3 + 3e-4 + 4e-5 + 3e-3 + 2e-4 + 4e-5
        self.takes(0.00558, "model,zgemm,1e-3*p1 + 1e-4*p2 + 1e-5*p3\n", "gemm", prints="gemm 7\n")
        # order 3, rank 2, and 5 numbers: their factors are real
        self.takes(0.0082, "model,zherk,1e-3*p1 + 1e-4*p2\nmodel,zdscal,1e-3*p1\n", "herk")
        self.takes(0.0043, "model,zgetrf,1e-3*p1 + 1e-4*p2\n", "getrf", prints="getrf 1 2 3, 0\n")

    def test_complex_results_are_computed_and_charged(self):
        # 1 + 6i, -1 + 6i, |i|; 2 numbers twice, and 1
        self.takes(0.221, "model,zdotc,1e-2*p1\nmodel,zdotu,1e-1*p1\nmodel,dznrm2,1e-3*p1\n", "dot", prints="dot 1+6i -1+6i 1\n")

    def test_c_interface_of_lapack_with_and_without_workspace(self):
        self.takes(0.047, "model,dgetrf,1e-2*p1\nmodel,dgeqrf,1e-3*p1 + 1e-3*p2\n", "lapacke", prints="lapacke 3 0, 1\n")

    def test_matrices_with_bands_count_their_diagonals(self):
        # 5 x 4 with 1; by rows, 4 x 5 with 3; order 4 with 1; order 4; 4 pairs
        self.takes(0.00541 + 0.00453 + 0.0041 + 4 + 0.4,
                   "model,dgbmv,1e-3*p1 + 1e-4*p2 + 1e-5*p3\nmodel,dsbmv,1e-3*p1 + 1e-4*p2\nmodel,dspmv,p1\nmodel,drot,1e-1*p1\n",
                   "bands")


class Refused(Base):
    def test_a_kernel_without_a_model_is_named(self):
        done = self.run_program("model,dgemm,1\n", "calls", "trsm")
        self.assertEqual(done.returncode, 1)
        self.assertIn('kernel "dtrsm" (p1=2, p2=3) was never measured', done.stderr)
        self.assertIn("cblas_dtrsm", done.stderr)
        self.assertIn("calls.c", done.stderr)

    def test_reading_a_buffer_that_is_not_there_is_named(self):
        done = self.run_program("model,dscal,1\nmodel,dnrm2,1\n", "calls", "absent", options=["--no-alloc"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("cblas_dnrm2 reads a buffer that is not there", done.stderr)

    def test_modes_that_measure_everything_and_files_that_are_not_there_are_refused(self):
        done = self.run_program("model,dgemm,1\n", "calls", mode="direct")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--blas-model needs --compute partial, modelled or collect", done.stderr)
        done = self.run_program("", "calls", options=["--blas-model", self.dir / "nowhere"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere", done.stderr)


class Warned(Base):
    def warnings(self, program="calls", *arguments, mode="modelled"):
        done = self.run_program("model,dgemm,1\n", program, *arguments, mode=mode)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, "\n".join(self.result()["warnings"])

    def test_routines_without_a_stand_in_are_executed_and_named(self):
        text, warnings = self.warnings("calls", "uncovered")
        self.assertEqual(text, "uncovered 3\n")
        self.assertIn("does not replace dlacpy_: where the program calls it, the library computes, which this mode does not "
                      "charge", warnings)
        self.assertIn("is charged", self.warnings("calls", "uncovered", mode="partial")[1])

    def test_a_program_without_blas_is_told_that_the_model_changed_nothing(self):
        (self.dir / "none.c").write_text("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n")
        self.assertEqual(call(BIN / "mpisim-cc", self.dir / "none.c", "-o", self.dir / "none").returncode, 0)
        self.assertIn("the model changed nothing", self.warnings("none")[1])


class Application(Base):
    MODEL = ("model,dgetrf,1e-6*p1*p2\nmodel,dlaswp,1e-7*p1*p2\nmodel,dtrsm,1e-7*p1^2*p2\n"
             "model,dgemm,1e-8*p1*p2*p3\n")

    def test_one_rank_takes_the_sum_of_its_kernels(self):
        """n = 8, nb = 2, one rank: four panels of 8, 6, 4, 2 rows. Communication with oneself is free.

        getrf: 1e-6 * 2 * (8 + 6 + 4 + 2) = 40e-6. Each of the 4 steps flips the 3 other blocks: 12 * 1e-7 * 2 * 2 = 4.8e-6.
        3 + 2 + 1 blocks are updated: trsm 6 * 1e-7 * 4 * 2 = 4.8e-6; gemm with 6, 4, 2 rows below on 3, 2, 1 blocks:
        1e-8 * 2 * 2 * (18 + 8 + 2) = 1.12e-6. A call of gemm with no row below does not occur.
        """
        done = self.run_program(self.MODEL, "hpl", "8", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(self.result()["predicted_time_s"], 50.72e-6, delta=PICOSECOND)

    def test_predictions_of_several_ranks_repeat(self):
        texts = set()
        for _ in range(2):
            done = self.run_program(self.MODEL, "hpl", "64", "8", n=4)
            self.assertEqual(done.returncode, 0, done.stderr)
            texts.add(done.stdout)
        self.assertEqual(len(texts), 1, texts)

    def test_the_program_itself_is_right(self):
        """log|det| does not depend on the distribution; computed for real."""
        results = {self.run_program("", "hpl", "64", "8", n=n).stdout.splitlines()[1] for n in (1, 2, 4)}
        self.assertEqual(len(results), 1, results)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
