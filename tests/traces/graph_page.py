#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of mpisim-run --graph in a headless Chromium.

usage: graph_page.py BIN_DIR APPS_DIR

exit status 77: there is no Chromium or no chromedriver
"""
import pathlib
import sys
import unittest

from browser import BROWSER, DRIVER, Browser

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import Folder, ignore_leaks, paths  # noqa: E402

ignore_leaks()
BIN, APPS = paths(2)


class Page(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser(cls.dir / "profile")
        page = cls.dir / "g.html"
        cls.made(BIN / "mpisim-run", "--quiet", "--cluster", cls.cluster, "-n", 4, "--compute", "modelled", "--graph", page, APPS / "neighbours")
        cls.browser.call("POST", "/url", {"url": page.as_uri()})

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        super().tearDownClass()

    def run_js(self, script):
        return self.browser.run(script)

    def tearDown(self):
        self.run_js("ranks.value = ''; ranks.oninput(); comms.value = -1; comms.onchange();"
                    "for (const b of document.querySelectorAll('#sites [aria-pressed=true]')) b.click(); choose(null);")
        log = self.browser.call("POST", "/se/log", {"type": "browser"})
        self.assertEqual([entry["message"] for entry in log if entry["level"] == "SEVERE"], [])

    def test_time_goes_down_and_collectives_stand_side_by_side(self):
        self.assertTrue(self.run_js("return calls.every((c) => c.before < 0 || calls[c.before].row < c.row)"))
        self.assertTrue(self.run_js("return graph.messages.every((m) => calls[m.send].row < calls[m.done].row)"))
        self.assertTrue(self.run_js("return graph.collectives.every((g) => new Set(g.calls.map((i) => calls[i].row)).size === 1)"))
        self.assertIn("11 messages, 3 collectives", self.browser.text("#status"))
        self.assertEqual(self.browser.text("#command").split("/")[-1], "neighbours")
        drawn = self.run_js("const c = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
                            "return new Set(new Uint32Array(c.buffer)).size")
        self.assertGreater(drawn, 10)

    def test_pointing_at_a_call_tells_its_arguments(self):
        x, y = self.run_js("const c = calls.find((c) => siteOf(c).call === 'MPI_Isend'), b = canvas.getBoundingClientRect();"
                           "return [Math.round(b.left + xOf(c)), Math.round(b.top + yOf(c))]")
        self.browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": x, "y": y}]}]})
        self.assertRegex(self.browser.text("#status"), r"^rank \d: MPI_Isend\(count 1, datatype MPI_LONG_LONG.*, dest \d, tag 1, comm MPI_COMM_WORLD\) "
                                                       r"at neighbours.c:\d+ \(send\), ")

    def test_arrow_keys_go_from_call_to_call(self):
        self.browser.keys("\ue015", "#graph canvas")
        first = self.browser.text("#status")
        self.browser.keys("\ue015", "#graph canvas")
        self.assertTrue(first.startswith("rank 0: MPI_Init(") and self.browser.text("#status").startswith("rank 0: MPI_Send("))

    def test_a_call_site_highlights_its_calls(self):
        buttons = "[...document.querySelectorAll('#sites button')]"
        self.assertIn("neighbours.c (37)", self.run_js(f"return {buttons}.map((b) => b.textContent)"))
        self.run_js(f"{buttons}.find((b) => b.textContent.includes(': MPI_Isend')).click()")
        self.assertEqual(self.run_js("return [...new Set(calls.filter(isBright).map((c) => siteOf(c).call))]"), ["MPI_Isend"])
        self.assertEqual(self.run_js("return calls.filter(isBright).length"), 8)

    def test_ranks_and_communicators_are_filtered(self):
        self.run_js("ranks.value = '1-2'; ranks.oninput()")
        self.assertEqual(self.run_js("return [columns, [...new Set([...byPlace.values()].map((c) => c.rank))].sort()]"), [[1, 2], [1, 2]])
        self.run_js("ranks.value = '1-'; ranks.oninput()")
        self.assertEqual(self.run_js("return [ranks.getAttribute('aria-invalid'), columns]"), ["true", [1, 2]])
        self.run_js("ranks.value = ''; ranks.oninput(); comms.value = 0; comms.onchange()")
        self.assertTrue(self.run_js("return byPlace.size > 0 && [...byPlace.values()].every((c) => c.communicator === 0)"))
        self.assertFalse(self.run_js("return [...byPlace.values()].some((c) => siteOf(c).call === 'MPI_Waitall')"))


if __name__ == "__main__":
    if not BROWSER or not DRIVER:
        print("skipped: no chromium or no chromedriver here")
        sys.exit(77)
    unittest.main()
