#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate in the simulator, on a cluster whose file is known, must find the values of that file.

usage: check_known.py MPISIM_RUN CALIBRATE FIT CLUSTER.yaml RANKS [OPTION...]

Simulated measurements have no noise, so 2 % is room for what the probes assume: that latency is small beside
large messages. Without noise they do far better; the tolerance is the one that a calibration may claim.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

TOLERANCE = 0.02
UNITS = {'kB': 1e3, 's': 1, 'us': 1e-6, 'ms': 1e-3, 'ns': 1e-9, '': 1, 'B/s': 1, 'MB/s': 1e6, 'GB/s': 1e9}

mpisim_run, calibrate, fit, cluster, ranks, *options = sys.argv[1:]
failures = []


def number(text):
    """"12.5us", "3 GB/s", "off", "inf" as a float."""
    if text in ('off', 'inf'):
        return math.inf
    digits, unit = re.fullmatch(r'(-?[\d.]+)\s*(\S*)', text).groups()
    return float(digits) * UNITS[unit]


def read(path):
    """Values by dotted key (network.segments: a list of (from, latency, bandwidth)), and the rows of the CPU-cost table."""
    values, table, path_of = {'network.segments': [], 'network.intra_node.segments': []}, [], []
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            line = line.split('#')[0].rstrip()
            if line.strip().startswith('- ['):
                table.append([float(x) for x in line.strip()[3:-1].split(',')])
            elif line.strip().startswith('- {from') and 'latency' in line:
                entry = re.fullmatch(r'- {from: (\d+), latency: (.*), bandwidth: (.*)}', line.strip()).groups()
                values['.'.join(path_of)].append((int(entry[0]), number(entry[1]), number(entry[2])))
            elif line.strip().startswith('- {from') and 'size' in line:
                values.setdefault('.'.join(path_of), []).append(
                    tuple(number(text) for text in re.fullmatch(r'- {from: (\d+), size: (.*)}', line.strip()).groups()))
            elif ':' in line:
                depth = (len(line) - len(line.lstrip())) // 2
                key, value = line.strip().split(':', 1)
                path_of[depth:] = [key]
                if value.strip():
                    values['.'.join(path_of)] = value.strip().strip('"')
    return values, table


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        print(f'{" ".join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
        sys.exit(1)
    return done.stderr


def check(claim, found, wanted, absolute=0.0):
    if found == wanted or (wanted < math.inf and abs(found - wanted) <= TOLERANCE * abs(wanted) + absolute):
        print(f'ok: {claim}: {found:.6g}')
    else:
        failures.append(claim)
        print(f'not ok: {claim}: found {found:.8g}, wanted {wanted:.8g}')


def calibrate_once(folder, name):
    samples = os.path.join(folder, name)
    run(mpisim_run, '--quiet', '--compute', 'modelled', '--no-alloc', '--cluster', cluster, '-n', ranks, calibrate,
        '--samples', samples, *options)
    with open(samples, encoding='utf-8') as file:
        return samples, file.read()


def wanted_values(known):
    """What the file says, with defaults; of a single node, its inner values are the network's."""
    wanted = {'nodes': 1, 'cores': 1, 'network.latency': 0, 'network.bandwidth': 0, 'network.intra_node.latency': 0,
              'network.intra_node.bandwidth': math.inf, 'protocol.overhead': 0, 'protocol.eager_threshold': math.inf,
              'protocol.control_message': 0}
    wanted.update({key: number(known[key]) for key in wanted if key in known})
    if wanted['nodes'] == 1:
        for key in ('latency', 'bandwidth'):
            wanted['network.' + key] = wanted['network.intra_node.' + key]
    return wanted


def overhead(values, side):
    return number(values.get(f'protocol.{side}_overhead', values.get('protocol.overhead', '0')))


def transfer_time(values, size):
    """docs/cluster-file.md, "By size"."""
    latency, bandwidth = number(values['network.latency']), number(values['network.bandwidth'])
    for start, segment_latency, segment_bandwidth in values['network.segments']:
        if size >= start:
            latency, bandwidth = segment_latency, segment_bandwidth
    return latency + size / bandwidth


def message_time(values, size):
    """docs/model.md, section 3, "Protocols": of a message whose receiver waits for it."""
    time = overhead(values, 'send') + overhead(values, 'recv') + transfer_time(values, size)
    if size > number(values['protocol.eager_threshold']):
        time += (4 if values.get('protocol.rendezvous_end') == 'acknowledged' else 2) * transfer_time(values, number(values.get('protocol.control_message', '0')))
    return time


def by_use(values):
    """`protocol.unattended_send` where it is a list."""
    entries = values.get('protocol.unattended_send')
    return entries if isinstance(entries, list) else []


def compare_protocols(known, found):
    """Times and not numbers where a message has several that make them up. Fractions lost are found to half a percent of all."""
    for size in [0] + [2 ** k for k in range(27)] + [3 * 2 ** k for k in range(25)]:
        check(f'time of {size} B', message_time(found, size), message_time(known, size), 1e-12)
    for side in ('send', 'recv'):
        check(f'overhead, {side}', overhead(found, side), overhead(known, side), 1e-12)
    for key, default in [('protocol.progress', 'async'), ('protocol.send_buffer', 'off'), ('protocol.unattended_send', 'off')]:
        if isinstance(known.get(key), list):
            continue
        if number(known['protocol.eager_threshold']) < math.inf and found.get(key, default) != known.get(key, default):
            check(key, number(found.get(key, 'inf')), number(known.get(key, 'inf')))
    for (from_B, size), (wanted_from_B, wanted) in zip(by_use(found), by_use(known), strict=True):
        check(f'leaves unattended after {wanted_from_B:.0f} B', size, wanted)
        check(f'from {wanted_from_B:.0f} B', from_B, wanted_from_B)
    for key, default in [('protocol.rendezvous_end', 'arrived'), ('protocol.synchronous_send', 'matched'), ('protocol.order', 'free')]:
        if found.get(key, default) != known.get(key, default):
            failures.append(key)
            print(f'not ok: {key}: found {found.get(key, default)}, wanted {known.get(key, default)}')
    for key in ('protocol.request_data', 'network.queue'):
        check(key, number(found.get(key, '0')), number(known.get(key, '0')))
    check('duplex penalty', float(found.get('network.duplex_penalty', 0)), float(known.get('network.duplex_penalty', 0)), 0.005)
    for name, value in zip(known.get('network.sharing_efficiency', '[1]').strip('[]').split(', '),
                           found.get('network.sharing_efficiency', '[1]').strip('[]').split(', ')):
        check('sharing efficiency', float(value), float(name), 0.005 - TOLERANCE * float(name))


def compare(known, known_table, found, found_table):
    compared = wanted_values(known)
    if known['network.segments']: # then these are not what times are made of
        for key in ('network.bandwidth', 'protocol.overhead', 'protocol.control_message'):
            del compared[key]
    for key, value in compared.items():
        if key == 'protocol.control_message':
            if key not in found:
                continue  # without a threshold it means nothing
            check(key, number(found[key]), value, 1)  # written as whole bytes
        elif key == 'protocol.eager_threshold' and number(found[key]) != value:
            failures.append(key)  # bisected to the byte
            print(f'not ok: {key}: found {found[key]}, wanted {value}')
        elif key in found:
            # The clock's picoseconds, printed as such.
            check(key, number(found[key]), value, 1e-12)
        elif 'intra_node' not in key:
            failures.append(key)
            print(f'not ok: {key} was not found')
    for o, row in enumerate(known_table):
        for i, cost in enumerate(row):
            check(f'CPU cost [{o}][{i}]', found_table[o][i] if o < len(found_table) else math.nan, cost, 5e-5)
    if not known_table and any(any(row) for row in found_table):
        failures.append('CPU cost')
        print(f'not ok: found a CPU cost where there is none: {found_table}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        samples, text = calibrate_once(folder, 'first.csv')
        if calibrate_once(folder, 'second.csv')[1] != text:
            failures.append('two runs differ')
        output = os.path.join(folder, 'found.yaml')
        warnings = run(fit, samples, '-o', output)
        if os.environ.get('SHOW'):
            with open(output, encoding='utf-8') as file:
                print(file.read())
        compare(*read(cluster), *read(output))
        if int(read(cluster)[0]['nodes']) > 1:
            compare_protocols({'protocol.eager_threshold': 'off', **read(cluster)[0]}, read(output)[0])
        if ('one node only' in warnings) != (wanted_values(read(cluster)[0])['nodes'] == 1):
            failures.append('warnings')
            print(f'not ok: warnings: {warnings}')
        # What it wrote is a cluster file, and the program runs on it.
        run(mpisim_run, '--quiet', '--compute', 'modelled', '--no-alloc', '--cluster', output, '-n', '2', calibrate,
            '--samples', os.path.join(folder, 'third.csv'), '--quick', '--max-size', '64K')
        # Its intervals are around its values, and values can be drawn from them.
        run(mpisim_run, '--quiet', '--compute', 'modelled', '--vary-cluster', '--cluster', output, '-n', '2', calibrate, '--help')
        if os.listdir(folder).count('found.yaml') != 1 or any(name.endswith('.part') for name in os.listdir(folder)):
            failures.append('temporary files are left')
    print(f'{len(failures)} failures', *failures)
    return bool(failures)


sys.exit(main())
