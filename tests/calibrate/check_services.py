#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate --spawn --storage in the simulator must find a known cluster's rma, spawn and storage.

usage: check_services.py MPISIM_RUN CALIBRATE FIT PROGRAM CLUSTER.yaml RANKS [KEY=VALUE | -KEY...]

KEY=VALUE replaces a key of the cluster. -KEY: nothing tells this key; it need not be found. With all of the others
PROGRAM takes the same time in each of its parts on the cluster that was found as on the known one.
"""
import math
import os
import pathlib
import re
import sys
import tempfile

import sourced

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import failures, succeed  # noqa: E402  (the folder above)

TOLERANCE = 0.02
UNITS = {'kB': 1e3, 'MB': 1e6, 'KiB': 1024, 'MiB': 1 << 20, 's': 1, 'us': 1e-6, 'ms': 1e-3, 'ns': 1e-9, '': 1, 'MB/s': 1e6, 'GB/s': 1e9}
DEFAULTS = {'rma.progress': 'nic', 'rma.queue_depth': '64', 'spawn.startup': '0', 'spawn.per_process': '0', 'storage.servers': '1', 'storage.latency': '0',
            'storage.bandwidth.read': 'inf', 'storage.bandwidth.write': 'inf', 'storage.bandwidth.client': 'inf', 'storage.metadata_time': '0',
            'storage.stripe.size': '1MiB', 'storage.stripe.servers': 'all', 'run.spawn.universe_size': '0'}

mpisim_run, calibrate, fit, program, cluster, ranks, *options = sys.argv[1:]
settings = [option for option in options if '=' in option]
unseen = [option[1:] for option in options if option.startswith('-')]


def check(claim, found, wanted):
    holds = found == wanted
    if not holds and isinstance(found, float) and isinstance(wanted, float):
        holds = abs(found - wanted) <= TOLERANCE * abs(wanted) + 1e-8
    print(f'{"ok" if holds else "not ok"}: {claim}: found {found}, wanted {wanted}')
    if not holds:
        failures.append(claim)


def value_of(text):
    match = re.fullmatch(r'([\d.]+)\s*(\S*)', text)
    if text == 'inf':
        return math.inf
    return float(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else text


def read(path, replaced=()):
    """Values of the three sections, with defaults."""
    values, section, inner = dict(DEFAULTS), '', ''
    with open(path, encoding='utf-8') as lines:
        for line in (line.split('#')[0].rstrip() for line in lines):
            if line and not line.startswith(' '):
                section = line.split(':')[0]
            elif ':' in line:
                key, text = line.strip().split(':', 1)
                is_inner = line.startswith('    ')
                path = '.'.join([section, inner, key] if is_inner else [section, key])
                inner = inner if is_inner else key
                for name, value in re.findall(r'(\w+): ([^,{}]+)', text) or [('', text)]:
                    values['.'.join(filter(None, [path, name]))] = value.strip()
    for setting in replaced:
        key, text = setting.split('=', 1)
        if text == '{}':
            values.update((name, default) for name, default in DEFAULTS.items() if name.startswith(key + '.'))
        else:
            values[key] = text
    if values['storage.stripe.servers'] == values['storage.servers']:
        values['storage.stripe.servers'] = 'all'
    return {key: value_of(values[key]) for key in DEFAULTS}


def simulate(on_cluster, *command):
    return succeed(mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', *on_cluster, '-n', ranks, *command).stdout


def predict(on_cluster, folder):
    """Seconds of the program's parts."""
    return {line.split(': ')[0]: float(line.split(': ')[1]) for line in simulate(on_cluster, program, folder).splitlines()}


with tempfile.TemporaryDirectory() as scratch:
    storage, samples, output = (os.path.join(scratch, name) for name in ('storage', 'samples.csv', 'found.yaml'))
    os.mkdir(storage)
    known_cluster = ['--cluster', cluster] + [word for setting in settings for word in ('--set', setting)]
    simulate(known_cluster, calibrate, '--spawn', '--storage', storage, '--samples', samples)
    if os.listdir(storage):
        failures.append(f'files are left: {os.listdir(storage)}')
    succeed(fit, '--no-check', samples, '-o', output)
    failures += sourced.complaints(output)
    known, found = read(cluster, settings), read(output)
    if os.environ.get('SHOW'):
        with open(output, encoding='utf-8') as file:
            print(file.read())
    for name in DEFAULTS:
        if name not in unseen:
            check(name, found[name], known[name])
    with open(cluster, encoding='utf-8') as file: # where ranks are is no value of the cluster
        placement = re.search('placement: "(.*?)"', file.read(), re.MULTILINE)[1]
    predicted, wanted_times = predict(['--cluster', output, '--placement', placement], storage), predict(known_cluster, storage)
    for name, wanted_time in wanted_times.items():
        check(f'prediction: {name}', predicted.get(name), wanted_time)
    if len(wanted_times) < 12:
        failures.append(f'{len(wanted_times)} parts')
    succeed(mpisim_run, '--quiet', '--vary-cluster', '--cluster', output, '-n', '2', calibrate, '--help')
print(f'{len(failures)} failures', *failures)
sys.exit(bool(failures))
