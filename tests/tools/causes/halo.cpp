/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring of halos: rank 7 computes 1.7 times as long, in a method that is called from another one. */
#include <mpi.h>
#include <mpisim.h>
#include <cstring>
#include <vector>
struct Solver {
	int rank, n; bool bad; std::vector<double> a;
	Solver(bool b) : bad(b), a(2000) { MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &n); }
	void sweep(int k) {
		double t = 1e-3 + 2e-5 * (rank % 3);
		if (bad && rank == 7) t *= 1.7;
		mpisim_add_compute_time(t + 1e-5 * (k % 2));
	}
	void halo() {
		MPI_Request r[4];
		int l = (rank + n - 1) % n, h = (rank + 1) % n;
		MPI_Irecv(&a[0], 500, MPI_DOUBLE, l, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&a[500], 500, MPI_DOUBLE, h, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(&a[1000], 500, MPI_DOUBLE, h, 0, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(&a[1500], 500, MPI_DOUBLE, l, 1, MPI_COMM_WORLD, &r[3]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	}
	void residual() { double x = 1, y; mpisim_add_compute_time(5e-5); MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
	void run() {
		for (int k = 0; k < 40; k++) {
			sweep(k);
			halo();
			if (k % 5 == 4) residual();
		}
	}
};
int main(int c, char **v) { MPI_Init(&c, &v); { Solver s(!strcmp(v[1], "planted")); s.run(); } MPI_Finalize(); }
