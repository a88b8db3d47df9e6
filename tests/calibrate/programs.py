# SPDX-License-Identifier: BSD-3-Clause
"""Programs that calibration does not contain, predicted on a known cluster and on the file that calibration in the simulator found of it."""
import json
import pathlib
import random
import subprocess
import time

import samples_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
# what tells right from wrong, or counts, and no time
UNDISTURBED = ("late_probe", "late_tests", "put_while_computing", "gets_at_once", "updates_at_once", "behind_large", "late_receiver")
PATTERNS = (("allgather-ring", 20000), ("bcast-pipeline", 300000), ("bcast-binomial", 2000), ("halo", 5000), ("halo", 200000), ("overlap", 150000), ("wave", 40000),
            ("farm", 100000), ("alltoall-linear", 30000), ("alltoall-shift", 150000), ("gather-linear", 3000), ("allreduce-ring", 6400))
VARIANTS = ("basic", "P", "P+FC")
PUTS = ("put_latency 8 2", "put_latency 4096 2", "put_bw 64 2", "put_bw 65536 2", "get_latency 4096 2")
MESSAGES = [f"latency {size} 2" for size in [0] + [2 ** k for k in range(25)] + [3 * 2 ** k for k in range(1, 23)]]


def disturbed(lines, noise, seed):
    draw = random.Random(seed)
    for line in lines:
        fields = line.split(",")
        if noise > 0 and samples_text.is_sample(line) and fields[0] not in UNDISTURBED and not fields[0].startswith("first_"):
            yield ",".join(fields[:4] + [repr(float(fields[4]) * draw.uniform(1 - noise, 1 + noise))])
        else:
            yield line


class Bench:
    """The programs of a build. A cluster is a list of options of mpisim-run."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.run, self.fit = build / "bin/mpisim-run", build / "calibrate/mpisim-calibrate-fit"

    def simulate(self, cluster, ranks, *command):
        return subprocess.run([self.run, "--quiet", "--deterministic", "--compute", "modelled", "--no-alloc", *cluster, "-n", str(ranks), *command],
                              check=True, capture_output=True, text=True, timeout=1000).stdout

    def operations(self, cluster, operations, placement="cyclic"):
        """{operation: seconds}, of two ranks."""
        tests = self.folder / "operations.txt"
        tests.write_text("\n".join(operations) + "\n", encoding="utf-8")
        printed = self.simulate(cluster, 2, "--placement", placement, self.build / "calibrate/mpisim-benchmark.simulated", tests)
        return dict(zip(operations, map(float, printed.split())))

    def programs(self, cluster, n, compute_s):
        """{program: seconds} on n nodes. Between messages of a pattern compute_s[size] is computed."""
        found = {}
        for pattern, size in PATTERNS:
            printed = self.simulate(cluster, n, "--placement", "cyclic", self.build / "validation/emulated/patterns", pattern, str(size), "3", f"{compute_s[size]:.9f}")
            found[f"{pattern} {size}"] = float(printed.split("wall_s")[1].split()[0])
        for variant in VARIANTS:
            result = self.folder / "lu.json"
            self.simulate(cluster, n, "--placement", "cyclic", "--json", result, "--bench", ROOT / "validation/emulated/kernels.bench", self.build / "apps/lu", "--n", "648",
                          "--r", "81", "--roles", "both", "--variant", variant)
            found[f"LU {variant}"] = json.loads(result.read_text(encoding="utf-8"))["predicted_time_s"]
        return {**found, **self.operations(cluster, PUTS)}

    def calibrate(self, cluster, ranks, name, *options):
        samples = self.folder / f"{name}.csv"
        self.simulate(cluster, ranks, self.build / "calibrate/mpisim-calibrate.simulated", "--samples", samples, *options)
        return samples

    def find(self, samples, noise=0, seed=0):
        """The file that is found of disturbed samples, what the fit said, how long it took, whether the file is wrong and does not say so."""
        noisy, found = samples.with_suffix(".noisy.csv"), samples.with_suffix(".found.yaml")
        samples_text.write(noisy, disturbed(samples.read_text(encoding="utf-8").splitlines(), noise, seed))
        begin = time.monotonic()
        said = subprocess.run([self.fit, noisy, "-o", found], capture_output=True, text=True, check=True).stderr
        took_s = time.monotonic() - begin
        checked = subprocess.run([self.fit, noisy, "--check", found], capture_output=True, text=True, check=False)
        return found, said, took_s, checked.returncode == 1 and "more than 10 % off" not in said


def errors(wanted, found):
    """{name: how far off, with sign}"""
    return {name: found[name] / time_s - 1 if time_s > 0 else float(found[name] > 0) for name, time_s in wanted.items()}


def worst(off):
    name = max(off, key=lambda key: abs(off[key]))
    return f"{off[name]:+.2%} ({name})"


def late(values):
    """The 95th percentile."""
    return sorted(values)[int(0.95 * (len(values) - 1))]
