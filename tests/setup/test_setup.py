# SPDX-License-Identifier: BSD-3-Clause
"""What ./demo and ./check stand on: setup/configure, setup/install, setup/count-tests. On small projects; ./check itself with tools
of our own.

usage: test_setup.py SOURCE_ROOT
"""
import os
import shutil
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

    def test_folder_is_configured_again_when_packages_came(self):
        self.write('bin/dpkg-query', '#!/bin/sh\necho "gcc install ok installed"; cat more; exit 1\n', 0o755)
        self.write('more', 'gfortran unknown ok not-installed\n')
        path = self.path('bin') + ':' + os.environ['PATH']
        self.assertEqual(self.call('configure', 'b', '-Dwhich=one', PATH=path).returncode, 0)
        self.assertEqual(self.call('configure', 'b', '-Dwhich=two', PATH=path).returncode, 0)
        self.write('more', 'gfortran install ok installed\n')
        self.write('meson.build', "project('p')\nmessage('which is ' + get_option('which'))\n")
        self.assertEqual(self.call('configure', 'b', '-Dwhich=three', PATH=path).returncode, 0)
        with open(self.path('b/setup.txt'), encoding='utf-8') as file:
            self.assertIn('which is three', file.read())

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


class Demo(Base):
    """./demo beside scripts and a simulator of our own, which writes the page as mpisim-run does."""

    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(os.path.dirname(SETUP), 'demo'), self.path('demo'))
        for name in ('setup/install', 'setup/configure', 'bin/ninja'):
            self.write(name, '#!/bin/sh\n', 0o755)
        self.write('build/bin/mpisim-run', '#!/bin/sh\nwhile [ $# -gt 1 ]; do if [ "$1" = --html ]; then touch "$2"; fi; shift; done\n', 0o755)

    def test_it_may_be_called_again(self):
        for _ in range(2):
            done = subprocess.run([self.path('demo')], stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False,
                                  env={**os.environ, 'PATH': self.path('bin') + ':' + os.environ['PATH']})
            self.assertEqual(done.returncode, 0, done)
            self.assertIn('build/demo.html', done.stdout)
            self.assertTrue(os.path.exists(self.path('build/demo.html')))


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
        self.write('bin/dpkg-query', '#!/bin/sh\nsed "/./s/$/ install ok installed/" installed\n', 0o755)
        self.write('bin/apt-get', '#!/bin/sh\nfor a; do echo "$a" >> asked; done\nexit "${APT_FAILS:-0}"\n', 0o755)
        self.write('bin/id', '#!/bin/sh\necho 0\n', 0o755)
        with open(os.path.join(SETUP, 'packages.txt'), encoding='utf-8') as file:
            self.levels = {line.split()[0]: line.split()[1] for line in file if line.strip() and not line.startswith('#')}
        self.packages = list(self.levels)

    def install(self, installed, *level, **environment):
        self.write('installed', '\n'.join(installed) + '\n')
        self.write('asked', '')
        done = self.call('install', *(level or ['all']), PATH=self.path('bin') + ':' + os.environ['PATH'], **environment)
        with open(self.path('asked'), encoding='utf-8') as file:
            return done, file.read().split()

    def test_nothing_is_asked_for_when_all_is_there(self):
        done, asked = self.install(self.packages)
        self.assertEqual((done.returncode, asked), (0, []))

    def test_what_is_missing_is_installed(self):
        done, asked = self.install(self.packages[:-2])
        self.assertEqual(done.returncode, 0)
        self.assertEqual([word for word in asked if word in self.packages], self.packages[-2:])

    def test_levels_contain_each_other(self):
        self.assertEqual(set(self.levels.values()), {'use', 'check', 'all'})
        wanted = []
        for level in ('use', 'check', 'all'):
            wanted += [name for name in self.packages if self.levels[name] == level]
            done, asked = self.install([], level)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(sorted(word for word in asked if word in self.packages), sorted(wanted))

    def test_users_get_no_browser_no_batch_system_no_cross_compiler(self):
        for name in ('chromium', 'slurmd', 'gcc-aarch64-linux-gnu', 'qemu-user', 'openmpi-bin', 'mpich'):
            self.assertEqual(self.levels[name], 'all')

    def test_unknown_level_is_refused(self):
        for words in ([], ['most']):
            done = self.call('install', *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn('wanted setup/install use, check or all', done.stderr)

    def test_failure_is_told(self):
        self.assertNotEqual(self.install([], APT_FAILS='100')[0].returncode, 0)


class Check(Base):
    """A copy of ./check beside scripts of our own that note what they were told."""

    def setUp(self):
        super().setUp()
        with open(os.path.join(SETUP, '..', 'check'), encoding='utf-8') as file:
            self.write('check', file.read(), 0o755)
        for name in ('setup/install', 'setup/configure', 'bin/ninja', 'bin/meson'):
            self.write(name, '#!/bin/sh\necho "${0##*/} $*" >> told\n', 0o755)
        with open(os.path.join(SETUP, 'count-tests'), encoding='utf-8') as file:
            self.write('setup/count-tests', file.read(), 0o755)

    def check(self, *words):
        done = subprocess.run([self.path('check'), *words], env={**os.environ, 'PATH': self.path('bin') + ':' + os.environ['PATH']},
                              capture_output=True, text=True, check=False)
        told = []
        if os.path.exists(self.path('told')):
            with open(self.path('told'), encoding='utf-8') as file:
                told = file.read().splitlines()
            os.remove(self.path('told'))
        return done, told

    def test_quick_one_builds_once_and_leaves_out_what_is_thorough(self):
        done, told = self.check()
        self.assertEqual(told[:2], ['install check', 'configure build'])
        self.assertEqual([line for line in told if line.startswith('meson test')],
                         ['meson test -C build --no-suite=thorough --print-errorlogs --no-rebuild --timeout-multiplier 4'])
        self.assertEqual(done.stdout.splitlines()[-1], '0 passed, 1 failed') # there is no log

    def test_all_builds_twice_and_leaves_out_nothing(self):
        done, told = self.check('--all')
        self.assertEqual([line for line in told if not line.startswith('ninja')],
                         ['install all', 'configure build', 'meson test -C build --print-errorlogs --no-rebuild --timeout-multiplier 4',
                          'configure build-sanitize -Db_sanitize=address,undefined -Db_lundef=false',
                          'meson test -C build-sanitize --print-errorlogs --no-rebuild --timeout-multiplier 4'])
        self.assertEqual(done.stdout.splitlines()[-1], '0 passed, 2 failed')

    def test_another_word_is_refused(self):
        done, told = self.check('--everything')
        self.assertEqual((done.returncode, told), (2, []))
        self.assertIn('wanted ./check or ./check --all', done.stderr)


if __name__ == '__main__':
    unittest.main()
