/* SPDX-License-Identifier: BSD-3-Clause */
/* What was received for nothing, for each call. */
#include "mpi/verify/unread.h"

#include <stdio.h>
#include <string.h>

#include "mpi/verify/internal.h"
#include "util/units.h"

int mpi_unread_finish(struct mpi_unread *unread)
{
	if (unread->is_finished)
		return unread->n_sites;
	unread->is_finished = true;
	for (size_t i = 0; i < unread->pages.n_slots; i++) {
		const struct mpi_unread_page *page = unread->pages.slots[i].item;

		if (page)
			mpi_unread_drop(unread, page->number * UNREAD_PAGE_B, UNREAD_PAGE_B);
	}
	return unread->memory->is_compiled && !unread->is_off ? unread->n_sites : 0;
}

const struct mpi_unread_message *mpi_unread_messages(const struct mpi_unread *unread, size_t *n)
{
	*n = unread->n_messages;
	return unread->messages;
}

void mpi_unread_price(struct mpi_unread *unread, int site, double without_s, double with_s)
{
	unread->sites[site].is_priced = true;
	unread->sites[site].without_s = without_s;
	unread->sites[site].with_s = with_s;
}

enum { MAX_RANGES = 4, TEXT_B = 200, MAX_PADDING_B = 12 };

struct summary {
	char ranges[TEXT_B]; /* "[0,8), [24,32)" */
	size_t length, padding_B;
	int n;
};

static void add_range(struct summary *out, const struct mpi_unread_site *site, size_t begin,
		      size_t end)
{
	/* behind a member of a structure, up to where the next one may begin */
	if (site->is_raw && begin > 0 && end - begin <= MAX_PADDING_B && end % 8 == 0 &&
	    begin % 8 != 0)
		out->padding_B += end - begin;
	if (out->n++ < MAX_RANGES)
		out->length += (size_t)snprintf(out->ranges + out->length, TEXT_B - out->length,
						"%s[%zu,%zu)", out->n > 1 ? ", " : "", begin, end);
	else if (out->n == MAX_RANGES + 2)
		snprintf(out->ranges + out->length, TEXT_B - out->length, " and more");
}

/* Offsets that no message of the site was read at. */
static void summarize(const struct mpi_unread_site *site, struct summary *out)
{
	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < site->n_offsets; i++) {
		unsigned what = site->offsets[i] & (OFFSET_CAME | OFFSET_READ);
		size_t begin = i;

		if (what != OFFSET_CAME)
			continue;
		while (i + 1 < site->n_offsets &&
		       (site->offsets[i + 1] & (OFFSET_CAME | OFFSET_READ)) == what &&
		       ((site->offsets[i + 1] ^ site->offsets[i]) & OFFSET_OVERWRITTEN) == 0)
			i++;
		add_range(out, site, begin, i + 1);
	}
}

static void describe_price(const struct mpi_unread_site *site, char *out, size_t out_B)
{
	char without[32], with[32];

	out[0] = 0;
	if (!site->is_priced)
		return;
	snprintf(out, out_B, "; without them the predicted time is %s instead of %s (%+.2f %%)",
		 util_format_time(without, sizeof without, site->without_s),
		 util_format_time(with, sizeof with, site->with_s),
		 site->with_s > 0 ? 100 * (site->without_s - site->with_s) / site->with_s : 0.0);
}

static void report_site(struct mpi_unread *unread, const struct mpi_unread_site *site)
{
	char text[640], price[160], padding[64] = "";
	struct summary summary;

	summarize(site, &summary);
	describe_price(site, price, sizeof price);
	if (summary.padding_B > 0)
		snprintf(padding, sizeof padding, ", %zu of them padding, as it seems",
			 summary.padding_B);
	snprintf(text, sizeof text,
		 "%llu of %llu bytes in %llu message%s came for nothing, %llu of them overwritten "
		 "unread; never read in any: %s%s%s%s",
		 (unsigned long long)site->unread_B, (unsigned long long)site->size_B,
		 (unsigned long long)site->n_messages, site->n_messages == 1 ? "" : "s",
		 (unsigned long long)site->overwritten_B, summary.n ? "bytes " : "none",
		 summary.ranges, padding, price);
	mpi_verify_report(unread->memory->world,
			  &(struct mpi_finding){.class_name = "never-read",
						.severity = MPI_FINDING_NOTE,
						.calls = {site->call},
						.n_calls = 1,
						.found = text,
						.why = "messages without them are shorter"});
}

void mpi_unread_report(struct mpi_unread *unread)
{
	mpi_unread_finish(unread);
	if (!unread->memory->is_compiled) {
		mpi_verify_report(
		    unread->memory->world,
		    &(struct mpi_finding){.class_name = "unchecked-reads",
					  .severity = MPI_FINDING_NOTE,
					  .found = "whether what comes is read is not looked at: "
						   "the program was not compiled for it",
					  .wanted = "mpisim-cc --verify-memory"});
		return;
	}
	for (int i = 0; i < unread->n_sites && !unread->is_off; i++)
		if (unread->sites[i].unread_B > 0)
			report_site(unread, &unread->sites[i]);
}
