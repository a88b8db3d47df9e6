/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When one-sided calls return, in simulated time, against derivations by hand from docs/model.md §8
 * on timing.yaml: L = 1 ms, b = 1 byte per us, o = 100 us for senders and receivers, control
 * messages of no size, so that T(n) = 1 ms + n us. Run as `timing-rma CASE` on 3 ranks, one per
 * node; every case begins at 100 ms on all of them.
 */
#include <mpisim.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/mpi/cases.h"

static char buf[4000], origin[4000];
static MPI_Win win;
static bool is_left_alone; /* what comes after MPI_Finalize changes nothing */

static void begin(MPI_Comm comm)
{
	MPI_Win_create(buf, sizeof buf, 1, MPI_INFO_NULL, comm, &win);
	compute_until_ms(100);
}

/* Whatever is left takes what it takes. */
static void end(void)
{
	MPI_Win_free(&win);
}

/* o; data T(500): the buffer is free; acknowledgement T(0). Locks without checks cost nothing. */
static void put_and_flush(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);
		expect_ms("lock", 100);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		expect_ms("put", 100.1);
		MPI_Win_flush_local(1, win);
		expect_ms("local flush", 100.1 + 1.5);
		MPI_Win_flush(1, win);
		expect_ms("flush", 100.1 + 1.5 + 1);
		MPI_Win_unlock(1, win);
		expect_ms("unlock", 100.1 + 1.5 + 1);
	}
	end();
}

/* o; request T(0); data T(500). */
static void get_and_flush(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		MPI_Get(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		expect_ms("get", 100.1);
		MPI_Win_flush_local_all(win);
		expect_ms("local flush", 100.1 + 1 + 1.5);
		MPI_Win_unlock_all(win);
		expect_ms("unlock", 100.1 + 1 + 1.5);
	}
	end();
}

/* Fetching: operands there, data back. Without operands (MPI_NO_OP) a request. */
static void fetches(void)
{
	int value = 1, compare = 0, result;

	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		MPI_Get_accumulate(origin, 500, MPI_BYTE, origin + 1000, 500, MPI_BYTE, 1, 0, 500,
				   MPI_BYTE, MPI_REPLACE, win);
		MPI_Win_flush(1, win);
		expect_ms("get_accumulate", 100.1 + 1.5 + 1.5);
		MPI_Get_accumulate(NULL, 0, MPI_BYTE, origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE,
				   MPI_NO_OP, win);
		MPI_Win_flush(1, win);
		expect_ms("no operation", 103.1 + 0.1 + 1 + 1.5);
		MPI_Fetch_and_op(&value, &result, MPI_INT, 1, 0, MPI_SUM, win);
		MPI_Win_flush(1, win);
		expect_ms("fetch_and_op", 105.7 + 0.1 + 1.004 + 1.004);
		MPI_Compare_and_swap(&value, &compare, &result, MPI_INT, 1, 0, win);
		MPI_Win_flush(1, win);
		expect_ms("compare_and_swap", 107.808 + 0.1 + 1.008 + 1.004);
		MPI_Win_unlock_all(win);
	}
	end();
}

/*
 * 1000 B leave at 100.1, 10 B at 100.2: they enter the link 1 ms later. From 101.2 both have half
 * of it: the 10 us of the second end at 101.22, when 890 us of the first are left: 102.11. The
 * second is served after the first, its answer is back 1 ms later.
 */
static void later_operations_do_not_overtake(void)
{
	MPI_Request request[2];
	char *second = origin + 1000;

	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		*second = 7;
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		MPI_Rput(origin, 1000, MPI_BYTE, 1, 0, 1000, MPI_BYTE, win, &request[0]);
		MPI_Rput(second, 10, MPI_BYTE, 1, 0, 10, MPI_BYTE, win, &request[1]);
		MPI_Wait(&request[1], MPI_STATUS_IGNORE);
		expect_ms("second put", 101.22);
		*second = 99;
		MPI_Wait(&request[0], MPI_STATUS_IGNORE);
		expect_ms("first put", 102.11);
		MPI_Win_unlock_all(win);
		expect_ms("unlock", 102.11 + 1);
	}
	end();
	expect("data", buf[0], rank == 1 ? 7 : 0);
}

/* Two puts with room for one: the second leaves when the first is answered. */
static void queue_of_one(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Put(origin, 500, MPI_BYTE, 1, 500, 500, MPI_BYTE, win);
		expect_ms("puts", 100.2);
		MPI_Win_unlock_all(win);
		expect_ms("unlock", 100.1 + 2 * (1.5 + 1));
	}
	end();
}

/* Rank 0: request and grant. Put and answer, then o for the notice. Rank 2 asks at 100.5 and has
 * the lock when the notice has arrived, 1 ms after it left, and the grant, another one. */
static void exclusive_lock(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		expect_ms("lock", 100.1 + 1 + 1);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Win_unlock(1, win);
		expect_ms("unlock", 102.1 + 0.1 + 1.5 + 1 + 0.1);
	} else if (rank == 2) {
		compute_until_ms(100.5);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		expect_ms("lock after rank 0's", 104.8 + 1 + 1);
		MPI_Win_unlock(1, win);
	}
	end();
}

/* Readers hold it together; rank 1's lock of everything waits for nobody but writers. */
static void shared_locks(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Win_lock_all(0, win);
	else
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	expect_ms("lock", 100.1 + 1 + 1);
	if (rank == 1)
		MPI_Win_unlock_all(win);
	else
		MPI_Win_unlock(1, win);
	expect_ms("unlock", 102.1 + 0.1);
	end();
}

/*
 * Rank 0 holds rank 1's window exclusively from 101.1, when its request arrives, to 103.2, when its
 * notice does. Rank 2's lock of all windows, asked for from rank 0 at 101.6, is granted then.
 */
static void lock_all_waits_for_writers(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		MPI_Win_unlock(1, win);
		expect_ms("unlock", 102.1 + 0.1);
	} else if (rank == 2) {
		compute_until_ms(100.5);
		MPI_Win_lock_all(0, win);
		expect_ms("lock of all", 102.2 + 1 + 1);
		MPI_Win_unlock_all(win);
	}
	end();
}

/*
 * Ranks 0 and 2 read rank 1's window again and again, so that one of them has it at all times: 5 ms
 * of computation, 1 ms for each message and 100 us for each call, and at once again; rank 2 1 ms
 * later. Rank 1, which wants to write, is passed by 4 locks for each of 3 ranks, besides the first
 * one of rank 0, which is there before it. Locks of other windows do not wait behind it, and what
 * does wait behind it does not go ahead when one of them is released.
 */
static void writers_do_not_starve(void)
{
	int n_before = 0, n_all;

	begin(MPI_COMM_WORLD);
	compute_until_ms(100 + rank);
	for (int i = 0; i < 30 && rank != 1; i++) {
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
		MPI_Get(origin, 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win);
		MPI_Win_flush(1, win);
		n_before += origin[0] == 0;
		if (rank == 0) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
			MPI_Win_unlock(0, win);
		}
		mpisim_add_compute_time(0.005);
		MPI_Win_unlock(1, win);
	}
	if (rank == 1) {
		compute_until_ms(101.5);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
		buf[0] = 1;
		MPI_Win_unlock(1, win);
	}
	MPI_Reduce(&n_before, &n_all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		expect("locks before the writer's", n_all, 1 + 4 * 3);
	end();
}

/* Rank 2's notice is there 1 ms after it left: rank 1 may write from then on. */
static void writers_wait_for_lock_all(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 2) {
		MPI_Win_lock_all(0, win);
		compute_until_ms(110);
		MPI_Win_unlock_all(win);
	} else if (rank == 1) {
		compute_until_ms(103);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		expect_ms("lock", 110.1 + 1 + 1);
		MPI_Win_unlock(0, win);
	}
	end();
}

/* Each lock is asked for. */
static void a_lock_after_an_unlock(void)
{
	begin(MPI_COMM_WORLD);
	for (int i = 0; i < 3 && rank == 0; i++) {
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
		expect_ms("lock", 102.1 + i * 2.2);
		MPI_Win_unlock(1, win);
	}
	end();
}

/* Rank 0: put, answer, then the barrier of two ranks: send o, and o for the message that is there
 * already. Rank 1 gets rank 0's message 1 ms after it left, and spends o. */
static void fence(void)
{
	MPI_Comm pair;

	MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &pair);
	if (rank < 2) {
		begin(pair);
		MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
		expect_ms("fence that separates nothing", 100);
		MPI_Win_fence(0, win);
		expect_ms("first fence", 100 + 0.1 + 1 + 0.1);
		if (rank == 0)
			MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Win_fence(0, win);
		expect_ms("fence", rank == 0 ? 101.2 + 0.1 + 1.5 + 1 + 0.1 + 0.1
					     : 101.2 + 0.1 + 1.5 + 1 + 0.1 + 1 + 0.1);
		end();
	}
	MPI_Comm_free(&pair);
}

/* Post arrives at 101.1, and the access begins; put and answer; the notice leaves after o. */
static void post_start_complete_wait(void)
{
	MPI_Group world, other;
	int peer = 1 - rank;

	begin(MPI_COMM_WORLD);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	if (rank < 2)
		MPI_Group_incl(world, 1, &peer, &other);
	if (rank == 0) {
		MPI_Win_start(other, 0, win);
		expect_ms("start", 100 + 0.1 + 1);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Win_complete(win);
		expect_ms("complete", 101.1 + 0.1 + 1.5 + 1 + 0.1);
	} else if (rank == 1) {
		MPI_Win_post(other, 0, win);
		expect_ms("post", 100.1);
		MPI_Win_wait(win);
		expect_ms("wait", 103.8 + 1);
	}
	if (rank < 2)
		MPI_Group_free(&other);
	MPI_Group_free(&world);
	end();
}

/* Tests in a loop see the notice, which leaves at 150.1003 ms, when it is there: not when a pause of
 * whole microseconds would end. */
static void post_start_complete_test(void)
{
	MPI_Group world, other;
	int peer = 1 - rank, flag = 0;

	begin(MPI_COMM_WORLD);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	if (rank < 2)
		MPI_Group_incl(world, 1, &peer, &other);
	if (rank == 0) {
		MPI_Win_start(other, 0, win);
		compute_until_ms(150.0003);
		MPI_Win_complete(win);
	} else if (rank == 1) {
		MPI_Win_post(other, 0, win);
		while (!flag)
			MPI_Win_test(win, &flag);
		expect_ms("test", 150.1003 + 1);
	}
	if (rank < 2)
		MPI_Group_free(&other);
	MPI_Group_free(&world);
	end();
}

/* The target computes until 110 ms: with rma.progress nic nobody notices … */
static void target_computes(double flushed_ms)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		origin[0] = 7;
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Win_flush_local(1, win);
		expect_ms("local flush", 100.1 + 1.5);
		origin[0] = 99; /* the buffer is the program's again */
		MPI_Win_flush(1, win);
		expect_ms("flush", flushed_ms);
		MPI_Win_unlock_all(win);
	} else if (rank == 1) {
		compute_until_ms(110);
	}
	end();
	expect("data", buf[0], rank == 1 ? 7 : 0);
}

static void target_computes_nic(void)
{
	target_computes(100.1 + 1.5 + 1);
}

/* … with in_mpi it serves the put when it is in MPI again (in MPI_Win_free's barrier, for which it
 * spends o on a message first), and spends o on it. */
static void target_computes_in_mpi(void)
{
	target_computes(110 + 0.1 + 0.1 + 1);
}

/* A target that waits in MPI serves it at once, after o. */
static void target_waits_in_mpi(void)
{
	begin(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Win_flush(1, win);
		expect_ms("flush", 100.1 + 1.5 + 0.1 + 1);
		MPI_Win_unlock_all(win);
		MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	end();
}

/* A target that has left MPI for good does not come again: what is sent to its window, which it has
 * not freed, is answered at once. Its memory is its own again. */
static void target_has_left_mpi(void)
{
	begin(MPI_COMM_WORLD);
	is_left_alone = true;
	if (rank == 0) {
		origin[0] = 7;
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		compute_until_ms(105);
		MPI_Put(origin, 500, MPI_BYTE, 1, 0, 500, MPI_BYTE, win);
		MPI_Win_flush(1, win);
		expect_ms("flush", 105.1 + 1.5 + 1);
		MPI_Win_unlock_all(win);
	}
}

/* A window costs a duplication of the communicator and a barrier; its end costs a barrier. */
static void windows_cost_what_they_send(void)
{
	MPI_Comm copy;
	double duplicated, freed;

	MPI_Barrier(MPI_COMM_WORLD);
	compute_until_ms(100);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Barrier(copy);
	duplicated = MPI_Wtime() - 0.1;
	compute_until_ms(200);
	MPI_Barrier(copy);
	freed = MPI_Wtime() - 0.2;
	compute_until_ms(300);
	MPI_Win_create(buf, sizeof buf, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	expect_ms("creation", 300 + duplicated * 1e3);
	compute_until_ms(400);
	MPI_Win_free(&win);
	expect_ms("release", 400 + freed * 1e3);
	MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"put_and_flush", put_and_flush},
	    {"get_and_flush", get_and_flush},
	    {"fetches", fetches},
	    {"later_operations_do_not_overtake", later_operations_do_not_overtake},
	    {"queue_of_one", queue_of_one},
	    {"exclusive_lock", exclusive_lock},
	    {"shared_locks", shared_locks},
	    {"lock_all_waits_for_writers", lock_all_waits_for_writers},
	    {"writers_do_not_starve", writers_do_not_starve},
	    {"writers_wait_for_lock_all", writers_wait_for_lock_all},
	    {"a_lock_after_an_unlock", a_lock_after_an_unlock},
	    {"fence", fence},
	    {"post_start_complete_wait", post_start_complete_wait},
	    {"post_start_complete_test", post_start_complete_test},
	    {"target_computes_nic", target_computes_nic},
	    {"target_computes_in_mpi", target_computes_in_mpi},
	    {"target_waits_in_mpi", target_waits_in_mpi},
	    {"target_has_left_mpi", target_has_left_mpi},
	    {"windows_cost_what_they_send", windows_cost_what_they_send},
	};

	int code = run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);

	if (is_left_alone)
		usleep(20000);
	return is_left_alone && buf[0] != 0 ? 1 : code;
}
