#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The man page of a tool, from what its --help prints.

usage: man.py NAME COMMAND… > NAME.1
"""
import os
import re
import subprocess
import sys


def roff(line):
    line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("…", "...")
    return "\\&" + line if line.startswith((".", "\\(aq")) else line


def page(name, text):
    """The layout of --help stays; its headings, lines such as "results:", become sections."""
    sentence = re.sub(r"^usage: .*\n|^" + re.escape(name) + " ", "", text).split("\n\n")[0]
    what = re.split(r"\.(?:\s|$)|: calls", " ".join(sentence.split()))[0]
    yield f'.TH {name.upper()} 1 "" "mpisim" "User Commands"'
    yield f".SH NAME\n{name} \\- {roff(what[0].lower() + what[1:])}\n.SH DESCRIPTION\n.nf"
    for line in text.rstrip("\n").split("\n"):
        if re.fullmatch(r"[a-z][^:]*:", line):
            yield f".fi\n.SH {roff(line[0].upper() + line[1:-1])}\n.nf"
        else:
            yield roff(line) if line else ".sp"
    yield ".fi"


tool, *command = sys.argv[1:]
shown = subprocess.run([*command, "--help"], capture_output=True, text=True, encoding="utf-8", check=True,
                       env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0")).stdout
print("\n".join(page(tool, shown)))
