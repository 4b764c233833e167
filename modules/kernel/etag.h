/* SPDX-License-Identifier: Apache-2.0 */
/*
 * etag.h - entity tags and the lists that refer to them (RFC 9110 sections
 * 8.8.3, 13.1.1 and 13.1.2).
 */
#ifndef LIMS_KERNEL_ETAG_H
#define LIMS_KERNEL_ETAG_H

#include "lims.h"

/* Returns the strong entity tag of a representation: 32 hexadecimal digits of its SHA-256,
 * in quotes. NULL: OpenSSL failed. */
const char *lims_etag(const char *body, apr_size_t length, apr_pool_t *pool);

/* Whether an If-Match field (`weak` false: strong comparison) or an If-None-Match field
 * (`weak` true) matches this tag. "*" matches every tag. Of a malformed list the members
 * before the fault count. */
bool lims_etag_matches(const char *header, const char *etag, bool weak);

/* Whether an If-Match field can match by strong comparison at all: it has a tag that is
 * not weak, or "*". */
bool lims_etag_has_strong(const char *header);

#endif /* LIMS_KERNEL_ETAG_H */
