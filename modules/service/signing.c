/* SPDX-License-Identifier: Apache-2.0 */
/* signing.c - electronic signatures of people (21 CFR 11.50, 11.200). */
#include "service/signing.h"

#include <apr_strings.h>
#include <string.h>

#include "database/database.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/password.h"
#include "kernel/writer.h"

/* Whether the action needs a signature by the value of the field that its route names. */
static bool is_value_signed(const lims_request_t *rq)
{
    const char *value = lims_values_get(rq->values, rq->route->sign_member);

    for (const char *const *one = rq->route->sign_values; value && *one; one++) {
        if (strcmp(*one, value) == 0) {
            return true;
        }
    }
    return false;
}

bool lims_signing_due(const lims_request_t *rq, bool policy, bool offered)
{
    const lims_route_t *route = rq->route;

    if (route->sign_member) {
        return is_value_signed(rq);
    }
    policy = policy && !(route->flags & LIMS_R_SIGN_NEXT);
    return route->meaning && ((route->flags & LIMS_R_SIGN) || policy || offered);
}

/* Refuses a wrong password. `locked_until` is not NULL if this failure locked the
 * account, which is logged, but not said to the caller. */
static const lims_error_t *refuse_signature(lims_request_t *rq, const char *user,
                                            const char *locked_until)
{
    const char *message = apr_psprintf(
        rq->pool,
        "The password is not that of user \"%s\", or the account is locked after failed "
        "signatures; nothing was signed.",
        user);
    const char *cause;

    if (!locked_until) {
        return lims_client_error(rq->pool, LIMS_E_SIGNATURE_INVALID, "%s", message);
    }
    cause = apr_psprintf(rq->pool,
                         "account \"%s\" (user %s of organization %s) is locked after failed "
                         "signatures until %s",
                         user, rq->actor.user, rq->actor.organization, locked_until);
    return lims_error_with_failure(
        lims_server_error(rq->pool, LIMS_E_SIGNATURE_INVALID, 3, cause, "%s", message),
        LIMS_FAILURE_LOCKED, rq->pool);
}

bool lims_signing_locked(const lims_error_t *error)
{
    return error && error->failure == LIMS_FAILURE_LOCKED;
}

const lims_error_t *lims_signing_check(lims_request_t *rq, const char *user, const char *hash,
                                       const char *password)
{
    if (!hash) {
        return lims_client_error(
            rq->pool, LIMS_E_ESIGNATURE_REQUIRED,
            "This action needs a signature, and user \"%s\" has no password to sign with: "
            "limsctl user set-password.",
            user);
    }
    return lims_signing_note(rq, user, lims_password_verify(hash, password, rq->pool));
}

const lims_error_t *lims_signing_note(lims_request_t *rq, const char *user, bool right)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGNATURE_NOTE, .values = values };
    const lims_error_t *error;
    lims_result_t *row = NULL;

    lims_values_set(values, "right", right ? "t" : "f");
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (error || strcmp(lims_result_get(row, 0, "outcome"), "right") == 0) {
        return error;
    }
    return refuse_signature(rq, user, lims_result_get(row, 0, "lockedUntil"));
}

/* The route says the meaning, or for ":field" the value of that field. */
const char *lims_signing_meaning(const lims_request_t *rq)
{
    const char *meaning = rq->route->meaning;

    return meaning[0] == ':' ? lims_values_get(rq->values, meaning + 1) : meaning;
}

/* Returns what the act writes besides, such as a comment: the texts of its body, as a JSON
 * object; NULL: none. */
static const char *act_of(const lims_request_t *rq)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length = 0;
    bool any = false;

    lims_writer_object_begin(w);
    for (int i = 0; i < rq->values->count; i++) {
        const lims_value_t *value = &rq->values->items[i];

        if (value->field && value->text && !(value->field->flags & LIMS_F_SECRET) &&
            (value->field->type == LIMS_T_STRING || value->field->type == LIMS_T_ENUM)) {
            any = true;
            lims_writer_key(w, value->name);
            lims_writer_string(w, value->text);
        }
    }
    lims_writer_object_end(w);
    return any ? lims_writer_finish(&length, w) : NULL;
}

/* Refuses to sign what has changed: mine is what the signer was shown, theirs what stands. */
static const lims_error_t *refuse_changed(lims_request_t *rq, const char *what, const char *id,
                                          const char *content_hash, const lims_result_t *row)
{
    lims_error_t *error = apr_pmemdup(
        rq->pool,
        lims_client_error(rq->pool, LIMS_E_PRECONDITION_FAILED,
                          "The %s %s has changed since you read it; read it again and "
                          "decide anew.",
                          what, id),
        sizeof(*error));
    const char *now = lims_result_get(row, 0, "contentHash");

    /* An act over many records answers for each in a row of its own, which has no place
     * for the warning. */
    if (now && !(rq->route->flags & LIMS_R_EACH)) {
        error->members = apr_pstrcat(
            rq->pool, "\"mine\":{\"contentHash\":\"", content_hash,
            "\"},\"theirs\":{\"contentHash\":\"", now,
            "\",\"content\":", lims_result_get(row, 0, "content"), "}", NULL);
    }
    return error;
}

const lims_error_t *lims_signing_unchanged(lims_request_t *rq, const char *id,
                                           const char *content_hash)
{
    return lims_signing_seen(rq, rq->route->signs, rq->resource->name, id, content_hash);
}

const lims_error_t *lims_signing_seen(lims_request_t *rq, const char *table, const char *what,
                                      const char *id, const char *content_hash)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGNED_HASH, .values = values };
    const lims_error_t *error;
    lims_result_t *row = NULL;
    const char *now;

    if (!content_hash) {
        return NULL;
    }
    lims_values_set(values, "signs", table);
    lims_values_set(values, "id", id);
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (error) {
        return error;
    }
    now = lims_result_get(row, 0, "contentHash");
    return now && strcmp(now, content_hash) == 0 ? NULL
                                                 : refuse_changed(rq, what, id, content_hash, row);
}

const lims_error_t *lims_signing_sign(lims_request_t *rq)
{
    return lims_signing_sign_as(rq, lims_signing_meaning(rq));
}

const lims_error_t *lims_signing_sign_as(lims_request_t *rq, const char *meaning)
{
    /* Without an id the organization is signed. */
    const char *id = lims_values_get(rq->values, "id");
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGN_RECORD, .values = values };
    const lims_error_t *error = NULL;
    lims_result_t *row = NULL;

    if (rq->resource->lock && !rq->locked) {
        error = lims_database_call(&rq->locked, rq, rq->resource->lock);
    }
    if (error || (rq->locked && (lims_result_count(rq->locked) == 0 ||
                                 lims_result_true(rq->locked, 0, "settled")))) {
        return error;
    }
    if (!id) {
        id = rq->locked ? lims_result_get(rq->locked, 0, "id") : rq->actor.organization;
    }
    error = lims_signing_unchanged(rq, id, rq->content_hash);
    if (error) {
        return error;
    }
    lims_values_set(values, "meaning", meaning);
    lims_values_set(values, "method", rq->signer_of_provider ? "provider" : "password");
    lims_values_set(values, "signs", rq->route->signs);
    lims_values_set(values, "id", id);
    lims_values_set(values, "act", act_of(rq));
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (!error) {
        rq->signature = lims_result_get(row, 0, "id");
    }
    return error;
}
