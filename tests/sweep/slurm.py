#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-sweep --engine slurm against a real slurmctld and slurmd, started here on one node without systemd.

usage: slurm.py BIN_DIR SOURCE_DIR
Exits with 77 where Slurm is not installed or the caller is not root.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from common import Base, call

Base.bin = pathlib.Path(sys.argv.pop(1)).resolve()
Base.source = pathlib.Path(sys.argv.pop(1)).resolve()
WANTED = ["slurmctld", "slurmd", "munged", "sbatch", "squeue", "scancel", "sinfo"]
CONFIGURATION = """ClusterName=sweeptest
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={home}/munge/socket
CredType=cred/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=5
ReturnToService=2
KillWait=2
MinJobAge=10
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    missing = [name for name in WANTED if not find(name)]
    if missing:
        return "not installed: " + ", ".join(missing)
    return "root is needed to start slurmd" if os.geteuid() != 0 else None


def find(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """One node. munged gets a key and a socket of its own, so that one that runs here is left alone."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="mpisim-slurm-"))
        self.processes = []

    def start(self):
        for name in ("state", "spool", "munge"):
            (self.home / name).mkdir(mode=0o700 if name == "munge" else 0o755)
        (self.home / "munge" / "key").write_bytes(os.urandom(64))
        os.chmod(self.home / "munge" / "key", 0o600)
        host = socket.gethostname().split(".")[0]
        os.environ["SLURM_CONF"] = str(self.home / "slurm.conf")
        pathlib.Path(os.environ["SLURM_CONF"]).write_text(
            CONFIGURATION.format(host=host, home=self.home, ports=free_ports(2), cpus=os.cpu_count()))
        munge = self.home / "munge"
        self.spawn("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                   f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.wait_until(lambda: (munge / "socket").exists())
        self.spawn("slurmctld", "-D")
        self.spawn("slurmd", "-D")
        self.wait_until(lambda: call("sinfo", "-h", "-o", "%t").stdout.strip() == "idle")

    def spawn(self, name, *words):
        with open(self.home / f"{name}.out", "w", encoding="utf-8") as out:
            self.processes.append(subprocess.Popen([find(name), *words], stdout=out, stderr=subprocess.STDOUT))

    def wait_until(self, condition):
        until = time.monotonic() + 60
        while not condition():
            if time.monotonic() > until or any(process.poll() is not None for process in self.processes):
                logs = "".join(path.read_text() for path in self.home.glob("*.out"))
                raise RuntimeError("Slurm did not start: " + logs[-2000:])
            time.sleep(0.1)

    def stop(self):
        # What a failed test left: the daemon of a running job does not end with slurmd.
        call("scancel", "--user=root")
        until = time.monotonic() + 20
        while call("squeue", "-h").stdout.strip() and time.monotonic() < until:
            time.sleep(0.2)
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            process.wait(timeout=30)
        shutil.rmtree(self.home, ignore_errors=True)


class Slurm(Base):
    def grid(self, n, how="fine"):
        self.write(f"arguments: log {{a}} {{a * 0.001}} {how}\nrun: {{n: 2, compute: modelled}}\n"
                   f"parameters: {{a: {{from: 1, to: {n}}}}}\n")

    def wait_for(self, condition):
        until = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)

    def start(self):
        return subprocess.Popen([self.bin / "mpisim-sweep", "run", "--engine", "slurm", "--tasks", "3", "s.yaml"], cwd=self.dir,
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_array_gives_what_processes_here_give(self):
        self.grid(7)
        self.run_sweep("--engine", "slurm", "--tasks", "3")
        rows = self.rows()
        self.assertEqual({row["engine"] for row in rows}, {"slurm"})
        self.assertEqual(sorted(self.logged()), sorted(str(i) for i in range(1, 8)))
        self.assertFalse((self.dir / "s.db.jobs").exists())
        self.same_as_here()

    def same_as_here(self):
        self.run_sweep("-o", "here.db")
        for one, other in zip(self.rows(), self.rows(db="here.db"), strict=True):
            for key in one:
                if key not in ("host_s", "engine"):
                    self.assertEqual(one[key], other[key], key)

    def test_arrays_replay_traces(self):
        recorded = call(self.bin / "mpisim-run", "--cluster", "cluster.yaml", "-n", 2, "--quiet", "--record", "run.mtrace", "./point",
                        "log", "x", "0.001", cwd=self.dir)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        (self.dir / "s.yaml").write_text("mpisim_sweep: 1\ntrace: run.mtrace\nset: {network.latency: '{latency}'}\n"
                                         "parameters: {latency: [1us, 10us, 1ms]}\n")
        self.run_sweep("--engine", "slurm", "--tasks", "2")
        self.assertEqual([(row["engine"], row["state"]) for row in self.rows()], [("slurm", "done")] * 3)
        self.same_as_here()

    def test_failed_points_are_kept(self):
        self.grid(2, "deadlock")
        self.run_sweep("--engine", "slurm", status=1)
        self.assertIn("deadlock: ", self.rows()[0]["error"])

    def test_killed_sweep_finds_its_array_again(self):
        self.grid(6, "slow=1")
        sweep = self.start()
        self.wait_for(lambda: len(self.logged()) >= 1)
        sweep.kill()
        sweep.communicate()
        # The tasks go on without it.
        self.run_sweep("--engine", "slurm", "--tasks", "3")
        self.assertEqual(sorted(self.logged()), [str(i) for i in range(1, 7)])
        self.assertEqual([row["state"] for row in self.rows()], ["done"] * 6)
        self.assertFalse((self.dir / "s.db.jobs").exists())

    def test_interrupt_leaves_the_array_at_work(self):
        self.grid(4, "slow=1")
        sweep = self.start()
        self.wait_for(lambda: len(self.logged()) >= 1)
        sweep.send_signal(signal.SIGINT)
        self.assertIn("the same command goes on", sweep.communicate()[1])
        self.assertEqual(sweep.returncode, 130)
        self.run_sweep("--engine", "slurm")
        self.assertEqual(sorted(self.logged()), ["1", "2", "3", "4"])

    def test_cancelled_tasks_are_said_and_run_again(self):
        self.grid(3, "slow=2")
        sweep = self.start()
        self.wait_for(lambda: len(self.logged()) >= 1)
        name = call("squeue", "-h", "-o", "%j").stdout.split()[0]
        self.assertEqual(call("scancel", "--name", name).returncode, 0)
        err = sweep.communicate()[1]
        self.assertEqual(sweep.returncode, 2)
        self.assertRegex(err, r"found \d points without a result: Slurm ended their tasks early")
        self.run_sweep("--engine", "slurm")
        self.assertEqual([row["state"] for row in self.rows()], ["done"] * 3)

    def test_refused_submission_leaves_nothing(self):
        self.grid(2)
        self.refused("sbatch failed: ", "run", "--engine", "slurm", "--sbatch", "--partition=none", "s.yaml")
        self.assertFalse((self.dir / "s.db.jobs").exists())
        self.assertEqual(self.logged(), [])

    def test_missing_slurm_is_said(self):
        self.grid(2)
        done = self.sweep("run", "--engine", "slurm", "s.yaml", env={"PATH": str(self.dir)})
        self.assertEqual(done.returncode, 2)
        self.assertIn("found no sbatch", done.stderr)


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    cluster = Cluster()
    try:
        cluster.start()
        result = unittest.main(exit=False).result
    finally:
        cluster.stop()
    sys.exit(not result.wasSuccessful())
