# SPDX-License-Identifier: BSD-3-Clause
"""What the lints share.

A lint is a function root -> list of complaints, each "path:line: what is wrong, what is wanted".
Its command line is `lint.py ROOT`, or `lint.py --self-test`, which runs it on small trees with one
violation planted in each and checks that it is found.
"""
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def tracked_files(root):
    """Paths relative to `root`: what git tracks, or all but hidden and build folders where git does not know."""
    try:
        listing = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True).stdout
        paths = [path for path in listing.decode().split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        paths = []
    if not paths:
        paths = sorted(walk(root))
    return [path for path in paths if os.path.isfile(os.path.join(root, path))]


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def read_text(root, path):
    """The text of a file, None when it is not text."""
    with open(os.path.join(root, path), "rb") as file:
        data = file.read()
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def complaints_in_tree(lint, files):
    """Runs `lint` on a tree made of {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            target = os.path.join(root, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
        return lint(root)


def self_test(lint, good, planted):
    """`good`: a tree without violations. `planted`: [(files, part of the complaint)]; the files are added to the good tree.

    Each planted violation must give exactly one complaint.
    """
    failures = [f"complaint about the good tree: {text}" for text in complaints_in_tree(lint, good)]
    for files, wanted in planted:
        found = complaints_in_tree(lint, {**good, **files})
        if len(found) != 1 or wanted not in found[0]:
            failures.append(f"planted {files}: wanted one complaint with '{wanted}', found {found}")
    return failures


def main(lint, good, planted):
    if sys.argv[1:] == ["--self-test"]:
        complaints = self_test(lint, good, planted)
    else:
        complaints = lint(sys.argv[1])
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
