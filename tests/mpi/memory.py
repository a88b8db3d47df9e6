#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A run that is out of memory says so, wherever it is then: memory.py MPISIM_RUN CLUSTER PROGRAM

Cases of scale.c with ever less address space, from what is just enough for them down to what does not do to begin.
"""
import os
import resource
import subprocess
import sys

RANKS = 2048
STEP_B = 1 << 20
SAID = ("out of memory", "no memory", "ran out of memory", "no address space")


def start(command, case, limit_B):
    return subprocess.run([*command, case], capture_output=True, text=True, check=False, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit_B, limit_B)))


def just_enough_B(command, case):
    low, high = 0, 1 << 40
    while high - low > STEP_B // 2:
        middle = (low + high) // 2
        low, high = (low, middle) if start(command, case, middle).returncode == 0 else (middle, high)
    return high


def check(command, case):
    limit_B, n_in_run = just_enough_B(command, case), 0
    for k in range(1, 40):
        done = start(command, case, limit_B - k * STEP_B)
        if done.returncode == 0:  # allocators round up in steps of their own
            continue
        said = done.stderr.split("\n", 1)[0]
        if done.returncode not in (1, 2) or not any(text in said for text in SAID):
            print(f"{case}, {limit_B - k * STEP_B} B: status {done.returncode}: {done.stderr[:1000]!r}")
            return False
        n_in_run += done.returncode == 1
        if done.returncode == 2:
            break
    print(f"{case}: {n_in_run} runs ended on the way")
    return n_in_run > 0


def main():
    run, cluster, program = (os.path.abspath(path) for path in sys.argv[1:])
    command = [run, "--quiet", "--cluster", cluster, "--set", f"nodes={RANKS // 16}", "--set", "cores=16", "--set", "protocol.overhead=0s", "-n", str(RANKS),
               "--compute", "modelled", program]
    return not all([check(command, case) for case in ("collectives", "grid", "window")])


if __name__ == "__main__":
    sys.exit(main())
