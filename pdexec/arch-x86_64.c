/* SPDX-License-Identifier: BSD-3-Clause */
#include "pdexec/arch.h"

#include <elf.h>
#include <ucontext.h>

const uint16_t pd_arch_machine = EM_X86_64;
const char *const pd_arch_name = "x86-64";

enum pd_reloc_kind pd_arch_reloc_kind(uint32_t type)
{
	switch (type) {
	case R_X86_64_NONE:
		return PD_RELOC_NONE;
	case R_X86_64_RELATIVE:
		return PD_RELOC_RELATIVE;
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		return PD_RELOC_SYMBOL;
	case R_X86_64_COPY:
		return PD_RELOC_COPY;
	case R_X86_64_IRELATIVE:
		return PD_RELOC_INDIRECT;
	case R_X86_64_DTPMOD64:
		return PD_RELOC_TLS_MODULE;
	case R_X86_64_DTPOFF64:
		return PD_RELOC_TLS_OFFSET;
	case R_X86_64_TPOFF64:
		return PD_RELOC_TLS_THREAD_OFFSET;
	default:
		return PD_RELOC_UNKNOWN;
	}
}

uint32_t pd_arch_float_control(void)
{
	enum { STATUS_BITS = 0x3f };
	uint16_t x87;

	__asm__("fnstcw %0" : "=m"(x87));
	return (__builtin_ia32_stmxcsr() & ~(uint32_t)STATUS_BITS) | (uint32_t)x87 << 16;
}

struct pd_fault pd_arch_fault(const void *ucontext)
{
	const ucontext_t *context = ucontext;
	const greg_t *regs = context->uc_mcontext.gregs;

	return (struct pd_fault){
	    .pc = (const char *)regs[REG_RIP],
	    .stack = (const char *)regs[REG_RSP],
	    .is_write = (regs[REG_ERR] & 2) != 0, /* page fault error code, bit 1 */
	};
}

void pd_arch_redirect(void *ucontext, void (*function)(void *), void *argument, char *stack_top)
{
	ucontext_t *context = ucontext;
	greg_t *regs = context->uc_mcontext.gregs;
	uintptr_t top = (uintptr_t)stack_top & ~(uintptr_t)15;

	/* As after a call: 8 below a multiple of 16, a return address that ends any unwinding. */
	top -= 8;
	*(uintptr_t *)top = 0;
	regs[REG_RSP] = (greg_t)top;
	regs[REG_RBP] = 0;
	regs[REG_RIP] = (greg_t)(uintptr_t)function;
	regs[REG_RDI] = (greg_t)(uintptr_t)argument;
	regs[REG_EFL] &= ~0x400L; /* direction flag */
}

bool pd_arch_follows_call(const uint8_t *address)
{
	if (address[-5] == 0xe8) /* call rel32 */
		return true;
	/* call *r/m64: ff /2 with 0 … 4 bytes of displacement, with or without a SIB byte */
	for (int length = 2; length <= 7; length++)
		if (address[-length] == 0xff && (address[-length + 1] & 0x38) == 0x10)
			return true;
	return false;
}
