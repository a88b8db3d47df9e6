/* SPDX-License-Identifier: BSD-3-Clause */
/* HPL_pdpanel_init, but for the memory of the panel: of L2, L1, the pivots, DINFO and U only the pivots and DINFO are there. */
#include <stdlib.h>

#include <hpl.h>
#include <mpisim.h>

void HPL_pdpanel_init_whole(HPL_T_grid *grid, HPL_T_palg *algorithm, const int m, const int n,
			    const int jb, HPL_T_pmat *a, const int ia, const int ja, const int tag,
			    HPL_T_panel *panel);

void HPL_pdpanel_init(HPL_T_grid *grid, HPL_T_palg *algorithm, const int m, const int n, const int jb,
		      HPL_T_pmat *a, const int ia, const int ja, const int tag, HPL_T_panel *panel)
{
	double *whole, *part;
	int n_u;
	size_t n_before, n_all;

	HPL_pdpanel_init_whole(grid, algorithm, m, n, jb, a, ia, ja, tag, panel);
	whole = grid->npcol == 1 ? panel->L1 : panel->L2;
	n_u = grid->mycol == panel->pcol ? panel->nq - jb : panel->nq;
	n_before = (size_t)(panel->DPIV - whole);
	n_all = n_before + (size_t)jb + 1;
	if (panel->U)
		n_all += (size_t)jb * (size_t)Mmax(0, n_u);
	part = mpisim_alloc_part(n_all * sizeof(double), n_before * sizeof(double),
				 (size_t)(jb + 1) * sizeof(double));
	if (whole == panel->L2)
		panel->L2 = part;
	panel->L1 = part + (panel->L1 - whole);
	panel->DPIV = part + n_before;
	panel->DINFO = panel->DPIV + jb;
	*panel->DINFO = 0;
	if (panel->U)
		panel->U = panel->DINFO + 1;
	free(panel->WORK);
	panel->WORK = part;
}
