#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Streams of accelerators, and their memory in MPI calls (docs/model.md §12): data, times derived by hand, what is refused.

usage: accelerators.py BIN_DIR SOURCE_DIR
"""
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "traces")]
from browser import BROWSER, DRIVER, Browser  # noqa: E402
from harness import Folder, call, paths, read_json  # noqa: E402

BIN, HERE = paths(2)
# A message of 10 MB takes 0.2 + 1 s, a copy of it 0.05 + 0.1 s.
CLUSTER = """mpisim_cluster: 1
nodes: 2
cores: 2
network: {latency: 200ms, bandwidth: 10 MB/s}
accelerators: {per_node: 1, launch: 10ms, link: {latency: 50ms, bandwidth: 100 MB/s}}
"""
MB = 1000000
AWARE = ["--set", "accelerators.gpu_aware=true"]
COPY = 0.05 + 0.1


class Accelerators(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.dir / "accelerators"
        cls.made(BIN / "mpisim-cc", HERE / "programs" / "accelerators.c", "-o", cls.program)
        cls.store = cls.dir / "store"
        cls.store.write_text("# mpisim-bench 2\nmodel,k,p1\nvary,k,call,normal,0.1\n")

    def call(self, *arguments, n=2, options=(), placement="0,1", **more):
        return call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", n, "--placement", placement, "--compute", "modelled", "--bench", self.store,
                    *options, self.program, *arguments, **more)

    def run_it(self, *arguments, options=(), **more):
        out = self.dir / "out.json"
        done = self.call(*arguments, options=["--json", out, *options], **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return read_json(out)

    def takes(self, seconds, *arguments, **more):
        self.assertAlmostEqual(self.run_it(*arguments, **more)["predicted_time_s"], seconds, 9)

    def test_data_arrive_whatever_the_protocol(self):
        for protocol in ("{}", "{eager_threshold: 1000}", "{library: mpich-tcp}", "{library: openmpi-tcp, overhead: 1ms}", "{overhead: 1ms}"):
            for aware in ((), AWARE):
                self.run_it("data", options=["--set", f"protocol={protocol}", *aware])
        self.run_it("data", placement="0,0")

    def test_without_memory_the_times_are_the_same(self):
        for words, protocol in ((["data"], "{}"), (["data"], "{eager_threshold: 1000}"), (["collectives", 1000], "{}")):
            options = ["--set", f"protocol={protocol}"]
            wanted = self.run_it(*words, options=options)["predicted_time_s"]
            out = self.dir / "absent.json"
            done = self.call(*words, options=["--json", out, "--no-alloc", *options], env={"UNCHECKED": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(read_json(out)["predicted_time_s"], wanted)

    def test_verification_changes_no_time(self):
        for words in (["data"], ["collectives", 1000]):
            wanted = self.run_it(*words)["predicted_time_s"]
            for option in ("--verify", "--verify=memory", "--verify=orders"):
                self.assertEqual(self.run_it(*words, options=[option])["predicted_time_s"], wanted, option)

    def test_a_message_is_staged_on_both_sides(self):
        self.takes(1.2, "message", 10 * MB, 0, 0, 1)
        self.takes(1.2 + COPY, "message", 10 * MB, 1, 0, 1)
        self.takes(1.2 + COPY, "message", 10 * MB, 0, 1, 1)
        self.takes(1.2 + 2 * COPY, "message", 10 * MB, 1, 1, 1)
        # that came before its receive: the copy follows
        self.takes(2 + COPY, "message", 10 * MB, 1, 1, 0, options=["--set", "network.latency=0", "--set", "cpu.speed=0.5"])
        # by rendezvous: a request and an answer before the bytes
        self.takes(1.2 + 0.4 + 2 * COPY, "message", 10 * MB, 1, 1, 1, options=["--set", "protocol.eager_threshold=1 MB"])
        self.takes(0.2 + 8 / 1e7 + 2 * (0.05 + 8 / 1e8), "message", 8, 1, 1, 1)

    def test_collectives_give_what_they_give_elsewhere(self):
        for n in (1, 1000, 100000):
            for profile in ("default", "openmpi", "mpich", "ideal"):
                for aware in ((), AWARE):
                    self.run_it("collectives", n, n=4, placement="0,1,0,1", options=["--coll-profile", profile, *aware])

    def test_collectives_copy_as_a_whole(self):
        # down a binomial tree, or 10 MB from each of three ranks over one link of the root; bytes as of one rank
        host = {what: self.run_it("collective", what, 10 * MB, n=4, placement="0,1,2,3", options=[*AWARE, "--set", "nodes=4"])["predicted_time_s"]
                for what in ("bcast", "gather")}
        self.takes(host["bcast"] + 2 * COPY, "collective", "bcast", 10 * MB, n=4, placement="0,1,2,3", options=["--set", "nodes=4"])
        self.takes(host["gather"] + COPY + 0.05 + 4 * 0.1, "collective", "gather", 10 * MB, n=4, placement="0,1,2,3", options=["--set", "nodes=4"])

    def test_nonblocking_collectives_copy_in_their_calls(self):
        for what in ("bcast", "gather"):
            times = [self.run_it("collective", i + what, 10 * MB, n=4, placement="0,1,2,3", options=["--set", "nodes=4"])["predicted_time_s"] for i in ("", "i")]
            self.assertEqual(*times, what)

    def test_exchanges_are_staged_on_both_sides(self):
        for what in ("sendrecv", "isendrecv", "replace", "ireplace", "bsend"):
            self.takes(1.2, "exchange", what, 10 * MB, options=AWARE)
            self.takes(1.2 + 2 * COPY, "exchange", what, 10 * MB)

    def test_an_aware_library_sends_straight(self):
        self.takes(1.2, "message", 10 * MB, 1, 1, 1, options=AWARE)
        self.takes(1.6, "message", 10 * MB, 1, 1, 1, options=[*AWARE, "--set", "protocol.eager_threshold=1 MB"])

    def test_copies_take_turns_by_direction(self):
        # in, kernel, out on stream 0: launches take less; stream 1 comes in behind the first
        self.takes(0.01 + COPY + 1 + COPY, "copies", 10 * MB)
        # two ranks share the accelerator: the second comes in behind the first, its kernel behind that one's
        self.takes(0.01 + COPY + 2 + COPY, "copies", 10 * MB, placement="0,0")
        self.takes(0.01 + COPY + 1 + COPY, "copies", 10 * MB, placement="0,0", options=["--set", "accelerators.per_node=2"])

    def test_the_critical_path_leads_over_the_work_of_others(self):
        run = self.run_it("copies", 10 * MB, placement="0,0", options=["--explain"])
        path = run["analysis"]["critical_path"]
        self.assertAlmostEqual(sum(path["parts_s"].values()), run["predicted_time_s"], 9)
        blamed = {entry["kernel"]: entry["time_s"] for entry in path["blame"]}
        self.assertAlmostEqual(blamed["k"], 2, 9)
        self.assertAlmostEqual(blamed["(copy)"], 2 * COPY, 9)
        self.assertAlmostEqual(blamed["(accelerator)"], 0.01, 9)

    def test_time_beside_a_message_is_the_accelerators(self):
        run = self.run_it("overlap", 10 * MB, options=["--explain"])
        self.assertAlmostEqual(run["predicted_time_s"], 0.01 + 5 + 0.2, 9)
        sender, receiver = run["ranks"]
        # the sender launches and waits, the receiver has 1.2 s of the message between
        self.assertAlmostEqual(sender["accelerator_s"], 5.01, 9)
        self.assertAlmostEqual(receiver["accelerator_s"], 5.01 - 1.2, 9)
        self.assertEqual(sender["useful_s"], 0)
        # the kernel is what takes so long, then the barrier
        path = run["analysis"]["critical_path"]
        self.assertAlmostEqual(path["parts_s"]["compute"], 5.01, 9)
        self.assertAlmostEqual(path["parts_s"]["latency"], 0.2, 9)
        # on an ideal network the kernel takes as long
        self.assertAlmostEqual(run["analysis"]["efficiency"]["ideal_time_s"], 5.01, 9)

    def test_how_busy_they_were_is_told(self):
        out, two = self.dir / "busy.json", ["--set", "accelerators.per_node=2"]
        done = self.call("copies", 10 * MB, n=3, placement="0,0,1", options=["--json", out, *two])
        one, idle = {"kernels_s": 1, "copies_in_s": 0.3, "copies_out_s": 0.15}, {"kernels_s": 0, "copies_in_s": 0, "copies_out_s": 0}
        self.assertEqual([node["accelerators"] for node in read_json(out)["nodes"]], [[one, one], [one, idle]])
        # three of four, of 0.01 + 2 * 0.15 + 1 s
        self.assertIn("4 accelerators, 1 without work: kernels 57.3 %, copies in 17.2 %, copies out 8.6 %\n", done.stderr)
        done = self.call("copies", 10 * MB, n=3, placement="0,0,1", options=["--verbose", *two])
        self.assertRegex(done.stderr, r"  kernels +750 ms +57\.3 % +0 s \(1:1\) +1 s \(0:0\)\n")
        self.assertRegex(done.stderr, r"kernel, over all streams +count +time +mean\n  k +3 +3 s +1 s\n  \(copy\) +9 +1.35 s +150 ms\n")
        self.assertEqual(read_json(out)["offloaded"], [{"name": "(copy)", "count": 9, "time_s": sum([0.15] * 9)}, {"name": "k", "count": 3, "time_s": 3}])
        # messages copy, too, and what uses none has none
        self.assertEqual(self.run_it("message", 10 * MB, 0, 1, 1)["nodes"][1]["accelerators"], [{"kernels_s": 0, "copies_in_s": 0.15, "copies_out_s": 0}])
        self.assertNotIn("accelerators", self.run_it("message", 10 * MB, 0, 0, 1)["nodes"][0])
        # up to the end alone
        done = self.call("cut", 10 * MB, n=1, placement="0", options=["--json", out])
        busy, = read_json(out)["nodes"][0]["accelerators"]
        self.assertEqual(done.returncode, 1)
        self.assertAlmostEqual(busy["kernels_s"], 0.02 + 1 - (0.01 + COPY), 9)
        self.assertEqual(busy["copies_in_s"], 0.15)

    @unittest.skipUnless(BROWSER and DRIVER, "no Chromium or no chromedriver")
    def test_the_page_has_them_one_by_one(self):
        page = self.dir / "page.html"
        self.call("copies", 10 * MB, n=3, placement="0,0,1", options=["--html", page, "--set", "accelerators.per_node=2"])
        browser = Browser(self.dir / "profile")
        try:
            browser.call("POST", "/url", {"url": page.as_uri()})
            self.assertIn("What accelerators did", browser.text("#summary"))
            rows = browser.run("return [...document.querySelectorAll('#summary tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
        finally:
            browser.close()
        busy = ["76.3 %", "22.9 %", "11.5 %"]
        self.assertEqual(rows, [["0", "0", *busy], ["0", "1", *busy], ["1", "0", *busy], ["1", "1", "0.0 %", "0.0 %", "0.0 %"]])

    def test_kernels_of_streams_vary(self):
        times = {self.run_it("overlap", 0, options=["--vary-kernels", "--seed", seed])["predicted_time_s"] for seed in (1, 1, 2)}
        self.assertEqual(len(times), 2)

    def test_what_cannot_take_their_memory_ends_the_run(self):
        for what, sentence in (("partitioned", "MPI_Psend_init does not take memory of accelerators, where buf is"),
                               ("reduce", "MPI_Reduce_local does not take memory of accelerators, where inoutbuf is"),
                               ("window", "MPI_Win_create does not take memory of accelerators, where base is"),
                               ("put", "MPI_Put does not take memory of accelerators, where origin_addr is"),
                               ("file", "MPI_File_write does not take memory of accelerators, where buf is"),
                               ("bottom", "a datatype of addresses is in the memory of an accelerator"),
                               ("in part", "a datatype of addresses is in the memory of an accelerator"),
                               ("send", "a message of 400 B reaches beyond"),
                               ("send freed", "a message of 4000 B reaches beyond a buffer of mpisim_device_alloc, or into one that is freed"),
                               ("receive", "a message of 44 B reaches beyond"),
                               ("access", "wrote to memory of an accelerator that is not allocated"),
                               ("host copy", "found a copy from the host to the host"),
                               ("device copy", "found a copy from an accelerator to the same"),
                               ("end", "found a copy of 100 B, wanted at most 40 B"),
                               ("free", "not the start of a buffer of mpisim_alloc"),
                               ("free twice", "not the start of a buffer of mpisim_device_alloc"),
                               ("free host", "not the start of a buffer of mpisim_device_alloc")):
            with self.subTest(what):
                done = self.call("refused", what)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(sentence, done.stderr)

    def test_a_cluster_without_them_says_which_key_is_missing(self):
        for words in (("copies", 8), ("overlap", 8), ("message", 8, 1, 1, 1)):
            done = self.call(*words, options=["--set", "accelerators={}"])
            self.assertEqual(done.returncode, 1)
            self.assertIn("wanted accelerators.per_node in its file", done.stderr)

    def test_accelerators_are_not_recorded(self):
        trace = self.dir / "run.mpitrace"
        for words in (("overlap", 8), ("message", 8, 1, 0, 1)):
            done = self.call(*words, options=["--record", trace])
            self.assertEqual(done.returncode, 1)
            self.assertIn("--record cannot record what accelerators do", done.stderr)
            self.assertFalse(trace.exists())
        self.assertIn("reasons are not known: accelerators are used", self.call("message", 8, 1, 0, 1).stderr)

    def test_kernels_that_ran_here_are_told(self):
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 2, self.program, "copies", 1000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 kernels of accelerators ran on this host", done.stderr)

    def test_equal_runs_give_equal_bytes(self):
        runs = []
        for _ in range(2):
            run = self.run_it("data", placement="0,0")
            run.pop("simulation")
            runs.append(run)
        self.assertEqual(*runs)


if __name__ == "__main__":
    unittest.main()
