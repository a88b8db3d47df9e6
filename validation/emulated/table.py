#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""From runs.csv and what mpisim predicts: table.csv, which mpisim-validate reads, and docs/validation-emulated.md.

    validation/emulated/table.py BUILD --write     predict all, write both
    validation/emulated/table.py BUILD --check     predict a few of each application and compare with table.csv; exit 1 if they differ

A prediction is the median of 25 runs with computations and transfers varied by up to 1 % (seeds 1 to 25): programs in which every rank does the same run in
step in a simulation without any variation, and as on a real machine nothing else does, that would be a state of its own. Some programs have two running
times, so that a median of few falls into either part.
"""
import concurrent.futures
import csv
import io
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import HERE, LIBRARIES, read_table, seconds_of  # noqa: E402

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
PAGE = HERE.parent.parent / "docs/validation-emulated.md"
MODELS = {"calibrated": ("", ["--vary-transfer", "0.01", "--vary-compute", "0.01"], range(1, 26)), "thesis": ("-thesis", [], (0,))}
# Why calibrated predictions are off by more than 12 %: library, beginning of the configuration, reason. The figures are of small programs on the
# same cluster (docs/decisions/0052-packets.md, 0058-calibration-of-the-emulated-cluster.md and the page).
EQUAL_WINDOWS = "windows of connections that begin at once are equal in the model, and differ by a factor of two on the cluster (see above)"
NOTES = (
    ("openmpi", "alltoall-linear", EQUAL_WINDOWS),
    ("mpich", "alltoall-linear", EQUAL_WINDOWS),
    ("openmpi", "farm", "who comes first decides: predictions of 40 seeds are 2.03 to 2.88 s, eight measured runs 2.17 to 2.87 s (see above)"),
)


def predict(build, model, library, row):
    suffix, options, seeds = MODELS[model]
    folder = build / ("validation/emulated" if row["program"] == "patterns" else "apps")
    times = []
    for seed in seeds:
        run = subprocess.run([build / "bin/mpisim-run", "--quiet", "--cluster", HERE / f"{library}{suffix}.yaml", "-n", row["ranks"],
                              "--placement", "cyclic", *options, "--seed", str(seed), "--compute", "modelled", "--bench", HERE / "kernels.bench",
                              folder / row["program"], *row["arguments"].split()], check=True, capture_output=True, text=True)
        times.append(seconds_of(row["program"], run.stdout))
    return statistics.median(times)


def note_of(library, row, error):
    if abs(error) <= 0.12:
        return ""
    return next((text for name, begin, text in NOTES if name == library and row["configuration"].startswith(begin)), "")


def table_row(build, library, row, times, smpi):
    predicted = {model: predict(build, model, library, row) for model in MODELS}
    measured = statistics.median(times)
    choices = ";".join(f"{NAMES[library]}: {choice}" for choice in row["choice"].split(";") if choice)
    return {"configuration": f"{row['configuration']}, {NAMES[library]}", "group": row["group"], "choice": choices,
            "measured_s": f"{measured:.6f}", "low_s": f"{min(times):.6f}", "high_s": f"{max(times):.6f}", "n": len(times),
            "thesis_predicted_s": f"{predicted['thesis']:.6f}", "calibrated_predicted_s": f"{predicted['calibrated']:.6f}",
            "smpi_predicted_s": smpi[row["configuration"]],
            "note": note_of(library, row, predicted["calibrated"] / measured - 1)}


def make_rows(build, rows):
    times = {}
    smpi = {row["configuration"]: row["seconds"] for row in read_table(HERE / "smpi/smpi.csv")}
    for run in read_table(HERE / "runs.csv"):
        times.setdefault((run["library"], run["configuration"]), []).append(float(run["seconds"]))
    tasks = [(library, row) for row in rows for library in LIBRARIES if (library, row["configuration"]) in times]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda task: table_row(build, *task, times[task[0], task[1]["configuration"]], smpi), tasks))


def write(build, rows):
    text = io.StringIO()
    text.write("# SPDX-License-Identifier: BSD-3-Clause\n# Written by table.py from runs.csv; low and high are the fastest and the slowest run.\n")
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (HERE / "table.csv").write_text(text.getvalue(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        page = subprocess.run([build / "bin/mpisim-validate", "--rows", "--plot", folder, HERE / "table.csv"], check=True, capture_output=True, text=True).stdout
        shutil.copyfile(f"{folder}/errors.png", PAGE.parent / "pictures/emulated-errors.png")
    PAGE.write_text((HERE / "page.md.in").read_text(encoding="utf-8").replace("@RESULT@", page.replace(str(HERE.parent.parent) + "/", "")), encoding="utf-8")


def check(build):
    """One configuration of five, so that it takes seconds."""
    committed = {row["configuration"]: row for row in read_table(HERE / "table.csv")}
    wrong = [row["configuration"] for row in make_rows(build, read_table(HERE / "configurations.csv")[::5])
             if {key: str(value) for key, value in row.items()} != committed[row["configuration"]]]
    for name in wrong:
        print(f"{name}: predicted anew, it differs from table.csv: call table.py BUILD --write")
    return bool(wrong)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "--check":
        sys.exit(check(build))
    write(build, make_rows(build, read_table(HERE / "configurations.csv")))


main()
