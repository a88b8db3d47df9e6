/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_ARCH_H
#define PDEXEC_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What differs between processors when a program is loaded and entered; one file per architecture,
 * chosen by meson. pd_arch_machine is 0 where programs cannot be loaded (arch-none.c); nothing else
 * is called then.
 */
extern const uint16_t pd_arch_machine; /* EM_* of programs that can be run */
extern const char *const pd_arch_name; /* "x86-64" */

enum pd_reloc_kind {
	PD_RELOC_NONE,
	PD_RELOC_RELATIVE, /* base + addend */
	PD_RELOC_SYMBOL,   /* symbol + addend */
	PD_RELOC_COPY,	   /* the bytes of a library's variable */
	PD_RELOC_INDIRECT, /* what the function at base + addend returns */
	PD_RELOC_TLS_MODULE,
	PD_RELOC_TLS_OFFSET,	    /* within the module's block */
	PD_RELOC_TLS_THREAD_OFFSET, /* from the thread pointer */
	PD_RELOC_UNKNOWN,
};

/* Kind of a relocation type (R_X86_64_…). */
enum pd_reloc_kind pd_arch_reloc_kind(uint32_t type);

/* The thread pointer of the calling thread: cheap, and different for every thread. */
static inline char *pd_arch_thread_pointer(void)
{
	return __builtin_thread_pointer();
}

/* How floating-point operations round and what they trap, as the present fiber has set it. */
uint32_t pd_arch_float_control(void);

enum { PD_ARCH_SAVE_WORDS = 9 }; /* of registers */

/*
 * Jumps to a program's entry point with `stack_block` (argc, argv, envp, auxv as the kernel lays
 * them out; 16-byte aligned) as its stack; returns when pd_arch_leave is called with the same
 * `save`, from anywhere below on this stack.
 */
void pd_arch_enter(const void *entry, void *stack_block, void *save[PD_ARCH_SAVE_WORDS]);
_Noreturn void pd_arch_leave(void *save[PD_ARCH_SAVE_WORDS]);

/* For a signal handler: where the interrupted code was, its stack pointer, and whether the fault
 * was a write. */
struct pd_fault {
	const char *pc;
	const char *stack;
	bool is_write;
};
struct pd_fault pd_arch_fault(const void *ucontext);
/* Makes the handler return to `function(argument)` on a stack whose top is `stack_top`. */
void pd_arch_redirect(void *ucontext, void (*function)(void *), void *argument, char *stack_top);
/* True when the bytes before `address` are a call instruction; they must be readable. */
bool pd_arch_follows_call(const uint8_t *address);

#endif
