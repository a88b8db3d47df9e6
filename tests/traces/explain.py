#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --explain against what can be derived by hand, against runs with other networks, and on the applications.

usage: explain.py BIN_DIR SOURCE_DIR APPS_DIR
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, paths  # noqa: E402  (the folder above)

BIN, HERE, APPS = paths(3)
ROOT = HERE.parent.parent
# A message of 1 MB takes l + s/b = 10 us + 10 ms, one of 1000 B 10 us + 10 us.
CLUSTER = """mpisim_cluster: 1
nodes: 4
network: {latency: 10us, bandwidth: 100 MB/s}
"""
KERNELS = ["before", "after", "between", "sender", "receiver", "step", "all", "one"]
IDEAL = ["--set", "network.latency=0s", "--set", "network.bandwidth=inf", "--set", "cpu.communication_cost.scale=0"]
WAITS = ["late_sender", "late_receiver", "barrier", "collective"]


def ps(seconds):
    return round(seconds * 1e12)


class Base(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "kernels.bench").write_text("# mpisim-bench 1\n" + "".join(f"model,{k},p1\n" for k in KERNELS))
        cls.made(BIN / "mpisim-cc", "-g", HERE / "programs" / "waits.c", "-o", cls.dir / "waits")

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


class ByHand(Base):
    def test_calls_that_are_open_at_the_end_count_up_to_it(self):
        out = self.dir / "stuck.json"
        words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", 4, "--compute", "modelled", "--bench",
                 self.dir / "kernels.bench", "--json", out, "--explain", self.dir / "waits", "stuck"]
        done = call(*words, timeout=300, cwd=self.dir)
        self.assertEqual(done.returncode, 1, done.stderr)
        run = json.loads(out.read_text())
        self.assertEqual(run["failure"]["kind"], "deadlock")
        end = run["predicted_time_s"]  # rank 3 comes last, after 4 s and what MPI_Comm_split takes
        sites = {site["call"]: site for site in run["analysis"]["wait_states"]["sites"] if site["call"] != "MPI_Comm_split"}
        for function, state, waited in (("MPI_Bcast", "collective", 3), ("MPI_Recv", "late_sender", 2), ("MPI_Ssend", "late_receiver", 1), ("MPI_Barrier", "barrier", 0)):
            found = sites[function][state]
            self.assertEqual((found["count"], found["open_count"]), (1, 1), function)
            self.near(found["open_time_s"], found["time_s"])
            self.near(found["time_s"], waited, 1e-4)  # ranks leave MPI_Comm_split a few messages apart
            self.assertLess(found["time_s"], end)
        self.assertRegex(done.stderr, r"late sender .* 1  MPI_Recv at waits.c:\d+ \(recv\), of it not over: 2 s")
        self.assertEqual(run["analysis"]["wait_states"]["all"]["late_sender"]["open_count"], 1)
        self.assertEqual(run["analysis"]["critical_path"]["parts_s"]["polling"], 0)  # what woke rank 0 was not what it waits for

    def test_late_sender(self):
        time, a = self.case("late_sender")
        self.near(time, 3 + 0.01001 + 1)
        tree = a["efficiency"]
        # useful: 3 s and 1 s; on an ideal network 3 + 1 s
        self.near(tree["ideal_time_s"], 4)
        self.near(tree["load_balance"], 2 / 3)
        self.near(tree["serialization"], 3 / 4)
        self.near(tree["transfer"], 4 / 4.01001)
        self.near(tree["parallel"], 2 / 4.01001)
        self.assertEqual(a["wait_states"]["all"]["late_sender"], {"count": 1, "time_s": 3})
        self.assertEqual([r["late_sender"] for r in a["wait_states"]["ranks"]], [0, 3])
        site, = a["wait_states"]["sites"]
        self.assertEqual(site["call"], "MPI_Recv")
        self.assertIn("waits.c", site["site"])
        blame = self.blame(a)
        self.assertEqual(blame.pop(("compute", "before")), 3)
        self.assertEqual(blame.pop(("compute", "after")), 1)
        self.near(blame.pop(("bandwidth", "MPI_Send")), 0.01)
        self.near(blame.pop(("latency", "MPI_Send")), 1e-5)
        self.assertEqual(blame, {})
        d = a["critical_path"]["derivatives"]
        self.assertEqual((d["latency"], d["inverse_bandwidth_B"], d["inexact_s"]), (1, 1e6, 0))
        link = self.link(a, 0, "out")
        self.assertEqual((link["bytes"], link["lost_s"], link["mean_transfers"]), (1e6, 0, 1))
        self.near(link["busy"], 0.01 / time)

    def test_late_receiver(self):
        # request 10 us; at 2 s clear to send 10 us, bulk 10.01 ms
        time, a = self.case("late_receiver", 2, "--set", "protocol.eager_threshold=0")
        self.near(time, 2 + 1e-5 + 0.01001)
        self.assertEqual(a["wait_states"]["all"]["late_receiver"], {"count": 1, "time_s": 2})
        self.assertEqual(a["wait_states"]["all"]["late_sender"]["count"], 0)
        self.near(a["critical_path"]["parts_s"]["latency"], 2e-5)
        self.assertEqual(a["critical_path"]["derivatives"]["latency"], 2)
        self.near(a["efficiency"]["ideal_time_s"], 2)

    def test_who_receives_by_rendezvous_waits_until_the_bulk_leaves(self):
        # the request leaves at 3 s and the clear to send is back 20 us later: no data was under way until then
        run = self.call(2, [self.dir / "waits", "late_sender"],
                        ["--set", "protocol.eager_threshold=0"])
        self.near(run["ranks"][1]["waiting_s"], 3 + 2e-5)
        self.near(run["ranks"][1]["communicating_s"], 0.01001)
        self.near(run["ranks"][0]["waiting_s"], 2e-5)

    def test_who_probes_waits_until_the_message_leaves(self):
        run = self.call(2, [self.dir / "waits", "probed"])
        self.near(run["ranks"][1]["waiting_s"], 3)
        self.near(run["ranks"][1]["communicating_s"], 0.01001)

    def test_who_wants_a_lock_waits_until_the_grant_leaves(self):
        # 1 s for the lock, and 3 s in MPI_Win_free; the grant and the notice of the unlock take 10 us each, the collectives 30.04 us
        run = self.call(2, [self.dir / "waits", "locked"])
        self.near(run["ranks"][1]["waiting_s"], 4 - 2e-5)
        self.near(run["ranks"][1]["communicating_s"], 2e-5 + 3.004e-5)

    def test_who_comes_to_a_barrier_first_waits_until_messages_leave(self):
        # without --explain ranks go on in collectives without their fibers: rank 1 comes 1 s later, its message takes 10 us
        run = self.call(2, [self.dir / "waits", "barrier"], explain=False)
        self.near(run["ranks"][0]["waiting_s"], 1)
        self.near(run["ranks"][0]["communicating_s"], 1e-5)

    def test_without_any_computation_all_is_lost_to_transfer(self):
        found = self.call(2, ["./waits", "only_messages"])["analysis"]
        self.assertEqual((found["efficiency"]["ideal_time_s"], found["efficiency"]["transfer"]), (0, 0))
        self.assertEqual({window["transfer"] for window in found["efficiency_curve"]}, {0})

    def test_wait_at_barrier(self):
        # rank r comes after r + 1 s: they wait 3, 2, 1 and 0 s
        _, a = self.case("barrier", 4)
        self.assertEqual([r["barrier"] for r in a["wait_states"]["ranks"]], [3, 2, 1, 0])
        self.assertEqual(a["wait_states"]["all"]["barrier"], {"count": 3, "time_s": 6})
        self.assertEqual(a["wait_states"]["all"]["late_sender"]["count"], 0)
        self.assertEqual(a["critical_path"]["blame"][0]["kernel"], "before")

    def test_waits_for_and_of_a_root(self):
        # broadcast: 0, 1 and 3 come 1 s before the root; reduction: its root comes 3 s before rank 0, but for the
        # microseconds by which the broadcast reached them at different times
        _, a = self.case("rooted", 4)
        sites = {site["call"]: site["collective"] for site in a["wait_states"]["sites"]}
        self.assertEqual(sites["MPI_Bcast"], {"count": 3, "time_s": 3})
        self.assertEqual(sites["MPI_Reduce"]["count"], 1)
        self.near(sites["MPI_Reduce"]["time_s"], 3, 1e-4)

    def test_a_scan_waits_for_the_ranks_before(self):
        # ranks come after 1, 3 and 2 s: rank 2 needs rank 1, rank 0 nobody
        _, a = self.case("scanned", 3)
        self.assertEqual([r["collective"] for r in a["wait_states"]["ranks"]], [0, 0, 1])

    def test_contention_is_told_from_bandwidth(self):
        # two transfers share the link into node 2: l + 2 s/b
        time, a = self.case("shared", 3)
        self.near(time, 0.02001)
        parts = a["critical_path"]["parts_s"]
        self.near(parts["bandwidth"], 0.01)
        self.near(parts["contention"], 0.01)
        d = a["critical_path"]["derivatives"]
        self.near(d["inverse_bandwidth_B"], 2e6, 1)
        self.near(d["inexact_s"], 0.01)
        link = self.link(a, 2, "in")
        self.near(link["mean_transfers"], 2, 1e-9)
        self.near(link["busy"], 0.02 / time, 1e-9)
        self.near(link["lost_s"], 0.02)
        self.assertEqual(self.link(a, 0, "out")["lost_s"], 0)

    def test_what_arrives_during_a_computation_delays_nothing(self):
        # the message comes at 5.01001 s, the receiver computes until 6 s: also on the ideal clock, not 5 + 6
        time, a = self.case("overlap")
        self.assertEqual(time, 6)
        self.assertEqual(a["efficiency"]["ideal_time_s"], 6)
        self.assertEqual(self.blame(a), {("compute", "receiver"): 6})
        self.assertEqual(a["wait_states"]["all"]["late_sender"]["count"], 0)

    def test_overheads_are_blamed_on_their_calls(self):
        # a token makes 39 hops of 20 us + 2 us + 3 us between 40 steps of 1 ms
        time, a = self.case("ring", 4, "--set", "protocol.overhead.send=2us", "--set", "protocol.overhead.recv=3us")
        self.near(time, 0.04 + 39 * 25e-6)
        blame = self.blame(a)
        self.near(blame["send_overhead", "MPI_Send"], 39 * 2e-6)
        self.near(blame["recv_overhead", "MPI_Recv"], 39 * 3e-6)
        d = a["critical_path"]["derivatives"]
        self.assertEqual((d["send_overhead"], d["recv_overhead"]), (39, 39))

    def test_one_sided_communication(self):
        time, a = self.case("put", 2)
        blame = self.blame(a)
        self.near(blame["bandwidth", "MPI_Put"], 0.01)
        self.assertEqual(blame["compute", "before"], 2)
        self.assertEqual(sum(ps(part) for part in a["critical_path"]["parts_s"].values()), ps(time))
        self.assertEqual(a["critical_path"]["parts_s"]["polling"], 0)
        self.near(a["efficiency"]["ideal_time_s"], 2)
        self.assertEqual(self.link(a, 0, "out")["lost_s"], 0)

    def test_phases_have_efficiencies_of_all_ranks(self):
        # marked by rank 0 alone: in "all" both ranks compute 1 s, in "one" only rank 0 does
        _, a = self.case("phases")
        trees = {phase["name"]: phase for phase in a["phases"]}
        self.near(trees["all"]["parallel"], 1)
        self.near(trees["one"]["parallel"], 0.5)
        self.near(trees["one"]["load_balance"], 0.5)
        self.near(trees["one"]["serialization"], 1)

    def test_phases_of_ranks_that_are_ahead_have_fractions_for_factors(self):
        # "message" lasts 11.01 ms, in which rank 0 computes 6 ms; on an ideal network rank 1 would have the message after 1 ms
        _, a = self.case("ahead")
        tree = next(phase for phase in a["phases"] if phase["name"] == "message")
        self.near(tree["load_balance"], 3.5 / 6)
        self.near(tree["serialization"], 1)
        self.near(tree["transfer"], 6 / 11.01)
        self.near(tree["parallel"], 3.5 / 11.01)

    def within(self, analysis, begin_s, end_s):
        """(load balance, serialization, transfer, parallel) of the windows between: they must all be the same."""
        windows = [w for w in analysis["efficiency_curve"] if w["begin_s"] >= begin_s and w["end_s"] <= end_s]
        self.assertGreater(len(windows), 4)
        keys = ("load_balance", "serialization", "transfer", "parallel")
        found = {tuple(w[key] if w[key] is None else round(w[key], 9) for key in keys) for w in windows}
        self.assertEqual(len(found), 1, found)
        return found.pop()

    def test_load_balance_over_time(self):
        # rank r computes r + 1 s: after each second one more waits at the barrier
        _, a = self.case("barrier", 4)
        for second in range(4):
            busy = (4 - second) / 4
            self.assertEqual(self.within(a, second, second + 1), (busy, 1, 1, busy))

    SLOW = ["--set", "network.bandwidth=1 MB/s"]  # 1 MB takes 1 s

    def test_ranks_that_share_a_core_over_time(self):
        # ranks 0 and 1 have one core: from 1 s on each has a half of it, until both end at 3 s. Rank 0's 2 s count evenly over its
        # 3 s, with the half of rank 1 more than the core can do: the other 1/3 s belongs to the first second
        time, a = self.case("joined", 3, "--placement", "0,0,1", "--set", "network.latency=0s")
        self.near(time, 3)
        self.near(a["efficiency"]["parallel"], 4 / 6)
        self.assertEqual(self.within(a, 0, 0.99), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 1.03, 3), (0.5, 1, 1, 0.5))
        self.check(self.call(3, [self.dir / "waits", "joined"], ["--placement", "0,0,1", "--set", "network.latency=0s"]))

    def test_transfer_and_serialization_over_time(self):
        # exchange 0 … 1 s; both compute; one does, 2 … 3 s; its message is under way; the other computes, 4 … 5 s
        time, a = self.case("in_turn", 2, *self.SLOW)
        self.near(time, 5, 1e-4)
        self.assertEqual(self.within(a, 0, 1), (None, None, 0, 0))
        self.assertEqual(self.within(a, 1.0001, 2), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 2.0001, 3), (0.5, 1, 1, 0.5))
        # the second clock of who waits for the message stands; that of the other goes on with half the pace in the
        # 2 s for which it waits at the barrier: the mean is 1/4
        self.assertEqual(self.within(a, 3.0001, 4)[:2], (None, 0))
        self.near(self.within(a, 3.0001, 4)[2], 0.25, 1e-4)
        self.assertEqual(self.within(a, 4.0001, 5), (0.5, 1, 1, 0.5))

    def test_ranks_that_ended_hold_up_nobody(self):
        # all ranks compute 1 s, one another second; no network is needed: transfer is 1 up to the end
        _, a = self.case("phases", 2)
        self.assertEqual(self.within(a, 0, 1), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 1.0001, 2), (0.5, 1, 1, 0.5))

    def test_curve_follows_the_phases_of_the_ideal_run(self):
        ideal = self.call(2, [self.dir / "waits", "in_turn"], [*self.SLOW, *IDEAL])
        self.assertEqual([(p["name"], p["begin_s"], p["end_s"]) for p in ideal["phases"]], [("exchange", 0, 0), ("all", 0, 1), ("one", 1, 3)])
        path = self.dir / "ideal.json"
        path.write_text(json.dumps(ideal))
        _, a = self.case("in_turn", 2, *self.SLOW, "--ideal", path)
        self.assertEqual(self.within(a, 0, 1), (None, None, 0, 0))
        self.assertEqual(self.within(a, 1.0001, 2), (1, 1, 1, 1))
        # an ideal run in which the exchange takes 0.3 s and the rest is later: what its clocks do not see
        ideal["phases"][0]["end_s"] = 0.3
        for phase in ideal["phases"][1:]:
            phase["begin_s"] += 0.3
            phase["end_s"] += 0.3
        ideal["predicted_time_s"] += 0.3
        path.write_text(json.dumps(ideal))
        _, a = self.case("in_turn", 2, *self.SLOW, "--ideal", path)
        self.assertEqual(self.within(a, 0, 1)[:2], (None, 0))
        self.near(self.within(a, 0, 1)[2], 0.3, 1 / 512)  # the clocks are known in bins of 1/512 of the run, or less
        self.assertEqual(self.within(a, 1.0001, 2), (1, 1, 1, 1))

    def test_phases_that_overlap_otherwise_do_not_set_the_ideal_run_back(self):
        # "far" ends at 3 s, and at 0 s on an ideal network; "near" at 2 s in both: an ideal run has come to 2 s from then on
        options = [*self.SLOW, "--set", "network.latency=0s", "--set", "protocol.eager_threshold=0"]
        ideal = self.call(2, [self.dir / "waits", "crossed"], [*options, *IDEAL])
        self.assertEqual({p["name"]: p["end_s"] for p in ideal["phases"]}, {"far": 0, "near": 2})
        path = self.dir / "ideal.json"
        path.write_text(json.dumps(ideal))
        time, a = self.case("crossed", 2, *options, "--ideal", path)
        # 1 s is left to the last 3 s of rank 0's computation; a run set back to 0 s would go on during the last two messages
        self.near(time, 8)
        self.assertEqual(self.within(a, 0, 2), (0.5, 1, 1, 0.5))
        self.assertEqual(self.within(a, 2.0001, 3), (None, None, 0, 0))
        self.assertEqual(self.within(a, 3.0001, 4), (1, 1, 1, 1))
        self.assertEqual(self.within(a, 4.0001, 6), (0.5, 1, 1, 0.5))
        self.assertEqual(self.within(a, 6.0001, 8), (None, None, 0, 0))

    def test_the_text_says_where(self):
        self.case("late_sender")
        self.assertIn("late sender", self.text)
        self.assertRegex(self.text, r"late sender .* MPI_Recv at waits.c:\d+ \(recv\)")
        self.assertRegex(self.text, r"whole run +49.9 % = +66.7 % x +75.0 % x +99.8 %")

    def test_files(self):
        # both share a server of 1 MB/s: 2 s, twice
        storage = ["--set", "storage={bandwidth: 1 MB/s, client_bandwidth: 1 MB/s}"]
        time, a = self.case("files", 2, *storage)
        self.near(time, 4 + 0.01001)
        blame = self.blame(a)
        self.near(blame["file", "MPI_File_write_at"], 2)
        self.near(blame["file", "MPI_Wait"], 1.5)
        self.near(blame["compute", "between"], 0.5)
        self.near(a["efficiency"]["ideal_time_s"], 4, 1e-10)
        ideal, _ = self.case("files", 2, *storage, *IDEAL)
        self.near(ideal, 4, 1e-10)


class Jobs(Base):
    """Each job of a schedule has an analysis of its own: that of the same program alone, where they share nothing."""
    CASES = [("late_sender", 2, "0s"), ("in_turn", 2, "1s"), ("barrier", 3, "0s")]

    def schedule(self, *options):
        jobs = "".join(f"  - {{name: {name}, program: {self.dir}/waits, arguments: [{name}], ranks: {n}, nodes: {n}, begin: {begin}, "
                       f"bench: {self.dir}/kernels.bench}}\n" for name, n, begin in self.CASES)
        (self.dir / "jobs.yaml").write_text("jobs:\n" + jobs)
        return self.call(None, [], ["--set", "nodes=4", "--schedule", self.dir / "jobs.yaml", *options])

    def same(self, job, alone):
        for key, value in alone["efficiency"].items():
            if isinstance(value, float):
                self.near(job["efficiency"][key], value, 1e-11)
            else:
                self.assertEqual(job["efficiency"][key], value, key)
        path, wanted = job["critical_path"], alone["critical_path"]
        self.near(path["length_s"], wanted["length_s"])
        for part, seconds in wanted["parts_s"].items():
            self.near(path["parts_s"][part], seconds)
        self.assertEqual(self.blame(job).keys(), self.blame(alone).keys())
        self.assertEqual(path["derivatives"], wanted["derivatives"])
        self.assertEqual(job["wait_states"], alone["wait_states"]["all"])

    def test_jobs_that_share_nothing_are_as_they_are_alone(self):
        run = self.schedule()
        text = " ".join(self.text.split())
        a, begins = run["analysis"], {job["name"]: job["begin_s"] for job in run["jobs"]}
        self.assertEqual([job["name"] for job in a["jobs"]], [name for name, _, _ in self.CASES])
        # the third waits for nodes until both others are over
        self.near(begins["barrier"], run["jobs"][1]["end_s"])
        for job, (name, n, _) in zip(a["jobs"], self.CASES):
            _, alone = self.case(name, n)
            self.same(job, alone)
            for window in job["efficiency_curve"]:
                self.assertGreaterEqual(window["begin_s"], begins[name])
            self.near(sum((w["end_s"] - w["begin_s"]) * w["parallel"] for w in job["efficiency_curve"]),
                      job["efficiency"]["useful_mean_s"], 1e-6)
            phases = {p["name"]: p["load_balance"] for p in alone["phases"]}
            for phase in a["phases"]:
                job_name, own_name = phase["name"].split(": ")
                if job_name == name:
                    self.near(phase["load_balance"], phases[own_name], 1e-9)
        # the path of the whole is that of the last job, and what was before it
        tree = a["efficiency"]
        self.near(tree["time_s"], run["predicted_time_s"])
        self.assertEqual(ps(sum(a["critical_path"]["parts_s"].values())), ps(run["predicted_time_s"]))
        self.near(a["critical_path"]["parts_s"]["start"], begins["barrier"])
        self.assertIn("critical path of late_sender", text)
        self.assertRegex(text, "all jobs .* late_sender .* in_turn .* barrier")

    def test_equal_places_of_several_jobs_are_told_by_their_job(self):
        """The same program and case twice: call and place alone are the same."""
        jobs = "".join(f"  - {{name: {name}, program: {self.dir}/waits, arguments: [late_sender], ranks: 2, nodes: 2, bench: {self.dir}/kernels.bench}}\n"
                       for name in ("first", "second"))
        (self.dir / "jobs.yaml").write_text("jobs:\n" + jobs)
        run = self.call(None, [], ["--set", "nodes=4", "--schedule", self.dir / "jobs.yaml"])
        sites = [(site["call"], site["site"], site["job"]) for site in run["analysis"]["wait_states"]["sites"]]
        self.assertEqual(len(set(sites)), len(sites))
        self.assertEqual({job for _, _, job in sites}, {"first", "second"})
        self.assertRegex(self.text, r"late sender .*waits.c:\d+ \(recv\) of first")
        self.assertRegex(self.text, r"late sender .*waits.c:\d+ \(recv\) of second")

    def test_an_ideal_run_of_the_schedule_is_compared_job_by_job(self):
        ideal = self.schedule(*IDEAL)
        (self.dir / "ideal.json").write_text(json.dumps(ideal))
        a = self.schedule("--ideal", self.dir / "ideal.json")["analysis"]
        self.assertEqual(a["efficiency"]["ideal_time_s"], ideal["predicted_time_s"])
        for job, same in zip(a["jobs"], ideal["jobs"]):
            self.near(job["efficiency"]["ideal_time_s"], same["end_s"] - same["begin_s"])
            self.assertEqual(job["efficiency"]["ideal_from"], "run")


class AgainstOtherRuns(Base):
    def test_derivatives_are_finite_differences_where_nothing_is_shared(self):
        time, a = self.case("ring", 4)
        d = a["critical_path"]["derivatives"]
        self.assertEqual((d["latency"], d["inverse_bandwidth_B"], d["inexact_s"]), (39, 39000, 0))
        other, _ = self.case("ring", 4, "--set", "network.latency=11us")
        self.near(other - time, d["latency"] * 1e-6, 1e-10)
        other, _ = self.case("ring", 4, "--set", "network.bandwidth=80 MB/s")
        self.near(other - time, d["inverse_bandwidth_B"] * (1 / 80e6 - 1 / 100e6), 1e-10)
        other, _ = self.case("ring", 4, "--set", "protocol.overhead.send=1us")
        self.near(other - time, 39e-6, 1e-10)
        other, _ = self.case("shared", 3, "--set", "network.bandwidth=50 MB/s")
        self.near(other, 0.04001, 1e-10)

    def test_the_ideal_clock_is_the_run_on_an_ideal_network(self):
        for name, n in [("late_sender", 2), ("barrier", 4), ("rooted", 4), ("shared", 3), ("ring", 4), ("many", 4)]:
            _, a = self.case(name, n)
            ideal, _ = self.case(name, n, *IDEAL)
            self.near(a["efficiency"]["ideal_time_s"], ideal, 1e-10)

    def test_a_request_meets_a_receive_that_was_posted_meanwhile(self):
        # rendezvous sent at 1.5 s, its request arrives at 2.5 s, the receive is posted at 2 s; without latency they
        # meet at 2 s, and the sender computes 1 s more
        _, a = self.case("posted", 2, "--set", "protocol.eager_threshold=0", "--set", "network.latency=1s")
        self.near(a["efficiency"]["ideal_time_s"], 3)

    def test_the_same_phases_of_two_runs_are_compared(self):
        lu = Applications.lu
        ideal = lu(self, *IDEAL)
        (self.dir / "ideal.json").write_text(json.dumps(ideal))
        run = lu(self, "--ideal", self.dir / "ideal.json")
        a, spans = run["analysis"], {(p["name"], p["index"]): p["span_s"] for p in ideal["phases"]}
        self.assertEqual(a["efficiency"]["ideal_from"], "run")
        self.assertEqual(a["efficiency"]["ideal_time_s"], ideal["predicted_time_s"])
        self.assertEqual(len(a["phases"]), 8)
        for phase in a["phases"]:
            self.assertEqual(phase["ideal_time_s"], spans[phase["name"], phase["index"]])
            self.near(phase["parallel"], phase["load_balance"] * phase["serialization"] * phase["transfer"], 1e-12)

    def test_what_is_no_ideal_run_is_refused(self):
        done = self.call(4, [self.dir / "waits", "barrier"])
        for text, wanted in [("", "ideal.json:1:0"), ("{}", "wanted what mpisim-run --json writes"),
                             (json.dumps(done), "found 4, wanted a run of the same program with 2 ranks"),
                             (json.dumps({**self.call(2, [self.dir / "waits", "many"])}),
                              'command[1]: found "many", wanted "barrier"'),
                             (json.dumps({**done, "exit": {"state": "failed"}}), "wanted a completed run")]:
            (self.dir / "ideal.json").write_text(text)
            words = [BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", "2", "--ideal", self.dir / "ideal.json",
                     self.dir / "waits", "barrier"]
            run = call(*words)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(wanted, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_looking_changes_nothing_and_is_reproducible(self):
        program = [self.dir / "waits", "many"]
        runs = [self.call(4, program, explain=explain) for explain in (False, True, True)]
        for run in runs:
            del run["simulation"]
        self.assertEqual(runs[1], runs[2])
        del runs[1]["analysis"]
        self.assertEqual(runs[0], runs[1])


class Applications(Base):
    def lu(self, *options):
        return self.call(16, [APPS / "lu", "--n", 2592, "--r", 324, "--variant", "basic"], ["--no-alloc", *options],
                         ROOT / "clusters" / "ultrasparc-fast-ethernet.yaml", ROOT / "apps" / "lu" / "ultrasparc.bench")

    def test_lu(self):
        run = self.lu()
        self.check(run)
        ideal = self.lu(*IDEAL)["predicted_time_s"]
        self.near(run["analysis"]["efficiency"]["ideal_time_s"] / ideal, 1, 1e-3)

    def test_others(self):
        protocols = ["--set", "protocol.eager_threshold=1KiB", "--set", "protocol.overhead=1us", "--set",
                     "protocol.progress=in_mpi", "--set", "cpu.communication_cost.incoming=0.1"]
        for program in (["jacobi"], ["sor"], ["tsp"], ["pingpong"]):
            for options in ([], protocols, [*protocols, "--isolation", "copy", "--placement", "0*2,1*2"]):
                n = 2 if program[0] == "pingpong" else 4
                words = [o.replace("0*2,1*2", "0,0") if n == 2 else o for o in options]
                run = self.call(n, [APPS / program[0], *program[1:]], words, mode="direct")
                self.check(run)


if __name__ == "__main__":
    unittest.main()
