/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h - which profile a file is for. Every profile is looked at, and none
 * wins by being first: that several match is the laboratory's to mend.
 */
#ifndef LIMS_PROFILES_MATCH_H
#define LIMS_PROFILES_MATCH_H

#include "formats/read.h"
#include "profiles/readings.h"

/* The profiles that match, as const lims_profile_t *, ordered by code and version
 * whatever the order of `profiles` (const lims_profile_t *); or of those of the code
 * `named` alone, unless it is NULL. `out` has its .file_name and .matcher, and gets
 * in .reasons what keeps the file from being read by exactly one profile: that it
 * is no file for any (with what the nearest one misses), that several match, or
 * that nothing can be made of its bytes. */
const apr_array_header_t *lims_match(lims_readings_t *out, const char *bytes, apr_size_t length,
                                     const apr_array_header_t *profiles, const char *named,
                                     apr_pool_t *pool);

/* The document as the profile splits it: its dialect with comments left out and
 * fixed columns cut. NULL with reasons. */
const lims_document_t *lims_profile_document(const lims_profile_t *profile, const char *bytes,
                                             apr_size_t length, lims_reasons_t *reasons,
                                             apr_pool_t *pool);

/* A sheet of whole lines or of cells without the rows that are comments, and cut
 * at fixed columns where the dialect has them. */
const lims_sheet_t *lims_split(const lims_sheet_t *sheet, const lims_profile_dialect_t *dialect,
                               apr_pool_t *pool);

#endif /* LIMS_PROFILES_MATCH_H */
