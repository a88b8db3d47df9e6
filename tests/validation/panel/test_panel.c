/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Panels of a program that copies them before their broadcast (HPL_NO_MPI_DATATYPE): L2, L1, the pivots, DINFO and U follow each other
 * in one buffer, in the column that owns the panel, too, where HPL without the copy leaves L2 in the matrix.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <hpl.h>
#include <mpisim.h>

enum { JB = 4, ROWS = 10, COLUMNS = 6 };

static size_t asked_B, from_B, there_B;

void HPL_pdpanel_init_whole(HPL_T_grid *grid, HPL_T_palg *algorithm, const int m, const int n,
			    const int jb, HPL_T_pmat *a, const int ia, const int ja, const int tag,
			    HPL_T_panel *panel);

/* As HPL's with HPL_COPY_L. */
void HPL_pdpanel_init_whole(HPL_T_grid *grid, HPL_T_palg *algorithm, const int m, const int n,
			    const int jb, HPL_T_pmat *a, const int ia, const int ja, const int tag,
			    HPL_T_panel *panel)
{
	panel->WORK = malloc((size_t)(m * jb + jb * jb + jb + 1 + jb * n) * sizeof(double));
	panel->L2 = panel->WORK;
	panel->L1 = panel->L2 + m * jb;
	panel->DPIV = panel->L1 + jb * jb;
	panel->DINFO = panel->DPIV + jb;
	panel->U = panel->DINFO + 1;
}

void *mpisim_alloc_part(size_t size_B, size_t from, size_t there)
{
	asked_B = size_B;
	from_B = from;
	there_B = there;
	return calloc(1, size_B);
}

static void one(int mycol, int n_u)
{
	HPL_T_grid grid = {.mycol = mycol, .npcol = 2};
	HPL_T_palg algorithm = {.align = 8};
	HPL_T_pmat a = {.nb = JB};
	HPL_T_panel panel = {.pcol = 0, .nq = COLUMNS};
	size_t before = ROWS * JB + JB * JB;

	HPL_pdpanel_init(&grid, &algorithm, ROWS, COLUMNS, JB, &a, 0, 0, 0, &panel);
	assert_ptr_equal(panel.L2, panel.WORK);
	assert_ptr_equal(panel.L1, panel.L2 + ROWS * JB);
	assert_ptr_equal(panel.DPIV, panel.L2 + before);
	assert_ptr_equal(panel.DINFO, panel.DPIV + JB);
	assert_ptr_equal(panel.U, panel.DINFO + 1);
	assert_int_equal(from_B, before * sizeof(double));
	assert_int_equal(there_B, (JB + 1) * sizeof(double));
	assert_int_equal(asked_B, (before + JB + 1 + (size_t)(JB * n_u)) * sizeof(double));
	free(panel.WORK);
}

static void the_owner_sends_one_buffer(void **state)
{
	(void)state;
	one(0, COLUMNS - JB);
}

static void others_receive_the_same(void **state)
{
	(void)state;
	one(1, COLUMNS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_owner_sends_one_buffer),
	    cmocka_unit_test(others_receive_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
