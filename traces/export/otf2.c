// SPDX-License-Identifier: BSD-3-Clause
/*
 * OTF2 (Open Trace Format 2, score-p.org), by its library: an anchor file, global definitions, and
 * a folder with a file of events for each rank. The library keeps a buffer for each file that is
 * open: ranks are written one after the other.
 */
#include "traces/export/otf2.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/array.h"
#include "util/outpath.h"
#include "util/version.h"

/* --- names --- */

enum { FOLDER, DEFINITIONS, ANCHOR, N_PARTS }; /* in the order in which they get their names */
static const char *const part_endings[N_PARTS] = {"", ".def", ".otf2"};

struct places {
	char *stem;	  /* "dir/run" of dir/run.otf2 */
	const char *name; /* "run" */
	char *temporary;  /* folder that it is made in */
	char *final[N_PARTS], *made[N_PARTS];
};

static void free_places(struct places *p)
{
	for (int i = 0; i < N_PARTS; i++) {
		free(p->final[i]);
		free(p->made[i]);
	}
	free(p->temporary);
	free(p->stem);
}

static int name_places(struct places *p, const char *path, struct util_error *err)
{
	const char *slash;
	bool ok;

	*p = (struct places){.stem = strndup(path, strlen(path) - strlen(part_endings[ANCHOR]))};
	ok = p->stem && asprintf(&p->temporary, "%s.partial", path) >= 0;
	slash = ok ? strrchr(p->stem, '/') : NULL;
	p->name = slash ? slash + 1 : p->stem;
	for (int i = 0; i < N_PARTS && ok; i++)
		ok = asprintf(&p->final[i], "%s%s", p->stem, part_endings[i]) >= 0 &&
		     asprintf(&p->made[i], "%s/%s%s", p->temporary, p->name, part_endings[i]) >= 0;
	if (ok)
		return 0;
	free_places(p);
	return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
}

static int check_places(const struct places *p, struct util_error *err)
{
	struct stat found;

	if (!*p->name)
		return util_refuse(err, "found no name before .otf2, wanted one, as in run.otf2");
	for (int i = 0; i < N_PARTS; i++)
		if (lstat(p->final[i], &found) == 0)
			return util_refuse(err,
					   "%s is there already, and an archive is %s.otf2, %s.def "
					   "and the folder %s: remove them or choose another name",
					   p->final[i], p->name, p->name, p->name);
	if (lstat(p->temporary, &found) == 0)
		return util_refuse(err,
				   "%s is there already: a run is writing it, or was killed while "
				   "it did; remove it if none is",
				   p->temporary);
	return 0;
}

static int check(const char *path, struct util_error *err)
{
	struct places p;
	int failed = name_places(&p, path, err);

	if (failed)
		return failed;
	failed = check_places(&p, err);
	free_places(&p);
	return failed;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
	return remove(path);
}

/* All three get their names, or none. */
static int give_names(const struct places *p, struct util_error *err)
{
	for (int i = 0; i < N_PARTS; i++) {
		if (renameat2(AT_FDCWD, p->made[i], AT_FDCWD, p->final[i], RENAME_NOREPLACE) == 0)
			continue;
		util_error_errno(err, errno, "cannot rename %s to %s", p->made[i], p->final[i]);
		while (--i >= 0)
			rename(p->final[i], p->made[i]);
		return UTIL_ESYSTEM;
	}
	return 0;
}

/* --- events --- */

struct writing {
	struct trace_otf2 archive;
	OTF2_EvtWriter *file; /* of `rank` */
	int rank;	      /* -1: none yet */
	bool in_call;

	uint64_t sent_B, received_B; /* in it, for collectives */
	struct trace_event *events;  /* [n] of one moment of the rank */
	int n;
	uint64_t hash; /* of all events */
};

static OTF2_RegionRef region(struct writing *w, const struct trace_event *event)
{
	struct trace_otf2 *a = &w->archive;
	bool is_phase =
	    event->kind == TRACE_EVENT_PHASE_BEGIN || event->kind == TRACE_EVENT_PHASE_END;
	enum trace_otf2_kind kind = is_phase	     ? TRACE_OTF2_PHASE
				    : event->is_call ? TRACE_OTF2_CALL
						     : TRACE_OTF2_KERNEL;
	int *of = &a->region_of[event->name * TRACE_OTF2_N_KINDS + (int)kind];

	if (*of < 0) {
		*of = (int)a->n_regions;
		a->regions[a->n_regions++] = (struct trace_otf2_region){event->name, kind};
	}
	return (OTF2_RegionRef)*of;
}

/* A collective whose communicator is known as a whole, and that OTF2 has a name for. */
static bool is_collective(const struct trace_otf2 *a, const struct trace_event *event,
			  OTF2_CollectiveOp *out)
{
	return event->is_call && event->comm >= 0 && a->comms[event->comm] != OTF2_UNDEFINED_COMM &&
	       trace_otf2_collective(a->out->names->text[event->name], out);
}

static void begin_interval(struct writing *w, const struct trace_event *event)
{
	struct trace_otf2 *a = &w->archive;
	OTF2_CollectiveOp op;

	trace_otf2_note(
	    a, OTF2_EvtWriter_Enter(w->file, NULL, (uint64_t)event->time, region(w, event)));
	if (!event->is_call)
		return;
	w->in_call = true;
	w->sent_B = w->received_B = 0;
	if (is_collective(a, event, &op))
		trace_otf2_note(
		    a, OTF2_EvtWriter_MpiCollectiveBegin(w->file, NULL, (uint64_t)event->time));
}

static void end_interval(struct writing *w, const struct trace_event *event)
{
	struct trace_otf2 *a = &w->archive;
	uint64_t time = (uint64_t)event->time;
	OTF2_CollectiveOp op;

	if (is_collective(a, event, &op))
		trace_otf2_note(a,
				OTF2_EvtWriter_MpiCollectiveEnd(
				    w->file, NULL, time, op, a->comms[event->comm],
				    event->root < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)event->root,
				    w->sent_B, w->received_B));
	if (event->is_call)
		w->in_call = false;
	trace_otf2_note(a, OTF2_EvtWriter_Leave(w->file, NULL, time, region(w, event)));
}

static void put_message(struct writing *w, const struct trace_event *event)
{
	OTF2_CommRef comm = event->in_collective ? TRACE_OTF2_INTERNAL : TRACE_OTF2_MESSAGES;
	bool is_sent = event->kind == TRACE_EVENT_SENT;
	uint64_t size_B = (uint64_t)event->size_B, *sum = is_sent ? &w->sent_B : &w->received_B;
	uint32_t peer = (uint32_t)event->peer, tag = (uint32_t)event->tag;
	uint64_t time = (uint64_t)event->time;

	if (event->in_collective)
		*sum += size_B;
	trace_otf2_note(&w->archive,
			is_sent
			    ? OTF2_EvtWriter_MpiSend(w->file, NULL, time, peer, comm, tag, size_B)
			    : OTF2_EvtWriter_MpiRecv(w->file, NULL, time, peer, comm, tag, size_B));
}

static bool is_message(const struct trace_event *event)
{
	return event->kind == TRACE_EVENT_SENT || event->kind == TRACE_EVENT_RECEIVED;
}

static void put_other(struct writing *w, const struct trace_event *event)
{
	if (event->kind == TRACE_EVENT_BEGIN)
		begin_interval(w, event);
	else if (event->kind == TRACE_EVENT_END)
		end_interval(w, event);
	else if (event->kind == TRACE_EVENT_PHASE_BEGIN)
		trace_otf2_note(
		    &w->archive,
		    OTF2_EvtWriter_Enter(w->file, NULL, (uint64_t)event->time, region(w, event)));
	else
		trace_otf2_note(
		    &w->archive,
		    OTF2_EvtWriter_Leave(w->file, NULL, (uint64_t)event->time, region(w, event)));
}

/* Of the calls that begin at this moment, the first that messages are expected in, else the first
 * if none is open; -1: none. */
static int find_call(const struct writing *w)
{
	int first = -1;

	for (int i = w->n - 1; i >= 0; i--) {
		const struct trace_event *event = &w->events[i];

		if (event->kind != TRACE_EVENT_BEGIN || !event->is_call)
			continue;
		if (trace_otf2_communicates(w->archive.out->names->text[event->name]))
			first = i;
	}
	for (int i = 0; i < w->n && first < 0 && !w->in_call; i++)
		if (w->events[i].kind == TRACE_EVENT_BEGIN && w->events[i].is_call)
			first = i;
	return first;
}

/* After which of the events of this moment a message is told; -1: before all; n: not now. Messages
 * are recorded when they are over, so they come behind the call that they belong to if that took no
 * time: what is received belongs to the call that is open, and what a collective sends; what else
 * is sent to one that begins now. */
static int place_of(const struct writing *w, const struct trace_event *event, int call)
{
	bool is_received = event->kind == TRACE_EVENT_RECEIVED;

	if (w->in_call && (is_received || event->in_collective || call < 0))
		return -1;
	return call >= 0 ? call : w->n;
}

/* What arrives while the rank computes is received in its next call: it waits for the next moment.
 */
static void put_moment(struct writing *w, bool is_last)
{
	int call = find_call(w), n_left = 0;

	for (int i = 0; i < w->n; i++)
		if (is_message(&w->events[i]))
			w->events[i].order = (uint64_t)(place_of(w, &w->events[i], call) + 1);
	for (int at = -1; at < w->n; at++) {
		if (at >= 0 && !is_message(&w->events[at]))
			put_other(w, &w->events[at]);
		for (int i = 0; i < w->n && (at == -1 || at == call); i++)
			if (is_message(&w->events[i]) && w->events[i].order == (uint64_t)(at + 1))
				put_message(w, &w->events[i]);
	}
	for (int i = 0; i < w->n; i++) {
		if (!is_message(&w->events[i]) || w->events[i].order <= (uint64_t)w->n)
			continue;
		if (is_last || w->events[i].kind == TRACE_EVENT_SENT)
			put_message(w, &w->events[i]);
		else
			w->events[n_left++] = w->events[i];
	}
	w->n = n_left;
}

static void end_moment(struct writing *w, sim_time_ps next)
{
	put_moment(w, false);
	for (int i = 0; i < w->n; i++)
		w->events[i].time = next;
}

static void end_rank(struct writing *w)
{
	struct trace_otf2 *a = &w->archive;
	OTF2_DefWriter *definitions;

	if (w->rank < 0 || !w->file)
		return;
	put_moment(w, true);
	trace_otf2_note(a, OTF2_EvtWriter_GetNumberOfEvents(w->file, &a->n_events[w->rank]));
	trace_otf2_note(a, OTF2_Archive_CloseEvtWriter(a->archive, w->file));
	w->file = NULL;
	definitions = OTF2_Archive_GetDefWriter(a->archive, (uint64_t)w->rank);
	trace_otf2_note(a, definitions ? OTF2_Archive_CloseDefWriter(a->archive, definitions)
				       : OTF2_ERROR_INVALID);
}

/* Ranks that do nothing have their files, too. */
static void begin_ranks_until(struct writing *w, int rank)
{
	while (w->rank < rank) {
		end_rank(w);
		w->rank++;
		w->in_call = false;
		w->file = OTF2_Archive_GetEvtWriter(w->archive.archive, (uint64_t)w->rank);
		if (!w->file) {
			trace_otf2_note(&w->archive, OTF2_ERROR_INVALID);
			return;
		}
	}
}

static uint64_t mix(uint64_t hash, uint64_t value) /* FNV-1a, a word at a time */
{
	return (hash ^ value) * 0x100000001b3u;
}

static int take_event(void *context, const struct trace_event *event)
{
	struct writing *w = context;

	if (event->rank != w->rank)
		begin_ranks_until(w, event->rank);
	else if (w->n > 0 && w->events[0].time != event->time)
		end_moment(w, event->time);
	if (!util_array_room(&w->events, (size_t)w->n, sizeof *w->events)) {
		trace_otf2_note(&w->archive, OTF2_ERROR_MEM_ALLOC_FAILED);
		return 1;
	}
	w->events[w->n++] = *event;
	w->hash = mix(mix(mix(w->hash, (uint64_t)event->time), event->kind), (uint64_t)event->name);
	return w->archive.failed != OTF2_SUCCESS;
}

/* --- the archive --- */

static OTF2_FlushType flush(void *context, OTF2_FileType type, OTF2_LocationRef location,
			    void *caller, bool is_final)
{
	return OTF2_FLUSH;
}

static OTF2_ErrorCode take_error(void *context, const char *file, uint64_t line,
				 const char *function, OTF2_ErrorCode code, const char *format,
				 va_list arguments)
{
	trace_otf2_note(context, code);
	return code;
}

static void write_events(struct writing *w, struct trace_spool *spool, int *failed,
			 struct util_error *err)
{
	struct trace_otf2 *a = &w->archive;

	trace_otf2_note(a, OTF2_Archive_OpenEvtFiles(a->archive));
	trace_otf2_note(a, OTF2_Archive_OpenDefFiles(a->archive));
	*failed = trace_spool_visit(spool, take_event, w, err);
	if (*failed > 0)
		*failed = 0; /* it is in a->failed */
	begin_ranks_until(w, a->out->summary->n_ranks - 1);
	end_rank(w);
	trace_otf2_note(a, OTF2_Archive_CloseEvtFiles(a->archive));
	trace_otf2_note(a, OTF2_Archive_CloseDefFiles(a->archive));
}

static void write_archive(struct writing *w, const struct places *p, struct trace_spool *spool,
			  int *failed, struct util_error *err)
{
	static const OTF2_FlushCallbacks flushing = {flush, NULL};
	struct trace_otf2 *a = &w->archive;
	char creator[64];

	a->archive = OTF2_Archive_Open(
	    p->temporary, p->name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
	    OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!a->archive) {
		trace_otf2_note(a, OTF2_ERROR_INVALID);
		return;
	}
	snprintf(creator, sizeof creator, "mpisim %s", util_version());
	trace_otf2_note(a, OTF2_Archive_SetCreator(a->archive, creator));
	trace_otf2_note(a, OTF2_Archive_SetFlushCallbacks(a->archive, &flushing, NULL));
	trace_otf2_note(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->archive));
	write_events(w, spool, failed, err);
	trace_otf2_define(a);
	trace_otf2_note(a, OTF2_Archive_Close(a->archive));
}

/* The library numbers archives at random: the anchor gets the hash of its events instead, so that
 * equal runs have equal bytes. */
static int number_archive(struct writing *w, const char *anchor, struct util_error *err)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	unsigned char bytes[4096], *found = NULL;
	uint64_t number;
	size_t n = 0;
	FILE *file = fopen(anchor, "r+e");

	if (reader && OTF2_Reader_GetTraceId(reader, &number) == OTF2_SUCCESS && file) {
		n = fread(bytes, 1, sizeof bytes, file);
		found = memmem(bytes, n, &number, sizeof number);
	}
	if (reader)
		OTF2_Reader_Close(reader);
	if (found && (fseek(file, found - bytes, SEEK_SET) ||
		      fwrite(&w->hash, sizeof w->hash, 1, file) != 1))
		found = NULL;
	if (file && fclose(file))
		found = NULL;
	if (found)
		return 0;
	return util_error_set(err, UTIL_ESYSTEM, "cannot find the number of %s to replace it",
			      anchor);
}

/* A communicator can be told only as a whole. */
static int number_comms(struct trace_otf2 *a)
{
	const struct trace_comms *comms = a->out->comms;
	OTF2_CommRef next = TRACE_OTF2_N_COMMS;

	a->comms = malloc(((size_t)comms->n + 1) * sizeof *a->comms);
	for (int i = 0; a->comms && i < comms->n; i++)
		a->comms[i] =
		    comms->list[i].n_known == comms->list[i].n_ranks ? next++ : OTF2_UNDEFINED_COMM;
	return a->comms ? 0 : -1;
}

static int make(struct writing *w, const struct places *p, struct trace_spool *spool,
		struct util_error *err)
{
	struct trace_otf2 *a = &w->archive;
	size_t n_names = (size_t)a->out->names->n * TRACE_OTF2_N_KINDS;
	int failed = 0;

	a->region_of = malloc((n_names + 1) * sizeof *a->region_of);
	a->regions = malloc((n_names + 1) * sizeof *a->regions);
	a->n_events = calloc((size_t)a->out->summary->n_ranks, sizeof *a->n_events);
	if (!a->region_of || !a->regions || !a->n_events || number_comms(a))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a trace");
	memset(a->region_of, -1, n_names * sizeof *a->region_of);
	write_archive(w, p, spool, &failed, err);
	if (!failed && a->failed != OTF2_SUCCESS)
		failed = util_error_set(err, UTIL_ESYSTEM, "cannot write %s: %s", p->final[ANCHOR],
					OTF2_Error_GetDescription(a->failed));
	return failed ? failed : number_archive(w, p->made[ANCHOR], err);
}

static int write_otf2(const struct trace_output *out, const char *path, struct trace_spool *spool,
		      struct util_error *err)
{
	struct writing w = {.archive = {.out = out}, .rank = -1, .hash = 0xcbf29ce484222325u};
	struct places p;
	int failed = name_places(&p, path, err);

	if (failed)
		return failed;
	if (mkdir(p.temporary, 0777)) {
		failed = util_error_errno(err, errno, "cannot create %s", p.temporary);
		free_places(&p);
		return failed;
	}
	util_output_guard(p.temporary);
	OTF2_Error_RegisterCallback(take_error, &w.archive);
	failed = make(&w, &p, spool, err);
	OTF2_Error_RegisterCallback(NULL, NULL);
	if (!failed)
		failed = give_names(&p, err);
	nftw(p.temporary, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	util_output_release(p.temporary);
	free(w.events);
	free(w.archive.region_of);
	free(w.archive.regions);
	free(w.archive.n_events);
	free(w.archive.comms);
	free_places(&p);
	return failed;
}

const struct trace_format trace_format_otf2 = {
    .needs_ends = true,
    .check = check,
    .write = write_otf2,
};
