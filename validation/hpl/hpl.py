#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
HPL on dahu, 1024 ranks on 32 nodes: predictions for the sizes that were measured.

    hpl.py --data DIR [--work DIR] [--build DIR] [--sizes 50000,75000] [--seed 1] [--network realistic] [--dgemm 12d0551]
    hpl.py --data DIR --errors       # errors of what was predicted so far, in per cent, into errors.csv beside this file

DIR holds the measurements (or MPISIM_HPL_DATA says where). HPL comes from Debian's source package hpcc, by apt-get.

Chosen before the first run, and not changed since:
* dgemm: the models of 2019-04-05, commit 12d0551. Time and deviation of each node and CPU; half-normal, its mean the model's.
* network: the published model of 2020 that was calibrated beside dgemm and Iprobe ("realistic"), since HPL's messages travel beside
  dgemm and Iprobe. One way takes lat-factor * 0.1 us and size / (bw-factor * bandwidth); that rate is one stream's, the link's is
  12.5 GB/s. Within a node the same with the loopback's values, shared by nobody.
* pivots: drawn from the seed, every row as probable as the others.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GRID, NB, NODES, CORES = (32, 32), 128, 32, 32
REPLACED = {"HPL_dlocmax", "HPL_dlocswpN", "HPL_dlocswpT", "HPL_dlacpy", "HPL_dlatcpy", "HPL_dlaswp01T", "HPL_dlaswp02N",
            "HPL_dlaswp03T", "HPL_dlaswp04T"}
# The options of the measured program (peanut's makefile): no types of MPI, so that each panel is copied before its broadcast.
AS_MEASURED = ["-DHPL_CALL_CBLAS", "-DHPL_NO_MPI_DATATYPE"]


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


# --- HPL ---

def fetch(work):
    """The source of HPL in Debian's package, unpacked; its lists are kept apart from the system's."""
    found = sorted(work.glob("hpcc-*/hpl"))
    if found:
        return found[0]
    apt = work / "apt"
    (apt / "lists/partial").mkdir(parents=True, exist_ok=True)
    (apt / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text("deb-src http://deb.debian.org/debian bookworm main\n")
    options = [f"-oDir::Etc::sourcelist={apt}/sources.list", "-oDir::Etc::sourceparts=/dev/null", f"-oDir::State::lists={apt}/lists",
               f"-oDir::Cache={apt}/cache"]
    subprocess.run(["apt-get", *options, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["apt-get", *options, "--tar-only", "--download-only", "source", "hpcc"], check=True, cwd=work)
    subprocess.run(["tar", "xzf", *[p.name for p in work.glob("hpcc_*.orig.tar.gz")]], check=True, cwd=work)
    return sorted(work.glob("hpcc-*/hpl"))[0]


def compile_hpl(hpl, work, build):
    """HPL without data: its source but for the kernels, and what stands in their place here."""
    program = work / "hpl"
    sources = [p for p in sorted(hpl.glob("src/*/*.c")) if p.parent.name != "blas" and p.stem not in REPLACED]
    special = {"HPL_pdpanel_init": ["-DHPL_pdpanel_init=HPL_pdpanel_init_whole"], "HPL_pdpanel_free": ["-Dfree=mpisim_free"],
               "HPL_pdlaswp00T": ["-Dmalloc=mpisim_alloc", "-Dfree=mpisim_free"]}
    flags = ["-O2", "-g", "-w", *AS_MEASURED, f"-I{hpl}/include", f"-I{ROOT}", "-include", "mpisim.h"]
    objects = []
    for source in [*sources, *sorted(HERE.glob("*.c"))]:
        objects.append(str(work / (source.stem + ".o")))
        subprocess.run([build / "bin/mpisim-cc", *flags, *special.get(source.stem, []), "-c", source, "-o", objects[-1]], check=True)
    subprocess.run([build / "bin/mpisim-cc", *objects, "-lm", "-o", program], check=True)
    return program


# --- what is known of the machine ---

def sum_of(terms):
    """"a*x + b": an expression of kernel models."""
    text = ""
    for value, product in terms:
        value = float(value)
        if value:
            text += f" {'-' if value < 0 else '+'} {abs(value):.9g}{'*' + product if product else ''}"
    return text.removeprefix(" + ") or "0"


def write_kernels(data, commit, path):
    lines = ["# mpisim-bench 3"]
    products = {"1": "", "mnk": "p1*p2*p3", "mn": "p1*p2", "mk": "p1*p3", "nk": "p2*p3"}
    for row in rows(data / "dahu_dgemm_models.csv"):
        if row["commit"] != commit:
            continue
        node, socket = int(row["node"]) - 1, int(row["cpu"]) - 2 * int(row["node"])
        mean, deviation = (sum_of([(row[f"{what}_{k}"], p) for k, p in products.items()]) for what in ("mu", "sigma"))
        lines.append(f"model,dgemm,{mean},node={node} rank%2={socket},half-normal,{deviation}")
    forms = {"constant": "", "n": "p1", "m*n": "p1*p2", "m*m*n (left) or m*n*n (right)": "p1^2*p2"}
    for row in rows(data / "dahu_hpl_small_kernels.csv"):
        product = forms[row["form"]]
        lines.append(f"model,{row['kernel']},{sum_of([(row['mean_coefficient_s'], product)])},,half-normal,"
                     f"{sum_of([(row['sd_coefficient_s'], product)])}")
    path.write_text("\n".join(lines) + "\n")


def write_cluster(data, network, path):
    values = {}
    for row in rows(data / "dahu_smpi_network_models.csv"):
        if network in row["model"]:
            values.setdefault(row["item"], []).append((row["from_B"], row["value_1"], row["value_2"]))

    def one(item):
        return values[item][0][1]

    def segments(prefix, bandwidth, latency, is_shared):
        entries = []
        for (start, factor, _), (_, delay, _) in zip(values[f"smpi/{prefix}bw-factor"], values[f"smpi/{prefix}lat-factor"]):
            rate = f"{bandwidth * float(factor):.9g} B/s"
            share = f"{bandwidth:.9g} B/s, stream: {rate}" if is_shared else rate
            entries.append(f"{{from: {start}, latency: {float(delay) * latency:.9g}us, bandwidth: {share}}}")
        return "[" + ", ".join(entries) + "]"

    def costs(item):
        return "[" + ", ".join(f"{{from: {start}, time: {time}s, per_byte: {per_byte}s}}"
                               for start, time, per_byte in values[item]) + "]"

    def bandwidth(item):
        return float(one(item).removesuffix("GBps")) * 1e9

    loopback = f"latency: {float(one('link/loopback_lat').removesuffix('us'))}us, bandwidth: {bandwidth('link/loopback_bw'):.9g} B/s"
    if "smpi/loopback-bw-factor" in values:
        loopback += ", segments: " + segments("loopback-", bandwidth("link/loopback_bw"), 0.1, False)
    threshold = int(one("smpi/async-small-thresh")) - 1
    path.write_text(f"""mpisim_cluster: 1
name: dahu, {network} network
nodes: {NODES}
cores: {CORES}
network:
  latency: 0.1us
  bandwidth: {bandwidth('link/bw'):.9g} B/s
  segments: {segments('', bandwidth('link/bw'), 0.1, True)}
  intra_node: {{{loopback}}}
protocol:
  eager_threshold: {threshold}
  overhead:
    send: {costs('smpi/os')}
    isend: {costs('smpi/ois')}
    recv: {costs('smpi/or')}
    probe: {one('smpi/iprobe')}s
""")


# --- runs ---

def predict(args, program, size):
    """One row of the results: size, seed, network, seconds predicted, and what it cost here."""
    kernels, cluster = args.work / f"kernels-{args.dgemm}.bench", args.work / f"dahu-{args.network}.yaml"
    command = [str(args.build / "bin/mpisim-run"), "--cluster", str(cluster), "-n", str(GRID[0] * GRID[1]), "--compute", "modelled",
               "--bench", str(kernels), "--vary-kernels", "--seed", str(args.seed), "--no-alloc", str(program), str(size), str(NB),
               str(GRID[0]), str(GRID[1]), str(args.seed)]
    begin = os.times()
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    end = os.times()
    seconds = next(float(line.split()[1]) for line in out.stdout.splitlines() if line.startswith(f"{size} "))
    cpu = end.children_user + end.children_system - begin.children_user - begin.children_system
    return f"{size},{args.seed},{args.network},{args.dgemm},{seconds},{cpu:.0f},{end.elapsed - begin.elapsed:.0f}"


def measured(data):
    """Means of the runs that are scored, and SMPI's predictions, by size."""
    runs, smpi = {}, {}
    for row in rows(data / "dahu_hpl_size_runs.csv"):
        n = int(row["n"])
        if row["kind"] == "measured" and row["state"] == "4 hot nodes":
            runs.setdefault(n, []).append(float(row["time_s"]))
        elif row["kind"] == "smpi":
            smpi.setdefault(n, {})[row["smpi_model"].split()[0]] = float(row["time_s"])
    return {n: sum(times) / len(times) for n, times in runs.items() if n in smpi}, smpi


def write_errors(args):
    """Rows of errors.csv by size; the blind predictions stay as they are in the file."""
    truth, smpi = measured(args.data)
    blind = {int(row["n"]): row["blind"] for row in rows(HERE / "errors.csv")}
    lines = ["n,blind,mpisim,smpi_A1,smpi_simple,smpi_D2_het,cpu_s"]
    results = {int(row["n"]): row for row in rows(args.work / "results.csv")
               if (row["network"], row["dgemm"], row["seed"]) == (args.network, args.dgemm, str(args.seed)) and int(row["n"]) in truth}

    def error(n, seconds):
        return f"{100 * (float(seconds) / truth[n] - 1):.2f}"

    for n in sorted(truth):
        row = results.get(n)
        fields = [str(n), blind[n], error(n, row["seconds"]) if row else "", *[error(n, smpi[n][m]) for m in ("A1", "simple", "D2_het")],
                  row["cpu_s"] if row else ""]
        lines.append(",".join(fields))
    (HERE / "errors.csv").write_text("\n".join(lines) + "\n")


def parts(_build):
    """The pieces of docs/validation.md, by name: of errors.csv, since a series takes an hour and needs the measurements."""
    found = rows(HERE / "errors.csv")
    columns = ["blind", "smpi_simple", "smpi_D2_het"]
    lines = ["| N | mpisim | SMPI: noise in kernels | also in the network |", "|--:|--:|--:|--:|"]
    for row in found:
        cells = [f"{float(row[c]):+.1f}" for c in columns]
        if row["mpisim"]:
            cells[0] += f" ({float(row['mpisim']):+.1f})"
        lines.append(f"| {row['n']} | " + " | ".join(cells) + " |")
    for name, of in (("mean of the absolute errors", lambda e: sum(e) / len(e)), ("largest", max)):
        lines.append(f"| {name} | " + " | ".join(f"{of([abs(float(row[c])) for row in found]):.1f}" for c in columns) + " |")
    return {"HPL_TABLE": "\n".join(lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("MPISIM_HPL_DATA"))
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/validation/hpl")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--sizes", default="50000,75000,100000,125000,150000,175000,200000,250000,300000,350000,400000,450000,500000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", choices=["realistic", "2018-09 optimistic", "2019 optimistic"], default="realistic")
    parser.add_argument("--dgemm", default="12d0551")
    parser.add_argument("--errors", action="store_true")
    args = parser.parse_args()
    if not args.data or not pathlib.Path(args.data).is_dir():
        print("hpl.py: skipped: no folder with the measurements (--data DIR or MPISIM_HPL_DATA)")
        return 0
    args.data, args.work, args.build = (pathlib.Path(p).resolve() for p in (args.data, args.work, args.build))
    if args.errors:
        write_errors(args)
        return 0
    args.work.mkdir(parents=True, exist_ok=True)
    program = compile_hpl(fetch(args.work), args.work, args.build)
    write_kernels(args.data, args.dgemm, args.work / f"kernels-{args.dgemm}.bench")
    write_cluster(args.data, args.network, args.work / f"dahu-{args.network}.yaml")
    results = args.work / "results.csv"
    if not results.exists():
        results.write_text("n,seed,network,dgemm,seconds,cpu_s,elapsed_s\n")
    for size in args.sizes.split(","):
        row = predict(args, program, int(size))
        print(row, flush=True)
        with results.open("a") as file:
            file.write(row + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
