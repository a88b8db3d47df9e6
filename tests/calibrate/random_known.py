#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Known clusters at random, for random_programs.py.

usage: random_known.py SEED   (the cluster file of a seed)

A seed has every feature that mpisim-calibrate measures with a probability of about 0.3, with values of networks from slow Ethernet to
fast ones, and ranks where docs/calibration-reference.md wants them: one on each node, and mostly as many more on the first one as it has cores.
What takes more nodes to be seen than a cluster has (docs/calibration-reference.md) is not in it.
"""
import random
import sys

LEAST_HELD_B, MOST_HELD_B = 32, 4e6  # what is on its way at once, latency times bandwidth


class Cluster:
    """Values of one cluster, by section, in the order of the file."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.name = f'random {seed}'
        self.n_nodes = self.draw.choice([2, 3, 3, 4, 4, 5, 5, 6, 6, 8])
        self.cores = self.draw.choice([1, 1, 1, 2, 4])
        self.computing = self.cores if self.has(0.85) else 0
        if self.computing == 0:
            self.cores = 1
        while True:
            self.latency_s, self.rate_Bps = self.between(0.5e-6, 5e-3), self.between(1e6, 25e9)
            if LEAST_HELD_B < self.latency_s * self.rate_Bps < MOST_HELD_B:
                break
        self.has_packets = self.has(0.2)
        self.threshold_B = None
        self.sections = {'network': self.network(), 'protocol': self.protocol(), 'rma': self.rma(), 'cpu': self.cpu()}

    def has(self, probability=0.3):
        return self.draw.random() < probability

    def between(self, low, high):
        """Small and large values alike."""
        return low * (high / low) ** self.draw.random()

    def size(self, low, high):
        return int(self.between(low, high))

    def network(self):
        lines = [f'latency: {time(self.latency_s)}', f'bandwidth: {rate(self.rate_Bps)}']
        if self.has_packets:
            lines += ['packets:', f'  payload: {self.draw.choice([512, 1448, 1460, 4038, 8948])}', f'  overhead: {self.draw.choice([38, 66, 78, 90])}']
        if self.has():
            lines.append(f'burst: {self.size(1000, 64e3)}')
        if self.has() and self.n_nodes > 2 and self.has_packets:
            lines.insert(3, f'  queue: {self.size(2e4, 4e5)}')
        if not self.has_packets:
            if self.has(0.15) and self.n_nodes > 2:
                lines.append('model: thesis')
            losses = [f'  duplex: {self.between(0.02, 0.5):.3f}'] * self.has()
            if self.has() and self.n_nodes > 2:
                losses.append(f'  sharing: {self.losses()}')
            lines += ['losses:'] * bool(losses) + losses
            if self.has(0.2):
                lines += self.segments('segments', self.latency_s, self.rate_Bps)
        if self.computing and self.has(0.5):
            latency_s, rate_Bps = self.between(0.1e-6, 3e-6), self.between(1e9, 20e9)
            lines += ['intra_node:', f'  latency: {time(latency_s)}', f'  bandwidth: {rate(rate_Bps)}']
            if self.has():
                lines += ['  ' + line for line in self.segments('segments', latency_s, rate_Bps)]
        return lines

    def losses(self):
        values = [1.0]
        for _ in range(self.draw.randint(1, min(3, self.n_nodes - 2))):
            values.append(values[-1] * self.draw.uniform(0.8, 0.98))
        return '[' + ', '.join(f'{1 - value:.3g}' for value in values) + ']'

    def segments(self, key, latency_s, rate_Bps):
        """Each begins with a time that is up to a quarter longer than the line before it has there."""
        lines, start = [key + ':'], self.size(1000, 16e3)
        for _ in range(self.draw.randint(1, 3)):
            time_s = (latency_s + start / rate_Bps) * self.draw.uniform(1, 1.25)
            rate_Bps *= self.draw.uniform(0.7, 1.4)
            latency_s = time_s - start / rate_Bps
            lines.append(f'  - {{from: {start}, latency: {time(latency_s)}, bandwidth: {rate(rate_Bps)}}}')
            start = int(start * self.between(4, 32))
        return lines

    def overheads(self):
        lines, (first_s, second_s) = [], (self.between(0.05, 2) * min(self.latency_s, 5e-6) for _ in range(2))
        kind = self.draw.choice(['none', 'same', 'same', 'sides', 'sides'])
        if kind != 'none':
            lines = ['overhead:', f'  send: {time(first_s)}', f"  recv: {time(second_s if kind == 'sides' else first_s)}"]
            lines += [f'  per_byte: {self.between(0.03, 0.6) / self.rate_Bps * 1e9:.5f}ns'] * self.has(0.2)
        return lines

    def protocol(self):
        lines = self.overheads()
        if self.has():
            lines.append(f"late_answers: {self.draw.choice(['probes', 'tests'])}")
        kind = self.draw.choice(['off', 'off', 'none', 'small', 'typical', 'typical', 'typical', 'typical', 'typical', 'typical'])
        if kind == 'off':
            return lines
        self.threshold_B = 0 if kind == 'none' else self.size(1, 2000) if kind == 'small' else self.size(4000, 300e3)
        return lines + [f'eager_threshold: {self.threshold_B}'] + self.rendezvous()

    def rendezvous(self):
        lines, data_B = [], 0
        if self.threshold_B >= 8000 and self.has():
            data_B = self.draw.choice([self.threshold_B, self.threshold_B, self.size(5000, self.threshold_B)])
            lines.append(f'request_data: {data_B}')
        if self.has():
            lines.append('rendezvous_end: acknowledged')
        if self.has():
            lines.append('synchronous_send: acknowledged')
        progress = self.draw.choice(['async', 'async', 'in_mpi', 'in_mpi', 'in_waiting'])
        if progress != 'async':
            lines.append(f'progress: {progress}')
        is_ordered = self.has(0.4)
        if is_ordered:
            lines.append('order: per_pair')
        is_unattended = is_ordered and progress != 'async' and self.has(0.5)
        if is_unattended:
            size_B = self.size(3e4, 3e5)
            lines.append(f'unattended_send: {size_B}')
        if self.has():
            if is_unattended and self.has(0.5):
                lines.append('send_buffer: unattended')
            else:
                lines += self.buffers('send_buffer', [0, self.size(1e5, 4e5), self.size(6e5, 3e6)])
        return lines

    def buffers(self, key, starts):
        """One size, or larger ones from each start on."""
        size_B = self.size(3e4, 3e5)
        if self.has(0.5) or self.n_nodes < 5:
            return [f'{key}: {size_B}']
        lines = [key + ':']
        for start in starts[:self.draw.randint(2, 3)]:
            lines.append(f'  - {{from: {start}, size: {size_B}}}')
            size_B = int(size_B * self.draw.uniform(1.3, 2.2))
        return lines

    def rma(self):
        return ['progress: in_mpi'] * self.has() + [f'queue_depth: {self.size(1, 200)}'] * self.has()

    def cpu(self):
        kind = self.draw.choice(['none', 'none', 'table', 'law'])
        if kind == 'none':
            return []
        scale = [f'  scale: {self.draw.uniform(0.3, 1):.3f}'] * self.has(0.2)
        if kind == 'law':
            return ['communication_cost:', f'  outgoing: {self.between(0.01, 0.2):.3f}', f'  incoming: {self.between(0.01, 0.2):.3f}',
                    f'  maximum: {self.draw.uniform(0.3, 0.95) * self.cores:.3f}'] + scale
        n, most = self.draw.randint(1, 5), self.draw.uniform(0.2, 0.9) * self.cores
        side = [0] + sorted(self.draw.random() for _ in range(n))
        other = [0] + sorted(self.draw.random() for _ in range(n))
        rows = [', '.join(f'{most * (side[o] + other[i]) / 2:.3f}' for i in range(n + 1)) for o in range(n + 1)]
        return ['communication_cost:', '  table:'] + [f'    - [{row}]' for row in rows] + scale

    def text(self):
        lines = ['# SPDX-License-Identifier: BSD-3-Clause', 'mpisim_cluster: 1', f'name: {self.name}', f'nodes: {self.n_nodes}',
                 f'cores: {self.cores}', 'run:', f'  placement: "0-{self.n_nodes - 1}' + f',0*{self.computing}' * (self.computing > 0) + '"']
        for name, section in self.sections.items():
            if section:
                lines += [name + ':'] + ['  ' + line for line in section]
        return '\n'.join(lines) + '\n'

    def n_ranks(self):
        return self.n_nodes + self.computing


def time(seconds):
    return f'{seconds * 1e6:.6f}'.rstrip('0').rstrip('.') + 'us'


def rate(bytes_per_s):
    return f'{bytes_per_s / 1e6:.3f} MB/s'


if __name__ == "__main__":
    print(Cluster(int(sys.argv[1])).text(), end='')
