# SPDX-License-Identifier: BSD-3-Clause
"""
The way of validation/hpl/hpl.py from tables of measurements to a prediction, on made-up tables and a small program in the place of
HPL: neither the measurements nor HPL's source are needed.

    test_hpl.py MPISIM-RUN PANELS
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "validation/hpl"))
import hpl  # noqa: E402

TERMS = ["1", "mnk", "mn", "mk", "nk"]
MU = {(node, socket): [1e-6 * (1 + node), 7e-11 * (1 + socket), -1e-10, 1e-9, 3e-9] for node in (1, 2) for socket in (0, 1)}
SIGMA = [1e-7, 5e-12, 0, 1e-10, 0]


def write_tables(folder):
    lines = ["cluster,commit,commit_date,node,cpu," + ",".join(f"mu_{t}" for t in TERMS) + "," + ",".join(f"sigma_{t}" for t in TERMS)]
    lines += [f"x,{commit},2019-04-05,{node},{2 * node + socket}," + ",".join(str(factor * v) for v in [*mu, *SIGMA])
              for commit, factor in (("other", 3), ("chosen", 1)) for (node, socket), mu in MU.items()]
    (folder / "dahu_dgemm_models.csv").write_text("\n".join(lines) + "\n")
    (folder / "dahu_hpl_small_kernels.csv").write_text(
        "kernel,form,mean_coefficient_s,sd_coefficient_s,file\ndaxpy,constant,1e-6,1e-7,f\ndscal,n,1e-9,0,f\n"
        "dgemv,m*n,1e-9,1e-11,f\ndtrsm,m*m*n (left) or m*n*n (right),1e-11,1e-13,f\n")
    values = [("link/bw", "", "10GBps"), ("link/loopback_bw", "", "20GBps"), ("link/loopback_lat", "", "0.1us"),
              ("smpi/async-small-thresh", "", "64000"), ("smpi/iprobe", "", "2e-07"),
              ("smpi/bw-factor", "0", "0.5"), ("smpi/bw-factor", "8000", "0.25"),
              ("smpi/lat-factor", "0", "10"), ("smpi/lat-factor", "8000", "20"),
              ("smpi/loopback-bw-factor", "0", "0.1"), ("smpi/loopback-lat-factor", "0", "5")]
    lines = ["cluster,model,item,from_B,value_1,value_2", *[f"x,made-up realistic,{i},{s},{v}," for i, s, v in values],
             *[f"x,made-up realistic,smpi/{i},0,1e-06,1e-11" for i in ("os", "ois", "or")]]
    (folder / "dahu_smpi_network_models.csv").write_text("\n".join(lines) + "\n")


def run(mpisim_run, panels, folder, *options):
    done = subprocess.run([mpisim_run, "--quiet", "--cluster", folder / "cluster.yaml", "--set", "nodes=2", "--set", "cores=2", "-n", "4",
                           "--compute", "modelled", "--bench", folder / "kernels", "--no-alloc", *options, panels],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [float(word) for word in done.stdout.split()]


def check_errors(folder):
    """What was predicted blind stays in the table; sizes that were not predicted since have no other figure."""
    (folder / "dahu_hpl_size_runs.csv").write_text("n,state,kind,smpi_model,time_s\n" + "".join(
        f"{n},4 hot nodes,measured,,{t}\n{n},4 hot nodes,measured,,{t}\n" + "".join(
            f"{n},4 hot nodes,smpi,{m} x=0,{t * 1.1}\n" for m in ("A1", "D2_het", "simple")) for n, t in ((1000, 2.0), (2000, 10.0))))
    (folder / "errors.csv").write_text("n,blind\n1000,7.00\n2000,8.00\n")
    (folder / "results.csv").write_text("n,seed,network,dgemm,seconds,cpu_s\n1000,1,realistic,chosen,2.01,5\n1000,2,realistic,chosen,9,5\n")
    here, hpl.HERE = hpl.HERE, folder
    hpl.write_errors(argparse.Namespace(data=folder, work=folder, network="realistic", dgemm="chosen", seed=1))
    table = hpl.parts(None)["HPL_TABLE"]
    hpl.HERE = here
    assert (folder / "errors.csv").read_text().splitlines()[1:] == ["1000,7.00,0.50,10.00,10.00,10.00,5", "2000,8.00,,10.00,10.00,10.00,"]
    for line in ("| 1000 | +7.0 (+0.5) | +10.0 |", "| 2000 | +8.0 | +10.0 |", "| largest | 8.0 | 10.0 |"):
        assert line in table, table


def main():
    mpisim_run, panels = sys.argv[1:]
    assert "-DHPL_NO_MPI_DATATYPE" in hpl.AS_MEASURED
    with tempfile.TemporaryDirectory(prefix="mpisim-test-") as name:
        folder = pathlib.Path(name)
        check_errors(folder)
        write_tables(folder)
        hpl.write_kernels(folder, "chosen", folder / "kernels")
        hpl.write_cluster(folder, "realistic", folder / "cluster.yaml")
        *found, all_s = run(mpisim_run, panels, folder)
        for rank, seconds in enumerate(found):
            mu = MU[1 + rank // 2, rank % 2]
            wanted = sum(c * p for c, p in zip(mu, [1, 100 * 50 * 20, 100 * 50, 100 * 20, 50 * 20]))
            assert abs(seconds - wanted) < 1e-11, (rank, seconds, wanted)
        # each panel at least takes 0.5 us + 1 MiB / 2 GB/s, within a node, after the one before
        assert all_s > 20 * (5e-7 + 2**20 / 2e9), all_s
        one, same, other = (run(mpisim_run, panels, folder, "--vary-kernels", "--seed", seed) for seed in ("1", "1", "2"))
        assert one == same and one != other and one[:4] != found
        text = (folder / "cluster.yaml").read_text()
        assert "{from: 8000, latency: 2us, bandwidth: 1e+10 B/s, stream: 2.5e+09 B/s}" in text, text
        assert "eager_threshold: 63999" in text and "probe: 2e-07s" in text, text


main()
