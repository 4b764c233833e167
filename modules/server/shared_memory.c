/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared_memory.c - shared memory that outlives restarts.
 *
 * A restart loads the module again, perhaps in another version: the size is a part of
 * the name, so that memory of another layout is not found.
 */
#include <apr_shm.h>
#include <apr_strings.h>

#include "server/server.h"

typedef struct {
    apr_shm_t *shm;
} retained_t;

apr_status_t lims_shared_memory(void **memory, const char *name, apr_size_t size, server_rec *s)
{
    const char *key = apr_psprintf(s->process->pconf, "%s, %" APR_SIZE_T_FMT " bytes", name, size);
    retained_t *retained = ap_retained_data_get(key);

    if (!retained) {
        retained = ap_retained_data_create(key, sizeof(*retained));
    }
    if (!retained->shm) {
        /* Anonymous memory is zero, and takes no page before it is used. */
        apr_status_t rv = apr_shm_create(&retained->shm, size, NULL, s->process->pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    *memory = apr_shm_baseaddr_get(retained->shm);
    return APR_SUCCESS;
}
