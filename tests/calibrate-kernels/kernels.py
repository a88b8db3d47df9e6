# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-kernels: models from measurements whose law is known, what it refuses, and a small measurement.

usage: kernels.py MPISIM_KERNELS BIN_DIR LIBMPI_ABI SOURCE_DIR
"""
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import OwnFolder, call, ignore_leaks  # noqa: E402  (the folder above)

ignore_leaks()
KERNELS, BIN, LIBRARY, HERE = (pathlib.Path(word).resolve() for word in sys.argv[1:5])


class Base(OwnFolder):
    def setUp(self):
        super().setUp()
        self.model = self.dir / "model"

    def store(self, text, name="store"):
        (self.dir / name).write_text(text)
        return self.dir / name

    def fit(self, *stores):
        done = call(KERNELS, "-o", self.model, *stores)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.model.read_text()

    def terms(self, text):
        """"2*p1 + 3" as {"p1": 2, "": 3}."""
        found = {}
        for term in text.replace(" - ", " + -").split(" + "):
            factors = term.split("*", 1)
            found[factors[1] if len(factors) > 1 else ""] = float(factors[0])
        return found


class Laws(Base):
    def test_the_terms_of_a_stated_complexity_are_recovered(self):
        """t = 1e-6 + 2e-9 p1 p2 p3; the surfaces p1 p2 ... take no time, so they are left out."""
        text = "# model f: p1*p2*p3 + p1*p2 + p2*p3 + 1\n"
        for m in (8, 20, 50):
            for n in (8, 30, 70):
                for k in (10, 40, 90):
                    text += f"f,{m},{n},{k},,{1e-6 + 2e-9 * m * n * k:.17g}\n"
        lines = [line for line in self.fit(self.store(text)).splitlines() if line.startswith("model,")]
        self.assertEqual(len(lines), 1, lines)
        terms = self.terms(lines[0].split(",")[2])
        self.assertEqual(set(terms), {"p1*p2*p3", ""})
        self.assertAlmostEqual(terms["p1*p2*p3"], 2e-9, delta=1e-15)
        self.assertAlmostEqual(terms[""], 1e-6, delta=1e-12)

    def test_a_term_with_a_minus_may_be_negative_and_others_may_not(self):
        """A factorization: 1e-9 (p1 p2^2 - p2^3/3)."""
        for sign, wanted in (("-", True), ("+", False)):
            text = f"# model lu: p1*p2^2 {sign} p2^3\n"
            for n in (10, 20, 40, 80):
                for m in (80, 120, 200):
                    text += f"lu,{m},{n},,,{1e-9 * (m * n * n - n ** 3 / 3):.17g}\n"
            found = self.fit(self.store(text))
            line = [line for line in found.splitlines() if line.startswith("model,")][0]
            self.assertEqual(" - " in line, wanted, line)
            if wanted:
                self.assertAlmostEqual(self.terms(line.split(",")[2])["p2*p2" if "p2*p2" in line else "p2^3"], -1e-9 / 3, delta=1e-14)

    def test_where_a_cache_ends_a_piece_ends(self):
        """1 ns an element below 1000, 5 ns from there on."""
        text = "# model v: p1\n" + "".join(f"v,{n},,,,{n * (1e-9 if n < 1000 else 5e-9):.17g}\n" for n in range(100, 2000, 100))
        lines = [line.split(",") for line in self.fit(self.store(text)).splitlines() if line.startswith("model,")]
        pieces = {line[3]: self.terms(line[2]) for line in lines}
        self.assertEqual(set(pieces), {"p1<1000", "p1>=1000"})
        self.assertAlmostEqual(pieces["p1<1000"]["p1"], 1e-9, delta=1e-14)
        self.assertAlmostEqual(pieces["p1>=1000"]["p1"], 5e-9, delta=1e-14)

    def test_without_a_complexity_usual_terms_are_tried(self):
        text = "".join(f"t,{n},,,,{3e-9 * n ** 3:.17g}\n" for n in (4, 8, 16, 32, 64))
        self.assertIn("model,t,3e-09*p1^3\n", self.fit(self.store(text)))

    def test_a_routine_of_another_precision_has_the_known_complexity(self):
        """A negative term, which usual products cannot have: 1e-9 (p1 p2^2 - p2^3/3)."""
        text = "".join(f"zgetrf,{m},{n},,,{1e-9 * (m * n * n - n ** 3 / 3):.17g}\n" for n in (10, 20, 40, 80) for m in (80, 120, 200))
        self.assertIn(" - 3.333", self.fit(self.store(text)))

    def test_a_single_point_predicts_in_proportion(self):
        self.assertIn("model,t,3e-09*p1^3\n", self.fit(self.store(f"t,100,,,,{3e-9 * 100 ** 3:.17g}\n")))

    def test_a_fit_to_as_many_points_as_terms_claims_no_error(self):
        text = self.fit(self.store("t,100,,,,1\nt,100,,,,2.6\n"))
        self.assertIn("# t: 1 point, too few to tell the error: the model has as many terms\n", text)
        self.assertNotIn("relative error", text)
        self.assertRegex(call(KERNELS, self.dir / "store").stdout, r"(?m)^t +1 +1 +- +- +- ")


class Spread(Base):
    def rows(self, draw, n=400):
        random.seed(3)
        return "# model k: 1\n" + "".join(f"k,,,,,{draw():.9g}\n" for _ in range(n))

    def test_the_distribution_is_told_and_its_quantiles_have_mean_one(self):
        for kind, draw in (("normal", lambda: random.gauss(1, 0.1)), ("uniform", lambda: random.uniform(0.5, 1.5)),
                           ("shifted exponential", lambda: 1 + random.expovariate(5))):
            text = self.fit(self.store(self.rows(draw)))
            self.assertIn("nearest to: " + kind, text)
            quantiles = [float(word) for word in re.search(r"vary,k,call,quantiles,(.*)", text).group(1).split()]
            self.assertEqual(quantiles, sorted(quantiles))
            mean = sum(a + b for a, b in zip(quantiles, quantiles[1:])) / 2 / (len(quantiles) - 1)
            self.assertAlmostEqual(mean, 1, delta=0.01)

    def test_what_took_more_than_three_times_the_median_counts_as_disturbed(self):
        text = self.rows(lambda: random.uniform(0.9, 1.1)) + "k,,,,,1000\n"
        done = call(KERNELS, "-o", self.model, self.store(text))
        self.assertRegex(done.stdout, r"\nk +1 +1 .* 1  uniform\n")
        constant = float(re.search(r"model,k,([0-9.e+-]+)", self.model.read_text()).group(1))
        self.assertAlmostEqual(constant, 1, delta=0.01)  # with the outlier it would be 3.5

    def test_samples_that_scatter_are_told(self):
        for draw, is_noisy in ((lambda: random.uniform(0.95, 1.05), False), (lambda: random.uniform(0.5, 1.5), True),
                               (lambda: random.choice([1, 1, 1, 1, 9]), True)):
            done = call(KERNELS, self.store(self.rows(draw)))
            self.assertEqual(done.returncode, 0)
            wanted = "mpisim-kernels: warning: times of k scatter: the machine was busy with other things, or they depend on more than the parameters"
            self.assertEqual(done.stderr.startswith(wanted), is_noisy, done)
            self.assertEqual(bool(done.stderr), is_noisy, done)
        rows = self.rows(lambda: random.uniform(0.5, 1.5), 50)
        done = call(KERNELS, self.store("".join(rows.replace("k", f"k{i}") for i in range(7))))
        self.assertIn("times of k0, k1, k2, k3, k4 and 2 more scatter: ", done.stderr)

    def test_files_are_nodes_and_their_speeds_spread(self):
        """0.9, 1 and 1.1 times as long: standard deviation 0.1, mean 1."""
        stores = [self.store("".join(f"k,{n},,,,{f * n:.17g}\n" for n in (1, 2, 3, 4)), f"node{f}") for f in (0.9, 1.0, 1.1)]
        self.assertIn("vary,k,node,normal,0.1\n", self.fit(*stores))


class Refused(Base):
    def refused(self, status, wanted, *words):
        done = call(KERNELS, *words)
        self.assertEqual(done.returncode, status, done)
        self.assertIn(wanted, done.stderr)

    def test_wrong_usage_and_input(self):
        self.refused(2, "unknown option --fast; see", "--fast")
        self.refused(2, "unknown option -z; see", "-z")
        self.refused(2, "-o needs a value; see", "-o")
        self.refused(2, "--points=1 takes no value; see", "--points=1")
        self.refused(2, "-o: found an empty value", "-o", "")
        self.refused(2, "--kernels: found it twice, wanted it once", "--kernels", "daxpy", "--kernels", "dgemm")
        self.refused(2, 'found "dgemn"', "--kernels", "dgemn")
        for budget, wanted in (("3x", "unknown unit 'x'"), ("-3", "'-3' is negative"), ("0", 'found "0", wanted a time from'), ("1e9", 'found "1e9", wanted'), ("1us", "found")):
            self.refused(2, f"--budget: {wanted}", "--budget", budget)
        self.refused(2, "--max-size", "--max-size", "0")
        self.refused(2, "go with measuring", "--contention", self.store("f,1,,,,1\n"))
        store = self.store("f,1,,,,1\n")
        for option in ("--budget=5s", "--max-size=9", f"--store={self.dir}/kept"):
            self.refused(2, "go with measuring", option, store)
        (self.dir / "link").symlink_to(store)
        for path in (store, self.dir / "link"):
            self.refused(2, "found it among the stores to read, wanted another file", "-o", path, store)
        self.assertEqual(store.read_text(), "f,1,,,,1\n")
        self.refused(2, "it is the model file already", "-o", self.model, "--store", self.model, "--kernels", "daxpy", "--budget", "1h")
        self.refused(2, "store:2: found 2 fields", self.store("# x\nf,1\n"))
        self.refused(2, "seconds", self.store("f,1,,,,x\n"))
        self.refused(2, "2 parameters here, but 1 before", self.store("f,1,,,,1\nf,1,1,,,1\n"))
        self.refused(2, "uses p2", self.store("# model f: p2\nf,1,,,,1\n"))
        self.refused(2, "found no measurements", self.store("# model f: p2\n"))
        self.refused(2, "nowhere", self.dir / "nowhere")
        self.refused(2, "cannot read", self.dir)
        self.refused(2, "found no measurements", self.store("# mpisim-bench 2\nmodel,f,1\nvary,f,node,normal,0.1\ncontention,f,1 0.9\n"))
        self.refused(2, f"--contention: '{os.cpu_count() + 1}' is out of range, wanted 1 to {os.cpu_count()}",
                     f"--contention={os.cpu_count() + 1}")

    def test_pictures_may_lie_anywhere(self):
        folder = self.dir / "it's here"
        self.assertEqual(call(KERNELS, "--plot", folder, self.store("f,1,,,,1\nf,2,,,,2.5\nf,3,,,,2.7\nf,4,,,,5\n")).stderr, "")
        self.assertGreater((folder / "f.png").stat().st_size, 0)

    def test_without_gnuplot_there_are_the_data_and_the_script(self):
        store = self.store("f,1,,,,1\nf,2,,,,2.5\nf,3,,,,2.7\nf,4,,,,5\n")
        done = call(KERNELS, "--plot", self.dir / "plots", store, env={**os.environ, "PATH": "/nowhere"})
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"mpisim-kernels: warning: gnuplot is not installed: no pictures in {self.dir}/plots, only their data\n"))
        self.assertEqual(sorted(path.name for path in (self.dir / "plots").iterdir()), ["f.csv", "plot.gp"])

    def test_a_model_file_is_there_whole_or_not_at_all(self):
        self.refused(2, "cannot write", "-o", self.dir / "no" / "model", self.store("f,1,,,,1\n"))
        self.refused(2, "cannot write", "-o", "/dev/full", "--kernels", "daxpy", "--budget", "1h")  # said before it measures
        self.refused(2, "cannot write", "--store", self.dir / "no" / "kept", "--kernels", "daxpy", "--budget", "1h")
        self.refused(2, "cannot write", "--plot", self.dir / "no" / "pictures", "--kernels", "daxpy", "--budget", "3600")
        self.refused(2, "2 parameters", "-o", self.model, self.store("f,1,,,,1\nf,1,1,,,1\n"))
        self.assertEqual(sorted(path.name for path in self.dir.iterdir()), ["cluster.yaml", "store"])


class Measured(Base):
    def test_measured_models_predict_a_program_without_annotations(self):
        done = call(KERNELS, "--kernels", "daxpy,dgemm,dgetrf,dtrsm,dlaswp", "--max-size", "40", "--budget", "200ms",
                    f"--contention={min(2, os.cpu_count())}", "--store", self.dir / "kept", "-o", self.model)
        self.assertEqual(done.returncode, 0, done.stderr)
        # no terminal: no word of progress; that this machine is busy may be said
        self.assertEqual([line for line in done.stderr.splitlines() if not line.startswith("mpisim-kernels: warning: times of ")], [])
        text = self.model.read_text()
        self.assertTrue(text.startswith("# mpisim-bench 2\n"))
        for kernel in ("daxpy", "dgemm", "dgetrf", "dtrsm", "dlaswp"):
            self.assertRegex(text, rf"(?m)^model,{kernel},")
            self.assertRegex(text, rf"(?m)^# contention of {kernel}, .*contention: \[1(, [01][.0-9]*)?\]")
            self.assertRegex(text, rf"(?m)^contention,{kernel},1( [01][.0-9]*)?$")
        (self.dir / "cluster.yaml").write_text("mpisim_cluster: 1\nnodes: 2\nnetwork: {latency: 1us, bandwidth: 1 GB/s}\n")
        built = call(BIN / "mpisim-cc", HERE / "hpl.c", "-o", self.dir / "hpl", "-lopenblas", "-lm")
        self.assertEqual(built.returncode, 0, built.stderr)
        run = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 2, "--compute", "modelled", "--blas-model",
                   self.model, "--contention", "dgemm", "--set", "cores=2", "--vary-kernels", self.dir / "hpl", 32, 8)
        self.assertEqual(run.returncode, 0, run.stderr)
        # what was kept gives models of the same kernels
        self.assertEqual(len(re.findall(r"(?m)^# \w+: \d+ points", self.fit(self.dir / "kept"))), 5)

    def points(self, *options):
        kept = self.dir / "grid"
        done = call(KERNELS, "--budget", "50ms", "--store", kept, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split(",") for line in kept.read_text().splitlines() if line and not line.startswith("#")]
        return {tuple(int(float(word)) for word in row[1:5] if word) for row in rows if row[0] != "name"}

    def test_panels_are_longer_than_squares_and_no_more_work(self):
        """A panel of a factorization has thousands of rows, and no more flops than the largest square, 512."""
        points = self.points("--kernels", "dgetrf")
        self.assertTrue(3000 < max(m for m, _ in points) <= 4096, points)
        self.assertTrue(300 < max(n for _, n in points) <= 512, points)
        self.assertTrue(all(n <= m and m * n * n <= 512 ** 3 and m * n <= 512 * 4096 for m, n in points))
        bounded = max(max(point) for point in self.points("--kernels", "dgetrf,dlaswp,dtrsm", "--max-size", "40"))
        self.assertTrue(30 < bounded <= 40, bounded)

    def interrupt(self, *options):
        """After a second of its own time."""
        child = subprocess.Popen([KERNELS, "--kernels", "daxpy,dgemm", "--budget", "300s", "-o", self.model, *options],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        used = pathlib.Path(f"/proc/{child.pid}/stat")
        while int(used.read_text().rsplit(")", 1)[1].split()[11]) < os.sysconf("SC_CLK_TCK"):
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, out), (130, ""), err)
        self.assertFalse(self.model.exists())
        return err

    def test_an_interrupt_says_what_was_kept(self):
        self.assertEqual(self.interrupt(), "mpisim-kernels: interrupted; nothing was written (--store FILE keeps what was measured)\n")
        kept = self.dir / "kept"
        self.assertEqual(self.interrupt("--store", kept), f"mpisim-kernels: interrupted; what was measured so far is in {kept}, no model was written\n")
        self.assertIn("daxpy,", kept.read_text())
        self.assertIn("model,daxpy,", self.fit(kept))
        for path in (kept, self.model):
            path.write_text(path.read_text()[:-2])
            done = call(KERNELS, path)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"{path}:\d+: found no end of the last line, wanted one: the file is cut")

    def test_gsl_stays_out_of_the_process_that_holds_the_program(self):
        for path in (LIBRARY, BIN / "mpisim-run"):
            self.assertNotIn("libgsl", call("ldd", path).stdout)
        self.assertIn("libgsl.", call("ldd", KERNELS).stdout)

    def test_it_is_openblas_that_is_measured(self):
        """GSL brings a CBLAS of its own with the same names; the first in order is taken."""
        libraries = re.findall(r"NEEDED.*\[lib(\w+)", call("readelf", "-d", KERNELS).stdout)
        self.assertIn("openblas", libraries)
        self.assertNotIn("gslcblas", libraries)
        self.assertLess(libraries.index("openblas"), libraries.index("gsl"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)
