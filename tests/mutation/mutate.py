#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Changes one line of the source at a time and tells which changes no test notices. README.md tells more.

    mutate.py [-j N] [--resume] [--list] [PATTERN]...
"""
import argparse
import dataclasses
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RESULTS = "results.txt"
REBUILD_FAILED = 125 # of `meson test`


@dataclasses.dataclass
class Change:
    file: str
    claim: str
    line: int # in the list
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)
    tests: list = dataclasses.field(default_factory=list) # patterns of SUITE/NAME
    survives: str = "" # why no test can tell; else empty

    @property
    def name(self):
        return f"{self.file}: {self.claim}"


def fail(text):
    sys.exit(f"mutate.py: {text}")


def parse(path):
    """The list: paragraphs of `FILE: CLAIM`, lines `- OLD`, lines `+ NEW`, and `tests: SUITE/NAME, ...`; perhaps `survives: REASON`."""
    changes, change = [], None
    with open(path, encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            change = None
        elif change is None:
            file, separator, claim = line.partition(": ")
            if not separator:
                fail(f"{path}:{number}: found '{line}', wanted 'FILE: CLAIM'")
            change = Change(file, claim, number)
            changes.append(change)
        elif line[0] in "-+":
            (change.old if line[0] == "-" else change.new).append(line[2:])
        elif line.startswith("tests: "):
            change.tests = [pattern.strip() for pattern in line[7:].split(",")]
        elif line.startswith("survives: "):
            change.survives = line[10:]
        else:
            fail(f"{path}:{number}: found '{line}', wanted '- OLD', '+ NEW', 'tests: ...' or 'survives: ...'")
    for change in changes:
        if not change.old or not (change.tests or change.survives):
            fail(f"{path}:{change.line}: '{change.name}' lacks '- OLD' or 'tests: ...'")
    return changes


def words(lines):
    return [line.split() for line in lines]


def apply(change, text):
    """The changed text. Old lines are compared without their white space; they must be there once. None: they are not."""
    lines, old = text.split("\n"), words(change.old)
    found = [i for i in range(len(lines) - len(old) + 1) if words(lines[i:i + len(old)]) == old]
    if len(found) != 1:
        return None
    return "\n".join(lines[:found[0]] + change.new + lines[found[0] + len(old):])


class Copy:
    """Source and build folder of the changed program; only files that differ are copied, so that little is built again."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.source, self.build = os.path.join(folder, "source"), os.path.join(folder, "build")

    def update(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                check=True, capture_output=True, text=True).stdout
        paths = {path for path in listed.split("\0") if path and os.path.exists(os.path.join(ROOT, path))}
        for path in sorted(paths):
            self.restore(path)
        for folder, _, names in os.walk(self.source):
            for name in names:
                if os.path.relpath(os.path.join(folder, name), self.source) not in paths:
                    os.remove(os.path.join(folder, name))

    def restore(self, path):
        origin, target = os.path.join(ROOT, path), os.path.join(self.source, path)
        if os.path.islink(target) or not os.path.exists(target) or read(origin) != read(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(origin, target, follow_symlinks=False)

    def configure(self):
        # An unused function is no reason not to try a change.
        done = subprocess.run([os.path.join(ROOT, "setup/configure"), self.build, self.source, "-Dwerror=false"], check=False)
        if done.returncode != 0:
            fail("the copy cannot be configured")

    def all_tests(self):
        """[(suite, name)]. Test files may have changed since the folder was configured."""
        subprocess.run(["ninja", "-C", self.build, "--quiet", "build.ninja"], stdout=subprocess.DEVNULL, check=True)
        found = subprocess.run(["meson", "introspect", "--tests", self.build], check=True, capture_output=True, text=True).stdout
        return [(suite.split(":")[-1], test["name"]) for test in json.loads(found) for suite in test["suite"]]

    def names(self, tests, change):
        found = []
        for pattern in change.tests:
            matching = [name for suite, name in tests if fnmatch.fnmatchcase(f"{suite}/{name}", pattern)]
            if not matching:
                fail(f"changes.txt:{change.line}: no test is called '{pattern}'")
            found += matching
        return list(dict.fromkeys(found))

    def run(self, names):
        """(has been built, first test that failed or '')."""
        environment = dict(os.environ, NINJA=shutil.which("ninja") or "ninja")
        log = os.path.join(self.build, "meson-logs", "testlog.json")
        if os.path.exists(log):
            os.remove(log)
        with open(os.path.join(self.folder, "log.txt"), "w", encoding="utf-8") as output:
            done = subprocess.run(["meson", "test", "-C", self.build, "--maxfail", "1", "--num-processes", str(self.jobs), *names],
                                  stdout=output, stderr=subprocess.STDOUT, env=environment, check=False)
        if done.returncode == REBUILD_FAILED or not os.path.exists(log):
            return False, ""
        with open(log, encoding="utf-8") as stream:
            results = [json.loads(line) for line in stream]
        bad = [result["name"] for result in results if result["result"] not in ("OK", "SKIP", "EXPECTEDFAIL", "INTERRUPT")]
        return True, bad[0] if bad else ""


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def judge(copy, change, tests):
    """(result, what tells more)."""
    if change.survives:
        return "equivalent", change.survives
    path = os.path.join(copy.source, change.file)
    text = apply(change, read(path).decode()) if os.path.exists(path) else None
    if text is None:
        return "stale", f"changes.txt:{change.line}: the old lines are not in the file, or more than once"
    try:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        is_built, failed = copy.run(copy.names(tests, change))
    finally:
        copy.restore(change.file)
    if not is_built:
        return "does not build", os.path.join(copy.folder, "log.txt")
    return ("killed", failed) if failed else ("survived", ", ".join(change.tests))


def earlier(path):
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as stream:
        return {line.split("\t")[0] for line in stream}


def run_all(copy, changes, has_results):
    """Every change, with one line each. The exit code."""
    results = os.path.join(copy.folder, RESULTS)
    done = earlier(results) if has_results else set()
    changes = [change for change in changes if change.name not in done]
    copy.update()
    copy.configure()
    tests = copy.all_tests()
    names = sorted({name for change in changes if not change.survives for name in copy.names(tests, change)})
    print(f"{len(changes)} changes; {len(names)} tests without a change first ...", flush=True)
    if names:
        is_built, failed = copy.run(names)
        if not is_built or failed:
            fail(f"without a change: {'fails: ' + failed if is_built else 'does not build'}: {copy.folder}/log.txt")
    counts = {}
    with open(results, "a" if has_results else "w", encoding="utf-8") as stream:
        for change in changes:
            begin = time.monotonic()
            result, more = judge(copy, change, tests)
            counts[result] = counts.get(result, 0) + 1
            print(f"{result:14} {change.name} ({more}; {time.monotonic() - begin:.0f} s)", flush=True)
            print(change.name, result, more, sep="\t", file=stream, flush=True)
    print(", ".join(f"{n} {result}" for result, n in sorted(counts.items())))
    return 1 if set(counts) - {"killed", "equivalent"} else 0


def main():
    parser = argparse.ArgumentParser(description="Changes one line of the source at a time and tells which changes no test notices.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="changes whose 'FILE: CLAIM' contains it, as in a shell; default: all")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="processes that build and test (default: %(default)s)")
    parser.add_argument("--resume", action="store_true", help="leave out what the results file has already")
    parser.add_argument("--list", action="store_true", help="print the changes and stop")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build-mutation"), help="where the copy lies (default: %(default)s)")
    options = parser.parse_args()
    changes = [change for change in parse(os.path.join(HERE, "changes.txt"))
               if not options.patterns or any(fnmatch.fnmatchcase(change.name, f"*{p}*") for p in options.patterns)]
    if not changes:
        fail("no change has such a name")
    if options.list:
        print("\n".join(change.name for change in changes))
        return 0
    return run_all(Copy(os.path.abspath(options.folder), options.jobs), changes, options.resume)


if __name__ == "__main__":
    sys.exit(main())
