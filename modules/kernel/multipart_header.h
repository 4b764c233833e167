/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart_header.h - parsing of the header fields of a form and its parts. Private to
 * the kernel.
 */
#ifndef LIMS_KERNEL_MULTIPART_HEADER_H
#define LIMS_KERNEL_MULTIPART_HEADER_H

#include "kernel/multipart.h"

/* Returns the boundary of a Content-Type, in `pool`; NULL: there is none or more than
 * one, or RFC 2046 section 5.1.1 does not allow it. */
const char *lims_multipart_boundary(const char *content_type, apr_pool_t *pool);

/* Parses the header of a part, with all its line ends, and sets the part's name and file
 * name, in `pool`. Returns NULL, or a description of the mistake. Header fields other
 * than those of RFC 7578 are ignored, as its section 4.8 requires. */
const char *lims_multipart_header(lims_part_t *part, const char *header, apr_pool_t *pool);

#endif /* LIMS_KERNEL_MULTIPART_HEADER_H */
