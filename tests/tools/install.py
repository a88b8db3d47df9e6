#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `meson install` installs works from where it was put, here below DESTDIR.

usage: install.py BUILD_DIR SOURCE_DIR BIN_DIR_BELOW_DESTDIR MESON…
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import succeed  # noqa: E402  (the folder above)

CLUSTER = "mpisim_cluster: 1\nname: test\nnodes: 2\nnetwork:\n  latency: 10us\n  bandwidth: 100 MB/s\n"


def call(*words, **more):
    return succeed(*words, **more).stdout


build, here, bin_dir, *meson = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="mpisim-install-") as name:
    root = pathlib.Path(name)
    call(*meson, "install", "-C", build, "--no-rebuild", env=dict(os.environ, DESTDIR=name))
    bins = root / bin_dir.lstrip("/")
    for alias in ("libmpi_abi.so.0", "libpmpi_abi.so.0", "libpmpi_abi.so.1"):
        (link,) = root.glob(f"**/{alias}")
        if not link.resolve(strict=True).name.startswith("libmpi_abi.so.1"):
            sys.exit(f"{link} leads to {link.resolve()}")
    for path in [*root.glob("**/mpisim-real.pc"), *root.glob("**/mpisim-trace-*.pc")]:  # for programs that another MPI compiles
        flags = call("pkg-config", f"--define-variable=prefix={bins.parent}", "--cflags", path).split()
        if any((pathlib.Path(flag[2:]) / "mpi.h").exists() for flag in flags if flag.startswith("-I")):
            sys.exit(f"{path.name} leads to the simulator's mpi.h: {flags}")
    if not list(root.glob("**/mpisim/clusters/example-gigabit.yaml")):
        sys.exit("the example clusters are not installed")
    if (bins / "calibrate").exists() or list(root.glob("**/include/mpi.h")) or not list(root.glob("**/include/mpisim/mpi.h")):
        sys.exit("names are installed that collide with those of other packages")
    for path in ("man1/mpisim-run.1", "completions/mpisim-run", "site-functions/_mpisim", "doc/mpisim/README.md", "doc/mpisim/docs/cluster-file.md"):
        if len(list(root.glob(f"**/{path}"))) != 1:
            sys.exit(f"{path} is not installed")
    if "infiniband-hdr" not in call(bins / "mpisim-run", "--list-clusters"):
        sys.exit("the installed mpisim-run does not find the installed clusters")
    (script,) = root.glob("**/completions/mpisim-run")
    for words, wanted in ((("mpisim-run", "--clus"), {"--cluster"}), (("mpisim-run", "--cluster", "infini"), {"infiniband-hdr", "infiniband-ndr"}),
                          (("mpisim-debug", "--placem"), {"--placement"}), (("mpisim-sweep", "p"), {"plot"}), (("mpisim-sweep", "plot", "a.db", "--re"), {"--reference-per-line", "--relative"})):
        if not (bins / words[0]).exists():  # it needs a library that is not there
            continue
        found = call("bash", "-c", f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _mpisim {words[0]}; echo ${{COMPREPLY[@]}}",
                     cwd=name, env=dict(os.environ, PATH=f"{bins}:{os.environ['PATH']}"))
        if set(found.split()) != wanted:
            sys.exit(f"bash completes {words} to {found}, wanted {wanted}")
    options = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
    for tool, *subcommand in (["mpisim-run"], ["mpisim-replay"], ["mpisim-report"], ["mpisim-whatif"], ["mpisim-validate"], ["mpisim-mpiexec"],
                              *(["mpisim-sweep", subcommand] for subcommand in ("run", "status", "export", "plot"))):
        if not (bins / tool).exists():
            continue
        (manual,) = root.glob(f"**/man1/{tool}.1")
        helped = call(bins / tool, *subcommand, "--help", env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))  # as man.py calls it
        missing = set(options.findall(helped)) - set(options.findall(manual.read_text().replace("\\-", "-")))
        if missing:
            sys.exit(f"the man page of {tool} lacks {missing}")
    command = call(bins / "mpisim-cc", "-show", "x.c")
    if build in command:
        sys.exit(f"the installed wrapper refers to the build directory: {command}")
    if list(root.glob("**/mpi_f08.mod")):
        (root / "p.f90").write_text("use mpi_f08\nuse mpisim\ncall MPI_Init()\ncall mpisim_add_compute_time(1d0)\ncall MPI_Finalize()\nend\n")
        call(bins / "mpisim-fc", "-g", root / "p.f90", "-o", root / "p", "-Wl,--allow-shlib-undefined")
        (root / "cluster.yaml").write_text(CLUSTER)
        call(bins / "mpisim-run", "--cluster", root / "cluster.yaml", "-n", 2, "--compute", "modelled", "--quiet", root / "p",
             env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))  # what libgfortran keeps
        if build in call(bins / "mpisim-fc", "-show", "x.f90"):
            sys.exit("the installed mpisim-fc refers to the build directory")
        # without the wrapper
        (folder,) = {str(path.parent) for path in root.glob("**/mpisim-fortran.pc")}
        flags = call("pkg-config", f"--define-variable=prefix={bins.parent}", "--cflags", "--libs", "mpisim-fortran", env=dict(os.environ, PKG_CONFIG_PATH=folder)).split()
        call("gfortran", "-g", "-fPIE", "-pie", "-static-libgfortran", root / "p.f90", "-o", root / "q", *flags, "-Wl,--allow-shlib-undefined")
        call(bins / "mpisim-run", "--cluster", root / "cluster.yaml", "-n", 2, "--compute", "modelled", "--quiet", root / "q",
             env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    call(bins / "mpisim-cc", "-g", pathlib.Path(here) / "programs" / "misc.c", "-o", root / "misc")
    (root / "cluster.yaml").write_text(CLUSTER)
    call(bins / "mpisim-run", "--cluster", root / "cluster.yaml", "-n", 2, "--compute", "modelled", "--quiet", root / "misc", "work")
    print(call(bins / "mpisim-run", "--version"), end="")
