#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of mpisim-run --html in a headless Chromium, with real clicks and keys (WebDriver).

usage: html_report.py BIN_DIR REAL_TRACE          REAL_TRACE writes traces (real-trace.c)

exit status 77: there is no Chromium or no chromedriver
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

from browser import BROWSER, DRIVER, Browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402  (the folder above)

ignore_leaks()
BIN, WRITER = paths(2)
CLUSTER = "mpisim_cluster: 1\nname: <four> & nodes\nnodes: 4\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"
# Rank 0 computes 1 s, rank 1 waits for its message; then 3 rounds in which both compute 0.5 s.
PROGRAM = r"""
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, n = argc > 1 ? atoi(argv[1]) : 3;
	char byte = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		add_compute_time(1);
	if (rank == 0)
		MPI_Send(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	mpisim_phase_begin("</script><b>rounds");
	for (int i = 0; i < n; i++) {
		if (mpisim_kernel_begin("work", 0, NULL)) {}
		mpisim_kernel_end();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	mpisim_phase_end();
	MPI_Finalize();
	return 0;
}
"""


# Two ranks of a real run that leave MPI_Init at 1 s. Rank 0 computes 1 s and comes to its send 0.2 s later; rank 1 waits for it to 2.5 s.
REAL = """
0 call MPI_Init - 0 1000000000
1 call MPI_Init - 0 1000000000
0 charge work 1
0 phase send 2200000000
0 call MPI_Send bitiic 2200000000 300000000 b0 i1000000 u583 i1 i0 u1
0 end 2500000000
0 call MPI_Finalize - 2500000000 0
0 exit
1 phase </script><b>mail 1000000000
1 call MPI_Recv bitwic 1000000000 1500000000 b0 i1000000 u583 i0 i0 u1
1 end 2500000000
1 call MPI_Finalize - 2500000000 0
1 exit
"""


class Page(Folder):
    cluster_text = CLUSTER

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "program.c").write_text(PROGRAM)
        (cls.dir / "program.bench").write_text("model,work,0.5\n")
        cls.made(BIN / "mpisim-cc", "-g", cls.dir / "program.c", "-o", cls.dir / "program")
        cls.browser = Browser(cls.dir / "profile")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        super().tearDownClass()

    def open(self, *arguments, ranks=2, name="page.html", options=()):
        path = self.dir / name
        done = call(BIN / "mpisim-run", "--quiet", "--cluster", self.dir / "cluster.yaml", "-n", str(ranks), "--compute", "modelled",
                    "--bench", self.dir / "program.bench", "--html", path, *options, self.dir / "program", *arguments, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.call("POST", "/url", {"url": path.as_uri()})
        return path

    def errors(self):
        log = self.browser.call("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] == "SEVERE"]

    def test_figures_are_those_of_the_run(self):
        self.open()
        self.assertEqual(self.browser.text("h1"), "program on <four> & nodes")
        self.assertIn("predicted running time2.5 s", self.browser.text("#summary"))
        self.assertIn("whole run", self.browser.text("#efficiency"))
        self.assertIn("</script><b>rounds", self.browser.text("#efficiency"))
        self.assertIn("work", self.browser.text("#path"))
        self.assertIn("MPI_Recv", self.browser.text("#waits"))
        self.assertIn("latency: 10us", self.browser.text("#provenance pre"))
        self.assertEqual(self.errors(), [])

    def test_reasons_come_first_and_lead_to_the_timeline(self):
        path = self.open()
        found = json.loads(re.search(r'<script type="application/json" id="data">\n(.*)\n</script>', path.read_text())[1])["run"]["analysis"]["reasons"]
        text = self.browser.text("#reasons")
        for reason in found:
            self.assertIn(reason["text"], text)
            self.assertIn(reason["without"], text)
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('main > section')].findIndex((s) => s.id === 'reasons')"), 1)
        rank = self.browser.text("#reasons button.show")
        self.browser.click("#reasons button.show")
        self.assertTrue(self.browser.text("#timeline-status").endswith(f", rank {rank}"))
        self.assertTrue(self.browser.run("return document.activeElement === document.querySelector('#timeline canvas')"))  # its keys go on from there
        self.assertEqual(self.errors(), [])

    def test_time_over_bandwidth_is_drawn_with_this_cluster_and_the_knee(self):
        path = self.open()
        curve = json.loads(re.search(r'<script type="application/json" id="data">\n(.*)\n</script>', path.read_text())[1])["run"]["analysis"]["bandwidth"]
        self.assertEqual(len(curve["points"]), self.browser.run("return document.querySelectorAll('#what-if circle').length"))
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('#what-if circle')].filter((c) => c.getAttribute('r') === '6').length"), 1)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#what-if [stroke-dasharray]').length"), 1 if curve["knee_Bps"] else 0)
        self.assertIn("more of it saves less than 5 %", self.browser.text("#what-if"))
        self.assertEqual(self.errors(), [])

    def test_page_needs_no_other_file(self):
        text = self.open().read_text()
        self.assertEqual(re.findall(r'(?:src|href)="(?!#)[^"]*"|@import|url\(', text), [])
        self.assertEqual([a for a in re.findall(r"https?://[^\"'\s)]+", text) if a != "http://www.w3.org/2000/svg"], [])

    def test_timeline_tells_what_was_clicked(self):
        self.open()
        # 1200 wide: the plot begins 56 to the right; row 1 is 24 + 1.5 x 22 down. At 1/5 of 2.5 s, rank 1 waits, rank 0 computes.
        self.browser.click_canvas(56 + 220, 24 + 33)
        self.assertRegex(self.browser.text("#timeline-status"), r"^rank 1 at .*: MPI_Recv, waiting, ")
        self.browser.click_canvas(56 + 220, 24 + 11)
        self.assertRegex(self.browser.text("#timeline-status"), r"^rank 0 at .*: not annotated, computing, 0 s to 1 s \(1 s\)$")

    def test_timeline_zooms_by_buttons_and_keys(self):
        self.open()
        self.assertEqual(self.browser.text("#timeline-status"), "0 s to 2.5 s of 2.5 s")
        self.browser.click("#timeline .tools button")
        self.assertEqual(self.browser.text("#timeline-status"), "625 ms to 1.88 s of 2.5 s")
        self.browser.keys("\ue012")  # left: a fifth of the window
        self.assertEqual(self.browser.text("#timeline-status"), "375 ms to 1.63 s of 2.5 s")
        self.browser.keys("+")
        self.assertEqual(self.browser.text("#timeline-status"), "688 ms to 1.31 s of 2.5 s")
        self.browser.keys("\ue011")  # Home
        self.assertEqual(self.browser.text("#timeline-status"), "0 s to 2.5 s of 2.5 s")
        self.browser.keys("\ue015")  # down: the first rank, in the middle of the window
        self.assertRegex(self.browser.text("#timeline-status"), r"^rank 0 at 1\.25 s: work, computing, ")
        self.assertEqual(self.errors(), [])

    def status(self):
        self.browser.rest()
        return self.browser.text("#timeline-status")

    def fill(self, selector, text):
        self.browser.keys(text, selector)
        self.browser.run("document.activeElement.blur()")

    def test_ranks_are_filtered_sorted_and_grouped(self):
        self.open(ranks=4, options=["--placement", "0,0,1,1"])
        titles = lambda: self.browser.run("return timelines[0].lanes.titles")
        self.assertEqual(titles(), ["0", "1", "2", "3"])
        choose = "const s = document.querySelectorAll('#timeline select')[%d]; s.value = '%s'; s.dispatchEvent(new Event('change'))"
        self.browser.run(choose % (0, "waiting"))
        self.assertEqual(titles()[-1], "0")  # it computes while the others wait
        self.browser.run(choose % (0, "computing"))
        self.assertEqual(titles(), ["0", "1", "2", "3"])
        self.fill("#timeline input.ranks", "1-2, node 1")
        self.assertEqual(titles(), ["1", "2", "3"])
        self.browser.run(choose % (1, "node"))
        self.assertEqual(titles(), ["0", "1"])
        self.browser.click_canvas(600, 24 + 33)
        self.assertRegex(self.status(), r"^rank [23] at ")
        self.browser.keys("+")
        self.assertTrue(self.status().endswith(", node 1 (2 ranks from 2 on)"), self.status())
        self.fill("#timeline input.ranks", "x")
        self.assertEqual(self.browser.run("return document.querySelector('#timeline input.ranks').validationMessage"), "wanted ranks and nodes, such as 0-7, 12, node 3")
        self.assertEqual(titles(), ["0", "1"])
        self.assertEqual(self.errors(), [])

    def test_calls_lines_and_phases_are_found(self):
        self.open()
        self.assertEqual(self.browser.run("return timelines[0].lanes.source.kinds.filter(([name]) => name === 'MPI_Recv').map(([, at]) => at)"), ["program.c:17 (main)"])
        for wanted, seen in (("MPI_Recv", "0 s to 2 s of 2.5 s, rank 1"), ("program.c:17", "0 s to 2 s of 2.5 s, rank 1"), ("b>rounds", "0 s to 2.5 s of 2.5 s, rank 1")):
            self.browser.run("document.querySelector('#timeline input.find').value = ''; timelines[0].show(0, 1e15)")
            self.browser.keys(wanted + "\ue007", "#timeline input.find")
            self.assertEqual(self.status(), seen)
        self.browser.run("document.querySelector('#timeline input.find').value = ''")
        self.browser.keys("nowhere\ue007", "#timeline input.find")
        self.assertIn("Nothing is found.", self.browser.text("#timeline .tools"))
        self.assertEqual(self.errors(), [])

    def test_a_message_and_a_cause_are_told_where_they_are_pointed_at(self):
        self.open()
        # the message of rank 0 at 1 s: 56 + 1 s / 2.5 s of what is right of it, between the middles of both rows
        x = self.browser.run("return 56 + 0.4 * (document.querySelector('#timeline canvas').clientWidth - 56)")
        self.browser.click_canvas(x, 200)  # elsewhere
        self.browser.point_at(x, 24 + 22)
        self.assertRegex(self.status(), r"^message of 1 B from rank 0 to rank 1, sent at 1 s, received at 1 s \(.*\), node 0 \(link out .* busy\) to node 1 \(link in .* busy\)$")
        self.browser.point_at(56 + 100, 24 + 33)
        self.assertRegex(self.status(), r"^rank 1 at .*: MPI_Recv, waiting, .*, at program\.c:17 \(main\); for rank 0, until then in not annotated$")

    def test_the_path_that_is_drawn_is_the_critical_path(self):
        self.open()
        path = self.browser.run("return timelines[0].lanes.path()")
        self.assertEqual([path[0][1], path[-1][3]], [0, self.browser.run("return data.timeline.end")])
        for one, other in zip(path, path[1:]):
            self.assertEqual((one[2], one[3]), (other[0], other[1]))
        computing = self.browser.run("""
            const lanes = timelines[0].lanes, i = lanes.intervals;
            let sum = 0;
            for (const [rank, begin, , end, message] of lanes.path())
              for (let k = i.first[rank]; message < 0 && k < i.first[rank + 1]; k++)
                if (i.kind[k] % 3 === 0) sum += Math.max(0, Math.min(end, i.end[k]) - Math.max(begin, i.begin[k]));
            return [sum * lanes.source.unit_s, analysis.critical_path.parts_s.compute];""")
        self.assertAlmostEqual(computing[0], computing[1], places=6)
        self.browser.click("#timeline-chain")
        self.assertEqual(self.errors(), [])

    def test_tables_and_the_matrix_lead_to_the_timeline(self):
        self.open(ranks=4)
        self.browser.run("[...document.querySelectorAll('#totals button.show')].find((b) => b.textContent === 'MPI_Recv').click()")
        self.assertEqual(self.browser.run("return document.querySelector('#timeline input.find').value"), "MPI_Recv")
        # cells of 115 pixels: from (0, 1) to (1, 1), which are ranks 0 and 1
        self.browser.drag((40 + 170, 22 + 50), (40 + 180, 22 + 160), canvas="#matrix canvas")
        self.assertEqual(self.browser.run("return [document.querySelector('#timeline input.ranks').value, timelines[0].lanes.titles]"), ["0-1, 1-1", ["0", "1"]])
        self.browser.drag((40 + 170, 22 + 50), (40 + 170, 22 + 50), canvas="#matrix canvas")
        self.assertEqual(self.browser.run("return timelines[0].lanes.titles.length"), 4)
        self.assertEqual(self.errors(), [])

    def test_the_matrix_is_read_by_keys(self):
        self.open(ranks=4)
        told = lambda: self.browser.text("#matrix .status")
        self.browser.keys("\ue014\ue014", "#matrix canvas")  # right: to the first cell, and on
        self.assertEqual(told(), self.browser.run("const [, , n, size] = data.matrix.cells.find(([a, b]) => a === 0 && b === 1); return `rank 0 to rank 1: ${n} messages, ${bytes(size)}`"))
        self.browser.keys("\ue008\ue015\ue008\ue007", "#matrix canvas")  # Shift and down; Enter
        self.assertRegex(told(), "^rank 1 to rank 1: 0 messages")
        self.assertEqual(self.browser.run("return [document.querySelector('#timeline input.ranks').value, timelines[0].lanes.titles]"), ["0-1, 1-1", ["0", "1"]])
        self.browser.keys("\ue00c", "#matrix canvas")  # Escape
        self.assertEqual(self.browser.run("return timelines[0].lanes.titles.length"), 4)
        self.assertEqual(self.errors(), [])

    def test_the_tab_key_stops_nowhere_without_a_name(self):
        self.open()
        unnamed = ("return [...document.querySelectorAll('main button, main input, main select, main canvas')].filter((e) => e.offsetParent && "
                   "!(e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length))).length")
        self.assertEqual(self.browser.run(unnamed), 0)

    def test_the_wheel_alone_scrolls_the_page(self):
        self.open()
        self.browser.wheel(300)
        self.assertEqual(self.status(), "0 s to 2.5 s of 2.5 s")
        self.assertIn("Ctrl and the wheel zoom.", self.browser.text("#timeline .tools"))
        self.browser.wheel(-300, "\ue009")
        self.assertNotEqual(self.status(), "0 s to 2.5 s of 2.5 s")
        self.browser.keys("\ue011")
        self.browser.drag((56 + 200, 24 + 2), (56 + 420, 24 + 42), "\ue008")
        self.assertRegex(self.status(), r"^4\d\d ms to 9\d\d ms of 2\.5 s$")
        self.assertEqual(self.errors(), [])

    def test_a_click_on_a_phase_shows_it(self):
        self.open()
        self.browser.click_canvas(900, 24 + 44 + 8)
        self.assertEqual(self.status(), "1 s to 2.5 s of 2.5 s")

    def test_tables_sort_by_a_click_on_their_titles(self):
        self.open()
        first = "return document.querySelector('#totals tbody td').textContent"
        self.assertEqual(self.browser.run(first), "work")  # 3 s over the ranks, before 1 s that is not annotated
        self.browser.click("#totals th button")
        self.assertEqual(self.browser.run(first), "(not annotated)")

    def test_page_fits_a_phone(self):
        self.open()
        self.browser.call("POST", "/window/rect", {"width": 500, "height": 800})
        try:
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0)
        finally:
            self.browser.call("POST", "/window/rect", {"width": 1200, "height": 900})

    def test_curves_are_legible_on_a_phone(self):
        self.open()
        size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": size})
        try:
            texts = self.browser.call("POST", "/execute/async", {"args": [], "script": """
                const done = arguments[0];
                const boxes = () => done([...document.querySelectorAll("#curve svg text")].map((text) => {
                  const box = text.getBoundingClientRect();
                  return [box.height, box.left, box.right, box.top];
                }));
                requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(boxes)));"""})
            self.assertGreater(len(texts), 6)
            self.assertGreater(min(height for height, _, _, _ in texts), 10)
            times = [box for box in texts if box[3] == max(top for _, _, _, top in texts)]
            self.assertGreater(len(times), 2)
            for one, other in zip(times, times[1:]):
                self.assertLess(one[2], other[1])
        finally:
            self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})

    def test_a_dark_page_is_printed_on_white(self):
        dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": dark})
        try:
            self.open()
            papers = [self.browser.run(f"dispatchEvent(new Event('{event}')); return colour('paper')") for event in ("other", "beforeprint", "afterprint")]
            self.assertEqual(papers, ["#15191e", "#ffffff", "#15191e"])
            self.assertEqual(self.errors(), [])
        finally:
            self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": []}})

    def test_colours_with_a_meaning_are_printed(self):
        self.open()
        kind = "return [...document.querySelectorAll('.stack i, .legend i, .meter, .meter i')].map(e => getComputedStyle(e).printColorAdjust)"
        self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
        try:
            self.assertEqual(set(self.browser.run(kind)), {"exact"})
        finally:
            self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})

    def test_pictures_are_printed_in_their_shape_without_hints_for_the_screen(self):
        self.open()
        shape = "const c = document.querySelector('%s canvas'); c.width = 600; c.height = 200; return c.clientWidth / c.clientHeight"
        self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}})
        try:
            for section in ("#timeline", "#matrix"):
                self.assertAlmostEqual(self.browser.run(shape % section), 600 / 200, delta=0.02)
            self.assertEqual(self.browser.run("return [...document.querySelectorAll('.screen, .tools')].filter((e) => e.offsetParent).length"), 0)
            self.assertGreater(self.browser.run("return document.querySelector('#provenance pre').getBoundingClientRect().height"), 50)
        finally:
            self.browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}})

    def test_long_runs_show_the_shares_of_each_column(self):
        # 8 ranks x 80000 rounds of a computation and a barrier in two parts: more than the intervals that are kept one by one
        self.open("80000", ranks=8, name="long.html")
        self.assertIn("every column shows the shares", self.browser.text("#timeline"))
        self.assertIn("The critical path is not drawn", self.browser.text("#timeline"))
        self.assertIsNone(self.browser.run("return document.querySelector('#timeline-chain')"))
        self.browser.click("#timeline .tools button")
        self.assertEqual(self.errors(), [])

    def test_of_many_phases_the_longest_are_shown(self):
        (self.dir / "phases.c").write_text("""
#include <mpi.h>
#include <mpisim.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 3000; i++) {
		mpisim_phase_begin("step");
		mpisim_add_compute_time(i == 2345 ? 1 : 1e-3);
		mpisim_phase_end();
	}
	MPI_Finalize();
	return 0;
}
""")
        path = self.dir / "phases.html"
        for command in ([BIN / "mpisim-cc", self.dir / "phases.c", "-o", self.dir / "phases"],
                        [BIN / "mpisim-run", "--quiet", "--cluster", self.dir / "cluster.yaml", "-n", "1", "--compute", "modelled", "--html", path, self.dir / "phases"]):
            done = call(*command, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(path.stat().st_size, 1000000)
        self.browser.call("POST", "/url", {"url": path.as_uri()})
        self.assertRegex(self.browser.text("#efficiency"), r"Of 3\s000 phases the 500 longest are shown")
        names = self.browser.run("return analysis.phases.map(phase => phase.index)")
        self.assertEqual((len(names), names[:2], 2345 in names), (500, [0, 1], True))
        self.assertEqual(self.errors(), [])

    def test_a_hundred_thousand_intervals_are_drawn_one_by_one(self):
        self.open("12000", ranks=4, name="many.html")
        self.assertNotIn("every column shows the shares", self.browser.text("#timeline"))
        self.browser.keys("+" * 14)
        self.browser.click_canvas(600, 30)
        self.assertRegex(self.browser.text("#timeline-status"), r"^rank 0 at .*: (work, computing|MPI_Barrier), ")
        self.assertEqual(self.errors(), [])

    def open_real(self):
        trace, path = self.dir / "real.mtrace", self.dir / "real.html"
        subprocess.run([WRITER, trace, "2"], input=REAL, text=True, check=True)
        done = call(BIN / "mpisim-replay", trace, "--quiet", "--cluster", self.dir / "cluster.yaml", "--html", path, "--real", trace, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.call("POST", "/url", {"url": path.as_uri()})

    def rows(self, selector):
        return self.browser.run("return [...document.querySelectorAll(%s)].map(row => [...row.cells].map(cell => cell.textContent))" % json.dumps(selector))

    def test_a_real_run_stands_beside_its_prediction(self):
        self.open_real()
        text = self.browser.text("#real")
        self.assertIn("measured1.5 spredicted1.01 serror−32.7 %", text)
        rows = self.rows("#real tbody tr")
        self.assertIn(["</script><b>mail", "1.5 s", "1.01 s", "−490 ms", "−32.7 %", "show"], rows)
        self.assertIn(["computing", "1", "1 s", "1 s", "0 s", "0.0 %"], rows)
        self.assertIn(["1 MB to 10 MB", "2", "1.8 s", "1.01 s", "−790 ms", "−43.9 %"], rows)
        self.assertFalse(any(row[0] == "MPI_Init" for row in rows))
        self.assertEqual(self.errors(), [])

    def test_both_timelines_show_the_same_window(self):
        self.open_real()
        both = lambda: (self.browser.text("#real-timeline-status"), self.browser.text("#timeline-status"))
        self.assertEqual(both(), ("0 s to 1.5 s of 1.5 s", "0 s to 1.5 s of 1.01 s"))
        self.browser.keys("+", "#timeline h3 + .tools + canvas")
        self.assertEqual(both(), ("375 ms to 1.13 s of 1.5 s", "375 ms to 1.13 s of 1.01 s"))
        self.browser.keys("\ue007", "#real button.show")  # the phase, from 0 to 1.5 s in the real run
        self.assertEqual(both(), ("0 s to 1.5 s of 1.5 s", "0 s to 1.5 s of 1.01 s"))
        self.browser.click_canvas(56 + 500, 24 + 33)  # the first timeline: in the real run rank 1 receives
        self.assertRegex(both()[0], r"^rank 1 at .*: MPI_Recv, communicating, 0 s to 1\.5 s")
        self.assertEqual(both()[1], "0 s to 1.5 s of 1.01 s, rank 1")
        # the phase around the send begins at 1.2 s in the real run and at 1 s in the prediction: both are shown from there on
        self.browser.run("document.querySelectorAll('#real button.show')[1].click()")
        self.assertEqual(both(), ("1.19 s to 1.51 s of 1.5 s, rank 1", "991 ms to 1.31 s of 1.01 s, rank 1"))
        self.browser.keys("-")  # they keep their distance
        self.assertEqual(both(), ("1.03 s to 1.67 s of 1.5 s, rank 1", "832 ms to 1.47 s of 1.01 s, rank 1"))
        self.browser.keys("\ue011")  # Home
        self.assertEqual(both(), ("0 s to 1.5 s of 1.5 s, rank 1", "0 s to 1.5 s of 1.01 s, rank 1"))
        below = self.browser.run("document.querySelector('#links').scrollIntoView(); document.querySelector('#timeline').scrollIntoView();"
                                 "return document.querySelector('#timeline').getBoundingClientRect().top - document.querySelector('nav').offsetHeight")
        self.assertGreaterEqual(below, -1)
        self.assertEqual(self.errors(), [])

    def test_two_runs_are_compared(self):
        before, scaled = self.dir / "before.json", ("--scale", "work=0.5", "--compare", self.dir / "before.json")
        self.open(options=["--json", before])
        self.open(options=scaled, name="after.html")
        self.assertIn("Compared with before.json", self.browser.text("#compared"))
        self.assertIn("before2.5 safter1.75 schange−30.0 %", self.browser.text("#compared"))
        rows = self.rows("#compared tbody tr")
        self.assertIn(["work", "3 s", "1.5 s", "−1.5 s", "−50.0 %"], rows)
        self.assertIn(["computing", "2 s", "1.25 s", "−750 ms", "−37.5 %"], rows)
        self.assertIn(["</script><b>rounds", "1.5 s", "750 ms", "−750 ms", "−50.0 %"], rows)
        self.assertEqual([row[0] for row in rows][:2], ["dynamic efficiency", "parallel efficiency"])
        self.assertFalse(any(row[0] == "MPI_Init" for row in rows))
        self.open(options=["--compare", before])
        self.assertIn("Nothing differs.", self.browser.text("#compared"))
        self.assertEqual(self.errors(), [])

    def test_mpisim_report_makes_it_too(self):
        trace, path = self.dir / "real's.mtrace", self.dir / "report.html"
        subprocess.run([WRITER, trace, "2"], input=REAL, text=True, check=True)
        done = call(BIN / "mpisim-report", "--cluster", self.dir / "cluster.yaml", "--no-what-if", "--real", trace, "-o", path, trace, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.call("POST", "/url", {"url": path.as_uri()})
        self.assertIn("measured1.5 spredicted1.01 s", self.browser.text("#real"))

    def test_what_if_comes_with_derivatives_and_provenance_with_the_quality_of_the_calibration(self):
        cluster = self.dir / "calibrated.yaml"
        cluster.write_text("# date: 2026-03-04T05:06:07Z\n# WARNING: <the> machine was not idle\nmpisim_cluster: 1\nnodes: 4\nnetwork:\n"
                           "  latency: 10us   # 9.5us to 10.5us, 40 samples, 2 outliers; median of round trips\n  bandwidth: 100 MB/s\n"
                           "uncertainty:\n  network.latency: [9.5us, 10.5us]\n  network.bandwidth: [90 MB/s, 110 MB/s]\n")
        trace, path = self.dir / "loop.mtrace", self.dir / "quality.html"
        for command in ([BIN / "mpisim-run", "--cluster", cluster, "-n", "2", "--quiet", "--compute", "modelled", "--bench", self.dir / "program.bench",
                         "--record", trace, self.dir / "program"], [BIN / "mpisim-report", trace, "-o", path]):
            done = call(*command, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.browser.call("POST", "/url", {"url": path.as_uri()})
        rows = self.rows("#what-if tbody tr")
        self.assertTrue(any(row[0] == "latency" and row[1] == "s per s" for row in rows), rows)
        rows = self.rows("#provenance tbody tr")
        self.assertIn(["network.latency", "10us", "9.5us to 10.5us", "40", "2", "median of round trips"], rows)
        self.assertIn(["network.bandwidth", "", "90 MB/s to 110 MB/s", "", "", "uncertainty"], rows)
        text = self.browser.text("#provenance")
        self.assertIn("calibrated: 2026-03-04T05:06:07Z", text)
        self.assertIn("warning of the calibration: <the> machine was not idle", text)
        self.assertEqual(self.errors(), [])
        self.open()
        self.assertIn("The cluster file does not say", self.browser.text("#provenance"))

    def test_both_timelines_fit_a_phone(self):
        self.open_real()
        self.browser.call("POST", "/window/rect", {"width": 500, "height": 800})
        try:
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0)
        finally:
            self.browser.call("POST", "/window/rect", {"width": 1200, "height": 900})

    def test_wrong_places_are_refused_before_the_run(self):
        done = call(BIN / "mpisim-run", "--cluster", self.dir / "cluster.yaml", "-n", "1", "--html", "/nowhere/page.html", self.dir / "program", timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--html: cannot write /nowhere/page.html", done.stderr)


if __name__ == "__main__":
    if not BROWSER or not DRIVER:
        print("skipped: needs chromium and chromedriver (packages chromium, chromium-driver)")
        sys.exit(77)
    unittest.main()
