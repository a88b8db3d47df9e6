/* SPDX-License-Identifier: BSD-3-Clause */
/* The section `protocol` of the cluster file. */
#include <math.h>

#include "yaml.h"

/* What stalls stays in the order in which it was handed over. An eager message that is large
 * arrives before the next one is matched, whatever the order. */
static bool is_ordered(const struct fit *fit)
{
	return (fit->is_ordered && fit->threshold_B[fit->subject] != INT64_MAX) ||
	       fit->unattended_B >= YAML_LEAST_BUFFER_B;
}

static const char *threshold(int64_t threshold_B, char text[40])
{
	if (threshold_B == INT64_MAX)
		return "off";
	snprintf(text, 40, "%lld", (long long)(threshold_B < 0 ? 0 : threshold_B));
	return text;
}

static void write_thresholds(const struct fit *fit, FILE *file)
{
	int64_t between_B = fit->threshold_B[fit->subject];
	char text[40];

	yaml_line(
	    file, fit, "late_receiver", "  eager_threshold: %s   # %s", threshold(between_B, text),
	    between_B == INT64_MAX ? "no send waited for a late receiver"
				   : "to the byte: sends that return before a late receiver comes");
	if (fit->subject == BETWEEN_NODES && fit->empty[WITHIN_NODE].is_known)
		fprintf(file, "  # within a node: %s\n",
			threshold(fit->threshold_B[WITHIN_NODE], text));
}

bool yaml_overheads_differ(const struct fit *fit)
{
	double send_s = fit->send_overhead[fit->subject].value,
	       recv_s = fit->recv_overhead[fit->subject].value;

	return fit->recv_per_B_s > 0 ||
	       fabs(send_s - recv_s) > YAML_LOSS_WORTH_SAYING * (send_s + recv_s) / 2;
}

static void write_per_byte(const struct fit *fit, FILE *file)
{
	double per_B_s = fit->recv_per_B_s, half_s;
	char probe[160];

	if (per_B_s <= 0)
		return;
	fprintf(file, "    per_byte: %.6fns   # of larger eager messages, as above; %s",
		per_B_s * 1e9, yaml_probe(fit, "recv_overhead", probe));
	half_s = fit_per_byte_half_s(fit, "recv_overhead");
	if (half_s > YAML_WIDE * per_B_s)
		fprintf(file, "; DOUBTFUL: known to +- %.0f %% only", 100 * half_s / per_B_s);
	fputc('\n', file);
}

static void write_overheads(const struct fit *fit, FILE *file)
{
	const struct value *send = &fit->send_overhead[fit->subject],
			   *recv = &fit->recv_overhead[fit->subject];
	struct value mean = yaml_mean(send, recv);

	if (yaml_overheads_differ(fit)) {
		fprintf(file, "  overhead:\n");
		yaml_value(file, "    ", "send", send, yaml_time, "sixteen in a row");
		yaml_value(file, "    ", "recv", recv, yaml_time, "sixteen that had arrived");
		write_per_byte(fit, file);
	} else {
		yaml_value(file, "  ", "overhead", &mean, yaml_time, "mean of sender and receiver");
	}
	if (fit->threshold_B[fit->subject] <= 0)
		fprintf(file,
			"  # overheads per byte: none can be seen, and none counts: no message "
			"with bytes is eager\n");
}

static void write_list(const struct since *list, int n, FILE *file)
{
	for (int k = 0; k < n; k++)
		fprintf(file, "    - {from: %lld, size: %.0f}\n", (long long)list[k].from_B,
			fmax(list[k].size_B, 1));
}

/* Not measured: what is known of Linux (docs/decisions/0012-protocols-of-real-libraries.md). */
static void write_unattended_receive(FILE *file)
{
	fprintf(file, "  unattended_receive: 160000   # not measured, what Linux keeps: "
		      "docs/calibrate.md says where it is from\n");
}

/* What a connection takes at most. */
static double used_B(const struct fit *fit)
{
	double most_B = fmax(fit->used[0].size_B, 1);

	for (int k = 1; k < fit->n_used; k++)
		most_B = fmax(most_B, fit->used[k].size_B);
	return most_B;
}

/* By what a connection has carried where new ones were there to measure it. */
static void write_unattended(const struct fit *fit, FILE *file)
{
	if (fit->n_used < 2) {
		yaml_line(
		    file, fit, "send_progress send_look",
		    "  unattended_send: %.0f   # of a connection that large messages have used",
		    fit->unattended_B);
		return;
	}
	yaml_line(
	    file, fit, "used used_eager",
	    "  unattended_send: {new: %.0f, used: %.0f}   # by what the connection had carried",
	    fmax(fit->used[0].size_B, 1), used_B(fit));
	for (int k = 0; k < fit->n_used; k++)
		fprintf(file, "  #   %.0f B after %lld B\n", fit->used[k].size_B,
			(long long)fit->used[k].from_B);
}

static void write_progress(const struct fit *fit, bool is_lazy, FILE *file)
{
	if (!is_lazy) {
		yaml_line(file, fit, "send_progress recv_progress",
			  "  progress: async   # neither waits for what the line above says");
		return;
	}
	if (fit->looks_if_complete)
		yaml_line(file, fit, "send_progress recv_progress send_look send_complete_look",
			  "  progress: in_mpi   # calls whose requests are complete look, too");
	else
		yaml_line(
		    file, fit, "send_progress recv_progress send_look send_complete_look",
		    "  progress: in_waiting   # calls whose requests are complete do not look");
	if (fit->unattended_B >= YAML_LEAST_BUFFER_B) {
		write_unattended(fit, file);
		write_unattended_receive(file);
	}
}

/* What is not told of send buffers. */
static void write_untold(const struct fit *fit, FILE *file)
{
	const struct since *list = fit->send_buffers;

	if (fit->least_telling_B > 0)
		fprintf(file,
			"  # messages of less than %lld B were left behind as a whole: how much "
			"more would be is not told\n",
			(long long)fit->least_telling_B);
	if (fit->n_send_buffers == 1 && fit->n_used == 1 &&
	    fabs(list[0].size_B - fit->used[0].size_B) < 1)
		fprintf(file, "  # as much leaves unattended: \"unattended\" has the same times\n");
}

/* By the size of a message where that is measured, since systems let buffers grow. */
static void write_send_buffer(const struct fit *fit, bool is_lazy, FILE *file)
{
	const struct since *list = fit->send_buffers;
	int n = fit->n_send_buffers;

	if (fit->buffered_B < YAML_LEAST_BUFFER_B / 2) /* and that is known better */
		return;
	if (n > 1 && fit->n_used > 1 && is_lazy && fit->unattended_B >= YAML_LEAST_BUFFER_B) {
		yaml_line(file, fit, "send_buffer send_buffer_used",
			  "  send_buffer: unattended   # what sends left behind them is what leaves "
			  "unattended, by size and by use");
		return;
	}
	if (n == 0 && fit->buffered_B > YAML_LEAST_BUFFER_B)
		yaml_line(file, fit, "send_return",
			  "  send_buffer: %.0f   # what the send above left behind it",
			  fit->buffered_B);
	else if (n == 1 && list[0].size_B > YAML_LEAST_BUFFER_B)
		yaml_line(file, fit, "send_buffer send_buffer_used",
			  "  send_buffer: %.0f   # what sends left behind them", list[0].size_B);
	if (n == 1 && list[0].size_B > YAML_LEAST_BUFFER_B)
		write_untold(fit, file);
	if (n < 2 || list[n - 1].size_B <= YAML_LEAST_BUFFER_B)
		return;
	yaml_line(file, fit, "send_buffer",
		  "  send_buffer:   # what sends of that size left behind them");
	write_list(list, n, file);
	write_untold(fit, file);
}

/* Of messages by rendezvous: without, there is nothing to set. */
static void write_rendezvous(const struct fit *fit, FILE *file)
{
	bool is_lazy = fit->send_wait > 0.5 || fit->recv_wait > 0.5;
	bool has_rendezvous = fit->threshold_B[fit->subject] != INT64_MAX;

	if (has_rendezvous && fit->request_data_B > 0)
		yaml_line(file, fit, "late_bulk",
			  "  request_data: %.0f   # were there already when a receive came late",
			  fit->request_data_B);
	if (has_rendezvous && fit->is_acknowledged)
		yaml_line(file, fit, "receiver_away receiver_back late_bulk send_return",
			  "  rendezvous_end: acknowledged   # %s",
			  fit->choice.is_acknowledged ? "predicts all times better"
						      : "a send waited for a rank that computed");
	if (fit->send_wait < 0)
		return;
	fprintf(
	    file,
	    "  # of a large message's time, %.0f %% of a send and %.0f %% of a receive were left "
	    "after computing 1.5 times as long\n",
	    fit->send_wait * 100, fit->recv_wait * 100);
	if (has_rendezvous)
		write_progress(fit, is_lazy, file);
	if (fit->buffered_B >= 0)
		yaml_line(file, fit, "send_return",
			  "  # a large send returned with %.0f B on their way", fit->buffered_B);
	if (has_rendezvous)
		write_send_buffer(fit, is_lazy, file);
}

void yaml_protocol(const struct fit *fit, FILE *file)
{
	fprintf(file, "\nprotocol:\n");
	write_overheads(fit, file);
	write_thresholds(fit, file);
	if (fit->is_synchronous_acknowledged)
		yaml_line(file, fit, "synchronous",
			  "  synchronous_send: acknowledged   # an empty one took two latencies");
	if (fit->is_late_probe)
		yaml_line(file, fit, "late_probe late_tests",
			  "  late_answers: %s   # a first question says no",
			  fit->is_late_test ? "tests" : "probes");
	if (is_ordered(fit))
		yaml_line(
		    file, fit, "behind_large",
		    "  order: per_pair   # an empty message behind a large one arrives behind it");
	write_rendezvous(fit, file);
}
