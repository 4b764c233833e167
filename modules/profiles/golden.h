/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden.h - the files that a profile brings to show what it reads. A profile
 * that does not read them as it says itself must not become active, whatever has
 * changed: the profile, or the service that reads by it.
 */
#ifndef LIMS_PROFILES_GOLDEN_H
#define LIMS_PROFILES_GOLDEN_H

#include "profiles/profile.h"

/* Reads the golden file of this index, whose bytes the caller has, by the profile,
 * and compares what came of it. The error (LIMS_E_INVALID_BODY) names the first
 * difference by its path, "goldenFiles[0].rows[2].result", and what is read
 * there; it lives in `pool`. */
const lims_error_t *lims_golden_check(const lims_profile_t *profile, int index, const char *bytes,
                                      apr_size_t length, apr_pool_t *pool);

#endif /* LIMS_PROFILES_GOLDEN_H */
