/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * void pd_arch_enter(const void *entry, void *stack_block, void *save[PD_ARCH_SAVE_WORDS]); see arch.h
 * Everything is kept in `save`: what lies below the caller's frame becomes the program's stack.
 */
	.text
	.globl pd_arch_enter
	.hidden pd_arch_enter
	.type pd_arch_enter, @function
pd_arch_enter:
	.cfi_startproc
	.cfi_undefined rip
	popq %rax
	movq %rax, (%rdx)
	movq %rsp, 8(%rdx)
	movq %rbp, 16(%rdx)
	movq %rbx, 24(%rdx)
	movq %r12, 32(%rdx)
	movq %r13, 40(%rdx)
	movq %r14, 48(%rdx)
	movq %r15, 56(%rdx)
	stmxcsr 64(%rdx)
	fnstcw 68(%rdx)
	movq %rsi, %rsp
	xorl %edx, %edx /* the ABI's "function to register with atexit": none */
	xorl %ebp, %ebp
	jmpq *%rdi
	.cfi_endproc
	.size pd_arch_enter, . - pd_arch_enter

/* void pd_arch_leave(void *save[]): returns from the pd_arch_enter that filled `save` */
	.globl pd_arch_leave
	.hidden pd_arch_leave
	.type pd_arch_leave, @function
pd_arch_leave:
	.cfi_startproc
	.cfi_undefined rip
	movq 8(%rdi), %rsp
	movq 16(%rdi), %rbp
	movq 24(%rdi), %rbx
	movq 32(%rdi), %r12
	movq 40(%rdi), %r13
	movq 48(%rdi), %r14
	movq 56(%rdi), %r15
	ldmxcsr 64(%rdi)
	fldcw 68(%rdi)
	cld
	jmpq *(%rdi)
	.cfi_endproc
	.size pd_arch_leave, . - pd_arch_leave
	.section .note.GNU-stack, "", @progbits
