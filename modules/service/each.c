/* SPDX-License-Identifier: Apache-2.0 */
/* each.c - one act over many records. */
#include "service/each.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"
#include "service/signing.h"

/* --- Reading the list ------------------------------------------------------ */

/* Reads the request's list, in the order sent. */
static const lims_error_t *read_items(lims_each_t **items, int *count, const lims_request_t *rq,
                                      const lims_each_act_t *act)
{
    const char *text = lims_values_get(rq->values, "items");
    lims_json_t *root = NULL;
    const lims_error_t *error = lims_json_parse(&root, text, strlen(text), rq->pool);
    int i = 0;

    if (error) {
        return error;
    }
    *count = root->count;
    *items = apr_pcalloc(rq->pool, sizeof(**items) * (apr_size_t)(root->count + 1));
    for (const lims_json_t *asked = root->first; asked; asked = asked->next) {
        const lims_json_t *hash = lims_json_member(asked, "contentHash");

        (*items)[i++] =
            (lims_each_t){ .id = lims_json_member(asked, act->id_name)->text,
                           .becomes = act->becomes ? act->becomes
                                                   : lims_json_member(asked, "status")->text,
                           .content_hash = hash ? hash->text : NULL,
                           .asked = asked };
    }
    return NULL;
}

/* Notes the status that each record has. */
static void note_statuses(lims_each_t *items, int count, const lims_result_t *locked)
{
    for (int i = 0; i < count; i++) {
        for (int row = 0; row < lims_result_count(locked); row++) {
            if (strcmp(lims_result_get(locked, row, "id"), items[i].id) == 0) {
                items[i].stood = lims_result_get(locked, row, "status");
            }
        }
    }
}

/* --- Acting on each -------------------------------------------------------- */

/* Compares ids, which are decimal text without leading zeros. */
static int by_id(const void *a, const void *b)
{
    const char *one = (*(const lims_each_t *const *)a)->id;
    const char *other = (*(const lims_each_t *const *)b)->id;
    apr_size_t length = strlen(one), than = strlen(other);

    return length == than ? strcmp(one, other) : length < than ? -1 : 1;
}

static lims_each_t **in_order(lims_each_t *items, int count, apr_pool_t *pool)
{
    lims_each_t **order = apr_palloc(pool, sizeof(*order) * (apr_size_t)(count + 1));

    for (int i = 0; i < count; i++) {
        order[i] = &items[i];
    }
    qsort(order, (apr_size_t)count, sizeof(*order), by_id);
    return order;
}

static const lims_error_t *act_on(lims_request_t *rq, const lims_each_t *item,
                                  const lims_each_act_t *act)
{
    const lims_error_t *error = lims_service_lock(rq);

    if (!error && rq->signs && rq->exchange && !item->content_hash) {
        return lims_client_error(rq->pool, LIMS_E_PRECONDITION_REQUIRED,
                                 "contentHash is missing: a signature names what was seen, as "
                                 "the record showed it.");
    }
    if (!error) {
        error = lims_signing_unchanged(rq, item->id, item->content_hash);
    }
    if (!error && act->prepare) {
        error = act->prepare(rq, item);
    }
    if (!error && rq->signs) {
        error = lims_signing_sign(rq);
    }
    return error ? error : act->act(rq, item);
}

static const lims_error_t *act_on_all(lims_request_t *rq, lims_each_t *items, int count,
                                      const lims_each_act_t *act)
{
    lims_each_t **order = in_order(items, count, rq->pool);
    const lims_error_t *error = NULL;

    for (int i = 0; i < count && !error; i++) {
        rq->locked = NULL;
        rq->signature = NULL;
        lims_values_set(rq->values, "id", order[i]->id);
        error = lims_database_run(NULL, rq, NULL, 0, LIMS_DB_SAVEPOINT);
        if (error) {
            return error;
        }
        order[i]->error = act_on(rq, order[i], act);
        if (order[i]->error && !lims_error_is_refusal(order[i]->error)) {
            return order[i]->error;
        }
        error =
            lims_database_run(NULL, rq, NULL, 0, order[i]->error ? LIMS_DB_UNDO : LIMS_DB_RELEASE);
    }
    return error;
}

/* --- The answer ------------------------------------------------------------- */

/* Returns the lists of a refusal that this one does not have, as empty members. */
static const char *empty_lists(const char *refusal, apr_pool_t *pool)
{
    static const char *const names[] = { "\"blockers\":", "\"qcBatches\":", "\"missing\":",
                                         "\"needsSignoff\":" };
    const char *lists = "";

    for (apr_size_t i = 0; i < LIMS_LENGTH(names); i++) {
        if (!refusal || !strstr(refusal, names[i])) {
            lists = apr_pstrcat(pool, lists, ",", names[i], "[]", NULL);
        }
    }
    return lists;
}

/* Returns the object of one record: its refusal has the members that it has when it is
 * answered alone. */
static const char *result_of(const lims_each_t *item, const char *id_name, bool done,
                             apr_pool_t *pool)
{
    const char *status = done ? item->becomes : item->stood;
    apr_size_t length;
    const char *refusal = item->error ? lims_error_body(&length, item->error, pool) : NULL;

    return apr_pstrcat(pool, "{\"", id_name, "\":", item->id, ",\"status\":",
                       status ? apr_pstrcat(pool, "\"", status, "\"", NULL) : "null",
                       empty_lists(refusal, pool), ",",
                       refusal ? refusal + 1 : "\"error\":null,\"message\":null}", NULL);
}

static const char *results_of(const lims_each_t *items, int count, const char *id_name, bool none,
                              apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);
    apr_size_t length;

    lims_writer_array_begin(w);
    for (int i = 0; i < count; i++) {
        lims_writer_raw(w, result_of(&items[i], id_name, !none && !items[i].error, pool));
    }
    lims_writer_array_end(w);
    return apr_pstrcat(pool, "\"results\":", lims_writer_finish(&length, w), NULL);
}

static const lims_error_t *answer(lims_request_t *rq, const lims_each_t *items, int count,
                                  const char *id_name)
{
    bool atomic = strcmp(lims_values_get(rq->values, "atomic"), "t") == 0;
    const lims_error_t *first = NULL;
    int refused = 0;
    bool none;

    for (int i = 0; i < count; i++) {
        first = first ? first : items[i].error;
        refused += items[i].error ? 1 : 0;
    }
    none = atomic && refused > 0;
    if (none) {
        bool conflict = lims_error_kinds[first->kind].status == 409;

        return lims_client_error_with(rq->pool, conflict ? first->kind : LIMS_E_INVALID_TRANSITION,
                                      results_of(items, count, id_name, true, rq->pool),
                                      "Nothing was done: %d of %d are refused. The first: %s",
                                      refused, count, first->message);
    }
    rq->reply->body =
        apr_pstrcat(rq->pool, "{", results_of(items, count, id_name, false, rq->pool), "}", NULL);
    rq->reply->length = strlen(rq->reply->body);
    return NULL;
}

const lims_error_t *lims_each(lims_request_t *rq, const lims_each_act_t *act)
{
    lims_each_t *items = NULL;
    lims_result_t *locked = NULL;
    int count = 0;
    const lims_error_t *error = read_items(&items, &count, rq, act);

    if (!error) {
        error = lims_database_call(&locked, rq, act->lock);
    }
    if (!error) {
        note_statuses(items, count, locked);
        error = act_on_all(rq, items, count, act);
    }
    return error ? error : answer(rq, items, count, act->id_name);
}
