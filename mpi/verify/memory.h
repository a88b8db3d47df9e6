/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_MEMORY_H
#define MPI_VERIFY_MEMORY_H

#include "mpi/abi/call_info.h"
#include "mpi/core/foreign.h"
#include "mpi/verify/call.h"
#include "mpi/verify/ranges.h"
#include "mpi/verify/verify.h"
#include "util/list.h"
#include "util/map.h"

/*
 * Whose memory is it: `--verify=memory`. A buffer is *active* from the call that gives it to MPI to
 * the call that completes the operation, whenever its data moves in between. While it is active,
 * MPI has memory of its own instead of it (a copy, taken at the post; what has come is given to the
 * program at the completion), so that whatever changes in the buffer is the program's doing. It has
 * the program's memory of large buffers that it reads, whose pages nobody can write to, and of most
 * receives, where what it puts there is known (guard.c).
 *
 * How accesses are seen:
 *   snapshot   the buffer is compared with what it was at the post: any binary, no line
 *   callbacks  the compiler has put a call before each load and store (mpisim-cc --verify-memory)
 *   valgrind   the run goes on under valgrind's memcheck (mpi/verify/memcheck.h)
 * All feed mpi_memory_touch; calls of MPI do so too, for what they read and write.
 */
enum mpi_memory_use { /* of a buffer by MPI, of memory by the program */
		      MEMORY_READ = 1,
		      MEMORY_WRITE = 2,
		      MEMORY_ATOMIC = 4, /* of the program, with one or both of them */
};

struct mpi_memory_run { /* bytes without a hole */
	uintptr_t at;
	size_t size_B;
};

struct mpi_memory_buffer {	     /* one argument of a call */
	int place;		     /* which */
	unsigned use;		     /* enum mpi_memory_use, by MPI */
	uintptr_t base;		     /* as given */
	struct mpi_memory_run *runs; /* [n_runs], in the order of the datatype; malloc'd */
	size_t n_runs, size_B;	     /* size_B: of all */
	bool is_shuffled;	     /* the runs do not ascend */
	uintptr_t low, high;	     /* they lie in [low, high) */
	uintptr_t read_low,
	    read_high; /* of that, what may be read: less where it is in place of another buffer */
	const struct mpi_datatype *type; /* of all items, borrowed for the call; NULL: of several */
	uintptr_t first_item;		 /* where … */
	MPI_Count n_items; /* so many lie one after the other, and perhaps more elsewhere */
	size_t element_B;  /* of the datatype's elements, 1 where they differ */
	bool is_raw;	   /* they are MPI_BYTE: structures with their padding, perhaps */
	bool is_struct;	   /* the datatype puts several variables together */
	struct mpi_finding_call call;
	struct {		  /* what mpi_memory_text says of it */
		const char *name; /* NULL: the only buffer */
		const char *peer; /* which argument it is; NULL: there is none */
		int64_t rank, tag;
		bool has_tag;
	} known;
};

enum { MEMORY_MAX_BUFFERS = 3, MEMORY_TEXT_B = 120 };

struct mpi_memory_active;

struct mpi_memory_buffers { /* of a call */
	struct mpi_memory_buffer buffers[MEMORY_MAX_BUFFERS];
	struct mpi_memory_active *actives[MEMORY_MAX_BUFFERS]; /* NULL: it does not stay with MPI */
	int n;
};

struct mpi_memory_changes { /* elements that the program has changed */
	int64_t first, end; /* from the base of the buffer */
	size_t size_B;	    /* 0: none */
};

struct mpi_memory_active {
	struct util_link link; /* among those of its rank */
	struct mpi_memory_buffer buffer;
	char *mine; /* MPI's memory instead of [low, high); NULL: MPI has the program's */
	/* of [low, kept_low) and [kept_high, high) at the post; NULL: `mine` is that, and only read */
	char *snapshot;
	uintptr_t kept_low, kept_high;
	struct mpi_memory_changes changed; /* before MPI put there what came … */
	bool is_open;			   /* … in this call: nothing has changed since */
	uintptr_t guard_low, guard_high; /* pages that cannot be written to; 0, 0: none */
	bool is_faulted;		 /* they were, at … */
	uintptr_t fault_at;
	const void *fault_site;	      /* NULL: not by the program */
	unsigned char *memcheck_bits; /* mpi/verify/memcheck.c's own */
	/* The status tells how many bytes came: `mine` is empty before, no more is handed over. */
	bool is_receive;
	size_t came_B;
	bool is_message;  /* what comes are messages: whether they are read is looked at */
	bool is_in_place; /* MPI works on the program's memory, also where it writes */
	bool is_attached; /* by MPI_Buffer_attach: until it is detached */
	bool is_locked;	  /* between the post and the completion; persistent ones change it */
	bool is_on_stack;
	bool is_lost;  /* the memory is freed, or its frame has ended: it is not touched */
	bool is_held;  /* a request has a struct mpi_memory_tie to it */
	MPI_File file; /* of a split collective: until its end; NULL: none */
	/* one-sided: until `win` is synchronized */
	struct mpi_win *win;
	int target;
	struct mpi_race_operation *operation; /* mpi/verify/races.h; NULL: none */
	bool is_told;			      /* a finding about it was made: once is enough */
	int finding;			      /* which: of its accesses, not of races; -1: none */
	uint32_t ordinal;		      /* of the locked ones of its rank */
	bool is_early; /* mpi/verify/impact.h: what comes was given at the post */
};

struct mpi_memory_block;

struct mpi_memory_link { /* in a bucket */
	struct mpi_memory_block *block;
	struct mpi_memory_link *next;
};

struct mpi_memory_block { /* of the heap */
	uintptr_t at;
	size_t size_B;
	struct mpi_memory_link links[2]; /* index.c's own; near what they are compared by */
	bool is_filled; /* with the pattern of memory that nothing was written to … */
	uintptr_t written_low, written_high; /* … but here, as was seen: it stays so */
	bool is_freed;			     /* by the program; the memory is kept for a while */
	bool is_lent; /* and MPI reads it: until the last such operation is over */
	struct mpi_finding_call freed_by;
	struct mpi_memory_block *next_kept; /* of those, freed after this one */
};

struct mpi_memory_gap {
	uintptr_t low, high;
};

struct mpi_memory_types;

struct mpi_memory_rank {
	struct util_list actives;	     /* all, locked or not */
	int n_actives, n_locked, n_on_stack; /* locked ones there */
	uint32_t n_locks;		     /* there were so far */
	bool has_open;			     /* some is_open, perhaps */
	struct mpi_ranges locked;	     /* of struct mpi_memory_active */
	uintptr_t low, high; /* all locked ones lie in it, and windows; grows until there is none */
	uintptr_t window_low, window_high; /* windows do */
	struct mpi_memory_gap
	    gaps[2]; /* no locked one is there: of the last read, the last write */
};

struct mpi_races;

enum { MEMORY_N_SPARE_CLASSES = 4 * 65, MEMORY_N_LEVELS = 33 };

struct mpi_memory_index {		  /* of blocks, by address; all zero: none */
	struct mpi_memory_link **buckets; /* [n_buckets] */
	size_t n_buckets, n;
	size_t n_at_level[MEMORY_N_LEVELS];
};

struct mpi_memory_spare;

struct mpi_memory {
	struct mpi_world *world;
	struct mpi_memory_rank *ranks; /* [n_ranks] */
	int n_ranks;
	struct mpi_memory_spare *spares[MEMORY_N_SPARE_CLASSES]; /* spare.c: by size */
	size_t spare_B;
	int n_guarded;
	struct mpi_memory_index blocks;
	struct mpi_memory_block *kept, *last_kept; /* freed ones, the oldest first */
	size_t n_kept, kept_B;
	struct mpi_memcheck *memcheck;	    /* mpi/verify/memcheck.h; NULL: no valgrind */
	struct mpi_unread *unread;	    /* mpi/verify/unread.h; NULL: it is not looked at */
	struct mpi_impact *impact;	    /* mpi/verify/impact.h; NULL: nobody asks */
	struct mpi_memory_globals *globals; /* globals.c; NULL: none was looked for yet */
	struct mpi_memory_types *types;	    /* types.c; NULL: the same */
	struct mpi_races *races; /* mpi/verify/races.h; NULL: there was no window yet … */
	bool has_no_races;	 /* … or no memory for that */
	bool has_windows;	 /* there was one */
	bool is_compiled;	 /* the compilers' calls are there: mpi/verify/access.c */
	bool is_strict;		 /* buffers that MPI reads must not be read, as in MPI-1 */
	bool has_skipped;	 /* kernels are skipped, which was told */
};

int mpi_memory_create(struct mpi_world *world, struct mpi_memory **out); /* 0 or UTIL_ENOMEM */
/* The run is one of valgrind's, which writes its errors to `fd`: before the ranks run. The same
 * codes. */
int mpi_memory_use_valgrind(struct mpi_world *world, int fd);
/* Who reads a buffer that MPI reads is told, too. */
void mpi_memory_use_strict(struct mpi_world *world);
/* What is received and not read is looked at, too: before the ranks run. The same codes. */
int mpi_memory_use_unread(struct mpi_world *world);
/* The run is over. */
void mpi_memory_end(struct mpi_memory *memory);
void mpi_memory_destroy(struct mpi_memory *memory); /* NULL is fine */
/* What a program gets for functions of libc that the checks have to see; NULL: they need not. */
void *mpi_memory_substitute(const char *name);

/* A call begins, on its rank's fiber, its arguments as the program gave them; it ends. */
void mpi_memory_before(struct mpi_memory *memory, struct mpi_verify_call *call);
void mpi_memory_after(struct mpi_memory *memory, struct mpi_verify_call *call, int code);
/* The buffers of the program that stay with MPI become those that stand for them, or are the program's again. */
void mpi_memory_exchange(struct mpi_verify_call *call, bool is_back);

/* --- buffers.c --- */
/* The first half of a split collective: its buffer stays with MPI until the second one. */
bool mpi_memory_is_split(const struct mpi_call_info *info);
/* Its buffers are for data that go to, or come from, other ranks or a file. */
bool mpi_memory_is_communication(const struct mpi_call_info *info);
/* The buffers of the call, but those of no bytes. */
void mpi_memory_collect(const struct mpi_verify_call *call, struct mpi_memory_buffers *out);
void mpi_memory_buffer_finish(struct mpi_memory_buffer *buffer);
/* `count` items from item `first` on, of a buffer with one datatype; mpi_memory_buffer_finish frees it. */
void mpi_memory_part(const struct mpi_memory_buffer *whole, MPI_Count first, MPI_Count count,
		     struct mpi_memory_buffer *out);
/* Where offsets begin: what was given, or the first byte where that is MPI_BOTTOM. */
static inline uintptr_t mpi_memory_origin(const struct mpi_memory_buffer *buffer)
{
	return buffer->base ? buffer->base : buffer->low;
}
/* "the buffer of MPI_Irecv (4 bytes, source 1, tag 0)", written to `text`. */
const char *mpi_memory_text(const struct mpi_memory_buffer *buffer, char text[MEMORY_TEXT_B]);
/* The same, for an argument. */
#define MEMORY_TEXT(buffer) mpi_memory_text(buffer, (char[MEMORY_TEXT_B]){0})
/* The offset of the first byte that both have, from `a`'s base, and how many there are; 0: none. */
size_t mpi_memory_common(const struct mpi_memory_buffer *a, const struct mpi_memory_buffer *b,
			 int64_t *first);
/* The same with [at, at + size_B). */
size_t mpi_memory_common_range(const struct mpi_memory_buffer *buffer, uintptr_t at, size_t size_B,
			       int64_t *first);
/* What the table says of the call's function. */
static inline const struct mpi_call_info *mpi_memory_info(const struct mpi_verify_call *call)
{
	return call->function;
}
/* Its only parameter of that kind; -1: none. */
int mpi_memory_parameter(const struct mpi_call_info *info, int kind);
/* How many items an array has that the call gets. */
MPI_Count mpi_memory_length(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			    const struct mpi_parameter *p);
static inline union mpi_value mpi_memory_argument(const struct mpi_verify_call *call, int place)
{
	return call->values[place];
}

/* --- overlap.c --- */
void mpi_memory_compare_buffers(struct mpi_rank *me, const struct mpi_memory_buffers *all);

/* --- active.c --- */
/* The buffer stays with MPI, of a receive or of something else; it is not locked yet. NULL: out of memory. */
struct mpi_memory_active *mpi_memory_hold(struct mpi_memory *memory, struct mpi_rank *me,
					  struct mpi_memory_buffer *buffer, bool is_receive);
/* The same, for one that MPI has the program's memory of. */
struct mpi_memory_active *mpi_memory_hold_in_place(struct mpi_memory *memory, struct mpi_rank *me,
						   struct mpi_memory_buffer *buffer);
/* Accesses to [low, high) are looked at. */
void mpi_memory_widen(struct mpi_memory_rank *rank, uintptr_t low, uintptr_t high);
void mpi_memory_lock(struct mpi_memory *memory, struct mpi_memory_active *active);
/* Looks whether it is as it was, and gives the program what has come. */
void mpi_memory_unlock(struct mpi_memory *memory, struct mpi_memory_active *active);
void mpi_memory_forget(struct mpi_memory *memory, struct mpi_rank *me,
		       struct mpi_memory_active *active);
/* Buffers of MPI_Buffer_attach that are detached by now. */
void mpi_memory_forget_detached(struct mpi_memory *memory, struct mpi_rank *me);
/* `request` unlocks it, and locks it when it is started again. */
void mpi_memory_tie(struct mpi_memory *memory, struct mpi_rank *me,
		    struct mpi_memory_active *active, MPI_Request request);
/* The program, or MPI for it, accesses memory: is it MPI's? */
void mpi_memory_touch(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at, size_t size_B,
		      unsigned use, const struct mpi_finding_call *by);
/* False: it is not. */
static inline bool mpi_memory_is_near(const struct mpi_memory *memory, int rank, const void *at,
				      size_t size_B)
{
	return rank < memory->n_ranks && (uintptr_t)at < memory->ranks[rank].high &&
	       (uintptr_t)at + size_B > memory->ranks[rank].low;
}
/* The same for a buffer of a call that is no active one yet. */
void mpi_memory_touch_buffer(struct mpi_memory *memory, struct mpi_rank *me,
			     const struct mpi_memory_buffer *buffer);
/* The request has given the program what came: whether that is read is looked at from now on. */
void mpi_memory_came(struct mpi_memory *memory, const struct mpi_memory_active *active,
		     const struct mpi_request *request);
/* MPI reads some of these bytes where they are. */
bool mpi_memory_is_lent(const struct mpi_memory *memory, const struct mpi_rank *me, uintptr_t at,
			size_t size_B);
/* Whether a locked one has any of these bytes. */
bool mpi_memory_is_active(const struct mpi_memory *memory, const struct mpi_rank *me, uintptr_t at,
			  size_t size_B);
/* Buffers on the stack below `here`, the caller's frame, and those in [at, at + size_B), are no
 * more. */
void mpi_memory_look_at_stack(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t here);
void mpi_memory_lose(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at, size_t size_B,
		     const char *function, const void *site);

/* --- spare.c --- */
/* Memory that stands for buffers. NULL: there is none. */
char *mpi_memory_take(struct mpi_memory *memory, size_t size_B);
/* It has one more user: whoever has it puts it back. Returns it. */
char *mpi_memory_share(char *memory);
bool mpi_memory_is_shared(char *memory);
void mpi_memory_put_back(struct mpi_memory *memory, char *back); /* NULL is fine */
void mpi_memory_spares_finish(struct mpi_memory *memory);

/* --- locked.c --- */
bool mpi_memory_insert(struct mpi_memory_rank *rank, struct mpi_memory_active *active);
void mpi_memory_remove(struct mpi_memory_rank *rank, const struct mpi_memory_active *active);
/* That of rank->locked[i]. */
static inline struct mpi_memory_active *mpi_memory_locked(const struct mpi_memory_rank *rank,
							  size_t i)
{
	return rank->locked.sorted[i].owner;
}
/* A locked one that MPI reads, of the same bytes with the same content: it can share its copy. NULL: none. */
struct mpi_memory_active *mpi_memory_twin(const struct mpi_memory_rank *rank,
					  const struct mpi_memory_active *active);

/* --- snapshot.c --- */
/* Instead of the one before, if any. Ends the rank's process without memory. */
void mpi_memory_take_snapshot(struct mpi_memory *memory, struct mpi_memory_active *active);
/* Adds what differs from it, or from `mine` where there is none: nobody but the program can have changed it. */
void mpi_memory_compare(const struct mpi_memory_active *active, struct mpi_memory_changes *out);

/* --- partitions.c --- */
/* MPI_Psend_init, MPI_Precv_init. */
void mpi_memory_hold_partitions(struct mpi_memory *memory, struct mpi_verify_call *call);

/* --- guard.c --- */
bool mpi_memory_may_guard(struct mpi_memory *memory, const struct mpi_rank *me,
			  const struct mpi_memory_buffer *buffer);
/* False: it has to be copied. */
bool mpi_memory_guard(struct mpi_memory *memory, struct mpi_memory_active *active);
void mpi_memory_open(struct mpi_memory *memory, struct mpi_memory_active *active);
/* MPI puts there what has come: changes so far are the program's, those until the program goes on MPI's. */
bool mpi_memory_receiving(const struct mpi_request *recv, bool is_over);
/* The program of a rank goes on. */
void mpi_memory_close_all(struct mpi_memory *memory, struct mpi_memory_rank *rank);
static inline void mpi_memory_go_on(struct mpi_memory *memory, const struct mpi_rank *me)
{
	if (me->rank < memory->n_ranks && memory->ranks[me->rank].has_open)
		mpi_memory_close_all(memory, &memory->ranks[me->rank]);
}

/* --- index.c --- */
/* False: out of memory. */
bool mpi_memory_index_add(struct mpi_memory_index *index, struct mpi_memory_block *block);
void mpi_memory_index_remove(struct mpi_memory_index *index, struct mpi_memory_block *block);
/* The block that has the byte at `at`; NULL: there is none. O(1) expected. */
struct mpi_memory_block *mpi_memory_index_find(const struct mpi_memory_index *index, uintptr_t at);
void mpi_memory_index_finish(struct mpi_memory_index *index); /* frees the blocks, too */

/* --- blocks.c --- */
/* The block, also a freed one, that has the byte at `at`; NULL: none is known. */
struct mpi_memory_block *mpi_memory_block_at(struct mpi_memory *memory, uintptr_t at);
/* What is in the four bytes at `at`, which are aligned, as long as nothing is written to them. */
static inline uint32_t mpi_memory_pattern(uintptr_t at)
{
	uint64_t word = (at >> 2) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(word >> 32) | 1;
}
/* The program says that [at, at + size_B) is written to, though nobody does. */
void mpi_memory_declare(struct mpi_memory *memory, uintptr_t at, size_t size_B);
/* The program gets a block, which is filled perhaps; what MPI_Free_mem is to free of what it is given. */
void mpi_memory_allocated(struct mpi_memory *memory, void *address, size_t size_B, bool is_filled);
const void *mpi_memory_freed(struct mpi_memory *memory, struct mpi_rank *me, const void *address);
/* MPI has read the buffer, in memory that was freed before. */
void mpi_memory_give_back(struct mpi_memory *memory, struct mpi_rank *me,
			  const struct mpi_memory_active *active);
/* Frees what malloc has made, without noticing it. */
void mpi_memory_blocks_finish(struct mpi_memory *memory);

/* --- strings.c --- */
/* mpi_memory_substitute of functions for memory and text. */
void *mpi_memory_string_function(const char *name);

/* --- globals.c --- */
/* The variable of `me`'s program that has the byte at `at`; NULL: none is known. *low, *high: where
 * it lies. */
const char *mpi_memory_global_at(struct mpi_memory *memory, struct mpi_rank *me, uintptr_t at,
				 uintptr_t *low, uintptr_t *high);
void mpi_memory_globals_destroy(struct mpi_memory_globals *globals); /* NULL is fine */

/* --- types.c --- */
/* Whether the variables that the buffer lies in have the types of its datatype; `frame`: that of the
 * function around the program's call. */
void mpi_memory_check_type(struct mpi_memory *memory, struct mpi_rank *me,
			   const struct mpi_memory_buffer *buffer, uintptr_t frame);
void mpi_memory_types_destroy(struct mpi_memory_types *types); /* NULL is fine */

/* --- check.c --- */
/* False: kernels are skipped, which might have written anything; a note says so. */
bool mpi_memory_is_computed(struct mpi_memory *memory, struct mpi_rank *me);
/* Whether all of it is there, and (what is read) was written to. */
void mpi_memory_check(struct mpi_memory *memory, struct mpi_rank *me,
		      const struct mpi_memory_buffer *buffer);
/* The same for a buffer on the stack; `here`: the caller's frame. */
void mpi_memory_check_stack(struct mpi_memory *memory, struct mpi_rank *me,
			    const struct mpi_memory_buffer *buffer, uintptr_t here);

/* The present rank's checks, where it runs its program; NULL: there is nothing to see. */
struct mpi_memory *mpi_memory_here(struct mpi_rank **me);
/* Returns what mpi_verify_report does. */
int mpi_memory_report(struct mpi_rank *me, const char *class_name, const char *why,
		      const struct mpi_finding_call calls[], int n_calls, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
