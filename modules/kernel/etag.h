/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etag.h - entity tags and the lists that refer to them (RFC 9110 sections
 * 8.8.3, 13.1.1 and 13.1.2).
 */
#ifndef LIMS_KERNEL_ETAG_H
#define LIMS_KERNEL_ETAG_H

#include "lims.h"

/* Strong tag of a representation: 32 hexadecimal digits of its SHA-256, in
 * quotes. NULL when OpenSSL fails. */
const char *lims_etag(const char *body, apr_size_t length, apr_pool_t *pool);

/* Does an If-Match (`weak` false: strong comparison) or If-None-Match (`weak`
 * true) field name this tag? "*" names every tag. A malformed list matches
 * nothing beyond the members before the fault. */
bool lims_etag_matches(const char *header, const char *etag, bool weak);

/* Whether an If-Match field has anything in it that strong comparison can find
 * equal: an entity tag that is not weak, or "*". */
bool lims_etag_has_strong(const char *header);

#endif /* LIMS_KERNEL_ETAG_H */
