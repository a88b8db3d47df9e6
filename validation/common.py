# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of this folder share: tables, runs, least squares, the command line."""
import argparse
import csv
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read_csv(name):
    """The rows of validation/NAME, without the comments of its provenance."""
    with open(ROOT / "validation" / name, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))


def run(command):
    """The standard output of a command; ends the script when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def solve(matrix, right):
    """Gaussian elimination with partial pivoting."""
    n = len(right)
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def fit_least_squares(start, residuals):
    """Levenberg-Marquardt in the logarithms of the parameters, derivatives by differences. start: {name: value > 0}; residuals(values): a list.
    Returns the values; progress goes to standard error."""
    values, free = dict(start), list(start)
    current, damping = residuals(values), 0.01
    for _ in range(25):
        score = sum(r * r for r in current)
        columns = []
        for name in free:
            moved = residuals(dict(values, **{name: values[name] * 1.02}))
            columns.append([(m - c) / math.log(1.02) for m, c in zip(moved, current)])
        normal = [[sum(a * b for a, b in zip(p, q)) * (1 + damping * (p is q)) for q in columns] for p in columns]
        step = solve(normal, [-sum(a * r for a, r in zip(p, current)) for p in columns])
        trial = {n: values[n] * math.exp(max(-0.5, min(0.5, s))) for n, s in zip(free, step)}
        attempt = residuals(trial)
        better = sum(r * r for r in attempt) < score
        if better:
            values, current, damping = trial, attempt, damping / 3
        else:
            damping *= 10
        print(f"misfit {score:.3f}  " + " ".join(f"{k}={v:.4g}" for k, v in values.items()), file=sys.stderr)
        if better and max(abs(s) for s in step) < 1e-3 or damping > 1e6:
            break
    return values


def main(description, parts, fit=None):
    """Command line of a script: BUILD, and --fit where there is something to fit. Prints parts(build)."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    if fit:
        parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    if fit and options.fit:
        fit(options.build)
    print("\n\n".join(parts(options.build).values()))
