#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-run --graph: the vertices and edges of runs whose graph is known, in each format; and what it must not change.

usage: graph.py BIN_DIR APPS_DIR
"""
import collections
import json
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from harness import Folder, call, ignore_leaks, paths  # noqa: E402

ignore_leaks()
BIN, APPS = paths(2)
# Rank 0 sends 1, 2 and 3 ints to 1; 1 receives them with a wildcard, a request and a persistent request; all meet three times.
PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, n = argc > 1 ? atoi(argv[1]) : 0, a[3] = {0}, b[3], c[3], sum;
	MPI_Request request, again;
	MPI_Comm half;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	if (rank == 0) {
		MPI_Send(a, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
		MPI_Isend(a, 2, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Ssend(a, 3, MPI_INT, 1, 9, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv_init(c, 3, MPI_INT, 0, 9, MPI_COMM_WORLD, &again);
		MPI_Irecv(b, 3, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
		MPI_Start(&again);
		MPI_Recv(a, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Waitall(2, (MPI_Request[]){request, again}, MPI_STATUSES_IGNORE);
		MPI_Request_free(&again);
	}
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
	for (int i = 0; i < n; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
"""


class Graph(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.dir / "p.c").write_text(PROGRAM)
        cls.made(BIN / "mpisim-cc", "-g", "-O1", "p.c", "-o", "p")

    def run_it(self, *arguments, code=0):
        done = call(BIN / "mpisim-run", "--cluster", "cluster.yaml", "-n", 4, "--compute", "modelled", *arguments, cwd=self.dir)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def graph(self, *program):
        self.run_it("--graph", "g.json", *program)
        return json.loads((self.dir / "g.json").read_text())

    def test_every_call_that_is_not_local_is_a_vertex_with_its_arguments(self):
        g = self.graph("./p")
        of_0 = [(g["sites"][c["site"]]["call"], c["arguments"].get("count"), c["arguments"].get("dest")) for c in g["calls"] if c["rank"] == 0]
        self.assertEqual(of_0, [("MPI_Init", None, None), ("MPI_Comm_split", None, None), ("MPI_Send", 1, 1), ("MPI_Isend", 2, 1), ("MPI_Wait", None, None),
                                ("MPI_Ssend", 3, 1), ("MPI_Allreduce", 1, None), ("MPI_Comm_free", None, None), ("MPI_Finalize", None, None)])
        receive = next(c for c in g["calls"] if g["sites"][c["site"]]["call"] == "MPI_Recv")
        self.assertEqual(receive["arguments"], {"count": 3, "datatype": "MPI_INT", "source": "MPI_ANY_SOURCE", "tag": "MPI_ANY_TAG", "comm": "MPI_COMM_WORLD"})
        self.assertEqual((g["calls_left_out"], g["ranks"], g["command"]), (0, 4, ["./p"]))
        site = g["sites"][receive["site"]]
        self.assertEqual((site["file"], site["function"], PROGRAM.splitlines()[site["line"] - 1].strip()[:9]), ("p.c", "main", "MPI_Recv("))
        self.assertTrue(all(c["begin_s"] <= c["end_s"] for c in g["calls"]))

    def test_messages_and_requests_join_the_calls_that_made_them(self):
        g = self.graph("./p")
        name = [g["sites"][c["site"]]["call"] for c in g["calls"]]
        self.assertEqual(sorted((name[m["send"]], name[m["receive"]], m["tag"], m["size_B"]) for m in g["messages"]),
                         [("MPI_Isend", "MPI_Irecv", 8, 8), ("MPI_Send", "MPI_Recv", 7, 4), ("MPI_Ssend", "MPI_Start", 9, 12)])
        self.assertEqual(sorted((name[a], name[b]) for a, b in g["requests"]),
                         [("MPI_Irecv", "MPI_Waitall"), ("MPI_Isend", "MPI_Wait"), ("MPI_Start", "MPI_Waitall")])

    def test_calls_of_one_collective_stand_together(self):
        g = self.graph("./p", "2")
        names = collections.Counter((c["call"], g["communicators"][c["communicator"]]["ranks"], len(c["calls"])) for c in g["collectives"])
        self.assertEqual(names, {("MPI_Init", 4, 4): 1, ("MPI_Comm_split", 4, 4): 1, ("MPI_Allreduce", 2, 2): 2, ("MPI_Barrier", 4, 4): 2, ("MPI_Comm_free", 2, 2): 2,
                                 ("MPI_Finalize", 4, 4): 1})
        for group in g["collectives"]:
            self.assertEqual(len({g["calls"][i]["rank"] for i in group["calls"]}), len(group["calls"]))

    def test_dot_has_a_vertex_for_each_call_or_collective_and_edges_in_two_colours(self):
        self.run_it("--graph", "g.dot", "./p")
        text = (self.dir / "g.dot").read_text()
        g = self.graph("./p")
        n_alone = len(g["calls"]) - sum(len(c["calls"]) for c in g["collectives"])
        self.assertEqual(len(re.findall(r"^\tc\d+ \[label=", text, re.M)), n_alone + len(g["collectives"]))
        self.assertEqual(len(re.findall(r"-> c\d+ \[color=\"#d55e00\"", text)), len(g["messages"]))
        self.assertEqual(len(re.findall(r"-> c\d+ \[color=\"#0072b2\"", text)), len(g["calls"]) - 4)
        self.assertTrue(text.startswith("digraph mpisim {\n") and text.endswith("}\n"))

    def test_page_holds_the_same_data_and_needs_nothing_else(self):
        self.run_it("--graph", "g.html", "./p")
        text = (self.dir / "g.html").read_text()
        data = re.search(r'<script type="application/json" id="data">\n(.*)\n</script>', text)[1]
        self.assertEqual(json.loads(data), self.graph("./p"))
        self.assertFalse(re.search(r'(src|href)="', text))

    def test_same_run_same_bytes_and_the_prediction_stays(self):
        results = []
        for arguments in (["--graph", "g.json"], ["--graph", "g.json"], [], ["--explain"], ["--explain", "--graph", "g.json"]):
            self.run_it("--json", "r.json", *arguments, APPS / "neighbours", "--double-buffered")
            result = json.loads((self.dir / "r.json").read_text())
            del result["simulation"]
            for key in ("reasons", "bandwidth"):  # are not looked for beside a graph
                result.get("analysis", {}).pop(key, None)
            results.append((result, (self.dir / "g.json").read_bytes()))
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0][0], results[2][0])
        self.assertEqual(results[3][0], results[4][0])
        self.assertEqual(results[0][1], results[4][1])

    def test_more_calls_than_it_can_show_are_counted_and_said(self):
        text = self.run_it("--graph", "g.json", "./p", "30000")
        g = json.loads((self.dir / "g.json").read_text())
        self.assertEqual(len(g["calls"]), 100000)
        n = 4 * 30000 + 4 * (5) + 4 + 6  # barriers; the five collectives of all; rank 0's sends; rank 1's receives
        self.assertEqual(g["calls_left_out"], n - 100000)
        self.assertIn(f"it has the first 100000, {n - 100000} are left out", text)

    def test_a_deadlock_shows_the_calls_that_are_not_over(self):
        (self.dir / "d.c").write_text('#include <mpi.h>\nint main(void)\n{\n\tint r;\n\tMPI_Init(0, 0);\n\tMPI_Comm_rank(MPI_COMM_WORLD, &r);\n'
                                         '\tMPI_Recv(&r, 1, MPI_INT, (r + 1) % 4, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\tMPI_Finalize();\n}\n')
        self.made(BIN / "mpisim-cc", "-g", "d.c", "-o", "d")
        self.run_it("--graph", "g.json", "./d", code=1)
        g = json.loads((self.dir / "g.json").read_text())
        self.assertEqual([g["sites"][c["site"]]["call"] for c in g["calls"] if c["end_s"] is None], ["MPI_Recv"] * 4)

    def test_a_run_that_is_verified_has_the_same_graph(self):
        self.run_it("--graph", "plain.json", "./p")
        plain = json.loads((self.dir / "plain.json").read_text())
        for parts in ("matching,deadlock,leaks", "orders", "memory"):
            self.run_it("--graph", "verified.json", f"--verify={parts}", "--verify-warn", "./p")
            verified = json.loads((self.dir / "verified.json").read_text())
            self.assertEqual([(c["rank"], c["begin_s"], c["end_s"]) for c in verified["calls"]], [(c["rank"], c["begin_s"], c["end_s"]) for c in plain["calls"]], parts)
            self.assertEqual([s["call"] for s in verified["sites"]], [s["call"] for s in plain["sites"]], parts)

    def test_wrong_use_is_refused(self):
        self.assertIn('--graph: found "g.svg", wanted a name that ends in .html, .dot or .json', self.run_it("--graph", "g.svg", "./p", code=2))
        self.assertIn("--graph is of one run that is not recorded; found --record", self.run_it("--graph", "g.dot", "--record", "r", "./p", code=2))
        self.assertIn("found --repeat", self.run_it("--graph", "g.dot", "--repeat", "3", "./p", code=2))
        self.assertIn("--graph", self.run_it("--graph", "missing/g.dot", "./p", code=2))


if __name__ == "__main__":
    unittest.main()
