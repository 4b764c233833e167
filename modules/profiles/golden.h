/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden.h - golden files: test files of a profile, with the readings that it
 * declares for them. A profile that reads them otherwise must not be activated,
 * whether the profile or the service has changed.
 */
#ifndef LIMS_PROFILES_GOLDEN_H
#define LIMS_PROFILES_GOLDEN_H

#include "profiles/profile.h"

/* Reads the golden file of this index, whose bytes the caller has, by the
 * profile, and compares the readings with the declared ones. The error
 * (LIMS_E_INVALID_BODY) names the first difference by its path,
 * "goldenFiles[0].rows[2].result", and the actual reading; it lives in
 * `pool`. */
const lims_error_t *lims_golden_check(const lims_profile_t *profile, int index, const char *bytes,
                                      apr_size_t length, apr_pool_t *pool);

#endif /* LIMS_PROFILES_GOLDEN_H */
