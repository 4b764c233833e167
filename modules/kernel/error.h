/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - refusals and failures, and how a caller reads them.
 *
 * A refusal is a value that travels up until the service answers it. What a
 * person may know stands in .message and .members; what the system said stays
 * in .cause, which only the log sees.
 */
#ifndef LIMS_KERNEL_ERROR_H
#define LIMS_KERNEL_ERROR_H

#include "lims.h"

/* One row of the error catalogue: stable slug, HTTP status (RFC 9110 section
 * 15), a short title and the sentence of the OpenAPI document. */
typedef struct {
    const char *slug;
    int status;
    const char *title;
    const char *doc;
} lims_error_kind_t;

extern const lims_error_kind_t lims_error_kinds[LIMS_E_COUNT];

/* A refusal with words for the caller. Lives in `pool`. */
const lims_error_t *lims_client_error(apr_pool_t *pool, lims_error_e kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with further JSON members: `members` is the inside of an object
 * without its braces, such as "\"blockers\":[]". It is kept, not copied. */
const lims_error_t *lims_client_error_with(apr_pool_t *pool, lims_error_e kind, const char *members,
                                           const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* OpenSSL could not compute a SHA-256, which takes a little memory. */
const lims_error_t *lims_no_digest(apr_pool_t *pool);

/* A failure of the system (5xx). `number` is the LIMSnnnn of its log line,
 * `cause` what the system said (kept, not copied; may be NULL); the format
 * makes the message that the caller sees. */
const lims_error_t *lims_server_error(apr_pool_t *pool, lims_error_e kind, int number,
                                      const char *cause, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A copy of the error that says what failed. */
const lims_error_t *lims_error_with_failure(const lims_error_t *error, lims_failure_e failure,
                                            apr_pool_t *pool);

/* Whether it is a limit of the plan or of a key, whose answer has a `code` and no
 * `error`. */
bool lims_error_is_plan_limit(lims_error_e kind);

/* The kind of a slug, as the database names it; LIMS_E_COUNT: no such slug. */
lims_error_e lims_error_by_slug(const char *slug);

/* The JSON body of the answer, NUL-terminated, `*length` bytes without the
 * NUL. A plan limit carries "code" where every other error has "error". */
const char *lims_error_body(apr_size_t *length, const lims_error_t *error, apr_pool_t *pool);

/* As much of a caller's text (valid UTF-8) as a message should quote: 60
 * characters, then "...". */
const char *lims_excerpt(const char *text, apr_pool_t *pool);

/* What a rule of the database says as a sentence, with a capital and a period. The
 * messages of errors are made so by themselves. */
const char *lims_sentence(const char *text, apr_pool_t *pool);

#endif /* LIMS_KERNEL_ERROR_H */
