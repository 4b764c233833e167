/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.c - the numbers of what one key may store, and of what strangers may ask. */
#include "server/bounds.h"

const lims_directive_number_t lims_bounds[LIMS_BOUNDS] = {
    [LIMS_BOUND_FILE_STORAGE] = { .name = "LimsFileStorage",
                                  .offset = APR_OFFSETOF(lims_config_t, file_storage),
                                  .min = 1,
                                  .max = 1024 * 1024 * 1024,
                                  .fallback = 10240,
                                  .unit = "megabytes" },
    [LIMS_BOUND_REJECTED_FILE_DAYS] = { .name = "LimsRejectedFileDays",
                                        .offset = APR_OFFSETOF(lims_config_t, rejected_file_days),
                                        .min = 1,
                                        .max = 3650,
                                        .fallback = 90,
                                        .unit = "days" },
    [LIMS_BOUND_UNKNOWN_KEYS] = { .name = "LimsUnknownKeys",
                                  .offset = APR_OFFSETOF(lims_config_t, unknown_keys),
                                  .min = 0,
                                  .max = 10000,
                                  .fallback = 60,
                                  .unit = "keys" },
    [LIMS_BOUND_UNKNOWN_KEY_ADDRESSES] = { .name = "LimsUnknownKeyAddresses",
                                           .offset =
                                               APR_OFFSETOF(lims_config_t, unknown_key_addresses),
                                           .min = 16,
                                           .max = 1000000,
                                           .fallback = 10000,
                                           .unit = "addresses" },
};
