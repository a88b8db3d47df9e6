#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes docs/validation.md: validation.md.in with the tables that this build predicts.

    validation/page.py BUILD --write         write the page
    validation/page.py BUILD --check         exit 1 when the page is not what --write would write

A section's script has parts(build), which gives its tables by name; @NAME@ stands for each in validation.md.in.
"""
import argparse
import sys

import lu_thesis
import renderer
import sor_norgrid
import tsp_thesis
from common import ROOT

sys.path.insert(0, str(ROOT / "validation/hpl"))
import hpl  # noqa: E402

PAGE = ROOT / "docs/validation.md"
SECTIONS = [lu_thesis, sor_norgrid, tsp_thesis, renderer, hpl]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = (ROOT / "validation/validation.md.in").read_text(encoding="utf-8")
    for section in SECTIONS:
        for name, part in section.parts(options.build).items():
            text = text.replace(f"@{name}@", part)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    if options.check and PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/validation.md is out of date: run validation/page.py build --write")


main()
