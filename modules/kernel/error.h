/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - errors and their answers.
 *
 * An error is a value that is returned up to the service, which answers it. .message and
 * .members are for the caller; .cause, the system's own message, is for the log only.
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

/* Makes an error that the caller caused (4xx), with a message for the caller. */
const lims_error_t *lims_client_error(apr_pool_t *pool, lims_error_e kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes an error with further JSON members: `members` is the content of an object
 * without braces, such as "\"blockers\":[]". It is kept, not copied. */
const lims_error_t *lims_client_error_with(apr_pool_t *pool, lims_error_e kind, const char *members,
                                           const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the error for a SHA-256 that OpenSSL could not compute, for lack of memory. */
const lims_error_t *lims_no_digest(apr_pool_t *pool);

/* Makes an error that the service or its surroundings caused (5xx), or one whose cause has
 * to be logged. `number` is the LIMSnnnn of its log line (0: not logged), `cause` the
 * system's message (kept, not copied; may be NULL); the format makes the message for the
 * caller. */
const lims_error_t *lims_server_error(apr_pool_t *pool, lims_error_e kind, int number,
                                      const char *cause, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Returns a copy of the error with the kind of failure set. */
const lims_error_t *lims_error_with_failure(const lims_error_t *error, lims_failure_e failure,
                                            apr_pool_t *pool);

/* Whether an error is a limit of the plan or of a key, whose answer has `code` instead of
 * `error`. */
bool lims_error_is_plan_limit(lims_error_e kind);

/* Whether the error refuses one record of several, so that the others can go on: neither a
 * failure, nor one after which the transaction is repeated. */
bool lims_error_is_refusal(const lims_error_t *error);

/* Returns the kind of a slug, as the database names it; LIMS_E_COUNT: unknown. */
lims_error_e lims_error_by_slug(const char *slug);

/* Returns the JSON body of the answer, NUL-terminated, `*length` bytes without the NUL. A
 * plan limit has "code" where all other errors have "error". */
const char *lims_error_body(apr_size_t *length, const lims_error_t *error, apr_pool_t *pool);

/* Shortens a caller's text (valid UTF-8) for a message: 60 characters, then "...". */
const char *lims_excerpt(const char *text, apr_pool_t *pool);

/* Makes a sentence of a message of the database, with a capital and a period. Messages of
 * errors are made sentences automatically. */
const char *lims_sentence(const char *text, apr_pool_t *pool);

#endif /* LIMS_KERNEL_ERROR_H */
