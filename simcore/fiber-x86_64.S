/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fiber switch for the System V ABI of x86-64 (section 3.2.1): rbx, rbp, r12-r15, the stack pointer
 * and the control bits of mxcsr and of the x87 unit belong to the caller. A suspended stack is
 *
 *	sp + 0   x87 control word (2 bytes), mxcsr at + 4
 *	sp + 8   r15 r14 r13 r12 rbx rbp
 *	sp + 56  where to go on
 */
	.text

/* void sim_fiber_switch(void **save, void *load) */
	.globl	sim_fiber_switch
	.hidden	sim_fiber_switch
	.type	sim_fiber_switch, @function
	.balign	16
sim_fiber_switch:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	fnstcw	(%rsp)
	stmxcsr	4(%rsp)
	movzwl	(%rsp), %eax
	movl	4(%rsp), %edx
	movq	%rsp, (%rdi)

	movq	%rsi, %rsp
	/* loading control words is slow and they hardly ever differ */
	cmpw	%ax, (%rsp)
	jne	.Lload_x87
.Lx87_done:
	cmpl	%edx, 4(%rsp)
	jne	.Lload_mxcsr
.Lmxcsr_done:
	.cfi_remember_state
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	/* not ret: the return predictor expects the caller of this call, which is elsewhere */
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	jmpq	*%rcx
	.cfi_restore_state
.Lload_x87:
	fldcw	(%rsp)
	jmp	.Lx87_done
.Lload_mxcsr:
	ldmxcsr	4(%rsp)
	jmp	.Lmxcsr_done
	.cfi_endproc
	.size	sim_fiber_switch, .-sim_fiber_switch

/* First instructions of a fiber: rbx holds entry, r12 its argument, rsp is 16-byte aligned. */
	.type	fiber_begin, @function
	.balign	16
fiber_begin:
	.cfi_startproc
	.cfi_undefined rip
	movq	%r12, %rdi
	callq	*%rbx
	ud2
	.cfi_endproc
	.size	fiber_begin, .-fiber_begin

/* void *sim_fiber_prepare(low, top, entry, arg): the new fiber inherits the control words. */
	.globl	sim_fiber_prepare
	.hidden	sim_fiber_prepare
	.type	sim_fiber_prepare, @function
	.balign	16
sim_fiber_prepare:
	.cfi_startproc
	leaq	-64(%rsi), %rax
	fnstcw	(%rax)
	stmxcsr	4(%rax)
	movq	$0, 8(%rax)
	movq	$0, 16(%rax)
	movq	$0, 24(%rax)
	movq	%rcx, 32(%rax)
	movq	%rdx, 40(%rax)
	movq	$0, 48(%rax)
	leaq	fiber_begin(%rip), %rcx
	movq	%rcx, 56(%rax)
	ret
	.cfi_endproc
	.size	sim_fiber_prepare, .-sim_fiber_prepare

	.section .note.GNU-stack, "", @progbits
