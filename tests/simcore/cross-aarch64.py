# SPDX-License-Identifier: BSD-3-Clause
"""Compiles cross.c for aarch64 and runs it in an emulator; exits with 77 (skipped) when the tools are not there.

usage: cross-aarch64.py SOURCE_ROOT
"""
import os
import shutil
import subprocess
import sys
import tempfile

COMPILER = "aarch64-linux-gnu-gcc"
EMULATOR = "qemu-aarch64"
CORE = ["simcore/fiber.c", "simcore/queue.c", "simcore/engine.c", "util/error.c", "util/rng.c"]


def build_and_run(root, switch):
    with tempfile.TemporaryDirectory() as build:
        os.mkdir(os.path.join(build, "simcore"))
        with open(os.path.join(root, "simcore/fiber-config.h.in")) as source:
            config = source.read().replace("@watch@", "none").replace("@valgrind@", "none")
        with open(os.path.join(build, "simcore/fiber-config.h"), "w") as target:
            target.write(config)
        program = os.path.join(build, "cross")
        sources = [os.path.join(root, name) for name in CORE + [switch, "tests/simcore/cross.c"]]
        subprocess.run([COMPILER, "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-static", "-ffp-contract=off",
                        "-I", root, "-I", build, "-o", program, *sources, "-lm"], check=True)
        subprocess.run([EMULATOR, program], check=True, timeout=120)
    print(f"{switch}: ok")


def main():
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return 77
    for switch in ("simcore/fiber-aarch64.S", "simcore/fiber-ucontext.c"):
        build_and_run(sys.argv[1], switch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
