#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""From runs.csv and what mpisim predicts: table.csv and senders.csv, which mpisim-validate reads, and docs/validation-emulated.md.

The configurations of the group "senders" are a table of their own, which has no predictions of SMPI.

    validation/emulated/table.py BUILD --write     predict all, write them, and the mean error into README.md
    validation/emulated/table.py BUILD --check     predict a few of each application; exit 1 if they, the page or README.md differ

A prediction is what the plain command gives: the median of runs with the variation of the cluster file. What the program timed is a part of that run, and what it
prints is of the first one: so the run that is reported is run once more, alone. *thesis* is a file without variation.
"""
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measure import HERE, LIBRARIES, PATTERNS, read_table, seconds_of  # noqa: E402

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
ROOT = HERE.parent.parent
PAGE, README = ROOT / "docs/validation-emulated.md", ROOT / "README.md"
MODELS = {"calibrated": "", "thesis": "-thesis"}
# Why predictions are off by more than NOTED: model, library (None: both), beginnings of configurations, sign of the error (0: either), reason; the first one
# that fits. What they say was tried by adding keys to the plain model and leaving keys out of the calibrated one
# (docs/decisions/0064-tcp-and-calibration.md), and is explained at length in the page.
NOTED = 0.06
LU, SOR, RINGS = ("LU",), ("SOR",), ("alltoall", "allgather", "allreduce")
PROGRESS = "a rank that computes lets no rendezvous go on"
RENDEZVOUS = "above its threshold the library sends nothing before the receive is there"
QUEUES = "requests and answers wait behind the data of a rendezvous, and packets in queues"
BURST = "a link that has rested passes the first 2.7 kB at once"
NOTES = (
    ("thesis", None, LU + ("overlap",), -1, PROGRESS),
    ("thesis", None, SOR, 1, BURST),
    ("thesis", None, ("bcast-pipeline", "bcast-binomial 30000"), 1, "messages between two ranks follow each other; here they share their links"),
    ("thesis", None, ("bcast-binomial 1000000",), 1, "a rendezvous follows the other on a connection, and a node starts with one; here all share its link"),
    ("thesis", None, ("gather-linear", "scatter-linear", "wave"), -1, RENDEZVOUS),
    ("thesis", None, ("Jacobi n=4", "Jacobi n=8", "halo", "farm") + RINGS, -1, QUEUES),
    ("thesis", None, ("producer",), -1, "sends return at once: no buffer is ever full"),
    ("calibrated", "openmpi", ("farm",), 1, "who comes first decides: predictions of 40 seeds are 2.03 to 2.88 s, eight measured runs 2.17 to 2.87 s"),
    ("calibrated", "openmpi", ("allreduce-ring",), 0, "two running times, measured and predicted; the medians are different ones"),
    ("calibrated", "mpich", ("allreduce-ring",), 0, "two running times predicted, and runs as far apart; the medians are different ones"),
    ("calibrated", None, ("alltoall-linear",), -1, "windows of connections that begin at once are equal in the model, and differ by a factor of two on the cluster"),
    ("calibrated", None, ("SOR n=512", "Jacobi n=1000"), -1, "eight nodes' messages share two processors here"),
    ("calibrated", "mpich", ("Jacobi n=4000", "Jacobi n=8000"), -1, "eight ranks that share two processors begin 0.2 ms apart"),
    ("calibrated", "mpich", LU, 0, "waits of 1 ms for messages to oneself, which the emulation adds, and who polls first"),
    ("calibrated", "openmpi", ("LU r=54 P+FC 8",), -1, "a poll finds messages in the order of connections there, in order of arrival here; with theirs 2.86 s"),
    ("calibrated", "openmpi", LU, 0, "runs differ by as much; what leaves while the sender computes decides"),
    ("smpi", None, LU, 1, "each MPI_Test costs 0.1 ms; without that blocks of 54 take 3.8, 6.2 and 3.8 s in place of 8.8, 9.9 and 7.1 s"),
    ("smpi", None, LU + ("overlap",), -1, PROGRESS),
    ("smpi", None, SOR, 1, BURST),
    ("smpi", "openmpi", ("bcast-linear", "gather-linear", "scatter-linear"), 1, "30 kB leave at once under Open MPI, and wait for the receive here, as under MPICH"),
    ("smpi", "openmpi", ("bcast-binomial",), 1, "as in the plain model, which is right with an order of messages between two ranks"),
    ("smpi", "openmpi", ("wave",), 1, "64 kB leave with the request under Open MPI, and wait for the receive here, as under MPICH"),
    ("smpi", None, ("Jacobi n=4", "Jacobi n=8", "halo", "farm") + RINGS, -1, QUEUES),
)

def predict(build, model, library, row):
    folder = build / ("validation/emulated" if row["program"] in PATTERNS else "apps")

    def run(results, *options):
        return subprocess.run([build / "bin/mpisim-run", "--quiet", "--json", f"{results}/run.json", "--cluster", HERE / f"{library}{MODELS[model]}.yaml",
                               "-n", row["ranks"], "--placement", "cyclic", *options, "--compute", "modelled", "--bench", HERE / "kernels.bench",
                               folder / row["program"], *row["arguments"].split()], check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as results:
        printed = run(results)
        interval = json.loads(pathlib.Path(results, "run.json").read_text(encoding="utf-8")).get("prediction_interval")
        if interval:
            printed = run(results, "--repeat", "1", "--seed", str(interval["reported_seed"]))
    return seconds_of(row["program"], printed)


def note_of(model, library, row, error):
    if abs(error) <= NOTED:
        return ""
    return next((text for name, only, begins, sign, text in NOTES if name == model and only in (None, library)
                 and row["configuration"].startswith(begins) and sign * error >= 0), "")


def table_row(build, library, row, times, smpi):
    predicted = {model: predict(build, model, library, row) for model in MODELS}
    if row["configuration"] in smpi:
        predicted["smpi"] = float(smpi[row["configuration"]] or "nan")
    measured = statistics.median(times)
    choices = ";".join(f"{NAMES[library]}: {choice}" for choice in row["choice"].split(";") if choice)
    return {"configuration": f"{row['configuration']}, {NAMES[library]}", "group": row["group"], "choice": choices,
            "measured_s": f"{measured:.6f}", "low_s": f"{min(times):.6f}", "high_s": f"{max(times):.6f}", "n": len(times),
            "thesis_predicted_s": f"{predicted['thesis']:.6f}", "calibrated_predicted_s": f"{predicted['calibrated']:.6f}",
            **({"smpi_predicted_s": smpi[row["configuration"]]} if "smpi" in predicted else {}),
            **{f"{model}_note": note_of(model, library, row, seconds / measured - 1) for model, seconds in predicted.items()}}


def make_rows(build, rows):
    times = {}
    smpi = {row["configuration"]: row["seconds"] for row in read_table(HERE / "smpi/smpi.csv")}
    for run in read_table(HERE / "runs.csv"):
        times.setdefault((run["library"], run["configuration"]), []).append(float(run["seconds"]))
    tasks = [(library, row) for row in rows for library in LIBRARIES if (library, row["configuration"]) in times]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda task: table_row(build, *task, times[task[0], task[1]["configuration"]], smpi), tasks))


def result_of(build, name, picture=None):
    """The part of the page that mpisim-validate writes; each row stands in the CSV file, with a note on what is off."""
    with tempfile.TemporaryDirectory() as folder:
        command = [build / "bin/mpisim-validate", *(["--plot", folder] if picture else []), HERE / name]
        result = subprocess.run(command, check=True, capture_output=True, text=True).stdout.replace(str(ROOT) + "/", "")
        if picture:
            shutil.copyfile(f"{folder}/errors.png", PAGE.parent / "pictures" / picture)
    return re.sub(r"^## (Wrong choices|Further off).*?(?=^## |\Z)", "", result, flags=re.M | re.S).rstrip() + "\n"


def pages(result, senders):
    """{path: text} of the page and the README, with the figures of mpisim-validate."""
    def cells(model, heading):
        part = result[result.index(heading):]
        return [cell.strip() for cell in re.search(rf"^\| {model} +\|.*$", part, re.M).group(0).split("|")[2:]]

    close, smpi = cells("calibrated", "## How close"), cells("smpi", "## How close")
    within = [cell.removesuffix(" %") for cell in close[1:4]]
    mean, smpi_mean = close[4].removesuffix(" %"), smpi[4].removesuffix(" %")
    choices = cells("calibrated", "## Choices")[0].split()[0]
    result = re.sub(r"^\| \w+ +\| (thesis|smpi) .*\n", "", result, flags=re.M)  # by group: the calibrated files alone
    page = (HERE / "page.md.in").read_text(encoding="utf-8")
    for name, value in (("WITHIN", f"{within[0]}, {within[1]} and {within[2]}"), ("MEAN", mean), ("SMPI", smpi_mean), ("CHOICES", choices), ("RESULT", result),
                        ("SENDERS", senders.replace("\n## ", "\n### "))):
        page = page.replace(f"@{name}@", value)
    readme, n = re.subn(r"\d+ (predictions, none of them blind, are off by) [\d.]+ (% in the mean; .*, by) [\d.]+ %",
                        rf"{close[0]} \1 {mean} \2 {smpi_mean} %", README.read_text(encoding="utf-8"))
    if n != 1:
        sys.exit("README.md: found no sentence with the mean error of validation/emulated/table.csv")
    return {PAGE: page, README: readme}


def write_table(name, rows):
    text = io.StringIO()
    text.write("# SPDX-License-Identifier: BSD-3-Clause\n# Written by table.py from runs.csv; low and high are the fastest and the slowest run.\n")
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (HERE / name).write_text(text.getvalue(), encoding="utf-8")


def write_pages(build):
    for path, page in pages(result_of(build, "table.csv", "emulated-errors.png"), result_of(build, "senders.csv")).items():
        path.write_text(page, encoding="utf-8")


def write(build, rows):
    write_table("table.csv", [row for row in rows if row["group"] != "senders"])
    write_table("senders.csv", [row for row in rows if row["group"] == "senders"])
    write_pages(build)


def check(build):
    """One configuration of five, so that it takes seconds, and the pages."""
    committed = {row["configuration"]: row for name in ("table.csv", "senders.csv") for row in read_table(HERE / name)}
    wrong = [row["configuration"] for row in make_rows(build, read_table(HERE / "configurations.csv")[::5])
             if {key: str(value) for key, value in row.items()} != committed[row["configuration"]]]
    texts = pages(result_of(build, "table.csv"), result_of(build, "senders.csv"))
    wrong += [path.name for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for name in wrong:
        print(f"{name}: it is not what table.py BUILD --write would write")
    return bool(wrong)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "--check":
        sys.exit(check(build))
    write(build, make_rows(build, read_table(HERE / "configurations.csv")))


main()
