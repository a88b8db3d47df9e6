#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate in the simulator, on a cluster whose file is known, must find the values of that file.

usage: check_known.py MPISIM_RUN CALIBRATE FIT CLUSTER.yaml RANKS [KEY=VALUE | OPTION...]

KEY=VALUE replaces a key of the cluster.

Simulated measurements have no noise, so 2 % is room for what the probes assume: that latency is small beside
large messages. Without noise they do far better; the tolerance is the one that a calibration may claim.
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
UNITS = {'kB': 1e3, 'MB': 1e6, 'KiB': 1024, 'MiB': 1 << 20, 's': 1, 'us': 1e-6, 'ms': 1e-3, 'ns': 1e-9, '': 1, 'B/s': 1, 'MB/s': 1e6, 'GB/s': 1e9}

mpisim_run, calibrate, fit, cluster, ranks, *options = sys.argv[1:]
settings = [option for option in options if '=' in option]
options = [option for option in options if '=' not in option]
on_cluster = ['--cluster', cluster] + [word for setting in settings for word in ('--set', setting)]


# Keys of known clusters that are asserted here, and those that are not measured here: choices, how the simulator computes, the reference CPU,
# and what check_services.py asserts.
ASSERTED = re.compile(r'nodes|cores|network\.(latency|bandwidth|model|burst|segments|packets\.(payload|overhead|queue)|losses\.(duplex|sharing)|'
                      r'intra_node\.(latency|bandwidth|segments))|'
                      r'protocol\.(overhead|overhead\.(send|recv|per_byte)|eager_threshold|request_data|progress|'
                      r'order|rendezvous_end|synchronous_send|late_answers|send_buffer|unattended_send(\.(new|used))?)|'
                      r'cpu\.communication_cost(\.(outgoing|incoming|maximum|scale))?')
NOT_MEASURED = re.compile(r'mpisim_cluster|name|protocol\.library|cpu\.speed.*|(run|rma|spawn|storage)\..*')


def number(text):
    """"12.5us", "3 GB/s", "off", "inf" as a float."""
    if text in ('off', 'inf'):
        return math.inf
    digits, unit = re.fullmatch(r'(-?[\d.]+)\s*(\S*)', text.strip('"')).groups()
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
                entry = re.fullmatch(r'- {from: (.*), latency: (.*), bandwidth: (.*)}', line.strip()).groups()
                values['.'.join(path_of)].append(tuple(number(text) for text in entry))
            elif line.strip().startswith('- {from') and 'size' in line:
                values.setdefault('.'.join(path_of), []).append(
                    tuple(number(text) for text in re.fullmatch(r'- {from: (.*), size: (.*)}', line.strip()).groups()))
            elif ':' in line:
                depth = (len(line) - len(line.lstrip())) // 2
                key, value = line.strip().split(':', 1)
                path_of[depth:] = [key]
                for name, text in re.findall(r'(\w+): ([^,}]+)', value) or [('', value)]:
                    if text.strip():
                        values['.'.join(path_of + [name] * bool(name))] = text.strip().strip('"')
    return values, table


def check(claim, found, wanted, absolute=0.0):
    if found == wanted or (wanted < math.inf and abs(found - wanted) <= TOLERANCE * abs(wanted) + absolute):
        print(f'ok: {claim}: {found:.6g}')
    else:
        failures.append(claim)
        print(f'not ok: {claim}: found {found:.8g}, wanted {wanted:.8g}')


def calibrate_once(folder, name):
    samples = os.path.join(folder, name)
    succeed(mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', *on_cluster, '-n', ranks, calibrate,
            '--samples', samples, *options)
    with open(samples, encoding='utf-8') as file:
        return samples, file.read()


def wanted_values(known):
    """What the file says, with defaults; of a single node, its inner values are the network's."""
    wanted = {'nodes': 1, 'cores': 1, 'network.latency': 0, 'network.bandwidth': 0, 'network.intra_node.latency': 0,
              'network.intra_node.bandwidth': math.inf, 'protocol.eager_threshold': math.inf}
    wanted.update({key: number(known[key]) for key in wanted if key in known})
    if wanted['nodes'] == 1:
        for key in ('latency', 'bandwidth'):
            wanted['network.' + key] = wanted['network.intra_node.' + key]
    return wanted


def overhead(values, side):
    return number(values.get(f'protocol.overhead.{side}', values.get('protocol.overhead', '0')))


def packets(values):
    """Payload and overhead; 0: none."""
    return tuple(number(values.get('network.packets.' + key, '0')) for key in ('payload', 'overhead'))


def latency_and_work(values, size, credit):
    """docs/model.md, section 3, "Segments" and "Packets". The credit is that of both links, in bytes."""
    latency, bandwidth, burst = (number(values.get('network.' + key, '0')) for key in ('latency', 'bandwidth', 'burst'))
    payload, extra = packets(values)
    if payload:
        full, wire = (payload + extra), size + max(math.ceil(size / payload), 1) * extra
        credit, burst = (of * full / payload for of in (credit, burst))
        if burst >= full:
            wire = max(wire - credit, 0)
        elif size <= payload:
            wire = 2 * max(wire - credit, 0)
        else:
            wire += full - 2 * credit
        return latency, wire / (bandwidth * full / payload)
    plain = bandwidth
    for start, segment_latency, segment_bandwidth in values['network.segments']:
        if size >= start:
            latency, bandwidth = segment_latency, segment_bandwidth
    if values.get('network.model') == 'thesis': # the latency is work, too
        return 0, max(latency + size / bandwidth - credit / plain, 0)
    work = size / bandwidth + min(latency, 0)
    return max(latency, 0), max(work - credit / plain, 0)


def message_time(values, size):
    """docs/model.md, section 3, "Protocols": of a message whose receiver waits for it, after a rest of the links."""
    burst, rate = (number(values.get(key, '0')) for key in ('network.burst', 'network.bandwidth'))
    control, data = 0, number(values.get('protocol.request_data', '0'))
    latency, (payload, extra) = number(values['network.latency']), packets(values)
    per_byte = number(values.get('protocol.overhead.per_byte', '0'))
    time = overhead(values, 'send') + overhead(values, 'recv')

    def transfer(bytes_of_it, credit):
        return sum(latency_and_work(values, bytes_of_it, credit))

    if size <= number(values['protocol.eager_threshold']):
        return time + per_byte * size + transfer(size, burst)
    taken = control + data
    if payload:
        taken = (taken + math.ceil(taken / payload) * extra) * payload / (payload + extra)
    left = min(burst, max(burst - taken, 0) + 2 * latency * rate)
    n_control = 4 if values.get('protocol.rendezvous_end') == 'acknowledged' else 2
    data = min(data, size)
    return time + per_byte * data + transfer(control + data, burst) + (n_control - 1) * transfer(control, burst) + transfer(size - data, left)


def by_size(values, key):
    """A key that is one number or a list of (from, size), as a list; empty where it is off."""
    entries = values.get(key, 'off')
    if isinstance(entries, list):
        return entries
    return [(0, number(entries))] if entries != 'off' else []


def at(entries, place):
    """What holds there: the last entry that begins before."""
    return [size for start, size in entries if start <= place][-1]


def compare_list(key, known, found, scale=1, least=0, absolute=0):
    """Found values hold where they were measured; known ones are found but where none was measured: sizes that double from the least one on."""
    wanted, got = by_size(known, key), [(start, size * scale) for start, size in by_size(found, key)]
    if bool(wanted) != bool(got):
        failures.append(key)
        print(f'not ok: {key}: found {got}, wanted {wanted}')
        return
    for start, size in got:
        at_measurement = [at(wanted, max(place, wanted[0][0])) for place in (max(start, least), max(start, least) * (1 + TOLERANCE))]
        check(f'{key} from {start:.0f} B', size, min(at_measurement, key=lambda value, size=size: abs(value - size)), absolute)
    data_B = number(known.get('protocol.request_data', '0')) if key == 'protocol.send_buffer' else math.inf
    for k, (_, size) in enumerate(wanted):
        if k + 1 < len(wanted) and wanted[k + 1][0] - data_B <= size < math.inf and data_B < math.inf:
            continue # it holds all of every message for which it is meant
        if k + 1 < len(wanted) and least and wanted[k + 1][0] <= least:
            continue # the file says that it was not measured
        if not any(abs(size - value) <= TOLERANCE * size + absolute for _, value in got):
            failures.append(key)
            print(f'not ok: {key}: {size:.0f} B were not found: {got}')


def compare_words(known, found):
    for key, default in [('protocol.progress', 'async'), ('protocol.rendezvous_end', 'arrived'), ('protocol.synchronous_send', 'matched'),
                         ('protocol.order', 'per_pair' if packets(known)[0] else 'free'), ('network.model', 'fluid'),
                         ('protocol.late_answers', 'none'), ('rma.progress', 'nic')]:
        has_rendezvous = number(known['protocol.eager_threshold']) < math.inf
        if found.get(key, default) != known.get(key, default) and (has_rendezvous or key in ('network.model', 'protocol.late_answers') or key.startswith('rma.')):
            failures.append(key)
            print(f'not ok: {key}: found {found.get(key, default)}, wanted {known.get(key, default)}')


def compare_depth(known, found, text):
    """Where so many operations keep the network busy as not to notice, the file says so."""
    wanted, got = (int(of.get('rma.queue_depth', 64)) for of in (known, found))
    unseen = re.search(r'queue_depth: not seen; (\d+) at once', text)
    least = int(unseen[1]) if unseen else got if 'or more: that many' in text else None
    is_said = packets(known)[0] and 'no regular groups' in text
    if not is_said and (wanted != got if least is None else wanted < least):
        failures.append('rma.queue_depth')
        print(f'not ok: rma.queue_depth: found {got}, wanted {wanted}; not seen from: {least}')


def unit_of_sizes(known, found):
    """With segments network.bandwidth is only what turns the sizes of queues, bursts and connections into times, and another one does as well."""
    return number(found['network.bandwidth']) / number(known['network.bandwidth']) if known['network.segments'] and found['network.segments'] else 1


def untold(known, text):
    """The least size of which the file says that it tells a send buffer; half of it must be left behind as a whole."""
    said = re.search(r'messages of less than (\d+) B were left behind as a whole', text)
    if not said:
        return 0
    half = int(said[1]) // 2
    check('what is left of untold messages', min(at(by_size(known, 'protocol.send_buffer'), half), half) if by_size(known, 'protocol.send_buffer') else 0, half,
          number(known.get('protocol.request_data', '0')))
    return int(said[1])


def unattended(values):
    """Of a new connection, and at most."""
    one = values.get('protocol.unattended_send')
    return tuple(number(values.get('protocol.unattended_send.' + key, one or '0')) for key in ('new', 'used'))


def same_as_unattended(values):
    """Of a connection that takes as much whatever it has carried, "unattended" is that size."""
    new, used = unattended(values)
    return {**values, 'protocol.send_buffer': f'{new:.0f}'} if values.get('protocol.send_buffer') == 'unattended' and new == used else values


def compare_connections(known, found, text):
    known, found = same_as_unattended(known), same_as_unattended(found)
    if number(known['protocol.eager_threshold']) < math.inf:
        if 'unattended' in (known.get('protocol.send_buffer'), found.get('protocol.send_buffer')):
            if known.get('protocol.send_buffer') != found.get('protocol.send_buffer'):
                failures.append('protocol.send_buffer')
                print(f"not ok: protocol.send_buffer: found {found.get('protocol.send_buffer')}, wanted {known.get('protocol.send_buffer')}")
        else:
            # a send ends with a packet
            compare_list('protocol.send_buffer', known, found, 1, untold(known, text), packets(known)[0] / 2)
        for name, got, wanted in zip(('new', 'used'), unattended(found), unattended(known)):
            check(f'protocol.unattended_send.{name}', got, wanted, 0.03 * wanted) # a law goes through what was measured
    # nothing depends on less than a packet of it
    check('network.packets.queue', number(found.get('network.packets.queue', '0')), number(known.get('network.packets.queue', '0')), packets(known)[0] / 2)


def counts_per_byte(known):
    """Overheads per byte are those of eager messages, and of what travels with a request."""
    return number(known['protocol.eager_threshold']) > 0 or 'protocol.request_data' in known


def is_burst_unseen(known):
    """It spares a message after a rest less than the tolerance of what an empty one takes."""
    return number(known.get('network.burst', '0')) < TOLERANCE * message_time(known, 0) * number(known['network.bandwidth'])


def compare_protocols(known, found, text):
    """Times and not numbers where a message has several that make them up. Fractions lost are found to half a percent of all."""
    for size in [0] + [2 ** k for k in range(27)] + [3 * 2 ** k for k in range(25)]:
        check(f'time of {size} B', message_time(found, size), message_time(known, size), 1e-12)
    for side in ('send', 'recv'):
        check(f'overhead, {side}', overhead(found, side), overhead(known, side), 1e-12)
    key = 'protocol.overhead.per_byte'
    check(key, number(found.get(key, '0')), number(known.get(key, '0')) if counts_per_byte(known) else 0)
    compare_words(known, found)
    compare_connections(known, found, text)
    if number(found.get('network.burst', '0')) == 0 and is_burst_unseen(known):
        found = {**found, 'network.burst': known.get('network.burst', '0')}
    for key in ('protocol.request_data', 'network.burst'):
        # what travels with a request is not told from the request where both pass at once
        check(key, number(found.get(key, '0')), number(known.get(key, '0')) * (unit_of_sizes(known, found) if key == 'network.burst' else 1))
    check('duplex penalty', float(found.get('network.losses.duplex', 0)), float(known.get('network.losses.duplex', 0)))
    if packets(found) != packets(known): # to the byte
        failures.append('network.packets')
        print(f'not ok: network.packets: found {packets(found)}, wanted {packets(known)}')
    efficiencies = [[1 - float(of) for of in values.get('network.losses.sharing', '[0]').strip('[]').split(', ')] for values in (known, found)]
    for k in range(max(map(len, efficiencies))):
        wanted, got = (of[min(k, len(of) - 1)] for of in efficiencies)
        check(f'sharing efficiency, {k + 1}', got, wanted, 0.005 - TOLERANCE * wanted)


def line_time(entry, size):
    return entry[1] + size / entry[2]


def compare_breaks(known, found, where):
    """Where the time jumps by enough to be worth a segment, to 2 %."""
    before = (0, *(number(known.get(f'{where}.{key}', default)) for key, default in (('latency', '0'), ('bandwidth', 'inf'))))
    for entry in known[where + '.segments']:
        jump = abs(line_time(entry, entry[0]) - line_time(before, entry[0])) / line_time(before, entry[0]) if entry[0] > 0 else 0
        starts = [start for start, *_ in found[where + '.segments']]
        if jump > 0.1 and not any(abs(start - entry[0]) <= TOLERANCE * entry[0] for start in starts):
            failures.append(f'{where}.segments: from')
            print(f'not ok: {where}.segments: from {entry[0]:.0f} was not found: {starts}')
        before = entry


def compare_segments(known, found, where):
    """Lines that are the same where each holds, and begin where they do to 2 %: what travels with a request is found to a few bytes."""
    for start, latency, bandwidth in found[where] or []:
        wanted = [([entry for entry in known[where] if entry[0] <= place] or [None])[-1] for place in (start, start * (1 + TOLERANCE))]
        if start > 0 and wanted[1]:
            _, line_latency, line_bandwidth = min(filter(None, wanted), key=lambda entry, of=latency: abs(entry[1] - of))
            check(f'{where} from {start:.0f}: latency', latency, line_latency, 1e-10)
            check(f'{where} from {start:.0f}: bandwidth', bandwidth, line_bandwidth)


def compare_within(known, found):
    """Times of transfers within a node, with a default where the file has none; none are found where no two ranks share one."""
    if 'network.intra_node.latency' not in found or int(known['nodes']) == 1:
        return
    for size in [2 ** k for k in range(25)]:
        times = []
        for values in (known, found):
            latency, bandwidth = (number(values.get('network.intra_node.' + key, default)) for key, default in [('latency', '0'), ('bandwidth', 'inf')])
            for start, segment_latency, segment_bandwidth in values['network.intra_node.segments']:
                if size >= start:
                    latency, bandwidth = segment_latency, segment_bandwidth
            times.append(latency + size / bandwidth)
        check(f'time of {size} B within a node', times[1], times[0], 1e-11)


def compare(known, known_table, found, found_table, text):
    compared = wanted_values(known)
    for where in ('network', 'network.intra_node'):
        compare_segments(known, found, where + '.segments')
        compare_breaks(known, found, where)
        if known[where + '.segments']: # then this is not what times are made of
            del compared[where + '.bandwidth']
    for key, value in compared.items():
        if key == 'protocol.eager_threshold' and number(found[key]) != value:
            failures.append(key)  # bisected to the byte
            print(f'not ok: {key}: found {found[key]}, wanted {value}')
        elif key in found:
            # The clock's picoseconds, printed as such.
            check(key, number(found[key]), value, 1e-12)
        elif 'intra_node' not in key:
            failures.append(key)
            print(f'not ok: {key} was not found')
    scale = float(known.get('cpu.communication_cost.scale', 1))
    for o, row in enumerate(found_table if known_table else []):
        for i, cost in enumerate(row):
            wanted = known_table[min(o, len(known_table) - 1)][min(i, len(known_table) - 1)]
            check(f'CPU cost [{o}][{i}]', cost, min(wanted * scale, float(known.get('cores', 1))), 5e-5)
    if not known_table and any(any(row) for row in found_table):
        failures.append('CPU cost')
        print(f'not ok: found a CPU cost where there is none: {found_table}')


def read_known():
    values, table = read(cluster)
    for setting in settings:
        key, value = setting.split('=', 1)
        members = re.fullmatch(r'{(.*)}', value)
        for name, text in re.findall(r'(\w+): ([^,}]+)', value) if members else [('', value)]:
            values['.'.join([key] + [name] * bool(name))] = text
    if values.get('protocol.library') == 'rdma':
        values.setdefault('protocol.progress', 'in_mpi')
    law = {key: float(values.get('cpu.communication_cost.' + key, default))
           for key, default in [('outgoing', 0), ('incoming', 0), ('maximum', 1)]}
    if not table and law['outgoing'] + law['incoming'] > 0:
        numbers = range(17)
        table = [[min(law['maximum'], o * law['outgoing'] + i * law['incoming']) for i in numbers] for o in numbers]
    return {'protocol.eager_threshold': 'off', **values}, table


def main():
    known, known_table = read_known()
    failures.extend(f'{key} is not asserted' for key in known if not ASSERTED.fullmatch(key) and not NOT_MEASURED.fullmatch(key))
    with tempfile.TemporaryDirectory() as folder:
        samples, text = calibrate_once(folder, 'first.csv')
        if calibrate_once(folder, 'second.csv')[1] != text:
            failures.append('two runs differ')
        output = os.path.join(folder, 'found.yaml')
        warnings = succeed(fit, samples, '-o', output).stderr
        with open(output, encoding='utf-8') as file:
            text = file.read()
        if os.environ.get('SHOW'):
            print(text)
        failures.extend(sourced.complaints(output))
        found, found_table = read(output)
        compare_depth(known, found, text)
        compare(known, known_table, found, found_table, text)
        if ('overheads per byte: none can be seen' in text) == counts_per_byte(known):
            failures.append('overheads per byte')
            print('not ok: overheads per byte: the file must say that none can be seen where no message is eager, and only there')
        if known_table and int(known['nodes']) > 1 and len(found_table) < 2 and 'allow larger ones' not in warnings:
            failures.append('CPU cost')
            print('not ok: CPU cost: found no table, and no warning that asks for larger messages')
        compare_within(known, found)
        if int(known['nodes']) > 1:
            compare_protocols(known, found, text)
        if ('one node only' in warnings) != (int(known['nodes']) == 1):
            failures.append('warnings')
            print(f'not ok: warnings: {warnings}')
        # What it wrote is a cluster file, and the program runs on it.
        succeed(mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', '--cluster', output, '-n', '2', calibrate,
                '--samples', os.path.join(folder, 'third.csv'), '--quick', '--max-size', '1K')
        # Its intervals are around its values, and values can be drawn from them.
        succeed(mpisim_run, '--quiet', '--compute', 'modelled', '--vary-cluster', '--cluster', output, '-n', '2', calibrate, '--help')
        if os.listdir(folder).count('found.yaml') != 1 or any(name.endswith('.part') for name in os.listdir(folder)):
            failures.append('temporary files are left')
    print(f'{len(failures)} failures', *failures)
    return bool(failures)


sys.exit(main())
