/* SPDX-License-Identifier: Apache-2.0 */
/*
 * header_fields.h - syntax of single header fields of a request.
 */
#ifndef LIMS_KERNEL_HEADER_FIELDS_H
#define LIMS_KERNEL_HEADER_FIELDS_H

#include "lims.h"

/* Whether an X-Request-Id is safe for logs and the audit trail: 1 to 128 of
 * A-Z a-z 0-9 . _ : - */
bool lims_request_id_valid(const char *text);

/* Makes an X-Request-Id in `pool`: 32 hexadecimal digits. NULL: the system's random
 * generator failed. */
const char *lims_request_id_create(apr_pool_t *pool);

/* Whether an Idempotency-Key is valid: 1 to 255 visible ASCII characters. */
bool lims_idempotency_key_valid(const char *text);

/* Whether a Content-Type is application/json, alone or with charset=utf-8 (RFC 8259
 * section 11 has no other); false for NULL. */
bool lims_media_type_json(const char *content_type);

#endif /* LIMS_KERNEL_HEADER_FIELDS_H */
