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

static void write_threshold(int64_t threshold_B, FILE *file)
{
	if (threshold_B == INT64_MAX)
		fprintf(file, "off\n");
	else
		fprintf(file, "%lld\n", (long long)(threshold_B < 0 ? 0 : threshold_B));
}

bool yaml_overheads_differ(const struct fit *fit)
{
	double send_s = fit->send_overhead[fit->subject].value,
	       recv_s = fit->recv_overhead[fit->subject].value;

	return fabs(send_s - recv_s) > YAML_LOSS_WORTH_SAYING * (send_s + recv_s) / 2;
}

static void write_per_byte(const char *side, double per_B_s, FILE *file)
{
	if (per_B_s > 0)
		fprintf(file,
			"  %s_overhead_per_byte: %.6fns   # of larger eager messages, as above\n",
			side, per_B_s * 1e9);
}

static void write_overheads(const struct fit *fit, FILE *file)
{
	const struct value *send = &fit->send_overhead[fit->subject],
			   *recv = &fit->recv_overhead[fit->subject];
	double mean = (send->value + recv->value) / 2;
	char text[40];

	fprintf(file, "  overhead: %s   # mean of sender and receiver\n", yaml_time(mean, text));
	if (yaml_overheads_differ(fit)) {
		yaml_value(file, "  ", "send_overhead", send, yaml_time, "sixteen in a row");
		yaml_value(file, "  ", "recv_overhead", recv, yaml_time,
			   "sixteen that had arrived");
	}
	write_per_byte("send", fit->send_per_B_s, file);
	write_per_byte("recv", fit->recv_per_B_s, file);
}

static void write_list(const struct since *list, int n, FILE *file)
{
	for (int k = 0; k < n; k++)
		fprintf(file, "    - {from: %lld, size: %.0f}\n", (long long)list[k].from_B,
			fmax(list[k].size_B, 1));
}

/* By what a connection has carried where new ones were there to measure it. */
static void write_unattended(const struct fit *fit, FILE *file)
{
	if (fit->n_used < 2) {
		fprintf(
		    file,
		    "  unattended_send: %.0f   # of a connection that large messages have used\n",
		    fit->unattended_B);
		return;
	}
	fprintf(file, "  unattended_send:   # by what the connection had carried\n");
	write_list(fit->used, fit->n_used, file);
}

static void write_progress(const struct fit *fit, bool is_lazy, FILE *file)
{
	if (!is_lazy) {
		fprintf(file, "  progress: async\n");
		return;
	}
	fprintf(file, "  progress: %s\n", fit->looks_if_complete ? "in_mpi" : "in_waiting");
	if (fit->unattended_B >= YAML_LEAST_BUFFER_B)
		write_unattended(fit, file);
}

/* By the size of a message where that is measured, since systems let buffers grow. */
static void write_send_buffer(const struct fit *fit, bool is_lazy, FILE *file)
{
	const struct since *list = fit->send_buffers;
	int n = fit->n_send_buffers;

	if (fit->is_buffer_unattended && is_lazy && fit->unattended_B >= YAML_LEAST_BUFFER_B) {
		fprintf(file,
			"  send_buffer: unattended   # a used connection took more of the same "
			"message than a new one\n");
		return;
	}
	if (n == 0 && fit->buffered_B > YAML_LEAST_BUFFER_B)
		fprintf(file, "  send_buffer: %.0f\n", fit->buffered_B);
	else if (n == 1 && list[0].size_B > YAML_LEAST_BUFFER_B)
		fprintf(file, "  send_buffer: %.0f   # sends returned before\n", list[0].size_B);
	if (n < 2 || list[n - 1].size_B <= YAML_LEAST_BUFFER_B)
		return;
	fprintf(file, "  send_buffer:   # what sends of that size left behind them\n");
	write_list(list, n, file);
}

/* Of messages by rendezvous: without, there is nothing to set. */
static void write_rendezvous(const struct fit *fit, FILE *file)
{
	bool is_lazy = fit->send_wait > 0.5 || fit->recv_wait > 0.5;
	bool has_rendezvous = fit->threshold_B[fit->subject] != INT64_MAX;

	if (fit->control_B.is_known)
		fprintf(file, "  control_message: %.0f   # %.0f to %.0f; step at the threshold\n",
			fit->control_B.value, fmax(fit->control_B.low, 0), fit->control_B.high);
	if (has_rendezvous && fit->request_data_B > 0)
		fprintf(file,
			"  request_data: %.0f   # were there already when a receive came late\n",
			fit->request_data_B);
	if (has_rendezvous && fit->is_acknowledged)
		fprintf(file, "  rendezvous_end: acknowledged   # a send waited for a receiver "
			      "that computed\n");
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
		fprintf(file, "  # a large send returned with %.0f B on their way\n",
			fit->buffered_B);
	if (has_rendezvous)
		write_send_buffer(fit, is_lazy, file);
}

void yaml_protocol(const struct fit *fit, FILE *file)
{
	int w = fit->subject;

	fprintf(file, "\nprotocol:\n");
	write_overheads(fit, file);
	fprintf(file, "  eager_threshold: ");
	write_threshold(fit->threshold_B[w], file);
	if (w == BETWEEN_NODES && fit->empty[WITHIN_NODE].is_known) {
		fprintf(file, "  # within a node: ");
		write_threshold(fit->threshold_B[WITHIN_NODE], file);
	}
	if (fit->is_synchronous_acknowledged)
		fprintf(file,
			"  synchronous_send: acknowledged   # an empty one took two latencies\n");
	if (fit->is_late_probe)
		fprintf(file, "  late_answers: %s   # a first question says no\n",
			fit->is_late_test ? "tests" : "probes");
	if (is_ordered(fit))
		fprintf(file, "  order: per_pair   # an empty message behind a large one arrives "
			      "behind it\n");
	write_rendezvous(fit, file);
}
