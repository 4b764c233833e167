/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each.h - one act over many records: one request and one password, but for each record a
 * savepoint, and where the act is signed a signature of its own.
 *
 * For routes with LIMS_R_EACH, whose handler is a call of lims_each(). It answers:
 *
 *     { "results": [ { "sampleTestId", "status", "error", "message", "blockers" } ] }
 */
#ifndef LIMS_SERVICE_EACH_H
#define LIMS_SERVICE_EACH_H

#include "kernel/json.h"
#include "lims.h"

/* Member of an element: what its signer saw. */
#define LIMS_EACH_CONTENT_HASH_FIELD(DOC)                                                          \
    {                                                                                              \
        .name = "contentHash", .type = LIMS_T_STRING, .min = 64, .max = 64,                        \
        .pattern = "^[0-9a-f]*$", .doc = DOC                                                       \
    }

/* Member of the request: whether all is done or nothing. */
#define LIMS_EACH_ATOMIC_FIELD(DOC)                                                                \
    {                                                                                              \
        .name = "atomic", .type = LIMS_T_BOOLEAN, .fallback = "true", .doc = DOC                   \
    }

/* Members of an outcome, after id and status. */
#define LIMS_EACH_REFUSAL_FIELDS(BLOCKERS_DOC)                                                     \
    { .name = "error",                                                                             \
      .type = LIMS_T_STRING,                                                                       \
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,                                                       \
      .doc = "Slug of the error by which this one was refused; null: it was not." },               \
        { .name = "message",                                                                       \
          .type = LIMS_T_STRING,                                                                   \
          .flags = LIMS_F_OUT | LIMS_F_NULLABLE,                                                   \
          .doc = "Text of the refusal, for people." },                                             \
        { .name = "blockers",                                                                      \
          .type = LIMS_T_JSON,                                                                     \
          .flags = LIMS_F_OUT,                                                                     \
          .doc = BLOCKERS_DOC },                                                                   \
        { .name = "qcBatches",                                                                     \
          .type = LIMS_T_JSON,                                                                     \
          .flags = LIMS_F_OUT,                                                                     \
          .doc = "QC batches behind a qc_failed or a qc_pending." },                               \
        { .name = "missing",                                                                       \
          .type = LIMS_T_STRING_LIST,                                                              \
          .flags = LIMS_F_OUT,                                                                     \
          .doc = "Names of worksheet fields without a value." },                                   \
    {                                                                                              \
        .name = "needsSignoff", .type = LIMS_T_STRING_LIST, .flags = LIMS_F_OUT,                   \
        .doc = "Names of worksheet steps without a signature."                                     \
    }

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

/* An act over the request's list `items`. */
typedef struct {
    const char *id_name;   /* member of an element that is the record's id */
    lims_stmt_e lock;      /* locks all records in the order of locks: their id and status */
    const char *becomes;   /* status of a record once the act was done; NULL: that which the
                              element's member "status" asks for */
    lims_each_fn *prepare; /* sets the values of the request on which the signature depends;
                              or NULL */
    lims_each_fn *act;
} lims_each_act_t;

/* Locks all records and acts on each, in order of id, in the open transaction: it is
 * compared with the content hash that its signer saw (412 precondition_failed), prepared,
 * signed if the act is, and acted on. A refusal concerns its record alone, and what was done
 * to that one is undone; any other error ends the whole.
 *
 * Answers with what became of each record. Where the request's `atomic` is true and one was
 * refused, nothing may be done: the same list as an error of status 409, after which the
 * transaction is rolled back. */
const lims_error_t *lims_each(lims_request_t *rq, const lims_each_act_t *act);

#endif /* LIMS_SERVICE_EACH_H */
