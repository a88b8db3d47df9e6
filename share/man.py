#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The man page of a tool, from what its --help prints.

usage: man.py NAME DOCUMENTATION COMMAND… > NAME.1

Subcommands, which `usage: NAME SUBCOMMAND` announces, have sections of their own.
"""
import os
import re
import subprocess
import sys


def roff(line):
    line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("…", "...")
    return "\\&" + line if line.startswith((".", "\\(aq")) else line


def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, encoding="utf-8", check=True,
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0")).stdout


def section(title, text):
    """The layout of --help stays; its headings, lines such as "results:", become sections."""
    yield f".SH {roff(title)}\n.nf"
    for line in text.rstrip("\n").split("\n"):
        if re.fullmatch(r"[a-z][^:]*:", line):
            yield f".fi\n.SH {roff(line[0].upper() + line[1:-1])}\n.nf"
        else:
            yield roff(line) if line else ".sp"
    yield ".fi"


def page(name, documentation, command):
    text = help_of(*command)
    sentence = re.sub(r"^usage: .*\n|^" + re.escape(name) + " ", "", text).split("\n\n")[0]
    what = re.split(r"\.(?:\s|$)|: calls", " ".join(sentence.split()))[0]
    yield f'.TH {name.upper()} 1 "" "mpisim" "User Commands"'
    yield f".SH NAME\n{name} \\- {roff(what[0].lower() + what[1:])}"
    yield from section("DESCRIPTION", text)
    for subcommand in re.findall(r"^  ([a-z]+) [A-Z]", text, re.M) if f"usage: {name} SUBCOMMAND" in text else []:
        yield from section(f"{name} {subcommand}", help_of(*command, subcommand))
    others = [other for other in ("mpisim-run", "mpisim-replay", "mpisim-whatif", "mpisim-sweep") if other != name]
    yield f".SH SEE ALSO\n{', '.join(roff(other) + '(1)' for other in others)}. The pages docs/... are in {roff(documentation)}."


tool, place, *called = sys.argv[1:]
print("\n".join(page(tool, place, called)))
