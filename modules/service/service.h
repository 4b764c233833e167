/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service.h - the life of a request, whatever carries it.
 *
 * The order in which a request is refused is the contract's (key, rate limit,
 * upload-only key, route, method, scope, media type, size, id, query or body,
 * record, gates), while the work is arranged for the fewest round trips:
 *
 *   - checks that need no database come first, and their first refusal is only
 *     remembered (refusal, late_refusal) until the key was checked;
 *   - a read sends the check of its key and its data statements in one round trip,
 *     and looks at the key's answer before it looks at the data;
 *   - a write reads the body before it takes a connection, then opens its
 *     transaction and has the key checked in the same round trip, does its
 *     work, and commits with the record of the idempotency key;
 *   - a route with long work (.prepare, .work) runs two transactions, each of which
 *     checks the key, and holds no connection during the work between them. Where
 *     that work is CPU-bound (LIMS_R_QUEUED), the request waits in the
 *     admission queue first.
 *
 * The transport (httpd) supplies what it knows in an exchange and the functions of
 * lims_transport_t; it gets back a reply and, for the log, the error.
 */
#ifndef LIMS_SERVICE_H
#define LIMS_SERVICE_H

#include "database/database.h"
#include "kernel/writer.h"
#include "lims.h"
#include "service/exchange.h"

/* Initializes the service, once per process; `pool` lives as long as the process. */
apr_status_t lims_service_init(apr_pool_t *pool);

/* Answers a request: fills in x->rq.reply and x->error. Never fails. */
void lims_service_answer(lims_exchange_t *x);

/* Runs the calls of a read in one round trip; for handlers. Outside a transaction, as
 * over HTTP, the caller is checked in the same round trip, and results are returned only
 * if the caller may have them. `count` may be 0. */
const lims_error_t *lims_service_read(lims_result_t **results, lims_request_t *rq,
                                      const lims_call_t *calls, int count);

/* Runs the action of rq->route in the open transaction of rq: locks and finds the record,
 * runs handler or statement, and renders the resulting record. `if_match` is the
 * If-Match field or NULL. */
const lims_error_t *lims_service_act(lims_request_t *rq, const char *if_match);

/* Deletes the locked record of the request by the statement `deletion`, and answers with the
 * row that it returns: the record as it was before. */
const lims_error_t *lims_service_delete(lims_request_t *rq, lims_stmt_e deletion);

/* Locks the record of the request, unless it is locked already, so that decisions about it
 * hold until the transaction ends. LIMS_E_NOT_FOUND: there is none. */
const lims_error_t *lims_service_lock(lims_request_t *rq);

/* Returns the kind of the request's short database work: reading a record or a page
 * without a filter, or the first transaction of queued work, which do not wait for locks;
 * else LIMS_SHORT_WORK_NONE. Called after the checks of the request, by the transport's
 * connect. */
lims_short_work_e lims_service_short_work(const lims_exchange_t *x);

/* Answers a GET route: renders its rows into the reply. */
const lims_error_t *lims_service_fetch(lims_request_t *rq);

/* Whether a list is requested with a filter, besides its page and order. */
bool lims_service_is_filtered(const lims_request_t *rq);

/* Answers a list with the page of the statement `list`, in the requested order. */
const lims_error_t *lims_service_page(lims_request_t *rq, lims_stmt_e list);

/* Returns the statement of the list whose records the route answers as a file, as filtered. */
lims_stmt_e lims_service_listed(const lims_request_t *rq);

/* Returns the statement for `list` in the requested order: itself, or its counterpart
 * that begins with the newest record. */
lims_stmt_e lims_service_in_order(const lims_request_t *rq, lims_stmt_e list);

/* Restores the request to its state before the first attempt: drops the answer, the lock
 * and the signature of the failed attempt, and all values but the first `given`, such as
 * the id of a record that was not committed. */
void lims_service_reset(lims_request_t *rq, int given);

/* Renders a record into rq->reply; `nested`: the rows of its nested member, or NULL
 * (render.c). */
void lims_render_record(lims_request_t *rq, const lims_result_t *row, const lims_result_t *nested);

/* Writes an object of these fields, from the first row. */
void lims_render_object(lims_writer_t *w, const lims_field_t *fields, const lims_result_t *row,
                        apr_pool_t *pool);

/* Renders one row as an object of these fields into rq->reply, without an ETag. */
void lims_render_members(lims_request_t *rq, const lims_field_t *fields, const lims_result_t *row);

/* Renders a page of records into rq->reply. */
void lims_render_page(lims_request_t *rq, const lims_result_t *rows);

/* Sets the ETag of the reply's body; none if OpenSSL fails. */
void lims_render_etag(lims_request_t *rq);

/* Writes the first `count` rows as an array of records, for handlers that answer several
 * records under a name of their own: { "received": [ … ] }. */
void lims_render_rows(lims_writer_t *w, const lims_resource_t *resource, const lims_result_t *rows,
                      int count, apr_pool_t *pool);

/* Returns the tags (LIMS_F_DIGEST) of all rows, in `pool`. */
const char *const *lims_render_tags(const lims_resource_t *resource, const lims_result_t *rows,
                                    apr_pool_t *pool);

/* Writes the first `count` rows as an array of objects of these fields. */
void lims_render_objects(lims_writer_t *w, const lims_field_t *fields, const lims_result_t *rows,
                         int count, apr_pool_t *pool);

/* Maximum number of records of a state that is counted exactly. */
#define LIMS_COUNTED_MAX 10000

/* Writes rows of "state" and "count" as an object with a member for each state: an integer,
 * or the text "10,000+" for more than LIMS_COUNTED_MAX. */
void lims_render_counts(lims_writer_t *w, const lims_result_t *rows);

/* Writes one row as a record of the resource. */
void lims_render_row(lims_writer_t *w, const lims_resource_t *resource, const lims_result_t *rows,
                     int row, apr_pool_t *pool);

/* Sets the reply's body from a finished writer. */
void lims_render_finish(lims_request_t *rq, lims_writer_t *w);

#endif /* LIMS_SERVICE_H */
