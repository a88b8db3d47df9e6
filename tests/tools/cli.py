#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run as users call it: exit statuses, what is said, JSON, report, signals.

usage: cli.py BIN_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from base import BIN, HERE, Base, call


class Usage(Base):
    def refused(self, wanted, *words):
        done = call(BIN / "mpisim-run", *words)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(wanted, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_wrong_usage_exits_2_with_one_sentence(self):
        c = self.cluster
        self.refused("--cluster FILE")
        self.refused("-n N", "--cluster", c, self.misc)
        self.refused("found -np, wanted -n RANKS", "--cluster", c, "-np", 2, self.misc)
        self.refused("no program", "--cluster", c, "-n", 2)
        self.refused("-n: ", "--cluster", c, "-n", 0, self.misc)
        self.refused("unknown option --fast", "--cluster", c, "-n", 2, "--fast", self.misc)
        self.refused("partial or modelled", "--cluster", c, "-n", 2, "--no-alloc", self.misc)

    def test_ranks_that_cannot_fit_are_refused(self):
        free_kB = int(re.search(r"MemAvailable: +(\d+)", pathlib.Path("/proc/meminfo").read_text())[1])
        if free_kB > 90e6:
            self.skipTest("10 million ranks may fit here")
        self.refused("10000000 ranks need about 84 GB of memory", "--cluster", self.cluster, "-n", 10000000, self.misc)

    def test_files_that_are_not_there_exit_2(self):
        c = self.cluster
        self.refused("nowhere.yaml", "--cluster", self.dir / "nowhere.yaml", "-n", 2, self.misc)
        self.refused("nowhere", "--cluster", c, "-n", 2, self.dir / "nowhere")
        self.refused("nowhere.bench", "--cluster", c, "-n", 2, "--compute", "modelled", "--bench",
                     self.dir / "nowhere.bench", self.misc)
        self.refused("--json", "--cluster", c, "-n", 2, "--json", self.dir / "no" / "o.json", self.misc)
        self.refused("--report", "--cluster", c, "-n", 2, "--report", self.dir / "no" / "report", self.misc)
        self.refused("exists already", "--cluster", c, "-n", 2, "--report", self.dir, self.misc)

    def test_clusters_that_come_with_mpisim_are_found_by_name(self):
        listed = call(BIN / "mpisim-run", "--list-clusters")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        for line in listed.stdout.splitlines():
            self.assertRegex(line, r"^[a-z0-9-]+ +\S.*: \d+ nodes of \d+ cores?$")
        self.assertIn("infiniband-hdr ", listed.stdout)
        done = call(BIN / "mpisim-run", "--cluster", "infiniband-hdr", "-n", 2, "--json", "-", "--quiet", self.misc, "work")
        self.assertEqual(json.loads(done.stdout[done.stdout.index("{"):])["cluster"]["name"], "example, InfiniBand HDR, 200 Gbit/s")
        self.refused("(did you mean infiniband-hdr?); see mpisim-run --list-clusters", "--cluster", "infiniband-hrd", "-n", 2, self.misc)

    def test_refused_run_leaves_no_json(self):
        out = self.dir / "refused.json"
        self.refused("nowhere", "--cluster", self.cluster, "-n", 2, "--json", out, self.dir / "nowhere")
        self.assertFalse(out.exists())

    def test_bad_cluster_values_exit_2(self):
        c = self.cluster
        self.refused("network.latency", "--cluster", c, "-n", 2, "--set", "network.latency=fast", self.misc)
        self.refused("network.speed", "--cluster", c, "-n", 2, "--set", "network.speed=1", self.misc)
        self.refused("--placement", "--cluster", c, "-n", 2, "--placement", "0,9", self.misc)

    def test_directories_on_the_path_are_no_programs(self):
        done = call(*self.words(), ".", env=dict(os.environ, PATH="/usr/bin"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("'.' is not a file that can be run", done.stderr)

    def test_program_without_mpi_library_of_ours_is_refused(self):
        self.refused("", "--cluster", self.cluster, "-n", 2, HERE / "cli.py")

    def test_help_and_version_go_to_standard_output(self):
        helped = call(BIN / "mpisim-run", "--help")
        self.assertEqual((helped.returncode, helped.stderr), (0, ""))
        for option in ("--cluster", "--report", "--json", "--set", "--scale", "--tag-output", "exit status"):
            self.assertIn(option, helped.stdout)
        self.assertTrue(all(len(line) <= 120 for line in helped.stdout.splitlines()))
        self.assertRegex(call(BIN / "mpisim-run", "--version").stdout, r"^mpisim-run \d+\.\d+\.\d+\n$")


class Ends(Base):
    def test_good_end(self):
        done = self.run_misc("work", "--verbose")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        for wanted in ("predicted running time: 12 ms", "dynamic efficiency: ", "MPI_Barrier", "round 2", "seed 0"):
            self.assertIn(wanted, done.stderr)

    def test_quiet_says_nothing(self):
        done = self.run_misc("work", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_deadlock_names_ranks_places_and_the_cycle(self):
        done = self.run_misc("deadlock", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("deadlock: every rank waits", done.stderr)
        self.assertRegex(done.stderr, r"rank 2: MPI_Recv at .*misc\.c:\d+ .*from rank 3, tag 7")
        self.assertIn("cycle: rank 0 waits for 1, which waits for 2, which waits for 3, which waits for 0", done.stderr)

    def test_deadlock_of_many_is_shown_in_groups(self):
        done = self.run_misc("deadlock", "--quiet", n=100)
        self.assertIn("100 ranks (0-99): MPI_Recv", done.stderr)
        self.assertIn("(100 ranks in all)", done.stderr)
        self.assertLess(len(done.stderr.splitlines()), 6)

    def test_wildcard_deadlock_has_a_cycle(self):
        done = self.run_misc("any", "--quiet")
        self.assertIn("cycle: rank 0 waits for 1, which waits for 0", done.stderr)

    def test_polling_in_vain_is_a_deadlock_where_time_is_measured(self):
        done = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 4, "--quiet", "--compute", "direct", self.misc, "poll")
        self.assertEqual(done.returncode, 1)
        self.assertIn("deadlock: every rank waits", done.stderr)
        self.assertRegex(done.stderr, r"rank 0: MPI_Iprobe at .*misc\.c:\d+ .*polling without success")

    def test_shares_that_algorithm1_cannot_give_are_warned_of_with_what_follows(self):
        # Ranks 0 to 4 send to 5 and 6, 0 and 1 to 7, all at once: literally the link to 7 would carry 1.2 times what it can (docs/model.md).
        (self.dir / "twelve.c").write_text("""
#include <mpi.h>
static char data[1000000];
int main(int argc, char **argv)
{
	MPI_Request requests[5];
	int rank, n = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int to = 5; rank < 5 && to < (rank < 2 ? 8 : 7); to++)
		MPI_Isend(data, sizeof data, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[n++]);
	for (int from = 0; rank >= 5 && from < (rank < 7 ? 5 : 2); from++)
		MPI_Irecv(data, sizeof data, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[n++]);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
""")
        built = call(BIN / "mpisim-cc", self.dir / "twelve.c", "-o", self.dir / "twelve")
        self.assertEqual(built.returncode, 0, built.stderr)
        for model, n in (("thesis", 1), ("fluid", 0)):
            done = call(*self.words("--set", "nodes=8", "--set", f"network.model={model}", n=8), self.dir / "twelve")
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(len(re.findall(r"warning: Algorithm 1 was not feasible at \d+ instants?, where max-min shares replaced it: the "
                                            r"prediction mixes both \(--set network\.model=fluid shows ", done.stderr)), n, done.stderr)

    def test_failures_name_rank_call_and_line(self):
        for what, wanted in (("abort", r"rank 1: MPI_Abort at .*misc\.c:\d+.*code 5"),
                             ("crash", r"rank 1: .*misc\.c:\d+.*segmentation fault"),
                             ("error", r"rank 1: MPI_Send at .*misc\.c:\d+.*MPI_ERR_RANK")):
            done = self.run_misc(what)
            self.assertEqual(done.returncode, 1, what)
            self.assertRegex(done.stderr, wanted)
            self.assertIn("simulated until it failed", done.stderr)

    def test_who_computes_when_another_rank_fails_does_not_wait(self):
        done = self.run_misc("halfway", "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 1, done.stderr)
        for rank in json.loads(done.stdout)["ranks"]:
            self.assertLess(rank["waiting_s"], 0.01)

    def test_stack_overflow_is_said_with_and_without_guard_pages(self):
        for n, size in ((4, "64KiB"), (20000, "128KiB")):  # guard pages end at about 16 000 ranks
            done = self.run_misc("dive", "--quiet", "--stack-size", size, n=n)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, r"rank 1: .*stack overflow")

    def test_recursion_without_end_is_said_without_guard_pages(self):
        for last in (39998, 39999):  # of neighbours at most one has a guard
            done = self.run_misc(f"dive-{last}", "--quiet", "--stack-size", "64KiB", n=40000)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, rf"rank {last}: .*stack overflow: its stack of 64 KiB")

    def test_time_that_the_clock_cannot_hold_is_no_deadlock(self):
        done = self.run_misc("ages", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^mpisim-run: rank 1: .*later than simulated time can go, 106 days")

    def test_message_that_the_clock_cannot_hold_is_no_deadlock(self):
        done = self.run_misc("slow", "--quiet", "--set", "network.bandwidth=1B/s")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a message ends later than simulated time can go, 106 days", done.stderr)

    def test_other_waits_that_the_clock_cannot_hold_are_no_deadlocks(self):
        for settings in (["cores=4", "network.intra_node={latency: 0, bandwidth: 1 B/s}"],
                         ["cores={per_domain: 4, memory: 1 B/s}",
                          "network.intra_node={latency: 0, bandwidth: 1 GB/s, copies: 2}"]):
            done = self.run_misc("slow", "--quiet", *[word for s in settings for word in ("--set", s)])
            self.assertEqual(done.returncode, 1)
            self.assertIn("what ranks wait for ends later than simulated time can go, 106 days", done.stderr)

    def test_deadlock_is_told_where_links_were_too_slow_for_the_clock_a_while(self):
        links = "[{name: '*', speed: 1e-15, at: 0}, {name: '*', speed: 1, at: 1ms}]"
        done = self.run_misc("slow, deadlock", "--quiet", "--set", f"network.topology={{kind: torus, dimensions: [4], links: {links}}}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("deadlock: every rank waits and nothing is under way", done.stderr)

    def test_bad_exit_codes_name_the_ranks(self):
        done = self.run_misc("exit", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ranks 1, 3 returned exit code 3", done.stderr)

    def test_programs_without_mpi_are_warned_about(self):
        (self.dir / "plain.c").write_text("int main(void) { return 0; }\n")
        self.assertEqual(call(BIN / "mpisim-cc", self.dir / "plain.c", "-o", self.dir / "plain").returncode, 0)
        done = call(*self.words("--quiet"), self.dir / "plain")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, f"mpisim-run: warning: no rank called MPI_Init: is {self.dir}/plain the MPI program?\n")

    def start(self, what, *options):
        child = subprocess.Popen([str(w) for w in self.words(*options)] + [str(self.misc), what],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "started\n")
        time.sleep(0.1)
        return child

    def interrupt(self, what, number):
        out = self.dir / "interrupted.json"
        child = self.start(what, "--json", out)
        child.send_signal(number)
        said = child.communicate(timeout=60)[1]
        found = json.loads(out.read_text())
        out.unlink()
        return child.returncode, said, found

    def test_interrupt_reports_what_is_known(self):
        status, said, found = self.interrupt("forever", signal.SIGINT)
        self.assertEqual(status, 130)
        self.assertIn("interrupted", said)
        self.assertIn("simulated until interrupted", said)
        self.assertEqual(found["exit"], {"state": "interrupted", "status": 130})
        self.assertGreater(found["predicted_time_s"], 0)

    def test_interrupt_stops_a_rank_that_never_blocks(self):
        status, said, found = self.interrupt("stuck", signal.SIGINT)
        self.assertEqual(status, 130)
        self.assertEqual(found["exit"]["state"], "interrupted")
        self.assertNotIn("setitimer", said)  # the simulator's own timer

    def test_killed_run_leaves_what_was_there(self):
        new, old = self.dir / "killed.json", self.dir / "old.json"
        old.write_text("{}")
        for out in (new, old):
            child = self.start("forever", "--json", out, "--report", self.dir / "killed")
            child.kill()
            child.communicate(timeout=60)
        self.assertEqual([path.name for path in self.dir.glob("killed*")], [])
        self.assertEqual(old.read_text(), "{}")

    def test_termination_does_the_same(self):
        self.assertEqual(self.interrupt("forever", signal.SIGTERM)[0], 128 + signal.SIGTERM)


class Results(Base):
    def json_of(self, what, *options, n=4):
        done = self.run_misc(what, "--json", "-", "--quiet", *options, n=n)
        return done, json.loads(done.stdout)

    def test_json_has_what_others_script_against(self):
        done, found = self.json_of("work")
        # Rounds are as long as the slowest rank's: 3 × 4 ms, and barriers.
        self.assertGreater(found["predicted_time_s"], 0.012)
        self.assertLess(found["predicted_time_s"], 0.013)
        # Useful: 3 × (1 + 2 + 3 + 4) ms on 4 cores.
        self.assertAlmostEqual(found["efficiency"], 0.030 / (4 * found["predicted_time_s"]), places=9)
        self.assertEqual([r["rank"] for r in found["ranks"]], [0, 1, 2, 3])
        self.assertAlmostEqual(found["ranks"][2]["useful_s"], 0.009, places=9)
        self.assertEqual([(p["name"], p["index"], p["ranks"]) for p in found["phases"]],
                         [("round", i, 4) for i in range(3)])
        self.assertEqual(found["exit"], {"state": "completed", "status": 0})
        self.assertEqual(found["seed"], 0)
        self.assertEqual(found["warnings"], [])
        self.assertEqual(found["command"][1:], ["work"])
        self.assertGreater(found["simulation"]["peak_memory_B"], 100000)
        self.assertIn("cpu_s", found["simulation"])
        for rank in found["ranks"]:
            parts = sum(rank[key] for key in ("useful_s", "stolen_s", "shared_s", "communicating_s", "waiting_s",
                                              "ended_s", "other_s"))
            self.assertAlmostEqual(parts, found["predicted_time_s"], places=10)

    def test_equal_runs_give_equal_bytes(self):
        texts = [re.sub(r'"simulation": \{[^}]*\}', "", self.run_misc("work", "--json", "-", "--quiet",
                                                                     "--vary-compute", "0.1", "--seed", "5").stdout)
                 for _ in range(2)]
        self.assertGreater(len(texts[0]), 1000)
        self.assertEqual(texts[0], texts[1])

    def test_seed_matters_when_something_varies(self):
        times = [self.json_of("work", "--vary-compute", "0.1", "--seed", seed)[1]["predicted_time_s"] for seed in (1, 2)]
        self.assertNotEqual(times[0], times[1])

    def test_what_if_options_change_the_prediction(self):
        base = self.json_of("work")[1]["predicted_time_s"]
        self.assertLess(self.json_of("work", "--scale", "*=0.5")[1]["predicted_time_s"], 0.6 * base)
        slower = self.json_of("work", "--set", "network.latency=10ms")[1]
        self.assertGreater(slower["predicted_time_s"], 2 * base)
        self.assertEqual(slower["cluster"]["overrides"], ["network.latency=10ms"])

    def test_kernels_are_collected_and_then_charged(self):
        bench = self.dir / "spin.bench"
        collected = call(BIN / "mpisim-run", "--cluster", self.cluster, "-n", 2, "--compute", "collect", "--bench-out", bench,
                         "--quiet", self.misc, "kernels")
        self.assertEqual(collected.returncode, 0, collected.stderr)
        self.assertEqual(sum(line.startswith("spin,10") for line in bench.read_text().splitlines()), 6)
        bench.write_text(bench.read_text()[:-2])  # within the last number
        done = self.run_misc("kernels", "--bench", bench)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"spin.bench:\d+: found no end of the last line, wanted one: the file is cut")
        bench.write_text(re.sub(r"(?m)^(spin,.*),[^,\n]*$", r"\1,0.5", bench.read_text() + "\n"))
        found = self.json_of("kernels", "--bench", bench)[1]
        # Three calls of 0.5 s, which follow each other without an MPI call: one step.
        self.assertAlmostEqual(found["ranks"][0]["useful_s"], 1.5, places=9)
        self.assertEqual([k["name"] for k in found["kernels"]], ["spin"])
        self.assertAlmostEqual(self.json_of("kernels", "--bench", bench, "--scale", "spin=0.1")[1]["predicted_time_s"], 0.15,
                               places=9)

    def test_a_store_that_nothing_is_taken_from_is_warned_of(self):
        bench, wanted = self.dir / "other.bench", "other.bench changed nothing: no kernel was begun whose time it has."
        bench.write_text("dgemm,10,,,,1\n")
        found = self.json_of("work", "--bench", bench)[1]["warnings"]
        self.assertEqual(len(found), 1)
        self.assertIn(wanted, found[0])
        self.assertIn("for the calls of BLAS of a program without them it is --blas-model FILE", found[0])
        self.assertNotIn(wanted, "".join(self.json_of("deadlock", "--bench", bench)[1]["warnings"]))
        bench.write_text("spin,10,,,,1\nspin,20,,,,1\n")
        self.assertEqual(self.json_of("kernels", "--bench", bench)[1]["warnings"], [])

    def test_kernel_without_a_time_is_an_error_that_names_it(self):
        done, found = self.json_of("kernels")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(found["failure"]["kind"], "annotation")
        self.assertIn("spin", found["failure"]["text"])

    def test_failure_is_in_the_json(self):
        done, found = self.json_of("deadlock")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(found["failure"]["kind"], "deadlock")
        self.assertEqual(found["failure"]["cycle"], [0, 1, 2, 3])
        self.assertEqual(found["failure"]["blocked"][3]["waits_for"], [0])
        self.assertEqual(found["exit"], {"state": "failed", "status": 1})
        self.assertEqual(self.json_of("exit")[1]["exit"]["state"], "bad_exit")

    def test_report_is_written(self):
        report = self.dir / "report"
        done = self.run_misc("work", "--report", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"report: {report}/index.html", done.stderr)
        for name in ("index.html", "summary.txt", "ranks.csv", "timeline.gp", "efficiency.csv"):
            self.assertTrue((report / name).stat().st_size > 0, name)
        if shutil.which("gnuplot"):
            self.assertTrue((report / "timeline.png").exists())
        # What is there is not overwritten, and said before the run.
        again = self.run_misc("work", "--report", report)
        self.assertEqual(again.returncode, 2)
        self.assertIn("exists already", again.stderr)

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_names_of_phases_mean_nothing_to_gnuplot(self):
        done = self.run_misc("percent", "--report", self.dir / "percent")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("gnuplot failed", done.stderr)
        self.assertTrue((self.dir / "percent" / "phases.png").exists())

    def test_report_of_a_failed_run_says_why(self):
        report = self.dir / "failed"
        done = self.run_misc("deadlock", "--quiet", "--report", report)
        self.assertEqual(done.returncode, 1)
        for name in ("summary.txt", "index.html"):
            text = (report / name).read_text()
            self.assertIn("deadlock: every rank waits", text)
            self.assertIn("cycle: rank 0 waits for 1", text)
            self.assertIn("simulated until it failed", text)

    def test_output_passes_through_untouched(self):
        done = self.run_misc("pieces", "--quiet")
        self.assertEqual(sorted(done.stderr.splitlines()), [f"error line of {r}" for r in range(4)])
        self.assertNotIn("[", done.stdout)

    def test_tagged_lines_are_whole_and_name_their_rank(self):
        done = self.run_misc("pieces", "--quiet", "--tag-output")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted([f"[{r}] piece 0 piece 1 of {r}" for r in range(4)] + [f"[{r}] no newline" for r in range(4)]))
        self.assertEqual(sorted(done.stderr.splitlines()), [f"[{r}] error line of {r}" for r in range(4)])

    def test_json_file_is_replaced_when_it_is_complete(self):
        out, link = self.dir / "first.json", self.dir / "link.json"
        out.write_text("old")
        out.chmod(0o640)
        link.symlink_to(out)
        self.assertEqual(self.run_misc("work", "--quiet", "--json", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(out.stat().st_mode & 0o777, 0o640)
        self.assertEqual(json.loads(out.read_text())["exit"]["status"], 0)
        new = self.dir / "new.json"
        self.assertEqual(self.run_misc("work", "--quiet", "--json", new, n=2).returncode, 0)
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(new.stat().st_mode & 0o777, 0o666 & ~mask)
        # A limit on the size of files is like a full disk.
        size = new.stat().st_size
        done = call("sh", "-c", f"trap '' XFSZ; ulimit -f {size // 1024 + 1}; exec \"$@\"", "sh",
                    *self.words("--quiet", "--json", new, n=200), self.misc, "work")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"{new}: cannot write the JSON output", done.stderr)
        self.assertEqual(new.stat().st_size, size)
        self.assertEqual(list(self.dir.glob("new.json.*")), [])

    def test_json_is_written_when_nobody_reads_the_summary(self):
        out = self.dir / "unread.json"
        read_end, write_end = os.pipe()
        os.close(read_end)
        status = subprocess.run([str(w) for w in self.words("--json", out)] + [str(self.misc), "work"], stderr=write_end).returncode
        os.close(write_end)
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out.read_text())["exit"]["status"], 0)

    def test_devices_and_links_are_not_replaced(self):
        pipe, target = self.dir / "pipe", self.dir / "target.json"
        os.mkfifo(pipe)
        for option in ("--record", "--trace-out"):
            path = self.dir / "pipe.json" if option == "--trace-out" else pipe
            if not path.exists():
                os.mkfifo(path)
            done = self.run_misc("good", option, path)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("found a device or pipe, wanted a regular file or none", done.stderr)
        target.write_text("old")
        (self.dir / "trace-link.json").symlink_to(target)
        done = self.run_misc("good", "--trace-out", self.dir / "trace-link.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.dir / "trace-link.json").is_symlink())
        self.assertNotEqual(target.read_text(), "old")

    def test_a_run_of_no_time_has_no_shares(self):
        done = self.run_misc("good", n=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("predicted running time: 0 s\n1 rank on 1 node of ", done.stderr)
        self.assertNotIn("nan", done.stderr)

    def test_a_summary_that_is_lost_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([str(word) for word in [*self.words(n=2), self.misc, "work"]], stdout=subprocess.PIPE,
                                  stderr=full, timeout=120, check=False)
        self.assertEqual(done.returncode, 2)

    def test_a_full_disk_is_said_before_the_run(self):
        for option in ("--json", "--html", "--time-only"):
            done = self.run_misc("pieces", option, "/dev/full")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, f"mpisim-run: {option}: cannot write /dev/full: No space left on device\n")
        room = self.dir / "room"
        room.mkdir()
        run = " ".join(shlex.quote(str(word)) for word in [*self.words("--json", room / "out.json"), self.misc, "pieces"])
        done = call("unshare", "--mount", "sh", "-c", f"mount -t tmpfs -o size=32k none {room} || exit 77; {run}; s=$?; ls {room}; exit $s")
        if done.returncode in (1, 77):
            self.skipTest("no disk can be mounted here")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn(f"--json: cannot write {room}/out.json: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
