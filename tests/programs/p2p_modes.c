/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point: every send mode, blocking, nonblocking and persistent; completion calls; cancel. */
#include "check.h"

enum { STANDARD, BUFFERED, SYNCHRONOUS, READY, N_MODES };
static const int sizes[] = {0, 1, 1000, 100000}; /* ints: eager and rendezvous everywhere */
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]), LARGEST = 100000 };

static int left, right;
static int out[LARGEST], in[LARGEST];

static void fill(int *buf, int n, int seed)
{
	for (int i = 0; i < n; i++)
		buf[i] = seed * 1000003 + i * 7;
}

static int is_filled(const int *buf, int n, int seed)
{
	for (int i = 0; i < n; i++)
		if (buf[i] != seed * 1000003 + i * 7)
			return 0;
	return 1;
}

static int send_blocking(int mode, const void *buf, int n, int dest, int tag)
{
	switch (mode) {
	case BUFFERED:
		return MPI_Bsend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD);
	case SYNCHRONOUS:
		return MPI_Ssend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD);
	case READY:
		return MPI_Rsend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD);
	default:
		return MPI_Send(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD);
	}
}

static int send_nonblocking(int mode, const void *buf, int n, int dest, int tag, MPI_Request *req)
{
	switch (mode) {
	case BUFFERED:
		return MPI_Ibsend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	case SYNCHRONOUS:
		return MPI_Issend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	case READY:
		return MPI_Irsend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	default:
		return MPI_Isend(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	}
}

static int send_persistent(int mode, const void *buf, int n, int dest, int tag, MPI_Request *req)
{
	switch (mode) {
	case BUFFERED:
		return MPI_Bsend_init(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	case SYNCHRONOUS:
		return MPI_Ssend_init(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	case READY:
		return MPI_Rsend_init(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	default:
		return MPI_Send_init(buf, n, MPI_INT, dest, tag, MPI_COMM_WORLD, req);
	}
}

/* The receiver tells its sender that the receive is posted: what a ready send needs. */
static void tell_posted(void)
{
	MPI_Sendrecv(NULL, 0, MPI_BYTE, left, 77, NULL, 0, MPI_BYTE, right, 77, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
}

static void check_arrived(MPI_Status *status, int n, int tag)
{
	int count;

	CHECK_INT(status->MPI_SOURCE, left);
	CHECK_INT(status->MPI_TAG, tag);
	MPI_Get_count(status, MPI_INT, &count);
	CHECK_INT(count, n);
	CHECK(is_filled(in, n, left + tag));
}

static void blocking_modes_deliver(void)
{
	MPI_Request req;
	MPI_Status status;

	for (int mode = 0; mode < N_MODES; mode++) {
		for (int s = 0; s < N_SIZES; s++) {
			int tag = 10 * mode + s;

			memset(in, 0xff, sizeof(in));
			fill(out, sizes[s], me + tag);
			MPI_Irecv(in, LARGEST, MPI_INT, left, tag, MPI_COMM_WORLD, &req);
			tell_posted();
			send_blocking(mode, out, sizes[s], right, tag);
			MPI_Wait(&req, &status);
			CHECK(req == MPI_REQUEST_NULL);
			check_arrived(&status, sizes[s], tag);
			CHECK(sizes[s] == LARGEST || in[sizes[s]] == -1);
		}
	}
}

static void nonblocking_modes_deliver(void)
{
	MPI_Request req[2];
	MPI_Status status[2];

	for (int mode = 0; mode < N_MODES; mode++) {
		for (int s = 0; s < N_SIZES; s++) {
			int tag = 10 * mode + s;

			fill(out, sizes[s], me + tag);
			MPI_Irecv(in, sizes[s], MPI_INT, left, tag, MPI_COMM_WORLD, &req[0]);
			tell_posted();
			send_nonblocking(mode, out, sizes[s], right, tag, &req[1]);
			MPI_Waitall(2, req, status);
			CHECK(req[0] == MPI_REQUEST_NULL && req[1] == MPI_REQUEST_NULL);
			check_arrived(&status[0], sizes[s], tag);
		}
	}
}

static void persistent_modes_deliver_again_and_again(void)
{
	MPI_Request req[2];
	MPI_Status status[2];
	int flag;

	for (int mode = 0; mode < N_MODES; mode++) {
#ifdef OPEN_MPI /* 4.1 copies the first round's data into every buffered message of a rank to itself */
		if (mode == BUFFERED && n_ranks == 1)
			continue;
#endif
		MPI_Recv_init(in, 1000, MPI_INT, left, mode, MPI_COMM_WORLD, &req[0]);
		send_persistent(mode, out, 1000, right, mode, &req[1]);
		for (int round = 0; round < 3; round++) {
			fill(out, 1000, me + mode + 100 * round);
			MPI_Start(&req[0]);
			tell_posted();
			MPI_Start(&req[1]);
			MPI_Waitall(2, req, status);
			CHECK(req[0] != MPI_REQUEST_NULL && req[1] != MPI_REQUEST_NULL);
			CHECK_INT(status[0].MPI_SOURCE, left);
			CHECK(is_filled(in, 1000, left + mode + 100 * round));
		}
		/* inactive: completion calls return at once with the empty status */
		MPI_Wait(&req[0], &status[0]);
		CHECK_INT(status[0].MPI_SOURCE, MPI_ANY_SOURCE);
		CHECK_INT(status[0].MPI_TAG, MPI_ANY_TAG);
		MPI_Test(&req[1], &flag, MPI_STATUS_IGNORE);
		CHECK(flag);
		MPI_Request_free(&req[0]);
		MPI_Request_free(&req[1]);
		CHECK(req[0] == MPI_REQUEST_NULL);
	}
}

static void startall_starts_receives_from_anyone(void)
{
	MPI_Request req[2];
	MPI_Status status[2];
	int got = -1, sent = me;

	MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &req[0]);
	MPI_Send_init(&sent, 1, MPI_INT, right, 123, MPI_COMM_WORLD, &req[1]);
	for (int round = 0; round < 4; round++) {
		sent = me + 1000 * round;
		MPI_Startall(2, req);
		MPI_Waitall(2, req, status);
		CHECK_INT(got, left + 1000 * round);
		CHECK_INT(status[0].MPI_TAG, 123);
		CHECK_INT(status[0].MPI_SOURCE, left);
	}
	MPI_Request_free(&req[0]);
	MPI_Request_free(&req[1]);
}

static void buffered_sends_wait_in_the_attached_buffer(void)
{
	enum { N = 5, COUNT = 300 };
	int size, detached_size;
	char *buffer;
	void *detached;
	MPI_Status status;

	MPI_Pack_size(COUNT, MPI_INT, MPI_COMM_WORLD, &size);
	size = N * (size + MPI_BSEND_OVERHEAD);
	buffer = malloc((size_t)size);
	MPI_Buffer_attach(buffer, size);
	for (int k = 0; k < N; k++) { /* all before any receive: only buffering lets this pass */
		fill(out, COUNT, me + k);
		MPI_Bsend(out, COUNT, MPI_INT, right, k, MPI_COMM_WORLD);
	}
	memset(out, 0, sizeof(out));
	for (int k = N - 1; k >= 0; k--) {
		MPI_Recv(in, COUNT, MPI_INT, left, k, MPI_COMM_WORLD, &status);
		check_arrived(&status, COUNT, k);
	}
	MPI_Buffer_detach(&detached, &detached_size);
	CHECK(detached == buffer);
	CHECK_INT(detached_size, size);
	free(buffer);
}

static void buffer_space_is_used_again(void)
{
	int size, ignored;
	char *buffer;
	void *detached;

	MPI_Pack_size(100, MPI_INT, MPI_COMM_WORLD, &size);
	size += MPI_BSEND_OVERHEAD;
	buffer = malloc((size_t)size);
	for (int k = 0; k < 20; k++) {
		fill(out, 100, me + k);
		MPI_Buffer_attach(buffer, size);
		MPI_Bsend(out, 100, MPI_INT, right, k, MPI_COMM_WORLD);
		MPI_Recv(in, 100, MPI_INT, left, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(is_filled(in, 100, left + k));
		MPI_Buffer_detach(&detached, &ignored); /* waits until the message has left */
	}
	free(buffer);
}

static void synchronous_send_waits_for_its_receive(void)
{
	MPI_Request req;
	int flag = 0, token = 0, sent = me, got = -1;

	if (n_ranks == 1)
		return;
	/* pairs; an odd last rank looks on */
	if (me % 2 == 0 && me + 1 < n_ranks) {
		MPI_Issend(&sent, 1, MPI_INT, me + 1, 1, MPI_COMM_WORLD, &req);
		for (int k = 0; k < 50; k++) {
			MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
			CHECK(!flag); /* the partner does not receive before the token */
		}
		MPI_Send(&token, 1, MPI_INT, me + 1, 2, MPI_COMM_WORLD);
		MPI_Wait(&req, MPI_STATUS_IGNORE);
	} else if (me % 2 == 1) {
		MPI_Recv(&token, 1, MPI_INT, me - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&got, 1, MPI_INT, me - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK_INT(got, me - 1);
	}
}

static void waitany_returns_each_request_once(void)
{
	enum { N = 12 };
	MPI_Request send[N], recv[N];
	MPI_Status status;
	int got[N], value[N], seen[N] = {0}, index;

	for (int k = 0; k < N; k++)
		MPI_Irecv(&got[k], 1, MPI_INT, left, k, MPI_COMM_WORLD, &recv[k]);
	for (int k = N - 1; k >= 0; k--) {
		value[k] = 100 * me + k;
		MPI_Isend(&value[k], 1, MPI_INT, right, k, MPI_COMM_WORLD, &send[k]);
	}
	for (int k = 0; k < N; k++) {
		MPI_Waitany(N, recv, &index, &status);
		CHECK(index >= 0 && index < N && !seen[index]);
		seen[index] = 1;
		CHECK_INT(status.MPI_TAG, index);
		CHECK_INT(got[index], 100 * left + index);
		CHECK(recv[index] == MPI_REQUEST_NULL);
	}
	MPI_Waitany(N, recv, &index, &status);
	CHECK_INT(index, MPI_UNDEFINED);
	CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
	MPI_Waitall(N, send, MPI_STATUSES_IGNORE);
}

static void waitsome_and_testsome_complete_all(void)
{
	enum { N = 9 };
	MPI_Request send[N], recv[N];
	MPI_Status statuses[N];
	int got[N], value = me, index[N], n_done, total = 0, use_test = 0;

	for (int k = 0; k < N; k++)
		MPI_Irecv(&got[k], 1, MPI_INT, left, k, MPI_COMM_WORLD, &recv[k]);
	for (int k = 0; k < N; k++)
		MPI_Isend(&value, 1, MPI_INT, right, k, MPI_COMM_WORLD, &send[k]);
	while (total < N) {
		if (use_test)
			MPI_Testsome(N, recv, &n_done, index, statuses);
		else
			MPI_Waitsome(N, recv, &n_done, index, statuses);
		CHECK(use_test || n_done > 0);
		for (int d = 0; d < n_done; d++) {
			CHECK_INT(statuses[d].MPI_TAG, index[d]);
			CHECK_INT(got[index[d]], left);
		}
		total += n_done;
		use_test = !use_test;
	}
	CHECK_INT(total, N);
	MPI_Waitsome(N, recv, &n_done, index, MPI_STATUSES_IGNORE);
	CHECK_INT(n_done, MPI_UNDEFINED);
	MPI_Testsome(N, recv, &n_done, index, MPI_STATUSES_IGNORE);
	CHECK_INT(n_done, MPI_UNDEFINED);
	MPI_Waitall(N, send, MPI_STATUSES_IGNORE);
}

static void test_loops_make_progress(void)
{
	MPI_Request req[3];
	int flag = 0, index, got = -1;

	MPI_Irecv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &req[0]);
	MPI_Isend(&me, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &req[1]);
	req[2] = MPI_REQUEST_NULL;
	while (!flag)
		MPI_Testall(3, req, &flag, MPI_STATUSES_IGNORE);
	CHECK_INT(got, left);
	MPI_Testany(3, req, &index, &flag, MPI_STATUS_IGNORE);
	CHECK(flag);
	CHECK_INT(index, MPI_UNDEFINED);
	MPI_Irecv(&got, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &req[1]);
	MPI_Send(&me, 1, MPI_INT, right, 6, MPI_COMM_WORLD);
	for (flag = 0; !flag;)
		MPI_Testany(3, req, &index, &flag, MPI_STATUS_IGNORE);
	CHECK_INT(index, 1);
}

static void completion_of_nothing_is_immediate(void)
{
	MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status status[3];
	int flag = 0, index = 7, count = -1;

	MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
	MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
	CHECK(flag);
	MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
	CHECK_INT(index, MPI_UNDEFINED);
	MPI_Waitall(3, none, status);
	for (int k = 0; k < 3; k++) {
		CHECK_INT(status[k].MPI_SOURCE, MPI_ANY_SOURCE);
		MPI_Get_count(&status[k], MPI_DOUBLE, &count);
		CHECK_INT(count, 0);
	}
	MPI_Wait(&none[0], &status[0]);
	MPI_Test_cancelled(&status[0], &flag);
	CHECK(!flag);
}

static void get_status_leaves_the_request(void)
{
	MPI_Request recv;
	MPI_Status status;
	int got = -1, flag = 0, count;

	MPI_Irecv(&got, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &recv);
	MPI_Send(&me, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
	while (!flag)
		MPI_Request_get_status(recv, &flag, &status);
	CHECK(recv != MPI_REQUEST_NULL);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK_INT(count, 1);
	CHECK_INT(got, left);
	MPI_Wait(&recv, &status);
	CHECK_INT(status.MPI_TAG, 8);
}

static void a_freed_active_request_completes(void)
{
	MPI_Request req;
	int got[2] = {-1, -1};

	fill(out, 1000, me);
	MPI_Isend(out, 1000, MPI_INT, right, 9, MPI_COMM_WORLD, &req);
	MPI_Request_free(&req);
	CHECK(req == MPI_REQUEST_NULL);
	MPI_Recv(in, 1000, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(is_filled(in, 1000, left));
	/* the receipt says that the freed send's buffer may be used again */
	MPI_Sendrecv(&me, 1, MPI_INT, left, 10, &got[0], 1, MPI_INT, right, 10, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	CHECK_INT(got[0], right);
}

static void a_cancelled_receive_takes_nothing(void)
{
	MPI_Request req;
	MPI_Status status;
	int got = -1, flag = 0;

	MPI_Irecv(&got, 1, MPI_INT, left, 11, MPI_COMM_WORLD, &req);
	MPI_Cancel(&req);
	MPI_Wait(&req, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	section_end("cancel (before the message)");
	MPI_Irecv(in, 1, MPI_INT, left, 11, MPI_COMM_WORLD, &req);
	MPI_Send(&me, 1, MPI_INT, right, 11, MPI_COMM_WORLD);
	MPI_Wait(&req, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag);
	CHECK_INT(in[0], left);
	CHECK_INT(got, -1);
}

static void a_persistent_receive_survives_cancel(void)
{
	MPI_Request req;
	MPI_Status status;
	int got = -1, flag = 0;

	MPI_Recv_init(&got, 1, MPI_INT, left, 12, MPI_COMM_WORLD, &req);
	MPI_Start(&req);
	MPI_Cancel(&req);
	MPI_Wait(&req, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	section_end("cancel (persistent)");
	MPI_Start(&req);
	MPI_Send(&me, 1, MPI_INT, right, 12, MPI_COMM_WORLD);
	MPI_Wait(&req, &status);
	CHECK_INT(got, left);
	MPI_Request_free(&req);
}

int main(int argc, char **argv)
{
	static char buffer[1 << 20];
	void *detached;
	int size;

	check_init(&argc, &argv);
	left = (me + n_ranks - 1) % n_ranks;
	right = (me + 1) % n_ranks;
	MPI_Buffer_attach(buffer, sizeof(buffer));
	blocking_modes_deliver();
	section_end("blocking modes");
	nonblocking_modes_deliver();
	section_end("nonblocking modes");
	persistent_modes_deliver_again_and_again();
	startall_starts_receives_from_anyone();
	section_end("persistent requests");
	MPI_Buffer_detach(&detached, &size);
	CHECK(detached == buffer && size == sizeof(buffer));
	buffered_sends_wait_in_the_attached_buffer();
	buffer_space_is_used_again();
	section_end("buffered sends");
	synchronous_send_waits_for_its_receive();
	section_end("synchronous sends");
	waitany_returns_each_request_once();
	waitsome_and_testsome_complete_all();
	test_loops_make_progress();
	completion_of_nothing_is_immediate();
	section_end("completion calls");
	get_status_leaves_the_request();
	a_freed_active_request_completes();
	section_end("request life");
	a_cancelled_receive_takes_nothing();
	a_persistent_receive_survives_cancel();
	section_end("cancel");
	return check_finish();
}
