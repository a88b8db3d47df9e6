#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpisim-calibrate-fit --fit: times of a known cluster, in each form that others have them in, give a file that predicts other operations.

usage: check_times.py MPISIM_RUN BENCHMARK FIT
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import call, check, failures  # noqa: E402  (the folder above)

run, benchmark, fit = sys.argv[1:4]
SIZES = (1, 16, 256, 4096, 16384, 65536, 1 << 20, 1 << 22)
COLLECTIVE = (16, 4096, 65536)
# an InfiniBand as large messages and small ones have it, and a library that copies eager messages
KNOWN = """mpisim_cluster: 1
nodes: 4
network: {latency: 0.9us, bandwidth: 12.1 GB/s}
protocol: {overhead: {send: 0.25us, recv: 0.35us}, eager_threshold: 16384}
"""


def times(cluster, tests, folder):
    """{(operation, bytes, ranks): seconds} on that cluster."""
    path = folder / "tests.txt"
    path.write_text("".join(f"{name} {size} {ranks}\n" for name, size, ranks in tests), encoding="utf-8")
    done = subprocess.run([run, "--quiet", "--deterministic", "--compute", "modelled", "--no-alloc", "--cluster", cluster, "-n", "4", benchmark, path],
                          check=True, capture_output=True, text=True)
    return dict(zip(tests, map(float, done.stdout.split())))


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def osu(folder, title, found, bandwidth=0):
    """Microseconds, or MB/s of so many messages at once."""
    rows = [f"{size:<10d}{bandwidth * size / time * 1e-6 if bandwidth else time * 1e6:>18.4f}" for (_, size, _), time in found]
    return write(folder / f"{title.split()[0]}.txt", [f"# OSU MPI {title} Test v7.3", "# Datatype: MPI_CHAR.", "# Size          Value"] + rows)


def intel(folder, found):
    """The mean of all ranks stands behind the shortest and the longest time."""
    rows = [f"{size:>13d} 1000 {time * 0.9e6:>13.4f} {time * 1.1e6:>13.4f} {time * 1e6:>13.4f}" for (_, size, _), time in found]
    head = ["#   Intel(R) MPI Benchmarks 2021.3, MPI-1 part", "# Allreduce", "#----", "# Benchmarking Allreduce", "# #processes = 4", "#----",
            "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]", "            0         1000         0.03         0.03         0.03"]
    return write(folder / "imb.txt", head + rows + ["", "# Benchmarking Uniband", "# #processes = 4", "  #bytes #repetitions Mbytes/sec Msg/sec", "  0 1000 0.00 9999"])


def measured(cluster, folder):
    """The files that others would have."""
    tests = [(name, size, 2) for name in ("latency", "bw", "bibw") for size in SIZES] + [("allreduce_loop", size, 4) for size in COLLECTIVE]
    found = times(cluster, tests, folder).items()
    pick = lambda wanted: [(key, time) for key, time in found if key[0] == wanted]  # noqa: E731
    table = ["operation,size,time,ranks"] + [f"{name},{size},{time * 1e6:.6f}us,{ranks}" for (name, size, ranks), time in pick("latency")]
    return [osu(folder, "Latency", pick("latency")), osu(folder, "Bandwidth", pick("bw"), 1), osu(folder, "Bi-Directional Bandwidth", pick("bibw"), 2),
            intel(folder, pick("allreduce_loop")), write(folder / "table.csv", table)]


def forms_are_read(cluster, files, folder):
    """On the cluster that the times are of all of them are predicted: what is read is what was written."""
    done = call(fit, "--fit", *map(str, files), "--check", str(cluster))
    check(done.returncode == 0 and "reproduces 27 of 27 measurements within 5 %" in done.stdout, f"forms: {done.returncode} {done.stdout} {done.stderr}")
    check("allreduce_loop 16 B, 4 ranks" in done.stdout, done.stdout)
    command = f"mpisim-run -n 4 --compute modelled {benchmark} {folder / 'tests.txt'}"
    done = call(run, "--quiet", "--deterministic", "--json", str(folder / "run.json"), "--cluster", str(cluster), *command.split()[1:])
    time = next(line.split(":")[1].strip(" ,") for line in (folder / "run.json").read_text(encoding="utf-8").splitlines() if "predicted_time_s" in line)
    programs = write(folder / "programs.csv", ["time,command", f"{float(time) * 1000}ms,{command}", f'{time}s,"{command}"'])
    done = call(fit, "--fit", str(programs), "--check", str(cluster))
    check(done.returncode == 0 and "reproduces 1 of 1" in done.stdout, f"a program: {done.returncode} {done.stdout} {done.stderr}")
    named = write(folder / "named.csv", ["time,command", f"{time}s,mpisim-run --no-alloc --compute modelled -n 4 {benchmark} {folder / 'tests.txt'}"])
    done = call(fit, "--fit", str(named), "-o", str(folder / "named.yaml"), "--library", "plain")
    check(done.returncode == 0 and "\nnodes: 4 " in (folder / "named.yaml").read_text(encoding="utf-8"), f"-n behind other options: {done.stderr}")
    pairs = [osu(folder, "Multi Latency", list(times(cluster, [("multi_latency", 16, 4)], folder).items())), osu(folder, "One Sided MPI_Put latency", [((0, 16, 2), 1e-6)])]
    done = call(fit, "--fit", f"{pairs[0]}@4", str(pairs[1]), "--check", str(cluster))
    check("multi_latency 16 B, 4 ranks" in done.stdout and "put_latency 16 B, 2 ranks" in done.stdout, f"two pairs: {done.stdout} {done.stderr}")
    slow = write(folder / "slow.csv", ["operation,size,time", "latency,16,90us"])
    failing = write(folder / "failing.csv", ["time,command", f"2.5s,mpirun -n 2 {benchmark} /absent"])
    done = call(fit, "--fit", str(slow), str(failing), "--check", str(cluster))
    check(done.returncode == 1 and "reproduces 0 of 2" in done.stdout and "/absent: 2.5 s, its run failed\n" in done.stdout, f"too slow: {done.returncode} {done.stdout}")


def others_are_predicted(cluster, files, folder):
    """A fit has no such operation among its times, and the file predicts it within 5 %."""
    output, plots = folder / "fitted.yaml", folder / "plots"
    done = call(fit, "--fit", *map(str, files[:4]), "-o", str(output), "--library", "plain", "--plot", str(plots))
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    check(done.returncode == 0, f"fit: {done.returncode} {done.stderr}")
    check("verdict:     the file reproduces 27 of 27 measurements within 5 %" in done.stdout, f"{done.stdout}\n{done.stderr}\n{text}")
    check("eager_threshold: 16384" in text and "# Measured, predicted:" in text, text)
    check((plots / "fitted.dat").stat().st_size > 0, "data of the picture")
    tests = [(name, size, 4) for name in ("alltoall", "bcast", "exchange", "allgather") for size in COLLECTIVE + (1 << 20,)]
    known, found = times(cluster, tests, folder), times(output, tests, folder)
    for key, time in known.items():
        check(abs(found[key] / time - 1) < 0.05, f"{key}: {found[key] * 1e6:.3f} us, {time * 1e6:.3f} us on the known cluster")


def what_is_known_stays(folder):
    """The values go into the sections that are there. Two times tell little, and the file says so."""
    known = write(folder / "base.yaml", ["mpisim_cluster: 1", "name: known", "nodes: 2", "cores: 4", "network:", "    # within a node", "    intra_node:", "        latency: 0.3us",
                                         "run:", "  algorithms: {bcast: binomial}"])
    two, output = write(folder / "two.csv", ["operation,size,time", "latency,8,1.5us", "latency,1MiB,90us"]), folder / "completed.yaml"
    done = call(fit, "--fit", str(two), "-o", str(output), "--cluster", str(known), "--library", "plain", "--jobs", "1")
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    check(done.returncode == 0 and "reproduces 2 of 2" in done.stdout, f"completed: {done.returncode} {done.stdout} {done.stderr}")
    check("\nnetwork:\n    latency: " in text and "        latency: 0.3us\n" in text and "cores: 4\n" in text and "  algorithms: {bcast: binomial}\n" in text, text)
    check("the times do not tell protocol." in text and "the times do not tell protocol." in done.stdout, f"{done.stdout} {text}")
    done = call(fit, "--fit", str(two), "--check", str(output))
    check(done.returncode == 0 and "reproduces 2 of 2" in done.stdout, f"the file that was written is one: {done.stdout} {done.stderr}")


def what_is_wrong_is_refused(cluster, folder):
    out = ["-o", str(folder / "no.yaml")]
    for name, lines, wanted in (
            ("gpu.txt", ["# OSU MPI-CUDA Latency Test v7.3", "0 1.0"], "gpu.txt:1: found"),
            ("device.txt", ["# OSU MPI Latency Test v7.3", "# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)", "0 1.0"], "device.txt:2: found"),
            ("iallreduce.txt@4", ["# OSU MPI Non-blocking Allreduce Latency Test v7.3", "8 1.0"], "iallreduce.txt:1: found"),
            ("neighbours.txt@4", ["# OSU MPI Neighborhood Allgather Latency Test v7.3", "8 1.0"], "wanted a test of messages in host memory"),
            ("persistent.txt", ["# OSU MPI Latency Test Persistent v7.3", "8 1.0"], "or a blocking collective one"),
            ("latency.txt@8", ["# OSU MPI Latency Test v7.3", "8 1.0"], "latency.txt:1: found"),
            ("pairs.txt@7", ["# OSU MPI Multi Latency Test v7.3", "8 1.0"], "wanted an even number of ranks"),
            ("several.txt", ["# OSU MPI Multi Latency Test v7.3", "8 1.0"], "wanted the number of its ranks, as in FILE@8"),
            ("rates.txt", ["# OSU MPI Multiple Bandwidth / Message Rate Test v7.3", "# [ pairs: x ]", "8 1.0 100"], "rates.txt:3: found"),
            ("broken.txt", ["# Benchmarking Allreduce", "# #processes = 8", "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]", "8 1000 6.4 abc 6.5"], "broken.txt:4: found"),
            ("coll.txt", ["# OSU MPI Allreduce Latency Test v7.3", "8 1.0"], "wanted the number of its ranks, as in FILE@8"),
            ("words.txt", ["# OSU MPI Latency Test v7.3", "8 fast"], "words.txt:2: found"),
            ("zero.txt", ["# OSU MPI Latency Test v7.3", "8 0.00"], "a value above 0"),
            ("empty.txt", [""], "found no times"),
            ("head.csv", ["operation,size,speed"], "head.csv:1: found"),
            ("name.csv", ["operation,size,time", "ping,8,1us"], "wanted an operation of docs/calibrate.md"),
            ("place.csv", ["operation,size,time,ranks,place", "latency,8,1us,2,rack"], "wanted a place: domain"),
            ("odd.csv", ["operation,size,time,ranks,place", "latency,8,1us,3,node"], "an even number of ranks"),
            ("cores.csv", ["operation,size,time,ranks,place", "latency,8,1us,2,domain"], "wanted --cluster FILE with nodes and cores"),
            ("unit.csv", ["operation,size,time", "latency,8,1 kg"], "unit.csv:2"),
            ("number.csv", ["operation,size,time", "latency,8,1.3"], "number.csv:2: '1.3' has no unit, wanted a time such as"),
            ("program.csv", ["time,command", "1.3,mpirun -n 8 ./ring"], "program.csv:2: '1.3' has no unit"),
            ("tiny.csv", ["operation,size,time", "latency,8,1e-30s"], "tiny.csv:2: found \"1e-30s\", wanted a time from 0.1 ns"),
            ("huge.txt", ["# OSU MPI Latency Test v7.3", "8 1e40"], "huge.txt:2: found"),
            ("few.csv", ["operation,size,time", "latency,8"], "found 2 values, wanted as many as columns, 3"),
            ("command.csv", ["time,command", "1.5s,./program"], "wanted a time and a command such as mpirun -n 8")):
        write(folder / name.split("@")[0], lines)
        done = call(fit, "--fit", str(folder / name), *out)
        check(done.returncode == 2 and wanted in done.stderr and "\n" not in done.stderr.rstrip("\n"), f"{name}: {done.returncode} {done.stderr}")
    good = write(folder / "good.csv", ["operation,size,time", "latency,8,1us", "bw,65536,6us"])
    for arguments, wanted in (((), "found no file"), ((str(good), "--library", "mvapich"), 'found "mvapich"'), ((str(good), "--no-check"), "--no-check"),
                              ((str(good), "--cluster", str(cluster)), "wanted a key on each line"), ((f"{good}@1",), "ranks")):
        done = call(fit, "--fit", *arguments, *out)
        check(done.returncode == 2 and wanted in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
    for arguments, wanted in (((*out, "--plot", str(good)), "found no folder, wanted one or nothing"), (("--check", str(cluster), "--library", "openmpi"), "found --library, too")):
        done = call(fit, "--fit", str(good), *arguments)
        check(done.returncode == 2 and wanted in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
    known = write(folder / "known.yaml", ["mpisim_cluster: 1", "nodes: 2", "network:", "  latency: 1us"])
    done = call(fit, "--fit", str(good), *out, "--cluster", str(known))
    check(done.returncode == 2 and "known.yaml:4: found" in done.stderr, f"a key that is fitted: {done.stderr}")
    done = call(fit, "--fit", str(good), *out, "--cluster", str(good))
    check(done.returncode == 2 and 'good.csv:1:1: found no key "mpisim_cluster"' in done.stderr, f"no cluster file: {done.stderr}")
    done = call(fit, "--fit", str(good), "-o", str(known), "--cluster", str(known))
    check(done.returncode == 2 and "which is the file of --cluster, wanted another file" in done.stderr, f"the known file is kept: {done.stderr}")
    small, many = write(folder / "small.yaml", ["mpisim_cluster: 1", "nodes: 2", "cores: 4"]), write(folder / "many.csv", ["operation,size,time,ranks", "allreduce,8,5us,9"])
    done = call(fit, "--fit", str(many), *out, "--cluster", str(small))
    check(done.returncode == 2 and "found times of 9 ranks, anywhere, wanted --cluster FILE with nodes and cores" in done.stderr, f"more ranks than cores: {done.stderr}")
    lost = write(folder / "lost.csv", ["time,command", "1s,mpirun -n 2 /no/such/program"])
    done = call(fit, "--fit", str(lost), *out)
    check(done.returncode == 2 and "lost.csv:2: " in done.stderr and "there is no program" in done.stderr, f"the line of a program: {done.stderr}")
    negative = write(folder / "negative.yaml", ["mpisim_cluster: 1", "nodes: 2", "storage: {bandwidth: -3}"])
    done = call(fit, "--fit", str(good), *out, "--cluster", str(negative))
    check(done.returncode == 2 and f"cannot be simulated on {negative} and what was fitted: " in done.stderr and "storage.bandwidth: '-3'" in done.stderr, f"a wrong value: {done.stderr}")
    check(not (folder / "no.yaml").exists(), "nothing is written")


def what_is_not_told_is_said(folder):
    """An operation that no machine explains does not change what messages tell; overheads that nothing tells are varied by nobody."""
    given = write(folder / "cores.yaml", ["mpisim_cluster: 1", "nodes: 16", "cores: 2"])
    times = write(folder / "lone.csv", ["operation,size,time,ranks", "latency,8,1.3us,2", "latency,64KiB,11us,2", "latency,1MiB,92us,2", "bw,8,0.25us,2", "allreduce,64KiB,210us,16"])
    output = folder / "lone.yaml"
    done = call(fit, "--fit", str(times), "--cluster", str(given), "-o", str(output))
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    rate = re.search(r"\n  bandwidth: ([\d.]+) MB/s", text)
    check(rate and 10000 < float(rate[1]) < 13000, f"a misfit operation: {done.stderr} {text}")
    check(re.search(r"\n    send: .*# not told by the times\n", text) and "protocol.overhead.send: [" not in text and "\ncaution:     the times do not tell protocol.overhead.send\n" in done.stdout, text)
    for words in ("network.intra_node: messages within a node take no time; give it by --cluster", "protocol.collectives, plain or mpich"):
        check(f"the times do not tell {words}\n" in done.stdout and f"# the times do not tell {words}\n" in text, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cluster = folder / "known-cluster.yaml"
        cluster.write_text(KNOWN, encoding="utf-8")
        files = measured(cluster, folder)
        forms_are_read(cluster, files, folder)
        what_is_wrong_is_refused(cluster, folder)
        what_is_known_stays(folder)
        what_is_not_told_is_said(folder)
        others_are_predicted(cluster, files, folder)
    sys.exit(bool(failures))


main()
