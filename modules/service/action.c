/* SPDX-License-Identifier: Apache-2.0 */
/*
 * action.c - the action of a route, once its caller is authorized and its values are
 * valid. All surfaces share it.
 */
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/etag.h"
#include "kernel/field.h"
#include "kernel/statement.h"
#include "service/service.h"

static const lims_error_t *not_found(lims_request_t *rq)
{
    const char *id = lims_values_get(rq->values, "id");

    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND, "There is no %s %s in your organization.",
                             rq->resource->name, id ? id : "like that");
}

/* Makes the calls that read one record: its row, and the rows of its nested member. */
static int record_calls(lims_call_t *calls, const lims_resource_t *resource)
{
    int count = 0;

    calls[count++] = (lims_call_t){ .statement = resource->record };
    if (resource->nested) {
        calls[count++] = (lims_call_t){ .statement = resource->nested_statement };
    }
    return count;
}

static const lims_error_t *answer_record(lims_request_t *rq, lims_result_t *const *results)
{
    if (lims_result_count(results[0]) == 0) {
        return not_found(rq);
    }
    lims_render_record(rq, results[0], results[1]);
    return NULL;
}

static const lims_error_t *fetch_record(lims_request_t *rq)
{
    lims_call_t calls[2];
    lims_result_t *results[2] = { NULL, NULL };
    int count = record_calls(calls, rq->resource);
    const lims_error_t *error = lims_service_read(results, rq, calls, count);

    return error ? error : answer_record(rq, results);
}

bool lims_service_is_filtered(const lims_request_t *rq)
{
    for (const lims_field_t *field = rq->route->query; field && field->name; field++) {
        if (!field->fallback && lims_values_get(rq->values, field->name)) {
            return true;
        }
    }
    return false;
}

lims_short_work_e lims_service_short_work(const lims_exchange_t *x)
{
    const lims_route_t *route = x->rq.route;

    if (!route) {
        return LIMS_SHORT_WORK_NONE;
    }
    if (route->flags & LIMS_R_QUEUED) {
        return x->admitted ? LIMS_SHORT_WORK_NONE : LIMS_SHORT_WORK_PREPARE;
    }
    return lims_route_reads(route) && !lims_service_is_filtered(&x->rq) ? LIMS_SHORT_WORK_READ
                                                                        : LIMS_SHORT_WORK_NONE;
}

/* Returns the statement of a list: with a filter, or plain. */
static lims_stmt_e statement_of(const lims_request_t *rq, const lims_route_t *list)
{
    return list->search != LIMS_STMT_NONE && lims_service_is_filtered(rq) ? list->search
                                                                          : list->statement;
}

/* Returns the statement of a page: for changes since a time, or that of the list. */
static lims_stmt_e page_statement(const lims_request_t *rq)
{
    const lims_route_t *route = rq->route;

    return route->changes != LIMS_STMT_NONE && lims_values_get(rq->values, "updatedSince")
               ? route->changes
               : statement_of(rq, route);
}

lims_stmt_e lims_service_listed(const lims_request_t *rq)
{
    return statement_of(rq, lims_route_list(rq->resource, rq->route));
}

lims_stmt_e lims_service_in_order(const lims_request_t *rq, lims_stmt_e list)
{
    const char *order = lims_values_get(rq->values, "order");

    return order && strcmp(order, "-id") == 0 ? lims_statements[list].newest : list;
}

const lims_error_t *lims_service_page(lims_request_t *rq, lims_stmt_e list)
{
    const lims_call_t call = { .statement = lims_service_in_order(rq, list) };
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_service_read(&rows, rq, &call, 1);

    if (error) {
        return error;
    }
    lims_render_page(rq, rows);
    return NULL;
}

/* The column "document", byte by byte as it is stored. */
static const lims_error_t *fetch_document(lims_request_t *rq)
{
    const lims_call_t call = { .statement = rq->route->statement };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return not_found(rq);
    }
    rq->reply->body = lims_result_get(row, 0, "document");
    rq->reply->length = strlen(rq->reply->body);
    return NULL;
}

const lims_error_t *lims_service_fetch(lims_request_t *rq)
{
    rq->reply->status = rq->route->status;
    if (rq->route->handler) {
        return rq->route->handler(rq);
    }
    if (rq->route->flags & LIMS_R_DOCUMENT) {
        return fetch_document(rq);
    }
    return (rq->route->flags & LIMS_R_LIST) ? lims_service_page(rq, page_statement(rq))
                                            : fetch_record(rq);
}

const lims_error_t *lims_service_lock(lims_request_t *rq)
{
    const lims_error_t *error = NULL;

    if (!rq->locked) {
        error = lims_database_call(&rq->locked, rq, rq->resource->lock);
    }
    if (error) {
        return error;
    }
    return lims_result_count(rq->locked) ? NULL : not_found(rq);
}

/* Renders the record that the path names, whichever the act answers. */
static const lims_error_t *fetch_addressed(lims_request_t *rq)
{
    const lims_resource_t *answered = rq->resource;
    const lims_error_t *error;

    rq->resource = answered->addressed ? answered->addressed : answered;
    error = fetch_record(rq);
    rq->resource = answered;
    return error;
}

/* Returns the name of the record that the act is done to. */
static const char *addressed_name(const lims_request_t *rq)
{
    const char *name = rq->resource->name;

    return rq->route->flags & LIMS_R_OWN_RECORD
               ? name
               : apr_pstrcat(rq->pool, name, " ", lims_values_get(rq->values, "id"), NULL);
}

static const lims_error_t *check_condition(lims_request_t *rq, const char *if_match)
{
    const lims_error_t *error = fetch_addressed(rq);
    const char *etag = apr_table_get(rq->reply->headers, "ETag");

    if (error) {
        return error;
    }
    if (!etag) {
        return lims_no_digest(rq->pool);
    }
    if (!lims_etag_has_strong(if_match)) {
        return lims_client_error(
            rq->pool, LIMS_E_PRECONDITION_FAILED,
            "If-Match has no entity tag that could be that of the %s: send its ETag "
            "as it came, with its quotes and without W/.",
            addressed_name(rq));
    }
    if (!lims_etag_matches(if_match, etag, false)) {
        return lims_client_error(
            rq->pool, LIMS_E_PRECONDITION_FAILED,
            "The %s has changed since you read it; read it again and decide anew.",
            addressed_name(rq));
    }
    rq->reply->body = NULL;
    return NULL;
}

/* The last round trip of a write: `calls`, the record as they leave it, and COMMIT
 * where nothing else has to be written. */
static const lims_error_t *finish_with_record(lims_request_t *rq, lims_call_t *calls, int before)
{
    lims_result_t *results[LIMS_CALLS_MAX] = { NULL };
    int count = before + record_calls(calls + before, rq->resource);
    const lims_error_t *error =
        lims_database_run(results, rq, calls, count, rq->commit_with_answer ? LIMS_DB_COMMIT : 0);

    if (error) {
        return error;
    }
    rq->in_transaction = !rq->commit_with_answer;
    return answer_record(rq, results + before);
}

static const lims_error_t *run_statement(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, rq->route->statement);

    if (error) {
        return error;
    }
    if (lims_statements[rq->route->statement].rows != LIMS_ROWS_ONE) {
        return NULL;
    }
    if (lims_result_count(row) == 0) {
        return not_found(rq);
    }
    if (!lims_values_has(rq->values, "id")) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return NULL;
}

const lims_error_t *lims_service_delete(lims_request_t *rq, lims_stmt_e deletion)
{
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_database_call(&results[0], rq, deletion);

    return error ? error : answer_record(rq, results);
}

static void set_location(lims_request_t *rq)
{
    if (rq->route->status == 201 && rq->route->path && !(rq->route->flags & LIMS_R_NO_RECORD)) {
        apr_table_setn(rq->reply->headers, "Location",
                       apr_pstrcat(rq->pool, rq->settings->base, rq->route->path, "/",
                                   lims_values_get(rq->values, "id"), NULL));
    }
}

const lims_error_t *lims_service_act(lims_request_t *rq, const char *if_match)
{
    lims_call_t calls[LIMS_CALLS_MAX];
    const lims_error_t *error = NULL;
    bool addressed;

    if (rq->route->flags & LIMS_R_OWN_RECORD) {
        lims_values_set(rq->values, "id", rq->actor.organization);
    }
    addressed = lims_values_has(rq->values, "id");
    rq->reply->status = rq->route->status;
    if ((rq->route->flags & LIMS_R_KEYRING) && !rq->keyring) {
        return lims_server_error(rq->pool, LIMS_E_SERVICE_UNAVAILABLE, 47,
                                 "no key file is configured",
                                 "Nothing can be sealed or signed on this server: no "
                                 "LimsSecretKeyFile is configured.");
    }
    if (addressed && rq->resource->lock) {
        error = lims_service_lock(rq);
    }
    if (!error && addressed && if_match) {
        error = check_condition(rq, if_match);
    }
    if (error) {
        return error;
    }
    if (rq->route->guard) {
        error = rq->route->guard(rq);
    }
    if (!error && addressed && !rq->route->handler) {
        calls[0] = (lims_call_t){ .statement = rq->route->statement };
        return finish_with_record(rq, calls, 1);
    }
    if (!error) {
        error = rq->route->handler ? rq->route->handler(rq) : run_statement(rq);
    }
    if (!error && !rq->reply->body) {
        error = finish_with_record(rq, calls, 0);
        set_location(rq);
    }
    return error;
}
