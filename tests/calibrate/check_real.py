#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate under a real MPI, two ranks on this machine: what it says of itself, not the values, which nobody knows.

usage: check_real.py openmpi|mpich PROGRAM MPISIM_RUN PROGRAM_IN_SIMULATOR NO_FINALIZE.so

Exit code 77: this machine has no such launcher.
"""
import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import sourced

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import check, failures  # noqa: E402  (the folder above)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)

SEED = 20261122
COMPUTED_S = 0.04 * 0.02 # a piece of the window of --quick
launcher, program, mpisim_run, simulated, no_finalize = sys.argv[1:]


class Launcher:
    """What run_mpi wants to know."""
    launcher = sys.argv[1]


def writes_a_valid_file(front, folder):
    output, samples = os.path.join(folder, 'cluster.yaml'), os.path.join(folder, 'samples.csv')
    code, out, err = run_mpi.run(front + ['-n', '2', program, '--quick', '--budget', '5', '--max-size', '1M', '-o', output, '--samples', samples,
                                          '--plot', os.path.join(folder, 'plots')], 120)
    check(code == 0, f'exit code {code}\n{out}{err}')
    with open(samples, encoding='utf-8') as file:
        computed = [float(line.rsplit(',', 1)[1]) for line in file if line.startswith('vary_computing,')]
    check(computed and min(computed) > COMPUTED_S / 2, f'computing takes as long as it says: {min(computed, default=0)} s, wanted {COMPUTED_S} s')
    with open(output, encoding='utf-8') as file:
        text = file.read()
    for part in ('# WARNING: one node only', '# library: ', '# host: ', '# date: ', 'overhead:', 'eager_threshold: ',
                 'samples', 'outliers', f'  collectives: {launcher} '):
        check(part in text, f'"{part}" in the file')
    check(not list(sourced.complaints(output)), f'each value has its source: {list(sourced.complaints(output))}')
    check('one node only' in err, 'one node: said on standard error')
    for part in ('library: +\\w', r'latency: +[\d.e-]+ us', r'bandwidth: +[\d.e+]+ MB/s', 'eager limit: ', r'verdict: +the file reproduces \d+ of \d+ measurements within 5 %, \d+ within 10 %',
                 f'written to: +{output}$', f'next: +mpisim-run --cluster {output} -n 2 '):
        check(re.search(f'^{part}', out, re.MULTILINE), f'summary: "{part}" in {out}')
    verdict = re.search('^verdict: +(.*)$', out, re.MULTILINE)
    check(verdict and f'\n# {verdict[1]}\n' in text, 'the file has the same verdict')
    check(len(re.findall(r'^mpisim-calibrate: [^,]+, at most \d+ s left$', err, re.MULTILINE)) > 3, f'progress and the time left: {err}')
    code, out, err = run_mpi.run([mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--no-alloc', '--cluster', output, '-n', '2',
                                  simulated, '--quick', '--max-size', '64K', '--samples', os.path.join(folder, 'csv')], 60)
    check(code == 0, f'the file is valid: {err}')


def ends_without_finalize(front, folder):
    """MPICH 4.0.2 over TCP hangs in MPI_Finalize now and then; the launcher returns all the same. Open MPI's calls that an error."""
    output = os.path.join(folder, 'endless.yaml')
    code, out, err = run_mpi.run(front + ['-n', '2', 'env', 'LD_PRELOAD=' + no_finalize, program, '--quick', '--budget', '2', '--max-size', '4K', '-o', output], 120)
    check(code == 0 if launcher == 'mpich' else code in (0, 1), f'MPI_Finalize does not return: exit code {code}, {out}{err}')
    said = err.count('mpisim-calibrate: MPI_Finalize does not return: this run ends without it')
    check(said == (launcher != 'mpich') and os.path.exists(output) and 'written to: ' in out, f'it is said once, or not needed, and the file is there: {out}{err}')


def bad_situations_are_said(front, folder):
    """More ranks than cores and one."""
    output = os.path.join(folder, 'crowded.yaml')
    code, out, err = run_mpi.run(front + ['-n', '3', program, '--cores', '1', '--quick', '--budget', '1', '--max-size', '64K', '-o', output], 120)
    check(code == 0 and 'overcommitted' in err, f'three ranks on one core: exit code {code}, {out}{err}')
    with open(output, encoding='utf-8') as file:
        text = file.read()
    check('# WARNING: overcommitted' in text and '\ncores: 1   # ' in text, f'the file says so: {text[:2000]}')


def probes_between_nodes_end(front, folder):
    """Each rank has a host name of its own, which takes a root: all probes run, whatever their values are worth."""
    as_node = ['sh', '-c', 'exec unshare --uts sh -c \'hostname "node$0"; exec "$@"\' "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$@"', 'sh']
    if subprocess.run(['unshare', '--uts', 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
        print('no root: probes between nodes are left out')
        return
    output, samples = os.path.join(folder, 'nodes.yaml'), os.path.join(folder, 'nodes.csv')
    code, out, err = run_mpi.run(front + ['-n', '5'] + as_node + [program, '--quick', '--budget', '3', '--max-size', '2M', '-o', output,
                                                                  '--samples', samples], 240)
    check(code == 0, f'five nodes: exit code {code}\n{out}{err}')
    with open(samples, encoding='utf-8') as file:
        probes = {line.split(',')[0] for line in file if line[0] != '#'}
    check(not list(sourced.complaints(output)), f'five nodes: each value has its source: {list(sourced.complaints(output))}')
    for probe in ('behind_large', 'two_at_once', 'synchronous', 'beside_bulk', 'ring', 'many_to_one'):
        check(probe in probes, f'five nodes: {probe} was measured')
    code, _, err = run_mpi.run([mpisim_run, '--quiet', '--deterministic', '--compute', 'modelled', '--cluster', output, '-n', '2', simulated, '--help'], 60)
    check(code == 0, f'five nodes: the file is valid: {err}')


def has_few_samples(path):
    with open(path, encoding='utf-8') as file:
        return re.search('# storage.latency: not varied, too few samples', file.read())


def services_are_probed(front, folder):
    """Files in a directory of their own, and processes where the library can spawn them: Open MPI, if there are slots."""
    storage = os.path.join(folder, 'storage')
    os.mkdir(storage)
    front = front + ['--host', 'localhost:8'] if launcher == 'openmpi' else front
    for name, slots in [('services', ['-n', '2']), ('no-slots', ['-n', '8'])][:2 if launcher == 'openmpi' else 1]:
        output = os.path.join(folder, name + '.yaml')
        budgets_s = [6, 20, 60] # on a busy machine a short one has too few samples for intervals
        for _ in range(5): # Open MPI 4.1.4 now and then loses a process that it spawns
            code, out, err = run_mpi.run(front + slots + [program, '--quick', '--budget', str(budgets_s[0]), '--max-size', '4K', '--spawn', '--storage', storage, '-o', output], 240)
            if 'MPI_Comm_spawn or MPI_Comm_disconnect does not return' in err:
                check(code and not os.path.exists(output) and not os.listdir(storage), f'{name}: spawning does not end, the run does: exit code {code}')
            elif code == 0 and len(budgets_s) > 1 and has_few_samples(output):
                del budgets_s[0]
                os.remove(output)
            else:
                break
        else:
            continue
        check(code == 0, f'{name}: exit code {code}\n{out}{err}')
        with open(output, encoding='utf-8') as file:
            text = file.read()
        for part in ('rma:\n  progress: ', 'storage:\n  latency: ', 'read: ', 'write: ', 'metadata_time: ', '  storage.latency: ['):
            check(part in text, f'{name}: "{part}" in the file')
        if 'could not spawn' in text:
            check('mpisim-calibrate: warning: the library could not spawn 1 at once: ' in err, f'{name}: so says standard error: {err}')
        can_spawn = launcher == 'openmpi' and name == 'services'
        check(('spawn:\n  startup: ' in text) == can_spawn and ('# spawn: the library could not spawn 1 at once: ' in text) != can_spawn,
              f'{name}: what the file says of spawning\n{text}')
        check(not os.listdir(storage), f'{name}: leaves {os.listdir(storage)}')
        code, _, err = run_mpi.run([mpisim_run, '--quiet', '--vary-cluster', '--cluster', output, '-n', '2', simulated, '--help'], 60)
        check(code == 0, f'{name}: the file is valid: {err}')


def full_storage_is_refused(front, folder):
    full = os.path.join(folder, 'full')
    os.mkdir(full)
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', full], stderr=subprocess.DEVNULL, check=False).returncode:
        print('no root: a directory without room is left out')
        return
    try:
        code, _, err = run_mpi.run(front + ['-n', '2', program, '-o', os.path.join(folder, 'full.yaml'), '--storage', full], 60)
        check(code == 2 and err.count('MB free, wanted') == 1 and not os.listdir(full), f'no room: exit code {code}, {err}')
    finally:
        subprocess.run(['umount', full], check=True)


def wrong_arguments_are_refused(front, folder):
    """What was found and what was wanted, once, and nothing is measured or left behind."""
    for arguments, sentence in [([], 'nowhere to write to, wanted -o FILE'), (['-o', '/no/folder/x'], 'cannot write /no/folder/x: No such file'),
                                (['-o'], '-o needs a value; see mpisim-calibrate --help'), (['-o', 'y', '--plot'], '--plot needs a value'),
                                (['--budget', 'x', '-o', 'y'], "--budget: found 'x', wanted a time"),
                                (['--budget', '15x', '-o', 'y'], "--budget: unknown unit 'x' in '15x', wanted a time"),
                                (['--budget', 'nan', '-o', 'y'], "--budget: found 'nan', wanted a time"),
                                (['--budget', '-5', '-o', 'y'], "--budget: '-5' is negative, wanted a time"),
                                (['--budget', '0', '-o', 'y'], '--budget: found "0", wanted a time from 1s'),
                                (['--budget', '1e300', '-o', 'y'], '--budget: found "1e300", wanted a time from 1s to 1000000s'),
                                (['--budget=', '-o', 'y'], '--budget: found an empty value'), (['-o', ''], '--output: found an empty value'),
                                (['--window', '1us', '-o', 'y'], '--window: found "1us", wanted a time from 1ms to 10s'),
                                (['--max-size', '2G', '-o', 'y'], '--max-size: found "2G", wanted a size from 1K to 1G'),
                                (['--max-size', '-1K', '-o', 'y'], '--max-size: found "-1K", wanted a size'),
                                (['--tolerance', '2', '-o', 'y'], '--tolerance: found "2", wanted a fraction'),
                                (['--transfers', '1.5', '-o', 'y'], '--transfers: '), (['--transfers', '99', '-o', 'y'], '--transfers: '),
                                (['--cores', '-1', '-o', 'y'], '--cores: '), (['-o', 'y', 'z'], 'found "z", wanted options only'),
                                (['-o', 'y', '-o', 'z'], '--output: found it twice, wanted it once'), (['-o', 'y', '--quick', '--quick'], '--quick: found it twice'),
                                (['-o', 'y', '--bogus'], 'unknown option --bogus'), (['-o', 'y', '-z'], 'unknown option -z'),
                                (['-o', 'y', '--quick=3'], '--quick=3 takes no value'), (['-o', 'y', '--spawned'], 'unknown option --spawned'),
                                (['-o', 'y', '--samples', 'y'], 'cannot write y: it is the cluster file already'),
                                (['-o', '/dev/null'], 'cannot write /dev/null: found a device or pipe, wanted a regular file'),
                                (['-o', folder], f'cannot write {folder}: found a folder, wanted a regular file'),
                                (['-o', 'y', '--samples', '/dev/full'], 'cannot write /dev/full: found a device'),
                                (['--samples', 'y', '--plot', folder], '--plot: found no -o FILE, wanted one'),
                                (['-o', 'y', '--plot', '/no/such/folder'], 'cannot write /no/such/folder: No such file'),
                                (['-o', 'y', '--plot', '/dev/null'], 'cannot write /dev/null: found no folder, wanted one'),
                                (['-o', 'y', '--plot', '/proc'], 'cannot write /proc/mpisim: '),
                                (['--times', 'y', '--samples', 'y'], '--times: found --samples, too, wanted it alone'),
                                (['--times', 'y', '--max-size', '1K'], '--times: found --max-size, too, wanted it alone'),
                                (['-o', 'y', '--storage', '/no/folder'], 'cannot write /no/folder: No such file'),
                                (['-o', 'y', '--storage', '/dev/null'], 'cannot write /dev/null: Not a directory'), (['-o', 'y', '--storage', '/proc'], 'cannot write /proc: '),
                                (['-o', 'y', '--storage', ''], '--storage: found an empty value')]:
        arguments = [os.path.join(folder, word) if word in ('y', 'z') and arguments[-1] != 'z' else word for word in arguments]
        sentence = sentence.replace(' y:', f' {os.path.join(folder, "y")}:')
        code, _, err = run_mpi.run(front + ['-n', '2', program] + arguments, 60)
        check(code == 2 and err.count('mpisim-calibrate: ') == 1 and 'mpisim-calibrate: ' + sentence in err, f'{arguments}: exit code {code}, {err}')
    code, _, err = run_mpi.run(front + ['-n', '1', program, '-o', os.path.join(folder, 'y')], 60)
    check(code == 2 and 'found 1 rank, wanted 2 or more' in err, f'one rank: exit code {code}, {err}')
    left = [name for name in os.listdir(folder) if name[0] in 'yz']
    check(not left, f'wrong arguments leave no file: {left}')


def ranks_of(output):
    """Process ids of the calibration that writes that file."""
    found = []
    for entry in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{entry}/cmdline', 'rb') as file, open(f'/proc/{entry}/comm', 'rb') as name:
                words = [] if name.read() == b'mpisim-watcher\n' else file.read().split(b'\0')
        except OSError:
            continue
        if words and words[0] == program.encode() and output.encode() in words:
            found.append(int(entry))
    return found


def end_early(front, folder, name, act, after_s=1.0, storage=None, budget=600):
    """Starts a long calibration, lets `act` disturb it after a while; it must end and leave no half file.

    With a directory `storage` that moment is when it has a file there that has a name: for a fortieth of the budget. A short calibration
    may have ended before, or have written its file: then a longer one is disturbed.
    """
    output = os.path.join(folder, name + '.yaml')
    arguments = ['--budget', str(budget) + 's', '--plot', os.path.join(folder, name + '.plots')] + (['--tolerance', '1e-6', '--max-size', '4K', '--storage', storage] if storage else [])
    with open(os.path.join(folder, name + '.err'), 'w+b') as err:
        process = subprocess.Popen(front + ['-n', '2', program, '-o', output] + arguments, stdin=subprocess.DEVNULL,
                                   stdout=err, stderr=err, start_new_session=True,
                                   env={**os.environ, **run_mpi.REAL_ENVIRONMENT, 'TMPDIR': folder})
        for _ in range(300):
            if len(ranks_of(output)) == 2:
                break
            time.sleep(0.1)
        time.sleep(after_s)
        end = time.monotonic() + 2 * budget + 20
        while storage and process.poll() is None and not os.listdir(storage) and time.monotonic() < end:
            time.sleep(0.005)
        is_disturbed = process.poll() is None and len(ranks_of(output)) == 2
        if is_disturbed:
            with contextlib.suppress(ProcessLookupError):
                act(process, output)
        try:
            code = process.wait(60)
        except subprocess.TimeoutExpired:
            code = None
            run_mpi.stop(process)
        err.seek(0)
        text = err.read().decode(errors='replace')
    if budget < 100 and (not is_disturbed or os.path.exists(output)):
        for file in (output, os.path.join(folder, name + '.plots')):
            subprocess.run(['rm', '-rf', file], check=True)
        end_early(front, folder, name, act, after_s, storage, 2 * budget)
        return
    # An interrupted launcher does not always say so in its exit code.
    check(is_disturbed and code is not None and (code or name.startswith('interrupted')), f'{name}: ends with an error: exit code {code}')
    said = [line for line in text.splitlines() if line.strip() and not line.endswith(' s left')]
    check(said or name.startswith('interrupted'), f'{name}: with a message')
    left = [f for f in os.listdir(folder) if f.startswith(name) and not f.endswith('.err')]
    check(not left, f'{name}: leaves no file: {left}')
    end = time.monotonic() + 60  # what removes it outlives its rank, which the launcher need not wait for
    while storage and os.listdir(storage) and time.monotonic() < end:
        time.sleep(0.05)
    check(not storage or not os.listdir(storage), f'{name}: nothing is left on the storage: {os.listdir(storage) if storage else 0}')


def parent_of(process):
    with open(f'/proc/{process}/stat', encoding='utf-8', errors='replace') as file:
        return int(file.read().rpartition(')')[2].split()[1])


def kill_launcher(process, output):
    """With all that it started to start the ranks: nobody is left to end them."""
    ranks = ranks_of(output)
    for victim in {parent_of(rank) for rank in ranks} | {process.pid}:
        os.kill(victim, signal.SIGKILL)
    end = time.monotonic() + 30
    while ranks_of(output) and time.monotonic() < end:
        time.sleep(0.1)
    left = ranks_of(output)
    check(len(ranks) == 2 and not left, f'ranks end when their launcher is killed: {left} of {ranks} are left')
    for rank in left:
        os.kill(rank, signal.SIGKILL)


def end_at_random(front, folder, noise, number):
    """Terminates the launcher, or some rank by some signal, in any phase. A launcher that is killed cannot end its ranks."""
    if noise.random() < 0.5:
        end_early(front, folder, f'interrupted-{number}', lambda process, _: process.send_signal(signal.SIGTERM), noise.uniform(0, 7), budget=8)
        return
    which = noise.choice([signal.SIGTERM, signal.SIGKILL])
    end_early(front, folder, f'died-{number}', lambda _, output: os.kill(noise.choice(sorted(ranks_of(output))), which), noise.uniform(0, 7), budget=8)


def main():
    front = run_mpi.launcher_command(Launcher)
    if front is None:
        return run_mpi.SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        writes_a_valid_file(front, folder)
        ends_without_finalize(front, folder)
        wrong_arguments_are_refused(front, folder)
        bad_situations_are_said(front, folder)
        probes_between_nodes_end(front, folder)
        end_early(front, folder, 'interrupted', lambda process, _: process.send_signal(signal.SIGINT))
        services_are_probed(front, folder)
        full_storage_is_refused(front, folder)
        storage = os.path.join(folder, 'storage')
        end_early(front, folder, 'interrupted-storage', lambda process, _: process.send_signal(signal.SIGTERM), storage=storage, budget=8)
        end_early(front, folder, 'died-storage', lambda _, output: os.kill(min(ranks_of(output)), signal.SIGKILL), storage=storage, budget=8)
        end_early(front, folder, 'interrupted-launcher', kill_launcher)
        noise = random.Random(SEED)
        for k in range(4):
            end_at_random(front, folder, noise, k)
        end_early(front, folder, 'died', lambda _, output: os.kill(max(ranks_of(output)), signal.SIGKILL))
    print(f'seed {SEED}, {len(failures)} failures')
    return bool(failures)


if __name__ == '__main__':
    sys.exit(main())
