/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry.h - cache of parsed profiles, one for each process.
 *
 * A version that has been active never changes, so its cache key identifies what
 * was parsed of it, whichever database it is from. A file is read by all active
 * profiles of its organization: the database sends only those that are not cached.
 */
#ifndef LIMS_INSTRUMENTS_REGISTRY_H
#define LIMS_INSTRUMENTS_REGISTRY_H

#include "database/database.h"
#include "profiles/profile.h"

/* Creates the cache, once for each process; without it every profile is parsed
 * at each use. */
apr_status_t lims_registry_init(apr_pool_t *pool);

/* Cached profiles that are held while a file is read. */
typedef struct lims_holding_t lims_holding_t;

/* Begins to hold profiles, until `pool` is destroyed: none of them is freed meanwhile. */

lims_holding_t *lims_registry_hold(apr_pool_t *pool);

/* Returns the cache keys of all held profiles, as an array literal of PostgreSQL. */
const char *lims_holding_keys(const lims_holding_t *holding);

/* Returns the profiles of the rows (id, version, cacheKey, definition, which is NULL
 * for a held profile): an array of const lims_profile_t * that lives as long as
 * they are held. A definition that cannot be parsed is left out and its code is
 * in *broken; NULL: there was none. */
apr_array_header_t *lims_holding_profiles(const char **broken, lims_holding_t *holding,
                                          const lims_result_t *rows);

#endif /* LIMS_INSTRUMENTS_REGISTRY_H */
