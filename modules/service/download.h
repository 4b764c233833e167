/* SPDX-License-Identifier: Apache-2.0 */
/*
 * download.h - files in the application: a plain link to a route of bytes (LIMS_R_BYTES) is
 * answered with the bytes themselves, as an attachment that no browser shows or runs,
 * whatever somebody called it who sent it.
 */
#ifndef LIMS_SERVICE_DOWNLOAD_H
#define LIMS_SERVICE_DOWNLOAD_H

#include "lims.h"

/* Turns the reply, a document with fileName and contentBase64 or a spool file, into those
 * bytes. */
const lims_error_t *lims_download_answer(lims_request_t *rq);

/* Returns the header field Content-Disposition (RFC 6266) for a file of this name, in
 * `pool`: an attachment. What is a path, a control character, a mark that turns the direction of
 * writing, or has a meaning to a shell or file system is "_". */
const char *lims_download_disposition(const char *name, apr_pool_t *pool);

#endif /* LIMS_SERVICE_DOWNLOAD_H */
