#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs under a real MPI on this machine, recorded and replayed: what is in the trace, and that its prediction is sane.

usage: check_trace.py openmpi|mpich LIBRARY MPISIM_REPLAY CLUSTER CALLS WINDOW JACOBI PINGPONG LU VALIDATE

Exit code 77: this machine has no such launcher.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'programs'))
import run_mpi  # noqa: E402  (the folder above)

launcher, library, replay, cluster, calls, window, jacobi, pingpong, lu, validate = sys.argv[1:]


class Launcher:
    """What run_mpi wants to know."""
    launcher = sys.argv[1]


front = run_mpi.launcher_command(Launcher)
if front is None:
    print(f'skipped: no mpirun.{launcher} here')
    sys.exit(run_mpi.SKIPPED)


def record(n, command, trace, **more):
    settings = {'LD_PRELOAD': os.path.abspath(library), 'MPISIM_TRACE': trace, **more}
    return run_mpi.run(front + ['-n', str(n), 'env'] + [f'{k}={v}' for k, v in settings.items()] + command, 60)


def predict(trace):
    done = call(replay, '--quiet', '--json', '-', '--cluster', cluster, trace)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else {}, done.stderr


def replays(folder, name, n, command, low_s, high_s, **more):
    trace = os.path.join(folder, name + '.mtrace')
    code, out, err = record(n, command, trace, **more)
    check(code == 0 and 'mpisim-trace' not in err, f'{name} runs: exit code {code}\n{err}')
    code, result, err = predict(trace)
    time_s = result.get('predicted_time_s', -1)
    check(code == 0 and low_s < time_s < high_s, f'{name}: predicted {time_s} s, wanted {low_s} to {high_s}; {err}')
    return result


def compares(folder):
    """lu's trace against its own prediction: every call is in both as often; times are only there."""
    trace, prediction = folder + '/lu.mtrace', folder + '/lu.json'
    with open(prediction, 'w', encoding='utf-8') as file:
        json.dump(predict(trace)[1], file)
    done = call(validate, '--phases', trace, prediction)
    rows = {row[1].strip(): row[2:] for row in (line.split('|') for line in done.stdout.splitlines()) if len(row) > 5}
    calls = {name: row for name, row in rows.items() if name.startswith('MPI_')}
    check(done.returncode == 0 and '(computing)' in rows, f'a trace is compared with its prediction: {done.stderr}')
    check(len(calls) > 5 and all(int(row[0]) == int(row[1]) > 0 for row in calls.values()), f'calls are in both as often: {calls}')
    check(done.stderr == '', f'nothing is in one of both only: {done.stderr}')
    # The trace's seconds of CPU are what the replay charges; that two ranks share a core is another row, so the totals are whole.
    # A step that is cut elsewhere is not told as one that is missing.
    check([cell.strip() for cell in rows['(computing)'][:2]] == ['-', '-'], f'computation is not counted: {rows["(computing)"]}')
    computing = [float(cell) for cell in rows['(computing)'][2:4]]
    check(abs(computing[1] / computing[0] - 1) < 1e-3, f'computation is compared in seconds of CPU: {computing}')
    with open(prediction, encoding='utf-8') as file:
        ranks = json.load(file)['ranks']
    for k, wanted in ((2, None), (3, sum(rank['end_s'] for rank in ranks))):
        parts = [float(row[k]) for name, row in rows.items() if name.startswith(('MPI_', '(')) and name not in ('MPI_Init', 'MPI_Finalize')]
        total = float(rows['total but for MPI_Init, MPI_Finalize'][k])
        check(abs(sum(parts) / total - 1) < 1e-3 and (not wanted or abs(total / wanted - 1) < 1e-2), f'the total is of all rows: {parts} {total} {wanted}')
    other = call(validate, '--phases', folder + '/jacobi.mtrace', prediction)
    check(other.returncode == 2 and 'jacobi.mtrace: found 3 ranks, wanted the 4 that ' in other.stderr, f'a trace of other ranks is refused: {other.stderr}')


def partly(folder):
    """Mistakes of who starts a run: the recorder on some ranks only, and behind another tool."""
    trace = os.path.join(folder, 'partly.mtrace')
    settings = ['env', 'LD_PRELOAD=' + os.path.abspath(library), 'MPISIM_TRACE=' + trace]
    _, _, err = run_mpi.run_once(front + ['-n', '1', *settings, pingpong, ':', '-n', '1', pingpong], 20, {})
    check('rank 0 and maybe others wait in MPI_Init for recorders of other ranks' in err, f'a rank without recorder is told, not only waited for: {err}')
    tool = os.path.join(folder, 'tool.so')
    subprocess.run(['mpicc.' + launcher, '-shared', '-fPIC', '-o', tool, '-x', 'c', '-'], check=True, text=True,
                   input='#include <mpi.h>\nint MPI_Init(int *c, char ***v) { return PMPI_Init(c, v); }\n')
    code, _, err = record(2, [pingpong], trace, LD_PRELOAD=tool + ':' + os.path.abspath(library))
    check(code == 0 and 'MPI_Init passed the recorder by' in err and not os.path.exists(trace), f'a recorder that is passed by says so: {code} {err}')


def elsewhere(folder):
    """A program that changes its directory leaves the trace where it was begun."""
    program, begun, other = (os.path.join(folder, name) for name in ('elsewhere', 'begun', 'other'))
    os.mkdir(begun), os.mkdir(other)
    subprocess.run(['mpicc.' + launcher, '-o', program, '-x', 'c', '-'], check=True, text=True, input='#include <mpi.h>\n#include <unistd.h>\n'
                   'int main(int n, char **v) { MPI_Init(&n, &v); if (chdir(v[1])) return 1; MPI_Finalize(); return 0; }\n')
    code, _, err = record(2, ['sh', '-c', f'cd {begun} && exec {program} {other}'], 'here.mtrace')
    check(code == 0 and (os.listdir(begun), os.listdir(other)) == (['here.mtrace'], []), f'the trace is where the run began: {code} {err} {os.listdir(other)}')


def hopeless(folder, trace):
    """What would leave no trace is told in MPI_Init, not after a long run."""
    for path, more, wanted in ((folder + '/nowhere/x.mtrace', {}, f'rank 0 cannot write {folder}/nowhere/x.mtrace: No such file'),
                               (folder, {}, f'rank 0 cannot write {folder}: found a folder'), (trace, {'TMPDIR': '/no/folder'}, 'cannot write'),
                               (trace, {'MPISIM_TRACE_CLOCK': 'sun'}, 'found MPISIM_TRACE_CLOCK=sun, wanted cpu or wall')):
        code, out, err = record(2, [pingpong], path, **more)
        check(code == 1 and 'mpisim-trace: no trace in ' in err and wanted in err and out == '' and not os.path.exists(trace),
              f'{wanted} is told before the run: {code} {out} {err}')
    record(2, [pingpong], trace)
    left = [name for name in os.listdir(folder) if name.startswith('no.')]
    check(left == ['no.mtrace'], f'looking whether it can be written leaves nothing behind: {left}')
    os.unlink(trace)


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # 46.1 MB cross a 1 Gbit/s link one after the other: at least 0.37 s.
        replays(folder, 'pingpong', 2, [pingpong], 0.37, 2)
        # 50 iterations, none shorter than a message of 25 us: 1.25 ms.
        replays(folder, 'jacobi', 3, [jacobi, '--n', '50', '--iterations', '50', '--tolerance', '0'], 1.25e-3, 1)
        replays(folder, 'lu', 4, [lu, '--n', '128', '--r', '32'], 1e-3, 5)
        compares(folder)
        partly(folder)
        replays(folder, 'calls', 4, [calls], 1e-4, 1)
        replays(folder, 'calls wall', 4, [calls], 1e-4, 1, MPISIM_TRACE_CLOCK='wall')

        trace = os.path.join(folder, 'no.mtrace')
        replayed = replays(folder, 'window', 3, [window], 1e-4, 1)
        count = {call['name']: call['count'] for call in replayed.get('calls', [])}
        check(count.get('MPI_Put') == 6 and count.get('MPI_Win_lock') == 3 and count.get('MPI_Fetch_and_op') == 3, f'one-sided calls are replayed: {count}')
        check(launcher != 'mpich' or count.get('MPI_Pready') == 12, f'partitions are replayed: {count}')
        replayed = replays(folder, 'file', 3, [window, 'file', folder + '/written'], 1e-6, 20)
        count = {call['name']: call['count'] for call in replayed.get('calls', [])}
        taken = {kernel['name']: kernel['time_s'] for kernel in replayed.get('kernels', [])}
        files = ('MPI_File_open', 'MPI_File_write_at_all', 'MPI_File_iwrite_at', 'MPI_File_close', 'MPI_File_delete')
        check(all(count.get(name) == 3 and taken.get(name, 0) > 0 for name in files), f'calls for files take what they took: {count} {taken}')
        check('used files in a real run 15 times' in ' '.join(replayed.get('warnings', [])), f'and it is said: {replayed.get("warnings")}')
        code, _, err = record(2, [window, 'generalized'], trace)
        check(code == 0 and 'called MPI_Grequest_start, which has no description' in err and not os.path.exists(trace),
              f'a call without description: the run goes on, the trace is refused by name: {code} {err}')
        code, _, err = record(3, [calls, 'die'], trace)
        check(code != 0 and not [f for f in os.listdir(folder) if f.startswith('no.')], 'a killed run leaves no file')
        other = library.replace(launcher, {'openmpi': 'mpich', 'mpich': 'openmpi'}[launcher])
        if os.path.exists(other):
            code, _, err = record(2, [pingpong], trace, LD_PRELOAD=os.path.abspath(other))
            check(code != 0 and 'preload the recorder for that library' in err and not os.path.exists(trace), f'the other recorder is told: {code} {err}')
        hopeless(folder, trace)
        elsewhere(folder)
    print(f'{len(failures)} failures')
    return bool(failures)


sys.exit(main())
