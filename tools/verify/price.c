// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/price.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/p2p/message.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/unread.h"
#include "pdexec/process.h"
#include "tools/orders/explore.h"
#include "tools/run/input.h"
#include "util/map.h"

/* More calls than these are not priced: each takes a run. */
enum { MAX_PRICED = 16 };

struct verify_price {
	pid_t pid;
	int ask, answer;      /* pipes: of struct question, of double */
	int messages;	      /* memory file of struct mpi_unread_message */
};

struct question {
	int site; /* -1: nothing is left out */
	size_t n; /* of messages in the file */
};

/* --- the run without them --- */

struct without {
	const struct mpi_unread_message *messages; /* [n] */
	size_t n;
	int site;
	struct util_map of_message; /* index + 1 of a message, by its key and ordinal */
	struct util_map ordinals;   /* how many were sent, by key */
	struct util_map bulks;	    /* what the rendezvous that go on leave out, by their address */
};

static uint64_t key_of(uint64_t key, uint32_t ordinal)
{
	uint64_t parts[] = {key, ordinal};

	return util_hash(parts, sizeof parts, 0);
}

static uintptr_t *number_of(struct util_map *map, uint64_t key)
{
	struct util_map_slot *slot = util_map_find(map, key);

	if (!slot && (slot = util_map_add(map, key)))
		slot->number = 1; /* 0 would be free */
	return slot ? &slot->number : NULL;
}

/* Numbers are one more than what they count. */
static int64_t left_out_B(void *context, const struct mpi_message *message, bool is_bulk)
{
	struct without *w = context;
	struct mpi_unread_origin origin = {message->source->rank, message->dest->rank,
					   message->context, message->tag};
	uint64_t key = mpi_unread_key(&origin);
	uintptr_t *bulk = NULL, *ordinal;
	const struct util_map_slot *slot;
	int64_t n_B = 0;

	if (is_bulk || message->is_rendezvous)
		bulk = number_of(&w->bulks, (uintptr_t)message);
	if (is_bulk)
		return bulk ? (int64_t)*bulk - 1 : 0;
	ordinal = number_of(&w->ordinals, key);
	if (!ordinal)
		return 0;
	slot = util_map_find(&w->of_message, key_of(key, (uint32_t)(*ordinal)++ - 1));
	if (slot)
		n_B = w->messages[slot->number - 1].unread_B;
	if (bulk)
		*bulk = (uintptr_t)n_B + 1;
	return n_B;
}

static void learn(struct without *w)
{
	for (size_t i = 0; i < w->n; i++) {
		uint64_t key = key_of(w->messages[i].key, w->messages[i].ordinal);
		struct util_map_slot *slot;

		if (w->messages[i].site != w->site || util_map_find(&w->of_message, key))
			continue;
		slot = util_map_add(&w->of_message, key);
		if (slot)
			slot->number = i + 1;
	}
}

/* Returns the predicted time, negative: it does not end well. */
static double predict(struct run *run, struct without *w)
{
	struct mpi_shortening shortening = {w, left_out_B};
	struct util_error err;
	const char *null_device = "/dev/null";
	int input = run_input_open(run->input_begin);

	orders_prepare_options(run);
	run->is_ordered = false;
	run->options.verify_valgrind = run->options.verify_unread = false;
	run->options.deterministic = true;
	if (input < 0 || dup2(input, STDIN_FILENO) < 0 || !freopen(null_device, "w", stdout) ||
	    !freopen(null_device, "w", stderr) || run_prepare(run, &err))
		return -1;
	if (w->site >= 0)
		mpi_shorten_by(run->mpi, &shortening);
	pd_descriptors_keep();
	pd_world_start(run->world);
	run_loop(run);
	return run_ended_well(run) ? sim_time_to_s(run->world->engine.now) : -1;
}

static _Noreturn void predict_once(struct run *run, const struct verify_price *price,
				   const struct question *question)
{
	struct without without = {.site = question->site, .n = question->n};
	size_t size_B = question->n * sizeof *without.messages;
	double time_s;

	if (size_B > 0)
		without.messages =
		    mmap(NULL, size_B, PROT_READ, MAP_PRIVATE, price->messages, 0);
	if (without.messages == MAP_FAILED)
		_exit(1);
	learn(&without);
	time_s = predict(run, &without);
	_exit(write(price->answer, &time_s, sizeof time_s) != sizeof time_s);
}

/* Each question is answered by a process of its own. */
static _Noreturn void serve(struct run *run, const struct verify_price *price)
{
	struct question question;
	double failed = -1;

	while (read(price->ask, &question, sizeof question) == sizeof question) {
		int status = 1;
		pid_t pid = fork();

		if (pid == 0)
			predict_once(run, price, &question);
		while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if ((pid < 0 || status != 0) &&
		    write(price->answer, &failed, sizeof failed) != sizeof failed)
			break;
	}
	_exit(0);
}

/* --- who asks --- */

struct verify_price *verify_price_start(struct run *run)
{
	struct verify_price *price = calloc(1, sizeof *price);
	int to[2], from[2];

	if (!price)
		return NULL;
	price->messages = memfd_create("mpisim unread", MFD_CLOEXEC);
	if (price->messages < 0 || pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) {
		free(price);
		return NULL;
	}
	fflush(NULL);
	price->pid = fork();
	if (price->pid == 0) {
		close(to[1]);
		close(from[0]);
		price->ask = to[0];
		price->answer = from[1];
		serve(run, price);
	}
	close(to[0]);
	close(from[1]);
	price->ask = to[1];
	price->answer = from[0];
	return price;
}

static double ask(const struct verify_price *price, int site, size_t n)
{
	struct question question;
	double time_s = -1;

	memset(&question, 0, sizeof question);
	question.site = site;
	question.n = n;
	if (write(price->ask, &question, sizeof question) != sizeof question ||
	    read(price->answer, &time_s, sizeof time_s) != sizeof time_s)
		return -1;
	return time_s;
}

static bool hand_over(const struct verify_price *price, const void *data, size_t size_B)
{
	const char *at = data;
	ssize_t n;

	for (; size_B > 0; at += n, size_B -= (size_t)n)
		if ((n = write(price->messages, at, size_B)) <= 0)
			return false;
	return true;
}

static bool has_messages(const struct mpi_unread_message *messages, size_t n, int site)
{
	for (size_t i = 0; i < n; i++)
		if (messages[i].site == site)
			return true;
	return false;
}

void verify_price_ask(struct verify_price *price, struct run *run)
{
	struct mpi_memory *memory = run->mpi->verify ? run->mpi->verify->memory : NULL;
	const struct mpi_unread_message *messages;
	int n_sites = memory && memory->unread ? mpi_unread_finish(memory->unread) : 0;
	int n_priced = 0;
	double with_s, without_s;
	size_t n;

	if (!price || n_sites == 0 || !run_ended_well(run))
		return;
	messages = mpi_unread_messages(memory->unread, &n);
	if (n == 0 || !hand_over(price, messages, n * sizeof *messages) ||
	    (with_s = ask(price, -1, n)) < 0)
		return;
	for (int i = 0; i < n_sites && n_priced < MAX_PRICED; i++) {
		if (!has_messages(messages, n, i))
			continue;
		n_priced++;
		without_s = ask(price, i, n);
		if (without_s >= 0)
			mpi_unread_price(memory->unread, i, without_s, with_s);
	}
}

void verify_price_end(struct verify_price *price)
{
	int status;

	if (!price)
		return;
	close(price->ask);
	while (waitpid(price->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(price->answer);
	close(price->messages);
	free(price);
}
