#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --explain against what can be derived by hand.

usage: explain.py BIN_DIR SOURCE_DIR APPS_DIR
"""
import json
import unittest

from explaining import Base, BIN, IDEAL, call, ps


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

    def test_the_text_says_where(self):
        self.case("late_sender")
        self.assertIn("late sender", self.text)
        self.assertRegex(self.text, r"late sender .* MPI_Recv at waits.c:\d+ \(recv\)")
        self.assertRegex(self.text, r"whole run +49.9 % = +66.7 % x +75.0 % x +99.8 %")

    def test_files(self):
        # both share a server of 1 MB/s: 2 s, twice
        storage = ["--set", "storage={bandwidth: {read: 1 MB/s, write: 1 MB/s, client: 1 MB/s}}"]
        time, a = self.case("files", 2, *storage)
        self.near(time, 4 + 0.01001)
        blame = self.blame(a)
        self.near(blame["file", "MPI_File_write_at"], 2)
        self.near(blame["file", "MPI_Wait"], 1.5)
        self.near(blame["compute", "between"], 0.5)
        self.near(a["efficiency"]["ideal_time_s"], 4, 1e-10)
        ideal, _ = self.case("files", 2, *storage, *IDEAL)
        self.near(ideal, 4, 1e-10)


if __name__ == "__main__":
    unittest.main()
