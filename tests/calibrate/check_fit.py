#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate-fit on samples made here, with noise and outliers, and on files that are wrong.

usage: check_fit.py FIT
"""
import os
import pathlib
import random
import re
import sys
import tempfile

import samples_text

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

SEED = 20090417
fit = sys.argv[1]


def run(*arguments):
    done = call(fit, *arguments)
    return done.returncode, done.stderr


def write(path, rows, facts=()):
    samples_text.write(path, [samples_text.HEADER] + [f'# {name}: {value}' for name, value in facts] + [samples_text.COLUMNS] +
                       [f'{probe},{where},{x},{y},{value!r}' for probe, where, x, y, value in rows])


def sizes():
    size = 0
    while size <= 64 << 20:
        yield size
        size = size + 1 if size < 2 else size // 3 * 4 if size & (size - 1) else size // 2 * 3


def with_breaks(*breaks):
    """Both sides of what bisection finds, too."""
    return sorted({*sizes(), *breaks, *(size + 1 for size in breaks)})


def lines_of(text):
    """Of transfers between nodes: where each begins, microseconds, MB/s."""
    first = re.search(r'(?m)^  latency: ([\d.]+)us.*\n  bandwidth: ([\d.e+]+) MB/s', text).groups()
    return [(0, *map(float, first))] + [(int(size), 1e-3 * float(ns), float(rate)) for size, ns, rate in
                                        re.findall(r'- {from: (\d+), latency: ([-\d.]+)ns, bandwidth: ([\d.e+]+) MB/s}', text)]


def three_lines(size):
    """20 us + s/1 GB/s up to 4 KiB, 22 us + s/400 MB/s up to 128 KiB, 150 us + s/100 MB/s above."""
    if size <= 4096:
        return 20e-6 + size / 1e9
    return 22e-6 + size / 400e6 if size <= 131072 else 150e-6 + size / 100e6


def breakpoints_are_found(folder):
    """1 % noise, ten samples a size: the medians are known to about 0.4 %, a slope over many sizes better. Every 20th sample is
    five times too long: an outlier, which a median does not follow."""
    noise, rows, n_outliers = random.Random(SEED), [], 0
    for size in with_breaks(4096, 131072):
        for _ in range(10):
            value = three_lines(size) * (1 + noise.gauss(0, 0.01))
            if noise.random() < 0.05:
                value *= 5
                n_outliers += 1
            rows.append(('one_way', 'between', size, 0, value))
    rows += [(probe, 'between', 0, 0, 1e-6) for probe in ('send_overhead', 'recv_overhead') for _ in range(6)]
    path, output, plots = (os.path.join(folder, name) for name in ('noisy.csv', 'noisy.yaml', 'plots'))
    write(path, rows, [('nodes', 2), ('library', 'none: "quoted" \\ 1.0'), ('warning', 'of the run')])
    code, err = run(path, '-o', output, '--plot', plots)
    check(code == 0 and 'of the run' in err, f'noisy: exit code {code}, {err}')
    check('noisy machine' not in err, f'5 % of outliers are no noisy machine: {err}')
    few = [row if noise.random() > 0.2 else (*row[:4], 3 * row[4]) for row in rows]
    write(path, few, [('nodes', 2)])
    check('noisy machine' in run(path, '-o', output + '.noisy')[1], 'a fifth of outliers is said')
    with open(output + '.noisy', encoding='utf-8') as file:
        check('# WARNING: noisy machine' in file.read(), 'a fifth of outliers is said in the file')
    with open(output, encoding='utf-8') as file:
        text = file.read()
    lines = lines_of(text)
    check([line[0] for line in lines] == [0, 4097, 131073], f'lines {lines}')
    for (_, _, rate), wanted in zip(lines, (1000, 400, 100)):
        check(abs(rate - wanted) < 0.02 * wanted, f'{rate} MB/s for {wanted}')
    times = {size: next(1e-6 * (2 + us + size / rate) for begin, us, rate in reversed(lines) if begin <= size) for size in sizes()}
    off = {size: time / three_lines(size) - 1 for size, time in times.items() if abs(time / three_lines(size) - 1) > 0.02}
    check(not off, f'sizes that are more than 2 % off: {off}')
    check(abs(lines[0][1] - 18) < 0.36, f'latency {lines[0][1]}: 20 us less two overheads')
    counted = int(re.search(r'  latency: .* (\d+) outliers', text)[1])
    check(n_outliers <= counted <= n_outliers + 20, f'{counted} outliers counted, {n_outliers} made')
    check('WARNING: of the run' in text and 'name: "calibrated, none:  quoted    1.0"' in text, 'facts')
    check(os.path.getsize(os.path.join(plots, 'between.dat')) > 0, 'data of the picture')


def disturbed_sizes_are_left_aside(folder):
    """Ten sizes take 30 ms, all samples of them: longer than far larger messages. The line through the others is 10 us + s/1 GB/s."""
    all_sizes = list(sizes())
    disturbed = set(random.Random(SEED).sample(all_sizes[5:-12], 10))
    rows = [('one_way', 'between', size, 0, 0.03 if size in disturbed else 10e-6 + size / 1e9)
            for size in all_sizes for _ in range(6)]
    path, output = os.path.join(folder, 'disturbed.csv'), os.path.join(folder, 'disturbed.yaml')
    write(path, rows, [('nodes', 2)])
    code, err = run(path, '-o', output)
    check(code == 0, f'disturbed: exit code {code}, {err}')
    with open(output, encoding='utf-8') as file:
        text = file.read()
    lines = lines_of(text)
    check(len(lines) == 1 and abs(lines[0][1] - 10) < 0.05 and abs(lines[0][2] - 1000) < 1 and 'burst' not in text, f'one line: {lines}')
    check('10 measurements are more than 10 % off' in err, f'they are told: {err}')


def wrong_files_are_refused(folder):
    path, output = os.path.join(folder, 'wrong.csv'), os.path.join(folder, 'wrong.yaml')
    header = '# mpisim-calibration 1\nprobe,where,x,y,value\n'
    for text, sentence in [('', ': found an empty file, wanted # mpisim-calibration 1'),
                           ('probe,where\n', ':1: found "probe,where", wanted # mpisim-calibration 1'),
                           (header + 'one_way,between,0,0\n', ':3: found "one_way,between,0,0", wanted probe,where,x,y,value'),
                           (header + 'one_way,beside,0,0,1\n', ':3: found "one_way,beside,0,0,1", wanted between or within'),
                           (header + 'one_way,between,0,0,nan\n', ':3: found "one_way,between,0,0,nan", wanted a finite value'),
                           (header + 'one_way,between,0,0,inf\n', ':3: found "one_way,between,0,0,inf", wanted a finite value'),
                           (header + 'one_way,between,0,0,1e308\n', ':3: found "one_way,between,0,0,1e308", wanted a value of 1e9 at most'),
                           (header + 'one_way,between,0,0,-1e-6\n', ':3: found "one_way,between,0,0,-1e-6", wanted a value from 0 on'),
                           (header + 'one_way,between,-1,0,1e-6\n', ':3: found "one_way,between,-1,0,1e-6", wanted x and y from 0 on'),
                           (header + 'one_way,between,0,0,1 2\n', ':3: found "one_way,between,0,0,1 2", wanted probe,where,x,y,value'),
                           (header + 'compute_speed,between,1000000,0,1\n', ':3: found "compute_speed,between,1000000,0,1", wanted numbers of transfers up to 256'),
                           (header + '# nothing\n', ':3: found "# nothing", wanted # fact: value'),
                           (header + '# nodes: two\n', ':3: found "# nodes: two", wanted # nodes: a number from 1 on'),
                           (header + '# window_s: -1\n', ':3: found "# window_s: -1", wanted # window_s: a number'),
                           (header, ':2: found the end of the file, wanted a line "# end: N samples"'),
                           (header + '# end: 1 samples\n', ':3: found "# end: 1 samples", wanted # end: 0 samples'),
                           (header + '# end: 0 samples\none_way,between,0,0,1\n', ':4: found "one_way,between,0,0,1", wanted nothing behind'),
                           (header + '# end: 0 samples\n', 'lack times by size')]:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        code, err = run(path, '-o', output)
        check(code == 2 and sentence in err and not os.path.exists(output), f'{text!r}: {code}, {err}')
    absent = os.path.join(folder, 'absent')
    for arguments, sentence in [([absent, '-o', output], f'{absent}: cannot be opened: No such file'), ([folder, '-o', output], f'{folder}: cannot be read: Is a directory'),
                                ([path], 'nowhere to write to, wanted -o FILE'), ([path, '-o', path], f'-o: found {path}, which has the samples, wanted another file'), ([path, '-o'], '-o needs a value'), ([path, '-o', ''], '--output: found an empty value'),
                                (['-o', output], 'found 0 files, wanted one'), ([path, path, '-o', output], 'found 2 files, wanted one'),
                                ([path, '-o', output, '-o', output], '--output: found it twice'), ([path, '-o', output, '--bogus'], 'unknown option --bogus'),
                                ([path, '-o', output, '--help=1'], '--help=1 takes no value')]:
        code, err = run(*arguments)
        check(code == 2 and err.startswith('mpisim-calibrate-fit: ' + sentence) and not os.path.exists(output), f'{arguments}: {code}, {err}')
    write(path, [('one_way', 'between', size, 0, 1e-6 + size * 1e-9) for size in (0, 1, 2, 3, 4)], [('nodes', 2)])
    code, err = run(path, '-o', os.path.join(folder, 'no', 'such', 'folder'))
    check(code == 2 and 'cannot write' in err, f'output that cannot be written: {code}, {err}')


def doubtful_values_say_so(folder):
    """A quarter of outliers, and one sample of an overhead: said beside the values; without an interval nothing is varied."""
    path, output = os.path.join(folder, 'doubts.csv'), os.path.join(folder, 'doubts.yaml')
    rows = [('one_way', 'within', size, 0, (1e-5 + size * 1e-9) * (k % 4 < 3 or 9)) for size in sizes() for k in range(12)]
    write(path, rows + [('send_overhead', 'within', 0, 0, 1e-6), ('recv_overhead', 'within', 0, 0, 2e-6)], [('nodes', 1)])
    code, err = run(path, '-o', output)
    with open(output, encoding='utf-8') as file:
        text = file.read()
    latency = re.search('  latency: .*', text)[0]
    check(code == 0 and 'DOUBTFUL: ' in latency and '25 % of the samples are outliers' in latency, f'outliers: {code}, {err}, {latency}')
    check('  send: 1us   # probe send_overhead, 1 sample, 0 outliers; DOUBTFUL: too few samples for an interval' in text, 'one sample')
    check('\n  # protocol.overhead.send: not varied, too few samples for an interval\n' in text and '\n  protocol.' not in text, 'what has no interval is not varied')
    check('\n  network.intra_node.latency: [' in text and '\n  network.latency: [' in text, 'both of one node are varied')


def outputs_that_are_full_are_said(folder):
    """A device that is full, each file of the pictures; the link of another folder stays a link."""
    path, output, plots, link = (os.path.join(folder, name) for name in ('full.csv', 'full.yaml', 'full.plots', 'link.yaml'))
    write(path, [('one_way', 'between', size, 0, 1e-6 + size * 1e-9) for size in (0, 1, 2, 3, 4)] + [('cores', 'within', 1, 0, 1.0)] +
          [('compute_speed', 'between', o, i, 1.0) for o in (0, 1) for i in (0, 1)], [('nodes', 2), ('window_s', 1)])
    code, err = run(path, '-o', '/dev/full')
    check(code == 2 and 'cannot write /dev/full: found a device or pipe, wanted a regular file' in err, f'a device: {code}, {err}')
    for name in ('between.dat', 'cpu_cost.dat', 'plot.gp'):
        os.mkdir(plots)
        os.symlink('/dev/full', os.path.join(plots, name))
        code, err = run(path, '-o', output, '--plot', plots)
        check(code == 2 and f'cannot write {os.path.join(plots, name)}: No space left' in err, f'{name}: {code}, {err}')
        for left in os.listdir(plots):
            os.remove(os.path.join(plots, left))
        os.rmdir(plots)
    code, err = run(path, '-o', output, '--plot', path)
    check(code == 2 and f'cannot write {path}: found no folder' in err, f'a file as folder: {code}, {err}')
    os.symlink(output, link)
    code, err = run(path, '-o', link)
    check(code == 0 and os.path.islink(link), f'a link stays: {code}, {err}')
    code, err = run(path, '-o', output, '--plot', plots)
    drawn = os.path.exists(os.path.join(plots, 'time.png'))
    check(code == 0 and drawn != ('gnuplot is not installed' in err), f'pictures, or a warning: {code}, {err}')


def flat_times_are_reproduced(folder):
    """Two flat times, then a line."""
    path, output = os.path.join(folder, 'flat.csv'), os.path.join(folder, 'flat.yaml')
    write(path, [('one_way', 'between', size, 0, 20e-6 if size <= 1024 else 30e-6 if size <= 65536 else 40e-6 + size / 1e9)
                 for size in with_breaks(1024, 65536) for _ in range(6)], [('nodes', 2)])
    code, err = run(path, '-o', output)
    with open(output, encoding='utf-8') as file:
        text = file.read()
    verdict = re.search(r'(?m)^# the file reproduces (\d+) of (\d+) measurements within 5 %', text)
    check(code == 0 and verdict and verdict[1] == verdict[2] and [line[0] for line in lines_of(text)] == [0, 1025, 65537], f'flat times: {code}, {err}, {text}')


def plain_models_have_intervals(folder):
    """Without a simulator: of an empty message less two overheads, and of the largest message less an eighth; 1 % either way, twice that of a byte that
    is copied. What has outliers says so."""
    path, output = os.path.join(folder, 'plain.csv'), os.path.join(folder, 'plain.yaml')
    rows = [('one_way', place, size, 0, (20e-6 + size * 1e-9) * (1 + 0.01 * (k % 3 - 1)) * (1 if k % 4 or place == 'between' else 9))
            for place in ('between', 'within') for size in sizes() for k in range(24)]
    rows += [(f'{side}_overhead', 'between', size, 0, (1e-6 + copied * size * 1e-9) * (1 + 0.01 * (k % 3 - 1)))
             for side, copied in (('send', 0), ('recv', 1)) for size in (0, 8192) for k in range(24)]
    write(path, rows, [('nodes', 2), ('eager_threshold_B', 65536)])
    code, err = run(path, '-o', output, '--no-check')
    with open(output, encoding='utf-8') as file:
        network, _, others = file.read().partition('  intra_node:')
    within, _, others = others.partition('protocol:')
    check(code == 0 and 'NOT SEARCHED' in err, f'plain: {code}, {err}')
    for text, key, unit, value, half in [(network, 'latency', 'us', 18, 0.201), (network, 'bandwidth', ' MB/s', 1000, 11.5), (others, 'send', 'us', 1, 0.01),
                                         (others, 'recv', 'us', 1, 0.01), (others, 'per_byte', 'ns', 1, 0.0113)]:
        numbers = re.search(rf'(?m)^ +{key}: ([\d.]+){unit}   # ([\d.]+){unit} to ([\d.]+){unit}; probes? [^;]*\d+ samples, 0 outliers$', text)
        found = [float(number) for number in numbers.groups()] if numbers else []
        check(found and all(abs(a - b) <= 0.02 * half + 1e-3 * value for a, b in zip(found, (value, value - half, value + half))), f'{key}: {found}')
        if key != 'per_byte':
            check(re.search(rf'\n  (network|protocol.overhead).{key}: \[', others), f'{key} is varied')
    for key in ('latency', 'bandwidth'):
        check(re.search(rf'(?m)^    {key}: .*; DOUBTFUL: .*25 % of the samples are outliers$', within), f'{key} within a node: {within}')
        check(f'\n  network.intra_node.{key}: [' in others, f'{key} within a node is varied')


def parts_are_refused(folder):
    """Cut at every line's end, and in the middle of lines; what a probe may say below zero is no error."""
    path, output = os.path.join(folder, 'part.csv'), os.path.join(folder, 'part.yaml')
    rows = [('one_way', 'between', size, 0, 1e-6 + size * 1e-9) for size in (0, 1, 2, 3, 4)]
    write(path, rows + [('after_rest', 'between', 4, 0, -1e-9)], [('nodes', 2)])
    with open(path, encoding='utf-8') as file:
        text = file.read()
    check(run(path, '-o', output)[0] == 0, 'the whole is taken')
    os.remove(output)
    for n in range(len(text) - 1):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text[:n])
        code, err = run(path, '-o', output)
        if code != 2 or path not in err or os.path.exists(output):
            check(False, f'cut after {n} bytes: {code}, {err}')
            return
    check(True, 'every part is refused')


with tempfile.TemporaryDirectory() as scratch:
    parts_are_refused(scratch)
    breakpoints_are_found(scratch)
    disturbed_sizes_are_left_aside(scratch)
    wrong_files_are_refused(scratch)
    outputs_that_are_full_are_said(scratch)
    doubtful_values_say_so(scratch)
    flat_times_are_reproduced(scratch)
    plain_models_have_intervals(scratch)
print(f'seed {SEED}, {len(failures)} failures')
sys.exit(bool(failures))
