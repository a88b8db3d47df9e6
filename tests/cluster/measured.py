#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What real sockets and real MPI libraries measure on two nodes with links of 100 Mbit/s, which are up.

usage: measured.py PROBE FOLDER-OF-SHIMS [LIBRARY PINGPONG CALIBRATE]...

Exit code 77: this machine is too busy to tell.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from turns import CANNOT_TELL, FAILED, OK, Pressure, judge_fastest, judge_ratio, ratio_in_turns

CLUSTER = pathlib.Path(__file__).resolve().parent / "cluster"
PAYLOAD_BPS = 100e6 / 8 * 1448 / 1538  # 1448 of the 1538 bytes that a full frame takes on the wire
TOLERANCE = 0.02
RATES = 5
probe, shims = sys.argv[1:3]
told = []


def say(verdict, claim):
    print(f"{verdict}: {claim}", flush=True)
    told.append(verdict)


def goodput():
    """Of one link, bytes per second."""
    with subprocess.Popen([CLUSTER, "on", "1", "timeout", "30", probe, "receive"], stdout=subprocess.PIPE, text=True) as receiver:
        time.sleep(0.3)
        subprocess.run([CLUSTER, "on", "0", "timeout", "30", probe, "send", "10.77.0.2", "30000000"], stdout=sys.stderr, check=True)
        return float(receiver.communicate()[0])


def run(mpi, *words):
    return subprocess.run([CLUSTER, "run", "-m", mpi, "-t", "120", "-s", f"{shims}/libmpiblock.{mpi}.so", "2", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


def calibrated_bandwidth(mpi, calibrate, folder):
    """What mpisim-calibrate finds, bytes per second."""
    found = pathlib.Path(folder) / "found.yaml"
    found.unlink(missing_ok=True)
    run(mpi, calibrate, "--quick", "--budget", "12", "--max-size", "4M", "--transfers", "1", "--cores", "1", "-o", str(found))
    text = re.search(r"^ *bandwidth: ([\d.]+) MB/s", found.read_text(encoding="utf-8") if found.exists() else "", re.MULTILINE)
    return float(text[1]) * 1e6 if text else 0


def main():
    pressure = Pressure(time.monotonic)
    rates = [goodput() for _ in range(RATES)]
    say(judge_fastest(rates, PAYLOAD_BPS, TOLERANCE, pressure.is_high()),
        f"a link of 100 Mbit/s carries {PAYLOAD_BPS * 1e-6:.2f} MB/s, as sockets see it: {max(rates) * 1e-6:.2f}, the slowest {min(rates) * 1e-6:.2f}")
    libraries = sys.argv[3:]
    for mpi, pingpong, calibrate in zip(libraries[::3], libraries[1::3], libraries[2::3]):
        delivers = re.search(r"^ *1024 ", run(mpi, pingpong, "--max-size", "1024", "--repeats", "2"), re.MULTILINE)
        say(OK if delivers else FAILED, f"a program runs under {mpi}")
        pressure = Pressure(time.monotonic)
        with tempfile.TemporaryDirectory(prefix="mpisim-cluster-") as folder:
            ratio = ratio_in_turns(goodput, lambda: calibrated_bandwidth(mpi, calibrate, folder))
        say(judge_ratio(ratio, TOLERANCE, pressure.is_high()),
            f"mpisim-calibrate under {mpi} agrees with sockets within 2 %: " +
            (f"{100 * ratio - 100:+.2f} %" if ratio is not None else "sockets beside it did not agree with themselves"))
    if CANNOT_TELL in told and FAILED not in told:
        print("skipped: this machine is too busy to measure links on it; the other claims hold")
        sys.exit(77)
    sys.exit(FAILED in told)


main()
