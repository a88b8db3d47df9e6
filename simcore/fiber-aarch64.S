/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fiber switch for the procedure call standard of aarch64 (AAPCS64, sections 6.1.1 and 6.1.2):
 * x19-x28, the frame pointer x29, the stack pointer, d8-d15 and the control bits of fpcr belong to
 * the caller. A suspended stack is
 *
 *	sp + 0    x19 … x28, x29, x30 (where to go on)
 *	sp + 96   d8 … d15
 *	sp + 160  fpcr, 8 bytes unused
 */
	.text

/* void sim_fiber_switch(void **save, void *load) */
	.globl	sim_fiber_switch
	.hidden	sim_fiber_switch
	.type	sim_fiber_switch, %function
	.balign	16
sim_fiber_switch:
	.cfi_startproc
	sub	sp, sp, #176
	.cfi_adjust_cfa_offset 176
	stp	x19, x20, [sp, #0]
	.cfi_rel_offset x19, 0
	.cfi_rel_offset x20, 8
	stp	x21, x22, [sp, #16]
	.cfi_rel_offset x21, 16
	.cfi_rel_offset x22, 24
	stp	x23, x24, [sp, #32]
	.cfi_rel_offset x23, 32
	.cfi_rel_offset x24, 40
	stp	x25, x26, [sp, #48]
	.cfi_rel_offset x25, 48
	.cfi_rel_offset x26, 56
	stp	x27, x28, [sp, #64]
	.cfi_rel_offset x27, 64
	.cfi_rel_offset x28, 72
	stp	x29, x30, [sp, #80]
	.cfi_rel_offset x29, 80
	.cfi_rel_offset x30, 88
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mrs	x9, fpcr
	str	x9, [sp, #160]
	mov	x10, sp
	str	x10, [x0]

	mov	sp, x1
	/* writing fpcr is slow and it hardly ever differs */
	ldr	x10, [sp, #160]
	cmp	x9, x10
	b.eq	1f
	msr	fpcr, x10
1:
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	ldp	x19, x20, [sp, #0]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	add	sp, sp, #176
	.cfi_def_cfa_offset 0
	/* not ret: the return predictor expects the caller of this call, which is elsewhere */
	mov	x16, x30
	br	x16
	.cfi_endproc
	.size	sim_fiber_switch, .-sim_fiber_switch

/* First instructions of a fiber: x19 holds entry, x20 its argument, sp is 16-byte aligned. */
	.type	fiber_begin, %function
	.balign	16
fiber_begin:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x20
	blr	x19
	brk	#1
	.cfi_endproc
	.size	fiber_begin, .-fiber_begin

/* void *sim_fiber_prepare(low, top, entry, arg): the new fiber inherits fpcr. */
	.globl	sim_fiber_prepare
	.hidden	sim_fiber_prepare
	.type	sim_fiber_prepare, %function
	.balign	16
sim_fiber_prepare:
	.cfi_startproc
	sub	x9, x1, #176
	stp	x2, x3, [x9, #0]
	stp	xzr, xzr, [x9, #16]
	stp	xzr, xzr, [x9, #32]
	stp	xzr, xzr, [x9, #48]
	stp	xzr, xzr, [x9, #64]
	adrp	x10, fiber_begin
	add	x10, x10, :lo12:fiber_begin
	stp	xzr, x10, [x9, #80]
	stp	xzr, xzr, [x9, #96]
	stp	xzr, xzr, [x9, #112]
	stp	xzr, xzr, [x9, #128]
	stp	xzr, xzr, [x9, #144]
	mrs	x11, fpcr
	stp	x11, xzr, [x9, #160]
	mov	x0, x9
	ret
	.cfi_endproc
	.size	sim_fiber_prepare, .-sim_fiber_prepare

	.section .note.GNU-stack, "", %progbits
