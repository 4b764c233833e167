/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit.h - units of measurement as instruments spell them.
 *
 * A spelling is read as one quantity per another with decimal prefixes: mg/mL,
 * ug/ml and kg/m3 are such. Only what is the same quantity is converted, by a
 * power of ten and so exactly; mmol/L to mg/L needs a molar mass, which a
 * profile has to declare. Words that count things (cells, copies, CFU) are
 * quantities of their own. What is not understood equals only itself.
 *
 * Source: SI Brochure, 9th edition, for symbols and prefixes; the unit codes of
 * the EPA Water Quality Exchange for what else laboratories write.
 */
#ifndef LIMS_PROFILES_UNIT_H
#define LIMS_PROFILES_UNIT_H

#include "lims.h"

/* Folds a spelling: removes blanks and surrounding brackets; both micro signs
 * become u, superscripts and subscripts digits. Case is kept: mM is not MM. In
 * `pool`. */
const char *lims_unit_fold(const char *unit, apr_pool_t *pool);

/* Whether two spellings are the same unit: mg/L and ug/mL, mM and mmol/l. */
bool lims_unit_same(const char *a, const char *b, apr_pool_t *pool);

/* Finds the power of ten that converts: a number in `from` times 10^*power is in
 * `to`. False if they are not known to be the same quantity. */
bool lims_unit_power(int *power, const char *from, const char *to, apr_pool_t *pool);

/* Whether a spelling can be parsed as a unit. */
bool lims_unit_known(const char *unit, apr_pool_t *pool);

#endif /* LIMS_PROFILES_UNIT_H */
