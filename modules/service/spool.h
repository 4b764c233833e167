/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.h - an answer in a spool file: a temporary file without a name, of which memory
 * holds a part at a time, however long it becomes.
 */
#ifndef LIMS_SERVICE_SPOOL_H
#define LIMS_SERVICE_SPOOL_H

#include "lims.h"

typedef struct lims_spool_t lims_spool_t;

/* Makes a spool file in the folder for temporary files (TMPDIR, else /tmp), readable by
 * this process alone; it is gone when `pool` is, or the process ends.
 * LIMS_E_SERVICE_UNAVAILABLE: the system cannot keep it, as on a full disk. */
const lims_error_t *lims_spool_open(lims_spool_t **spool, apr_pool_t *pool);

/* Appends text as it is, or bytes in base64 (RFC 4648, section 4), which end with
 * lims_spool_end_bytes(). Errors are those of lims_spool_open(). */
const lims_error_t *lims_spool_text(lims_spool_t *spool, const char *text);
const lims_error_t *lims_spool_bytes(lims_spool_t *spool, const char *bytes, apr_size_t length);
const lims_error_t *lims_spool_end_bytes(lims_spool_t *spool);

/* Makes the file the body of an answer. */
const lims_error_t *lims_spool_answer(lims_reply_t *reply, lims_spool_t *spool);

/* Reads the file of an answer into its body, for whoever has to have it whole. */
const lims_error_t *lims_spool_read(lims_reply_t *reply, apr_pool_t *pool);

#endif /* LIMS_SERVICE_SPOOL_H */
