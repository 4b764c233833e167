/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.h - the directives of what one key may store, and of what strangers may
 * ask.
 */
#ifndef LIMS_SERVER_BOUNDS_H
#define LIMS_SERVER_BOUNDS_H

#include "server/number.h"

enum {
    LIMS_BOUND_FILE_STORAGE,
    LIMS_BOUND_REJECTED_FILE_DAYS,
    LIMS_BOUND_UNKNOWN_KEYS,
    LIMS_BOUND_UNKNOWN_KEY_ADDRESSES,
    LIMS_BOUNDS
};

extern const lims_directive_number_t lims_bounds[LIMS_BOUNDS];

#define LIMS_BOUND(index) (void *)(apr_uintptr_t)&lims_bounds[index]

/* clang-format off */
#define LIMS_BOUND_DIRECTIVES                                                                      \
    AP_INIT_TAKE1("LimsFileStorage", lims_number_set, LIMS_BOUND(LIMS_BOUND_FILE_STORAGE),         \
                  RSRC_CONF, "megabytes that the instrument files of one key may take"),           \
    AP_INIT_TAKE1("LimsRejectedFileDays", lims_number_set,                                         \
                  LIMS_BOUND(LIMS_BOUND_REJECTED_FILE_DAYS), RSRC_CONF,                            \
                  "days for which the bytes of rejected instrument files are kept"),               \
    AP_INIT_TAKE1("LimsUnknownKeys", lims_number_set, LIMS_BOUND(LIMS_BOUND_UNKNOWN_KEYS),         \
                  RSRC_CONF, "unknown keys that one address may try in any window"),               \
    AP_INIT_TAKE1("LimsUnknownKeyAddresses", lims_number_set,                                      \
                  LIMS_BOUND(LIMS_BOUND_UNKNOWN_KEY_ADDRESSES), RSRC_CONF,                         \
                  "addresses that can try unknown keys within one window")
/* clang-format on */

#endif /* LIMS_SERVER_BOUNDS_H */
