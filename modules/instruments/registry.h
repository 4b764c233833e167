/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - the profiles in use, parsed once in a process.
 *
 * A version that has been active never changes, so that its id stands for what
 * was parsed of it. A file is read by all active profiles of its organization:
 * the database sends only those that the process has not seen.
 */
#ifndef LIMS_INSTRUMENTS_REGISTRY_H
#define LIMS_INSTRUMENTS_REGISTRY_H

#include "database/database.h"
#include "profiles/profile.h"

/* Once per process; without it every profile is parsed whenever it is needed. */
apr_status_t lims_registry_init(apr_pool_t *pool);

/* What is held of it while a file is read: until `pool` goes. */
typedef struct lims_holding_t lims_holding_t;

lims_holding_t *lims_registry_hold(apr_pool_t *pool);

/* The ids of all that are held, as an array of PostgreSQL's: "{7,9}". */
const char *lims_holding_ids(const lims_holding_t *holding);

/* The profiles of the rows (id, version, definition, which is NULL for one that is
 * held): an array of const lims_profile_t * that lives as long as the holding.
 * A definition that cannot be parsed is left out and its code is in *broken; NULL:
 * there was none. */
apr_array_header_t *lims_holding_profiles(const char **broken, lims_holding_t *holding,
                                          const lims_result_t *rows);

#endif /* LIMS_INSTRUMENTS_REGISTRY_H */
