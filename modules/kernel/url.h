/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.h - addresses that deliveries go to. They are taken apart by libcurl, as
 * they will be when something is sent, so that what is judged here is what is
 * connected to then.
 */
#ifndef LIMS_KERNEL_URL_H
#define LIMS_KERNEL_URL_H

#include "lims.h"

/* Longest address, in bytes, as it is kept. */
#define LIMS_URL_MAX 2000

/* Judges an address: https, with a host, a port if need be, a path and a query;
 * no user, no password, no fragment. NULL and the address as it is kept (scheme
 * and host in lower case, no default port, no dots in the path), or what it must
 * do, for people. Which addresses of the network may be reached is judged when
 * they are. */
const char *lims_url_check(const char **kept, const char *url, apr_pool_t *pool);

#endif /* LIMS_KERNEL_URL_H */
