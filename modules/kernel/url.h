/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.h - URLs of webhook endpoints. libcurl parses them here as it does when a delivery
 * is sent, so that the URL that is checked is the one that is used.
 */
#ifndef LIMS_KERNEL_URL_H
#define LIMS_KERNEL_URL_H

#include "lims.h"

/* Longest URL as it is stored, bytes. */
#define LIMS_URL_MAX 2000

/* Checks a URL: https with host, optional port, path and query; no user, password or
 * fragment. Returns NULL and sets `*kept` to the URL as it is stored (scheme and host in
 * lower case, no default port, no dot segments), in `pool`; or returns the violated
 * requirement, for people. IP addresses are checked when a connection is opened
 * (address.h). */
const char *lims_url_check(const char **kept, const char *url, apr_pool_t *pool);

#endif /* LIMS_KERNEL_URL_H */
