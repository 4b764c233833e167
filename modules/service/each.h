/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each.h - one act over many records: one request and one password, but for each record a
 * savepoint, and where the act is signed a signature of its own.
 *
 * For routes with LIMS_R_EACH. The handler locks all records first, in the order of locks,
 * then calls lims_each() and answers with lims_each_answer():
 *
 *     { "results": [ { "sampleTestId", "status", "error", "message", "blockers" } ] }
 */
#ifndef LIMS_SERVICE_EACH_H
#define LIMS_SERVICE_EACH_H

#include "kernel/json.h"
#include "lims.h"

/* One record of many. */
typedef struct {
    const char *id;
    const char *stood;         /* its status before the act; NULL: there is no such record */
    const char *becomes;       /* its status once the act was done */
    const char *content_hash;  /* of what the signer saw, as the record showed it; NULL: none */
    const lims_json_t *asked;  /* the element of the request's list */
    const lims_error_t *error; /* why the act was refused; NULL: it was done */
} lims_each_t;

/* Acts on the record of rq->values' "id", which is locked. */
typedef const lims_error_t *(lims_each_fn)(lims_request_t *rq, const lims_each_t *item);

/* Reads the request's list `name` into items, in the order sent; `id_name` is the member
 * with the record's id. */
const lims_error_t *lims_each_read(lims_each_t **items, int *count, const lims_request_t *rq,
                                   const char *name, const char *id_name);

/* Acts on each record, in order of id, in the open transaction: it is locked, compared with
 * the content hash that its signer saw (412 precondition_failed), prepared, signed if the
 * act is, and handed to `act`. `prepare` (or NULL) sets the values of the request on which
 * the signature depends. A refusal is kept in the item, and what was done to that record
 * undone. Any other error ends the whole. */
const lims_error_t *lims_each(lims_request_t *rq, lims_each_t *items, int count,
                              lims_each_fn *prepare, lims_each_fn *act);

/* Answers with what became of each record. Where `atomic` and one was refused, nothing may
 * be done: the same list as an error of status 409, after which the transaction is rolled
 * back. */
const lims_error_t *lims_each_answer(lims_request_t *rq, const lims_each_t *items, int count,
                                     const char *id_name, bool atomic);

#endif /* LIMS_SERVICE_EACH_H */
