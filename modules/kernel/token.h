/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token.h - tokens of sessions and one-time links: 256 random bits as 64 hexadecimal
 * digits, of which the database keeps the SHA-256 (lims_key_hash).
 */
#ifndef LIMS_KERNEL_TOKEN_H
#define LIMS_KERNEL_TOKEN_H

#include "lims.h"

/* Bytes of a token before they are written as hexadecimal digits. */
#define LIMS_TOKEN_BYTES 32

/* Makes a token, in `pool`; NULL: the system's random generator failed. */
const char *lims_token_generate(apr_pool_t *pool);

/* Whether a text has the form of a token. */
bool lims_token_well_formed(const char *text);

#endif /* LIMS_KERNEL_TOKEN_H */
