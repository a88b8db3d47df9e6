#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-whatif --async: times that are derived by hand, where ranks wait, and what is refused.

    async.py BUILD PROGRAM ROOT TOUCHES RANDOM CLASS
"""
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import OwnFolder, call, paths  # noqa: E402

BUILD, PROGRAM, ROOT, TOUCHES, RANDOM = paths(5)
SOURCE = pathlib.Path(__file__).with_suffix(".c").read_text(encoding="utf-8").splitlines()
CLUSTER = """mpisim_cluster: 1
name: round numbers
nodes: 4
network:
  latency: {latency}
  bandwidth: {bandwidth}
protocol:
  overhead: {overhead}
  eager_threshold: 100 MB
"""
US = 1e-6


def line_of(text, source=SOURCE):
    """The line of the program with this text."""
    found = [i for i, line in enumerate(source, 1) if text in line]
    assert len(found) == 1, text
    return found[0]


class Runs(OwnFolder):
    def tool(self, name, *arguments, status=0):
        done = call(BUILD / "bin" / name, *arguments, cwd=self.dir)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def record(self, case, n=2, latency="50us", overhead="1us", bandwidth="1000 TB/s", options=("--record-memory",), status=0, program=PROGRAM):
        (self.dir / "cluster.yaml").write_text(CLUSTER.format(latency=latency, overhead=overhead, bandwidth=bandwidth), encoding="utf-8")
        return self.tool("mpisim-run", "--cluster", "cluster.yaml", "-n", str(n), "--compute", "modelled", "--quiet", "--placement", "spread", "--record", "t.mtrace",
                         *options, program, case, status=status)

    def whatif(self, *options):
        self.tool("mpisim-whatif", "--async", "all", "--json", "out.json", "--quiet", *options, "t.mtrace")
        found = json.loads((self.dir / "out.json").read_text(encoding="utf-8"))
        return found["time_s"], {mode["mode"]: mode for mode in found["async"]}

    def assert_us(self, found_s, wanted_us, accuracy_us=1e-3):
        self.assertAlmostEqual(found_s / US, wanted_us, delta=accuracy_us)


class Async(Runs):
    # W1. As it is: 4 x (1 + 50 + 1) + 100. chain: the fourth is sent at 4, there at 54, and taken in 1; then 100. With the first use at half of the
    # computation: 4 + 50, then 4 x 1 to take what has come, then 50.
    def test_four_exchanges_wait_once(self):
        self.record("four")
        base_s, modes = self.whatif()
        self.assert_us(base_s, 308)
        self.assert_us(modes["chain"]["time_s"], 155)
        self.assert_us(modes["touch-exact"]["time_s"], 155)
        self.record("four_late")
        base_s, modes = self.whatif()
        self.assert_us(base_s, 308)
        self.assert_us(modes["chain"]["time_s"], 155)
        self.assert_us(modes["touch-exact"]["time_s"], 108)

    def test_a_status_that_nobody_reads_waits_for_nothing(self):
        self.record("four_status")
        _, modes = self.whatif()
        self.assert_us(modes["chain"]["time_s"], 155)
        self.assert_us(modes["touch-exact"]["time_s"], 108)

    # W2. Each message uses what the one before it brought.
    def test_one_buffer_gains_nothing(self):
        self.record("ping_pong")
        base_s, modes = self.whatif()
        for name, mode in modes.items():
            self.assertAlmostEqual(mode["time_s"], base_s, delta=1e-12, msg=name)

    # W3
    def test_a_status_that_is_read_waits(self):
        printed = self.record("count").stdout
        self.assertEqual(sorted(printed.splitlines()), ["rank 0: 128, 32640", "rank 1: 128, 32640"])
        _, modes = self.whatif()
        for mode in modes.values():
            waits = [w for w in mode["advice"] if w["wait"]]
            self.assertTrue(any(re.search(rf"MPI_Get_count of async.c:{line_of('MPI_Get_count(')}\b", w["advice"]) for w in waits), mode)

    # W4
    def test_a_chain_that_is_cut_short_is_a_hazard(self):
        for n, b in enumerate((3, 7, 17, 41, 99, 239), 1):
            self.assertEqual(self.record(f"loop{n}").stdout, f"{b}\n" * 2)
        _, modes = self.whatif()
        hazards = modes["chain"]["hazards"]
        self.assertEqual(len(hazards), 1, hazards)
        self.assertIn(f"async.c:{line_of('the chain begins')} ", hazards[0]["chain"])
        self.assertIn(f"async.c:{line_of('the final print')} ", hazards[0]["access"])
        self.assertIn(f"async.c:{line_of('MPI_Recv(&b, 1')} ", hazards[0]["site"])

    # W5. L = 10: A is there at 10, B at 100. Rank 3 gets the message that rank 0 sends after its use of A, 10 later.
    def test_a_page_waits_for_all_that_comes_into_it(self):
        for case, paged in (("one_page", 110), ("two_pages", 30)):
            self.record(case, n=4, latency="10us", overhead="0us")
            for mode, wanted in (("touch-exact", 30), ("touch", paged)):
                self.tool("mpisim-whatif", "--async", mode, "--async-trace", "new.mtrace", "--quiet", "t.mtrace")
                self.tool("mpisim-replay", "--quiet", "--json", "new.json", "new.mtrace")
                ranks = json.loads((self.dir / "new.json").read_text(encoding="utf-8"))["ranks"]
                self.assert_us(ranks[3]["end_s"], wanted)

    # W6. 1 MB at 1 GB/s each: as it is 4 ms, all of them exposed. Sent at once, all are there after 4 ms. With what is needed first sent alone: 2 ms, then 1 for
    # the right one; the bottom one comes while the rest is computed.
    def test_what_is_needed_first_is_sent_first(self):
        self.record("borders", latency="0us", overhead="0us", bandwidth="1 GB/s")
        base_s, modes = self.whatif()
        self.assert_us(base_s, 104000, 1)
        self.assert_us(modes["touch-exact"]["time_s"], 104000, 1)
        self.assert_us(modes["priority"]["time_s"], 103000, 1)

    # The second message is needed one wait later, but put off beyond rank 0's wait, it would never be sent. There at 51 and 52, taken at 52 and 63, answered at 74.
    def test_what_the_answer_needs_is_not_put_off_beyond_it(self):
        self.record("answer")
        _, modes = self.whatif()
        for name in ("touch-exact", "priority"):
            self.assert_us(modes[name]["time_s"], 74 + 50 + 1 + 10)

    # W7
    def test_what_is_used_at_once_gains_nothing(self):
        self.record("at_once")
        base_s, modes = self.whatif()
        for name in ("chain", "touch-exact", "touch", "priority"):
            self.assertAlmostEqual(modes[name]["time_s"], base_s, delta=1e-12, msg=name)

    # W8
    def test_columns_cross_rows_by_their_bytes(self):
        self.record("columns")
        _, modes = self.whatif()
        for name in ("chain", "touch-exact"):
            waits = {int(re.search(r":(\d+) ", w["wait"])[1]) for w in modes[name]["advice"] if w["wait"]}
            self.assertIn(line_of("/* crosses */"), waits, name)
            self.assertIn(line_of("/* writes what is sent */"), waits, name)
            self.assertIn(line_of("/* what has come */"), waits, name)
            for text in ("/* elsewhere */", "/* beside it */", "/* beside both */"):
                self.assertNotIn(line_of(text), waits, name)

    # 8 requests of each rank at 4.5 us before the last message is there, 51 later. A fault: all is sent at 4, it ends at 104, when all has come; 4 x 1 to take it.
    def test_costs_are_charged(self):
        self.record("four")
        _, modes = self.whatif("--async-cost", "request=4.5us")
        self.assert_us(modes["chain"]["time_s"], 155 + 8 * 4.5)
        _, modes = self.whatif("--async-cost", "fault=100us")
        self.assert_us(modes["touch"]["time_s"], 4 + 100 + 4 + 100)
        self.assert_us(modes["chain"]["time_s"], 155)

    def sor(self, n, variant, iterations, *options):
        self.tool("mpisim-run", "--quiet", "--deterministic", "--cluster", ROOT / "clusters/pentium4-gigabit.yaml", "-n", "16", "--placement", "0-15", "--compute", "modelled",
                  "--bench", ROOT / "apps/sor/pentium4.bench", "--json", "run.json", *options, BUILD / "apps/sor", "--n", str(n), "--variant", variant,
                  "--iterations", str(iterations))
        return json.loads((self.dir / "run.json").read_text(encoding="utf-8"))["predicted_time_s"]

    # Variants that a user would have to write: chain is the isend variant and 4.5 us for each of 16 requests of an iteration, touch-exact the overlap variant.
    def test_sendrecv_of_sor_predicts_the_variants_by_hand(self):
        for n in (512, 4096):
            by_hand = {v: (self.sor(n, v, 20) - self.sor(n, v, 10)) / 10 for v in ("isend", "overlap")}
            times = {}
            for iterations in (10, 20):
                self.sor(n, "sendrecv", iterations, "--record", "t.mtrace", "--record-memory")
                for name, mode in self.whatif("--async-cost", "request=4.5us", "--async-cost", "page=2us")[1].items():
                    times[name] = mode["time_s"] - times.get(name, 0)
            found = {name: time / 10 for name, time in times.items()}
            self.assertAlmostEqual(found["chain"] / (by_hand["isend"] + 72 * US), 1, delta=0.1)
            self.assertAlmostEqual(found["touch-exact"] / by_hand["overlap"], 1, delta=0.1)
            self.assertLess(found["chain"], found["touch"])  # paging took longer than chaining at both n
            self.assertLess(found["touch-exact"], found["chain"])

    # As W1: 4 exchanges of 52 on each of the ranks; all is there, and taken, after 55.
    def test_advice_says_how_much_time_goes(self):
        self.record("four")
        _, modes = self.whatif()
        advice = modes["chain"]["advice"]
        self.assertEqual(len(advice), 1, advice)
        self.assert_us(advice[0]["time_s"], 2 * 4 * 52)
        self.assert_us(advice[0]["removed_s"], 2 * (4 * 52 - 55))
        said = self.tool("mpisim-whatif", "--async", "chain", "t.mtrace").stdout
        self.assertIn("all take 416 us now, 306 us less then", said)

    # Rank 1 receives from 1 on. As it is, until 1 + 50 + 1 + 10, when rank 0 answers, + 1 + 50 + 1. With a fault, which rank 0 has before it takes the
    # message that is there meanwhile, until 100 + 1 + 10 + 1 + 50 + 1.
    def test_advice_says_how_much_time_is_added(self):
        self.record("after_use")
        _, modes = self.whatif("--async-cost", "fault=100us")
        row = next(row for row in modes["touch"]["advice"] if f":{line_of('what is used first')} " in row["site"])
        self.assert_us(row["time_s"], 113)
        self.assert_us(row["removed_s"], 113 - 162)
        said = self.tool("mpisim-whatif", "--async", "touch", "--async-cost", "fault=100us", "t.mtrace").stdout
        self.assertIn("(1 times; all take 113 us now, 49 us more then)", said)
        self.assertNotRegex(said, r"-\d+ us (less|more)")

    def test_time_is_told_once_for_the_calls_of_a_place(self):
        self.record("loop6")
        for mode in self.whatif()[1].values():
            said = self.tool("mpisim-whatif", "--async", mode["mode"], "t.mtrace").stdout
            self.assertEqual(said.count("all take"), len({(row["call"], row["site"]) for row in mode["advice"]}))
            for calls in {(row["call"], row["site"]) for row in mode["advice"]}:
                self.assertEqual(len({row["removed_s"] for row in mode["advice"] if (row["call"], row["site"]) == calls}), 1)

    def test_calls_of_a_line_are_one_row(self):
        self.record("freed")
        _, modes = self.whatif()
        rows = [row for row in modes["chain"]["advice"] if f":{line_of('/* two of a line */')} " in row["site"]]
        self.assertEqual([row["count"] for row in rows], [4])

    def test_memory_that_is_freed_waits(self):
        self.record("freed")
        for mode in self.whatif()[1].values():
            self.assertIn(f"wait before MPI_Free_mem of async.c:{line_of('MPI_Free_mem(')} ", " ".join(row["advice"] for row in mode["advice"]))

    def test_a_program_that_fails_says_so_and_not_its_warnings(self):
        self.record("fails", n=3, status=1)
        self.assertIn("from any source", self.tool("mpisim-replay", "t.mtrace", status=1).stderr)
        reason = "t.mtrace: a rank returned non-zero: ranks 0-2 returned exit code 1"
        self.assertEqual(self.tool("mpisim-whatif", "t.mtrace", status=2).stderr, f"mpisim-whatif: {reason}\n")
        said = self.tool("mpisim-whatif", "--async", "chain", "t.mtrace", status=1).stdout
        self.assertRegex(said, rf"as it is +{reason}\nchain +{reason}\n")

    # The receives are posted after the sends either way; what does not block lets both go on to them.
    def test_deadlocks_that_only_the_blocking_form_has(self):
        self.record("head_on")
        found = json.loads(self.tool("mpisim-whatif", "--async", "all", "--json", "-", "t.mtrace").stdout)
        self.assertIn("deadlock", found["without_room"])
        self.assertEqual([mode["without_room"] for mode in found["async"]], [None] * 4)
        said = self.tool("mpisim-whatif", "--async", "chain", "t.mtrace").stdout
        self.assertIn("chain: it ends well", said)
        said = self.tool("mpisim-whatif", "--async", "chain", "--set", "protocol.eager_threshold=0", "t.mtrace", status=1).stdout
        self.assertRegex(said, r"as it is +.*deadlock")
        self.assertRegex(said, r"chain +\d+ us")

    def test_same_trace_gives_the_same_bytes(self):
        self.record("borders")
        made = []
        for _ in range(2):
            self.tool("mpisim-whatif", "--async", "priority", "--async-trace", "new.mtrace", "--quiet", "t.mtrace")
            made.append((self.dir / "new.mtrace").read_bytes())
        self.assertEqual(*made)

    def test_memory_is_recorded_without_effect_on_times(self):
        self.record("columns", options=())
        without = self.tool("mpisim-replay", "--time-only", "-", "t.mtrace").stdout
        self.record("columns")
        self.assertEqual(self.tool("mpisim-replay", "--time-only", "-", "t.mtrace").stdout, without)

    # What the target lacks for computation, or the origin waits for it: a system call, 245 pages, a poll; 500 us of copying; all of lock, transfer and
    # copying, and 10 us until the unlock is there, which the end of the window waits for.
    def test_designs_of_one_sided_communication_are_compared(self):
        self.record("put", latency="10us", overhead="0us", bandwidth="1 GB/s", options=())
        self.tool("mpisim-whatif", "--rma-designs", "--quiet", "--json", "out.json", "--set", "rma.design.copy_bandwidth=2 GB/s",
                  "--set", "rma.design.dma={bandwidth: 2 GB/s, issue: 500ns, system_call: 1us, poll: 1us}", "t.mtrace")
        found = json.loads((self.dir / "out.json").read_text(encoding="utf-8"))
        times = {s["name"]: s["time_s"] - found["base_time_s"] for s in found["scenarios"]}
        for name, more_us in (("nic", 0), ("dma", 124.5), ("helper", 500), ("onload", 10 + 1010 + 500 + 10 + 10)):
            self.assert_us(times[f"rma.design.kind={name}"], more_us)

    def test_the_page_has_the_advice_and_both_timelines(self):
        self.record("four")
        said = self.tool("mpisim-whatif", "--async", "chain", "--html", "out.html", "t.mtrace").stdout
        page = (self.dir / "out.html").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"<section><h2>(.*?)</h2><iframe", page), ["as it is", "chain"])
        for line in said.splitlines():
            self.assertIn(line, page)
        for frame in re.findall(r'srcdoc="([^"]*)"', page):
            self.assertIn("&lt;html", frame)
            self.assertNotIn("<", frame)

    def test_refusals_say_what_was_wanted(self):
        self.record("four", options=())
        for arguments, says in ((("--async", "chains"), r'found "chains", wanted chain, touch, touch-exact, priority or all'),
                                (("--async", "chain"), "does not say which memory is used, wanted a trace of mpisim-run --record FILE --record-memory"),
                                (("--async", "chain", "--async-cost", "copies=1us"), "wanted request, copy, protect, page, fault or gap"),
                                (("--async", "all", "--async-trace", "new.mtrace"), "found 4 modes, wanted one"),
                                (("--async", "chain", "--scenario", "latency/2"), "found scenarios"),
                                (("--async-cost", "fault=1us"), "wanted --async MODE, too")):
            done = self.tool("mpisim-whatif", *arguments, "t.mtrace", status=2)
            self.assertIn(says, done.stderr)
        done = self.tool("mpisim-run", "--cluster", "cluster.yaml", "-n", "2", "--record-memory", PROGRAM, "four", status=2)
        self.assertIn("--record-memory: found no --record", done.stderr)
        for options, says in (((), "found no --record, wanted it, too"), (("--record", "x", "--no-alloc"), "found --no-alloc, whose buffers have no memory"),
                              (("--record", "x", "--compute", "modelled"), "found --compute modelled, wanted direct or collect")):
            done = self.tool("mpisim-run", "--cluster", "cluster.yaml", "-n", "2", "--record-touches", *options, PROGRAM, "four", status=2)
            self.assertIn("--record-touches: " + says, done.stderr)


class Random(Runs):
    # Messages only take their latency: who posts no later and waits no earlier is no later.
    def test_less_waiting_is_never_slower_and_ends_if_the_program_does(self):
        for seed in range(1, 5):
            for threshold in ("100 MB", "0"):
                self.record(str(seed), 2 + seed % 3, "20us", "0us", options=("--record-memory", "--set", f"protocol.eager_threshold={threshold}"), program=RANDOM)
                base_s, modes = self.whatif()
                self.assertEqual([mode for mode in modes if "error" in modes[mode]], [], seed)
                times = [modes[name]["time_s"] for name in ("touch-exact", "touch", "chain")] + [base_s]
                for sooner, later in zip(times, times[1:]):
                    self.assertLessEqual(sooner, later + 1e-11, seed)
                self.assertLess(times[0], base_s)


class Touches(Runs):
    def test_accesses_are_seen_by_pages(self):
        source = pathlib.Path(__file__).with_name("touches.c").read_text(encoding="utf-8").splitlines()
        # slow links: every receive waits, however long this machine computes in between
        (self.dir / "cluster.yaml").write_text(CLUSTER.format(latency="50us", overhead="1us", bandwidth="20 kB/s"), encoding="utf-8")
        command = ["--cluster", "cluster.yaml", "-n", "2", "--compute", "direct", "--quiet", "--record", "t.mtrace"]
        said = [self.tool("mpisim-run", *command, *options, TOUCHES).stdout for options in ((), ("--record-touches",))]
        self.assertEqual(*said)
        self.assertIn("written: 12288\nwritten: 12288\nread: 12288\n", said[0])
        _, modes = self.whatif()
        advice = " ".join(row["advice"] for row in modes["touch-exact"]["advice"])
        for text in ("sum += bytes[i]", "memcpy(copy", "fwrite(a", "write(fileno", "fread(b", "MPI_Recv(small", "data[0] ="):
            self.assertIn(f"wait before the access of touches.c:{line_of(text, source)} ", advice)
        self.assertEqual(modes["touch-exact"]["untold"], 0)
        # Loops between two calls are measured, too: none of a message is used there.
        self.assertGreater(modes["chain"]["short"], 0)
        self.assertEqual(self.whatif("--async-cost", "gap=0s")[1]["chain"]["short"], 0)


if __name__ == "__main__":
    unittest.main()
