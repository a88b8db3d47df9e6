/* SPDX-License-Identifier: BSD-3-Clause */
#include "mail.h"

#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>

#define N_CHANNELS 2
enum { CONTROL, DATA };
#define CONTROL_RECEIVES 16
#define MIN_DATA_RECEIVES 4
#define MAX_DATA_RECEIVES 128
#define DATA_RECEIVES_B (32u << 20) /* memory for receives that are posted ahead */
#define MAX_OLD_SENDS 256           /* control sends before the completed ones are dropped */

struct outgoing {
	int tag, count;
	double *buffer;
	struct outgoing *next;
};

struct destination {
	struct outgoing *first, *last; /* first: on its way */
};

struct channel {
	MPI_Comm comm;
	int n_slots, first_slot;       /* in `requests` */
	int size;                      /* doubles in a buffer */
	long expected, posted, taken;
	struct lu_message **slots;     /* [n_slots], what the posted receives fill */
	struct lu_message *first, *last; /* arrived */
};

struct lu_mail {
	const struct lu_plan *plan;
	struct channel channels[N_CHANNELS];
	struct destination *destinations; /* [n_ranks] */
	int first_send, n_requests;
	MPI_Request *requests;      /* receives of both channels, then one send per destination */
	int *indices;               /* [n_requests] */
	MPI_Status *statuses;       /* [n_requests] */
	MPI_Request *control_sends;
	int n_control_sends, control_capacity;
	long n_sending, order;
	double **free_buffers;      /* of data messages */
	int n_free, free_capacity;
};

/* The program has no use for less memory than it asked for. */
static void *need(void *memory)
{
	if (!memory) {
		fprintf(stderr, "lu: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return memory;
}

double *lu_mail_buffer(struct lu_mail *mail)
{
	if (mail->n_free > 0)
		return mail->free_buffers[--mail->n_free];
	return need(mpisim_alloc((size_t)mail->channels[DATA].size * sizeof(double)));
}

void lu_mail_free_buffer(struct lu_mail *mail, double *buffer)
{
	if (mail->n_free == mail->free_capacity) {
		mail->free_capacity = 2 * mail->free_capacity + 16;
		mail->free_buffers = need(realloc(mail->free_buffers, (size_t)mail->free_capacity *
									      sizeof(double *)));
	}
	mail->free_buffers[mail->n_free++] = buffer;
}

/* --- receiving --- */

static void post_receive(struct lu_mail *mail, int which, int slot)
{
	struct channel *channel = &mail->channels[which];
	struct lu_message *message;

	channel->slots[slot] = NULL;
	if (channel->posted == channel->expected)
		return;
	message = need(calloc(1, sizeof(*message)));
	message->is_control = which == CONTROL;
	message->order = mail->order++;
	if (which == DATA)
		message->data = lu_mail_buffer(mail);
	else
		message->data = need(malloc((size_t)channel->size * sizeof(double)));
	channel->posted++;
	channel->slots[slot] = message;
	MPI_Irecv(message->data, channel->size, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG,
		  channel->comm, &mail->requests[channel->first_slot + slot]);
}

/* Receives match in the order in which they were posted, so that this order is the order of arrival. */
static void enqueue(struct channel *channel, struct lu_message *message)
{
	struct lu_message **at = &channel->first;

	if (channel->last && channel->last->order < message->order)
		at = &channel->last->next;
	while (*at && (*at)->order < message->order)
		at = &(*at)->next;
	message->next = *at;
	*at = message;
	if (!message->next)
		channel->last = message;
}

static void receive_completed(struct lu_mail *mail, int which, int slot, const MPI_Status *status)
{
	struct channel *channel = &mail->channels[which];
	struct lu_message *message = channel->slots[slot];

	message->task = lu_task_of_tag(mail->plan, status->MPI_TAG);
	message->source = status->MPI_SOURCE;
	enqueue(channel, message);
	post_receive(mail, which, slot);
}

static struct lu_message *dequeue(struct channel *channel)
{
	struct lu_message *message = channel->first;

	if (!message)
		return NULL;
	channel->first = message->next;
	if (!channel->first)
		channel->last = NULL;
	message->next = NULL;
	channel->taken++;
	return message;
}

double *lu_message_take_data(struct lu_message *message)
{
	double *data = message->data;

	message->data = NULL;
	return data;
}

void lu_mail_free(struct lu_mail *mail, struct lu_message *message)
{
	if (message->is_control)
		free(message->data);
	else if (message->data)
		lu_mail_free_buffer(mail, message->data);
	free(message);
}

/* --- sending --- */

static void start_send(struct lu_mail *mail, int dest)
{
	struct outgoing *first = mail->destinations[dest].first;

	MPI_Issend(first->buffer, first->count, MPI_DOUBLE, dest, first->tag,
		   mail->channels[DATA].comm, &mail->requests[mail->first_send + dest]);
}

static void send_completed(struct lu_mail *mail, int dest)
{
	struct destination *destination = &mail->destinations[dest];
	struct outgoing *done = destination->first;

	lu_mail_free_buffer(mail, done->buffer);
	destination->first = done->next;
	free(done);
	mail->n_sending--;
	if (destination->first)
		start_send(mail, dest);
}

void lu_mail_send_data(struct lu_mail *mail, int dest, const struct lu_task *task, double *buffer)
{
	struct destination *destination = &mail->destinations[dest];
	struct outgoing *outgoing = need(malloc(sizeof(*outgoing)));

	*outgoing = (struct outgoing){.tag = lu_task_tag(mail->plan, task),
				      .count = lu_plan_size(mail->plan, task->type),
				      .buffer = buffer};
	mail->n_sending++;
	if (destination->first) {
		destination->last->next = outgoing;
		destination->last = outgoing;
	} else {
		destination->first = destination->last = outgoing;
		start_send(mail, dest);
	}
}

bool lu_mail_is_idle(const struct lu_mail *mail, int dest)
{
	return !mail->destinations[dest].first;
}

/* Keeps the requests that are not complete; blocks never. */
static void drop_old_sends(struct lu_mail *mail)
{
	int kept = 0, done;

	for (int i = 0; i < mail->n_control_sends; i++) {
		MPI_Test(&mail->control_sends[i], &done, MPI_STATUS_IGNORE);
		if (!done)
			mail->control_sends[kept++] = mail->control_sends[i];
	}
	mail->n_control_sends = kept;
}

void lu_mail_send_control(struct lu_mail *mail, int dest, const struct lu_task *task,
			  const double *payload)
{
	int count = payload ? lu_plan_size(mail->plan, task->type) : 0;

	if (mail->n_control_sends == mail->control_capacity) {
		drop_old_sends(mail);
		if (2 * mail->n_control_sends > mail->control_capacity)
			mail->control_capacity *= 2;
		mail->control_sends = need(realloc(
			mail->control_sends, (size_t)mail->control_capacity * sizeof(MPI_Request)));
	}
	MPI_Isend((void *)payload, count, MPI_DOUBLE, dest, lu_task_tag(mail->plan, task),
		  mail->channels[CONTROL].comm, &mail->control_sends[mail->n_control_sends++]);
}

/* --- both --- */

static void completed(struct lu_mail *mail, int n)
{
	int first_data = mail->channels[DATA].first_slot;

	for (int i = 0; i < n; i++) {
		int index = mail->indices[i];

		if (index >= mail->first_send)
			send_completed(mail, index - mail->first_send);
		else if (index >= first_data)
			receive_completed(mail, DATA, index - first_data, &mail->statuses[i]);
		else
			receive_completed(mail, CONTROL, index, &mail->statuses[i]);
	}
}

struct lu_message *lu_mail_next(struct lu_mail *mail)
{
	struct lu_message *message;
	int n;

	if (mail->channels[CONTROL].first || mail->channels[DATA].first)
		MPI_Testsome(mail->n_requests, mail->requests, &n, mail->indices, mail->statuses);
	else
		MPI_Waitsome(mail->n_requests, mail->requests, &n, mail->indices, mail->statuses);
	if (n != MPI_UNDEFINED)
		completed(mail, n);
	message = dequeue(&mail->channels[CONTROL]);
	return message ? message : dequeue(&mail->channels[DATA]);
}

bool lu_mail_is_done(const struct lu_mail *mail)
{
	const struct channel *control = &mail->channels[CONTROL], *data = &mail->channels[DATA];

	return control->taken == control->expected && data->taken == data->expected &&
	       mail->n_sending == 0;
}

/* --- creation --- */

static int largest_data(const struct lu_plan *plan)
{
	int largest = 0;

	for (int type = LU_TRSM; type <= LU_RESULT; type++) {
		int size = lu_plan_size(plan, (enum lu_type)type);

		largest = size > largest ? size : largest;
	}
	return largest;
}

static int data_receives(int size)
{
	size_t n = DATA_RECEIVES_B / ((size_t)size * sizeof(double));

	if (n < MIN_DATA_RECEIVES)
		return MIN_DATA_RECEIVES;
	return n > MAX_DATA_RECEIVES ? MAX_DATA_RECEIVES : (int)n;
}

static void channel_init(struct channel *channel, int n_slots, int first_slot, int size, long expected)
{
	*channel = (struct channel){
		.first_slot = first_slot, .size = size, .expected = expected};
	channel->n_slots = expected < n_slots ? (int)expected : n_slots;
	channel->slots = need(calloc((size_t)channel->n_slots + 1, sizeof(struct lu_message *)));
	MPI_Comm_dup(MPI_COMM_WORLD, &channel->comm);
}

struct lu_mail *lu_mail_create(const struct lu_plan *plan, struct lu_counts expected)
{
	struct lu_mail *mail = need(calloc(1, sizeof(*mail)));
	struct channel *control = &mail->channels[CONTROL], *data = &mail->channels[DATA];
	int size = largest_data(plan);

	mail->plan = plan;
	channel_init(control, CONTROL_RECEIVES, 0, plan->options.r, expected.control);
	channel_init(data, data_receives(size), control->n_slots, size, expected.data);
	mail->first_send = data->first_slot + data->n_slots;
	mail->n_requests = mail->first_send + plan->n_ranks;
	mail->destinations = need(calloc((size_t)plan->n_ranks, sizeof(struct destination)));
	mail->requests = need(malloc((size_t)mail->n_requests * sizeof(MPI_Request)));
	mail->indices = need(malloc((size_t)mail->n_requests * sizeof(int)));
	mail->statuses = need(malloc((size_t)mail->n_requests * sizeof(MPI_Status)));
	mail->control_capacity = MAX_OLD_SENDS;
	mail->control_sends = need(malloc(MAX_OLD_SENDS * sizeof(MPI_Request)));
	for (int i = 0; i < mail->n_requests; i++)
		mail->requests[i] = MPI_REQUEST_NULL;
	for (int which = CONTROL; which <= DATA; which++) {
		for (int slot = 0; slot < mail->channels[which].n_slots; slot++)
			post_receive(mail, which, slot);
	}
	return mail;
}

void lu_mail_destroy(struct lu_mail *mail)
{
	MPI_Waitall(mail->n_control_sends, mail->control_sends, MPI_STATUSES_IGNORE);
	for (int which = CONTROL; which <= DATA; which++) {
		MPI_Comm_free(&mail->channels[which].comm);
		free(mail->channels[which].slots);
	}
	for (int i = 0; i < mail->n_free; i++)
		mpisim_free(mail->free_buffers[i]);
	free(mail->free_buffers);
	free(mail->destinations);
	free(mail->requests);
	free(mail->indices);
	free(mail->statuses);
	free(mail->control_sends);
	free(mail);
}
