/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded, it leaves the triangular solves out: the verification of apps/lu must notice. */
void cblas_dtrsm(void);

void cblas_dtrsm(void)
{
}
