/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart_header.h - parsing of the header fields of a form and its parts. Private to
 * the kernel.
 */
#ifndef LIMS_KERNEL_MULTIPART_HEADER_H
#define LIMS_KERNEL_MULTIPART_HEADER_H

#include "kernel/multipart.h"

/* The boundary of a Content-Type, or NULL when there is none, two, or one that
 * RFC 2046 section 5.1.1 does not allow. */
const char *lims_multipart_boundary(const char *content_type, apr_pool_t *pool);

/* Name and file name of a part, of its header with all its line ends. NULL, or
 * what is wrong with it. Fields that RFC 7578 section 4.8 has ignored are. */
const char *lims_multipart_header(lims_part_t *part, const char *header, apr_pool_t *pool);

#endif /* LIMS_KERNEL_MULTIPART_HEADER_H */
