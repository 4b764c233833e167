/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpd_error.h - errors of httpd itself in the API's form.
 */
#ifndef LIMS_SERVER_HTTPD_ERROR_H
#define LIMS_SERVER_HTTPD_ERROR_H

#include <httpd.h>

#include "lims.h"

/* Returns the error for a request that httpd answered with this status. */
const lims_error_t *lims_httpd_error(const request_rec *r, int status, apr_pool_t *pool);

#endif /* LIMS_SERVER_HTTPD_ERROR_H */
