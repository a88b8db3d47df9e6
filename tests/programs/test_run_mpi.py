# SPDX-License-Identifier: BSD-3-Clause
"""What run_mpi.py does with launchers that hang: these here are scripts that do as some real ones did."""
import os
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import run_mpi

run_mpi.GRACE_S = 0.2
TIMEOUT_S = 0.5


class Hanging(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='run-mpi-')
        self.addCleanup(self.folder.cleanup)

    def launcher(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\ncd "$(dirname "$0")"\n' + text)
        os.chmod(path, 0o755)
        return [path]

    def lines(self, name):
        with open(os.path.join(self.folder.name, name), encoding='utf-8') as file:
            return file.read().split()

    def test_rank_that_outlives_its_launcher_is_ended(self):
        command = self.launcher('front', 'trap "" TERM\nsleep 1000 & echo $! > child\necho said\nwait\n')
        self.assertEqual(run_mpi.run(command, TIMEOUT_S), (None, 'said\n', ''))
        child = int(self.lines('child')[0])
        for _ in range(500):  # until its new parent collects it
            try:
                os.kill(child, 0)
            except ProcessLookupError:
                return
            with open(f'/proc/{child}/stat', encoding='utf-8') as file:
                if ') Z ' in file.read():
                    return
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        self.fail('a rank is left')

    def test_run_that_ends_does_not_wait_for_what_it_leaves(self):
        command = self.launcher('front', 'sleep 5 &\necho said\nexit 3\n')
        self.assertEqual(run_mpi.run(command, 4), (3, 'said\n', ''))

    def test_real_mpi_that_hangs_once_has_a_second_chance(self):
        command = self.launcher('mpirun.some', 'echo x >> calls\n[ $(wc -l < calls) = 2 ] || sleep 1000\necho done\n')
        self.assertEqual(run_mpi.run(command, TIMEOUT_S * 4), (0, 'done\n', ''))
        self.assertEqual(self.lines('calls'), ['x', 'x'])

    def test_real_mpi_that_hangs_twice_has_failed(self):
        command = self.launcher('mpirun.some', 'echo x >> calls\nsleep 1000\n')
        self.assertEqual(run_mpi.run(command, TIMEOUT_S)[0], None)
        self.assertEqual(self.lines('calls'), ['x', 'x'])

    def test_simulator_and_wrong_results_have_none(self):
        command = self.launcher('mpisim-run', 'echo x >> calls\nsleep 1000\n')
        self.assertEqual(run_mpi.run(command, TIMEOUT_S)[0], None)
        self.assertEqual(self.lines('calls'), ['x'])
        command = self.launcher('mpirun.some', 'echo x >> failures\nexit 1\n')
        self.assertEqual(run_mpi.run(command, 60)[0], 1)
        self.assertEqual(self.lines('failures'), ['x'])


if __name__ == '__main__':
    unittest.main()
