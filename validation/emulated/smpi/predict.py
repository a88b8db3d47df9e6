#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What SimGrid's SMPI predicts for the same configurations with the same latency and bandwidth, into smpi.csv.

    validation/emulated/smpi/predict.py BUILD     needs smpicc and smpirun (Debian: libsimgrid-dev), which nothing else of mpisim does
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent))
from measure import read_table, seconds_of  # noqa: E402

# The factors that SimGrid fitted to a cluster of its own are taken out: platform.xml has what was measured on this one. Without the growing of injected times
# programs that test often, as lu does, come out up to a thousand times too long.
OPTIONS = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/host-speed:1Gf", "--cfg=smpi/lat-factor:0:1", "--cfg=smpi/bw-factor:0:1",
           "--cfg=smpi/grow-injected-times:no"]


def build_program(build, program, folder):
    sources = [HERE.parent / "patterns.c"] if program == "patterns" else sorted((ROOT / "apps" / program).glob("*.c"))
    blas = subprocess.run(["pkg-config", "--cflags", "--libs", "openblas"], check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["smpicc", "-O2", "-w", "-D_GNU_SOURCE", "-I", ROOT / "include", "-I", ROOT, HERE / "adapter.c", *sources, "-o", folder / program,
                    build / "real/libmpisim-real.a", *(blas if program == "lu" else []), "-lm"], check=True)


def predict(folder, row):
    run = subprocess.run(["smpirun", "-np", row["ranks"], "-platform", HERE / "platform.xml", "-hostfile", HERE / "hosts", *OPTIONS,
                          folder / row["program"], *row["arguments"].split()], capture_output=True, text=True, timeout=120,
                         env=os.environ | {"MPISIM_REAL_MODEL": str(HERE.parent / "kernels.bench")})
    return f"{seconds_of(row['program'], run.stdout):.6f}" if run.returncode == 0 else ""


def main():
    rows = [row for row in read_table(HERE.parent / "configurations.csv") if row["group"] != "senders"]
    version = subprocess.run(["smpirun", "-version"], capture_output=True, text=True).stdout.split("\n", maxsplit=1)[0]
    with tempfile.TemporaryDirectory() as name:
        for program in sorted({row["program"] for row in rows}):
            build_program(pathlib.Path(sys.argv[1]).resolve(), program, pathlib.Path(name))
        lines = [f"{row['configuration']},{predict(pathlib.Path(name), row)}\n" for row in rows]
    (HERE / "smpi.csv").write_text("# SPDX-License-Identifier: BSD-3-Clause\n# Written by predict.py; " + version +
                                   "\nconfiguration,seconds\n" + "".join(lines), encoding="utf-8")


main()
