# SPDX-License-Identifier: BSD-3-Clause
"""What ./demo and ./check stand on: setup/configure, setup/install, setup/count-tests. On small projects.

usage: test_setup.py SOURCE_ROOT
"""
import os
import subprocess
import sys
import tempfile
import unittest

SETUP = os.path.join(os.path.abspath(sys.argv.pop(1)), 'setup')


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='mpisim-setup-')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def call(self, name, *words, **environment):
        return subprocess.run([os.path.join(SETUP, name), *words], cwd=self.folder, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False, env={**os.environ, **environment})


class Configure(Base):
    def setUp(self):
        super().setUp()
        self.write('meson.build', "project('p')\n")
        self.write('meson_options.txt', "option('which', type: 'string', value: 'none')\n")

    def configures(self, *options):
        done = self.call('configure', 'b', *options)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(subprocess.run(['ninja', '-C', self.path('b')], check=False, capture_output=True).returncode, 0)

    def test_folder_is_configured_with_the_options_once(self):
        self.configures('-Dwhich=one')
        with open(self.path('b/meson-private/cmd_line.txt'), encoding='utf-8') as file:
            self.assertIn('which = one', file.read())
        before = os.stat(self.path('b/build.ninja')).st_mtime_ns
        self.configures('-Dwhich=one')
        self.assertEqual(os.stat(self.path('b/build.ninja')).st_mtime_ns, before)

    def test_folder_of_an_interrupted_meson_is_configured_again(self):
        for missing in ('build.ninja', 'meson-info/meson-info.json', 'meson-private/coredata.dat'):
            with self.subTest(missing):
                self.configures()
                os.remove(self.path('b/build.ninja' if 'coredata' in missing else 'b/' + missing))
                if os.path.exists(self.path('b/' + missing)):
                    os.truncate(self.path('b/' + missing), 0)
                self.configures()

    def test_what_meson_complains_of_is_shown(self):
        self.write('meson.build', "project('p')\nerror('no such thing')\n")
        done = self.call('configure', 'b')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('no such thing', done.stderr)
        self.write('meson.build', "project('p')\n")
        self.configures()


class CountTests(Base):
    def counted(self, logs, line, code):
        for name, results in logs.items():
            os.makedirs(self.path(name))
            if results is not None:
                self.write(name + '/meson-logs/testlog.json', ''.join(f'{{"result": "{r}"}}\n' for r in results))
        done = self.call('count-tests', *logs)
        self.assertEqual((done.stdout.splitlines()[-1], done.returncode), (line, code), done)

    def test_logs_are_added_up(self):
        self.counted({'a': ['OK', 'OK', 'EXPECTEDFAIL'], 'b': ['OK']}, '4 passed, 0 failed', 0)

    def test_skipped_tests_are_said(self):
        self.counted({'a': ['OK', 'SKIP', 'SKIP']}, '1 passed, 0 failed, 2 skipped', 0)

    def test_whatever_else_happened_is_a_failure(self):
        self.counted({'a': ['OK', 'FAIL', 'TIMEOUT', 'ERROR', 'UNEXPECTEDPASS', 'INTERRUPT']}, '1 passed, 5 failed', 1)

    def test_folder_without_log_is_a_failure(self):
        self.counted({'a': ['OK'], 'b': None}, '1 passed, 1 failed', 1)

    def test_nothing_passed_is_no_success(self):
        self.counted({'a': []}, '0 passed, 0 failed', 1)


class Install(Base):
    """With a package manager of our own: `installed` lists what is there."""

    def setUp(self):
        super().setUp()
        self.write('bin/dpkg-query', '#!/bin/sh\ngrep -qx "$4" installed && echo "install ok installed"\n', 0o755)
        self.write('bin/apt-get', '#!/bin/sh\nfor a; do echo "$a" >> asked; done\nexit "${APT_FAILS:-0}"\n', 0o755)
        self.write('bin/id', '#!/bin/sh\necho 0\n', 0o755)
        with open(os.path.join(SETUP, 'packages.txt'), encoding='utf-8') as file:
            self.packages = [line.split()[0] for line in file if line.strip() and not line.startswith('#')]

    def install(self, installed, **environment):
        self.write('installed', '\n'.join(installed) + '\n')
        self.write('asked', '')
        done = self.call('install', PATH=self.path('bin') + ':' + os.environ['PATH'], **environment)
        with open(self.path('asked'), encoding='utf-8') as file:
            return done, file.read().split()

    def test_nothing_is_asked_for_when_all_is_there(self):
        done, asked = self.install(self.packages)
        self.assertEqual((done.returncode, asked), (0, []))

    def test_what_is_missing_is_installed(self):
        done, asked = self.install(self.packages[:-2])
        self.assertEqual(done.returncode, 0)
        self.assertEqual([word for word in asked if word in self.packages], self.packages[-2:])

    def test_failure_is_told(self):
        self.assertNotEqual(self.install([], APT_FAILS='100')[0].returncode, 0)


if __name__ == '__main__':
    unittest.main()
