/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - normalizing names in files (headers, keys, tests, tokens) for
 * comparison.
 *
 * The same header occurs with a micro sign or a Greek mu, with a no-break
 * space, in capitals, with two blanks. Folding applies those parts of Unicode's
 * NFKC (UAX #15) that occur in such names: superscript and subscript digits and
 * signs, the micro sign, full-width forms, ligatures, the Kelvin, Ohm and
 * Angstrom signs, kinds of blanks; and makes letters lower-case. All other
 * characters stay as they are: names are compared for equality, never for
 * similarity.
 *
 * Values and tracking ids are never folded.
 */
#ifndef LIMS_PROFILES_FOLD_H
#define LIMS_PROFILES_FOLD_H

#include "lims.h"

/* Folds a name: mu becomes "u", runs of blanks one space, none at the ends. `text`
 * is UTF-8; invalid bytes are copied. In `pool`. */
const char *lims_fold(const char *text, apr_size_t length, apr_pool_t *pool);

/* Whether `text` folds to `folded`; allocates nothing. */
bool lims_fold_equals(const char *text, apr_size_t length, const char *folded);

/* Returns the begin of a text without surrounding blanks, including no-break
 * spaces; `*trimmed` becomes its length. */
const char *lims_trim(apr_size_t *trimmed, const char *text, apr_size_t length);

#endif /* LIMS_PROFILES_FOLD_H */
