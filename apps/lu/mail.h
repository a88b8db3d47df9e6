/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_LU_MAIL_H
#define APPS_LU_MAIL_H

#include <mpi.h>
#include <stdbool.h>

#include "lu.h"

/*
 * Message queues over MPI. Control messages have a communicator of their own, so that they neither wait behind blocks nor overtake
 * each other. Data messages go one at a time to each destination (synchronous sends): the first block is there before the last
 * one is sent. Received messages wait in two queues in the order in which they arrived; control messages are taken first.
 */
struct lu_mail;

struct lu_message {
	struct lu_task task;
	int source;
	bool is_control;
	double *data;        /* blocks or pivots; the message's own */
	long order;
	struct lu_message *next;
};

/* Buffers of data messages are of `plan`'s largest size. NULL when out of memory. Collective. */
struct lu_mail *lu_mail_create(const struct lu_plan *plan, struct lu_counts expected);
/* Waits for control messages that are still on their way out. Collective. */
void lu_mail_destroy(struct lu_mail *mail);

/* A buffer for a data message: to be sent, or to be freed. */
double *lu_mail_buffer(struct lu_mail *mail);
void lu_mail_free_buffer(struct lu_mail *mail, double *buffer);
/* Sends a data message; the buffer is the mail's from now on. */
void lu_mail_send_data(struct lu_mail *mail, int dest, const struct lu_task *task, double *buffer);
/* True when no data message to `dest` is on its way or waiting. */
bool lu_mail_is_idle(const struct lu_mail *mail, int dest);
/* Sends a control message; payload (NULL: none) is of lu_plan_size and stays as it is until lu_mail_destroy. */
void lu_mail_send_control(struct lu_mail *mail, int dest, const struct lu_task *task, const double *payload);

/* The next message, or NULL when only sends went on. Blocks when nothing happened since the last call. */
struct lu_message *lu_mail_next(struct lu_mail *mail);
/* Takes the data out of a message: the caller's to free. */
double *lu_message_take_data(struct lu_message *message);
void lu_mail_free(struct lu_mail *mail, struct lu_message *message);
/* True when all expected messages were taken and all data messages were sent. */
bool lu_mail_is_done(const struct lu_mail *mail);

#endif
