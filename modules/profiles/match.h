/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - choosing the profile for a file. All profiles are compared with it,
 * and their order has no effect: if several match, the laboratory has to
 * correct them.
 */
#ifndef LIMS_PROFILES_MATCH_H
#define LIMS_PROFILES_MATCH_H

#include "formats/read.h"
#include "profiles/readings.h"

/* Returns the profiles that match, as const lims_profile_t *, ordered by code
 * and version whatever the order of `profiles` (const lims_profile_t *); or
 * only those with the code `named`, unless it is NULL. The caller sets
 * .file_name and .matcher of `out`; its .reasons get why the file cannot be read
 * by exactly one profile: none matches (with the unmet condition of the nearest
 * one), several match, or its bytes cannot be read. */
const apr_array_header_t *lims_match(lims_readings_t *out, const char *bytes, apr_size_t length,
                                     const apr_array_header_t *profiles, const char *named,
                                     apr_pool_t *pool);

/* Splits the document by the profile's dialect: comments are left out and fixed
 * columns are cut. NULL with reasons. */
const lims_document_t *lims_profile_document(const lims_profile_t *profile, const char *bytes,
                                             apr_size_t length, lims_reasons_t *reasons,
                                             apr_pool_t *pool);

/* A sheet of lines or cells without comment rows, cut at the fixed columns of
 * the dialect. */
const lims_sheet_t *lims_split(const lims_sheet_t *sheet, const lims_profile_dialect_t *dialect,
                               apr_pool_t *pool);

#endif /* LIMS_PROFILES_MATCH_H */
