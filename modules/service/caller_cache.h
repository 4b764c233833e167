/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_cache.h - the cache of keys and sessions seen lately, one for each process.
 *
 * It holds only what never changes of them, by database and hash (a copy of a database has
 * the same keys), so that a data statement can name organization and person in the same
 * round trip that checks the caller. It grants nothing: the database is asked each time.
 */
#ifndef LIMS_CALLER_CACHE_H
#define LIMS_CALLER_CACHE_H

#include "kernel/key.h"
#include "lims.h"

typedef struct {
    const char *database; /* NULL: an empty slot; else the name, which outlives the cache */
    unsigned char hash[LIMS_KEY_HASH_LENGTH];
    apr_int64_t caller; /* id of the key or the session */
    apr_int64_t organization;
    apr_int64_t user;    /* of a session; 0: a key's, which is not needed so early */
    apr_time_t accepted; /* last found valid */
} lims_known_caller_t;

/* Makes the cache, once per process. */
apr_status_t lims_caller_cache_init(apr_pool_t *pool);

/* Sets the bytes of a hash (LIMS_KEY_HASH_LENGTH) from its text, "\\x…". */
void lims_caller_cache_hash(unsigned char *hash, const char *text);

/* Looks a caller up by database and hash. False: it is not known. */
bool lims_caller_cache_get(lims_known_caller_t *known, const char *database,
                           const unsigned char *hash);

/* Adds a caller that was found valid now, or replaces it. */
void lims_caller_cache_put(const lims_known_caller_t *known);

/* Removes a caller that the database refused. */
void lims_caller_cache_drop(const char *database, const unsigned char *hash);

#endif /* LIMS_CALLER_CACHE_H */
