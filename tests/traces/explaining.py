# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of mpisim-run --explain share: their arguments BIN_DIR SOURCE_DIR APPS_DIR, and runs of programs/waits.c."""
import json

from waits import BIN, HERE, Waits
from harness import call, paths  # its folder is known since waits

APPS, = paths(1)
ROOT = HERE.parent.parent
# A message of 1 MB takes l + s/b = 10 us + 10 ms, one of 1000 B 10 us + 10 us.
CLUSTER = """mpisim_cluster: 1
nodes: 4
network: {latency: 10us, bandwidth: 100 MB/s}
"""
IDEAL = ["--set", "network.latency=0s", "--set", "network.bandwidth=inf", "--set", "cpu.communication_cost.scale=0"]
WAITS = ["late_sender", "late_receiver", "barrier", "collective"]


def ps(seconds):
    return round(seconds * 1e12)


class Base(Waits):
    cluster_text = CLUSTER

    def call(self, n, program, options=(), cluster=None, bench=None, explain=True, mode="modelled"):
        out = self.dir / "out.json"
        words = [BIN / "mpisim-run", "--cluster", cluster or self.dir / "cluster.yaml", *(["-n", n] if n else []), "--compute", mode,
                 *(["--bench", bench or self.dir / "kernels.bench"] if mode == "modelled" else []), "--json", out, *options, *(["--explain"] if explain else []),
                 *program]
        done = call(*words, timeout=300, cwd=self.dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.text = done.stderr
        return json.loads(out.read_text())

    def case(self, name, n=2, *options):
        run = self.call(n, [self.dir / "waits", name], options)
        return run["predicted_time_s"], run["analysis"]

    def near(self, found, wanted, tolerance=2e-12):
        self.assertAlmostEqual(found, wanted, delta=tolerance)

    def blame(self, analysis):
        """{(kind, kernel or call): seconds}"""
        return {(b["blame"], b.get("kernel", b.get("call"))): b["time_s"] for b in analysis["critical_path"]["blame"]}

    def link(self, analysis, node, direction):
        return next(link for link in analysis["links"] if (link["node"], link["direction"]) == (node, direction))

    def check(self, run):
        a, time = run["analysis"], run["predicted_time_s"]
        path, tree = a["critical_path"], a["efficiency"]
        self.assertTrue(a["complete"])
        self.assertEqual(ps(path["length_s"]), ps(time))
        self.assertEqual(sum(ps(part) for part in path["parts_s"].values()), ps(time))
        self.assertEqual(sum(ps(entry["time_s"]) for entry in path["blame"]), ps(time))
        self.near(tree["parallel"], tree["load_balance"] * tree["serialization"] * tree["transfer"], 1e-12)
        self.near(tree["communication"], tree["serialization"] * tree["transfer"], 1e-12)
        for wait in WAITS:
            self.near(sum(rank[wait] for rank in a["wait_states"]["ranks"]), a["wait_states"]["all"][wait]["time_s"], 1e-6 * time)
        spans = [w["end_s"] - w["begin_s"] for w in a["efficiency_curve"]]
        self.near(sum(s * w["parallel"] for s, w in zip(spans, a["efficiency_curve"])) / time, tree["parallel"], 1e-6)
        for window in a["efficiency_curve"]:
            factors = [window[key] for key in ("load_balance", "serialization", "transfer")]
            self.assertTrue(all(factor is None or 0 <= factor <= 1 + 1e-12 for factor in factors), window)
            if None in factors:
                self.assertEqual(window["parallel"], 0)
            else:
                self.near(window["parallel"], factors[0] * factors[1] * factors[2], 1e-12)
        for link in a["links"]:
            self.assertLessEqual(link["busy"], 1 + 1e-9)
            self.assertGreaterEqual(link["mean_transfers"], 1 - 1e-9)
