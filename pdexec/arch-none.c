/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors for which there is no loader yet: pd_image_create refuses before anything else here is
 * called. */
#include "pdexec/arch.h"

const uint16_t pd_arch_machine;
const char *const pd_arch_name = "an unsupported processor";

enum pd_reloc_kind pd_arch_reloc_kind(uint32_t type)
{
	return PD_RELOC_UNKNOWN;
}

uint32_t pd_arch_float_control(void)
{
	return 0;
}

void pd_arch_enter(const void *entry, void *stack_block, void *save[PD_ARCH_SAVE_WORDS])
{
}

_Noreturn void pd_arch_leave(void *save[PD_ARCH_SAVE_WORDS])
{
	for (;;)
		;
}

struct pd_fault pd_arch_fault(const void *ucontext)
{
	return (struct pd_fault){0};
}

void pd_arch_redirect(void *ucontext, void (*function)(void *), void *argument, char *stack_top)
{
}

bool pd_arch_follows_call(const uint8_t *address)
{
	return false;
}
