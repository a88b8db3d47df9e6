#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A written cluster file is compared with its own samples by simulating the probes: the file of a known cluster reproduces them all; of a file that was
edited, and of one whose packets are not certain, what is off is named, in the file and on standard error.

usage: check_verdict.py MPISIM_RUN CALIBRATE FIT SAMPLES.csv.xz RANKS CLUSTER.yaml [RANKS CLUSTER.yaml]...
"""
import lzma
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

import samples_text

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

SPREAD, BESIDE, TIMES = (0.9, 0.95, 1, 1.05, 1.1), 7, 3
mpisim_run, calibrate, fit, measured, *clusters = sys.argv[1:]


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def simulate(on, samples, *arguments):
    done = call(mpisim_run, '--quiet', '--compute', 'modelled', '--no-alloc', '--cluster', on, *arguments, calibrate, '--samples', samples)
    check(done.returncode == 0, f'{on} is simulated: {done.stderr}')


def medians(lines, probe):
    values = {}
    for line in lines:
        fields = line.split(',')
        if fields[0] == probe:
            values.setdefault(int(fields[2]), []).append(float(fields[4]))
    return {size: statistics.median(of) for size, of in values.items()}


def known_cluster_is_reproduced(samples, output, cluster, ranks):
    """All within 1 %."""
    simulate(cluster, samples, '-n', ranks)
    pictures = output + '.plots'
    done = call(fit, samples, '-o', output, '--plot', pictures)
    verdict = re.search(r'(?m)^verdict: +(the file reproduces (\d+) of (\d+) measurements within 5 %, (\d+) within 10 %, none is off by more than 1 %.*)$', done.stdout)
    check(done.returncode == 0 and verdict and verdict[2] == verdict[3] == verdict[4] and int(verdict[2]) > 90, f'known cluster: {done.stdout}')
    check('more than 10 %' not in done.stderr and verdict and f'\n# {verdict[1]}\n' in read(output), f'the verdict is in the file, and no warning: {done.stderr}')
    for part in (r'library: +mpisim', r'latency: +[\d.]+ us', r'bandwidth: +[\d.]+ MB/s', r'eager limit: ', rf'written to: +{output}', rf'next: +mpisim-run --cluster {output} -n {ranks} '):
        check(re.search(rf'(?m)^{part}', done.stdout), f'summary has {part}')
    rows = [line.split() for line in read(os.path.join(pictures, 'probes.dat')).splitlines()[1:]]
    check(verdict and len(rows) == int(verdict[3]) and all(len(row) == 7 and abs(float(row[4]) - float(row[5])) <= 0.01 * float(row[4]) for row in rows if row[0] == 'one_way'),
          f'each probe is in the picture: {len(rows)} of {verdict and verdict[3]}')
    alone = call(fit, samples, '--check', output)
    check(alone.returncode == 0 and verdict and alone.stdout == verdict[1] + '\n', f'--check says the same: {alone.returncode}, {alone.stdout}{alone.stderr}')


def wrong_file_is_found(samples, output, wrong):
    """Half of the bandwidth, which the times by size and all flows show; and the same samples make the same file, however many jobs."""
    first = read(output)
    call(fit, samples, '-o', output, '--jobs', '1')
    check(read(output) == first, 'the same samples, the same file')
    rate = re.search(r'(?m)^  bandwidth: ([\d.]+) MB/s', first)[1]
    with open(wrong, 'w', encoding='utf-8') as file:
        file.write(re.sub(r'(?ms)^uncertainty:.*?^(?=#|\Z)', '', first).replace(f'bandwidth: {rate} MB/s', f'bandwidth: {float(rate) / 2} MB/s', 1))
    done = call(fit, samples, '--check', wrong)
    check(done.returncode == 1 and re.search(r'(?m)^  one_way \d+: measured [\d.]+ [mu]s, predicted [\d.]+ [mu]s, \d+ % off$', done.stdout) and
          '  many_to_one ' in done.stdout, f'half of the bandwidth: {done.returncode}, {done.stdout}{done.stderr}')


def without_certain_packets(lines):
    """As a loaded machine measures: times at the jumps scatter, what follows a rest tells nothing, and each seventh size was disturbed."""
    at_jumps = {int(size) + k for size in re.findall(r'(?m)^# packet_jump_B: (\d+)$', '\n'.join(lines)) for k in (0, 1)}
    sizes = sorted(medians(lines, 'one_way'))
    disturbed = set(sizes[BESIDE - 1::BESIDE])
    for line in lines:
        fields = line.split(',')
        factors = [1]
        if fields[0] == 'packet_stream' and int(fields[2]) in at_jumps:
            factors = SPREAD
        elif fields[0] == 'after_rest':
            factors = [0.01]
        elif fields[0] == 'one_way' and int(fields[2]) in disturbed:
            factors = [TIMES]
        yield from [line] if factors == [1] else (','.join(fields[:4] + [repr(float(fields[4]) * factor)]) for factor in factors)


def uncertain_packets_are_tried(folder):
    """They explain what messages take: 4 KiB took six times as long by a file without packets, burst and segments."""
    samples, output, again = (os.path.join(folder, name) for name in ('uncertain.csv', 'uncertain.yaml', 'again.csv'))
    with lzma.open(measured, 'rt', encoding='utf-8') as file:
        rows = file.read().splitlines()
    samples_text.write(samples, without_certain_packets(rows))
    done = call(fit, samples, '-o', output)
    text = read(output)
    check(done.returncode == 0 and re.search(r'\n  packets:\n    payload: 1448 ', text), f'packets that are not certain are tried, and predict best: {done.stderr}')
    simulate(output, again, '-n', '8')
    wanted, found = medians(rows, 'one_way'), medians(read(again).splitlines(), 'one_way')
    for size in (4096, 8192, 16384):
        check(abs(found[size] / wanted[size] - 1) < 0.2, f'{size} B: measured {wanted[size]:.6g} s, predicted {found[size]:.6g} s')
    named = re.search(r'(?m)^  (one_way \d+: measured .* % off)$', done.stderr)
    check('warning: ' in done.stderr and 'measurements are more than 10 % off' in done.stderr and named, f'disturbed sizes are named: {done.stderr}')
    check(named and f'\n#   {named[1]}\n' in text and '\n# WARNING: ' in text, 'and in the file')
    done = call(fit, samples, '--no-check', '-o', output)
    check(done.returncode == 0 and 'compared' not in done.stderr and '\n# WARNING: not compared with its own measurements: --no-check' in read(output), f'--no-check: {done.stderr}')
    check('warning: NOT SEARCHED' in done.stderr and '\n# WARNING: NOT SEARCHED' in read(output), f'--no-check has the plain model only: {done.stderr}')
    alone = os.path.join(folder, 'alone')
    shutil.copy(fit, alone)
    done = call(alone, samples, '-o', output)
    check(done.returncode == 0 and 'warning: not compared with its own measurements: there is no mpisim-run beside' in done.stderr and
          '\n# WARNING: not compared with' in read(output) and '\n# WARNING: NOT SEARCHED' in read(output), f'without a simulator: {done.returncode}, {done.stderr}')


def wrong_input_is_refused(samples, output):
    wrong = output + '.wrong'
    with open(wrong, 'w', encoding='utf-8') as file:
        file.write('mpisim_cluster: 1\nnodes: many\n')
    for arguments, sentence in [([samples, '--check', wrong], f'{wrong}:1:1: found no key'), ([samples, '--check', output, '-o', output], '--check: found -o, too, wanted one of them'),
                                ([samples, '--check', output + '.absent'], 'No such file')]:
        done = call(fit, *arguments)
        check(done.returncode == 2 and done.stderr.startswith('mpisim-calibrate-fit: ') and sentence in done.stderr and not done.stdout,
              f'{arguments}: {done.returncode}, {done.stdout}{done.stderr}')


with tempfile.TemporaryDirectory() as scratch:
    os.environ['TMPDIR'] = os.path.join(scratch, 'tmp')
    os.mkdir(os.environ['TMPDIR'])
    known = [os.path.join(scratch, name) for name in ('known.csv', 'known.yaml')]
    for ranks_of, file_of in zip(clusters[::2], clusters[1::2]):
        known_cluster_is_reproduced(*known, file_of, ranks_of)
    wrong_file_is_found(*known, os.path.join(scratch, 'wrong.yaml'))
    wrong_input_is_refused(*known)
    uncertain_packets_are_tried(scratch)
    check(not os.listdir(os.environ['TMPDIR']), f"left behind: {os.listdir(os.environ['TMPDIR'])}")
sys.exit(bool(failures))
