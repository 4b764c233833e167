/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.h - a file as an answer, in a spool file: a temporary file without a name, of which
 * memory holds a part at a time, however long it becomes.
 */
#ifndef LIMS_SERVICE_SPOOL_H
#define LIMS_SERVICE_SPOOL_H

#include <stdio.h>

#include "lims.h"

typedef struct lims_spool_t lims_spool_t;

/* Makes a spool file in the folder for temporary files (TMPDIR, else /tmp), readable by
 * this process alone; it is gone when `pool` is, or the process ends. `name` is the file's
 * for whoever receives it. LIMS_E_SERVICE_UNAVAILABLE: the system cannot keep it, as on a
 * full disk. */
const lims_error_t *lims_spool_open(lims_spool_t **spool, const char *name, apr_pool_t *pool);

/* Appends bytes. Errors are those of lims_spool_open(). */
const lims_error_t *lims_spool_write(lims_spool_t *spool, const char *bytes, apr_size_t length);

/* Sees bytes that are appended to a file. */
typedef void(lims_spool_fn)(void *watcher, const char *bytes, apr_size_t length);

/* Shows all bytes that are appended from now on to a function. */
void lims_spool_watch(lims_spool_t *spool, lims_spool_fn *see, void *watcher);

/* Makes the file the answer. */
const lims_error_t *lims_spool_answer(lims_reply_t *reply, lims_spool_t *spool);

/* Writes the spool file of an answer to a stream, whose errors the caller finds by ferror(). */
const lims_error_t *lims_spool_copy(FILE *out, const lims_reply_t *reply, apr_pool_t *pool);

/* Makes the file of an answer, if it is or has one, the document { fileName, contentBase64 } in
 * memory, for whoever has to have it whole. */
const lims_error_t *lims_spool_read(lims_reply_t *reply, apr_pool_t *pool);

#endif /* LIMS_SERVICE_SPOOL_H */
