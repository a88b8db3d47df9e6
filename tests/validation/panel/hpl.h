/* SPDX-License-Identifier: BSD-3-Clause */
/* Of HPL's header what validation/hpl/panel.c needs, for its test. */
#ifndef HPL_H
#define HPL_H

#define Mmax(a, b) ((a) > (b) ? (a) : (b))

typedef struct {
	int mycol, npcol;
} HPL_T_grid;

typedef struct {
	int align;
} HPL_T_palg;

typedef struct {
	int nb;
} HPL_T_pmat;

typedef struct {
	int pcol, nq;
	double *L2, *L1, *DPIV, *DINFO, *U;
	void *WORK;
} HPL_T_panel;

void HPL_pdpanel_init(HPL_T_grid *grid, HPL_T_palg *algorithm, const int m, const int n, const int jb,
		      HPL_T_pmat *a, const int ia, const int ja, const int tag, HPL_T_panel *panel);

#endif
