/* SPDX-License-Identifier: Apache-2.0 */
/* srgb_profile.h - the colours of a document: sRGB as an ICC profile. */
#ifndef LIMS_PRINT_SRGB_PROFILE_H
#define LIMS_PRINT_SRGB_PROFILE_H

#include "lims.h"

/* Returns an ICC profile, version 4.2, of a display with IEC 61966-2-1's primaries and
 * curves. */
const unsigned char *lims_srgb_profile(apr_size_t *length, apr_pool_t *pool);

#endif /* LIMS_PRINT_SRGB_PROFILE_H */
