/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwords.c - the own password: changed with the old one by who is signed in, or set by a
 * one-time link by who cannot sign in; and the signature password of who signs in by an
 * identity.
 */
#include <apr_strings.h>
#include <string.h>

#include "application/own_session.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/password.h"
#include "kernel/password_rules.h"
#include "kernel/token.h"
#include "kernel/writer.h"
#include "service/service.h"

/* Change of a password, passed on from one step to the next. */
typedef struct {
    /* Hash of the current password; NULL when it is set by a link, or for the first time. */
    const char *old_hash;
    const char *new_hash;
    bool right; /* the old password was right */
} change_t;

const lims_field_t lims_password_input[] = {
    { .name = "oldPassword",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
      .min = 1,
      .max = LIMS_PASSWORD_MAX,
      .doc = "Current password." },
    { .name = "newPassword",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
      .min = LIMS_PASSWORD_MIN,
      .max = LIMS_PASSWORD_MAX,
      .doc = "Password from now on: neither the e-mail address nor the laboratory's name, nor one "
             "of those that are tried first." },
    LIMS_FIELD_END,
};

const lims_field_t lims_signature_password_input[] = {
    { .name = "oldPassword",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_SECRET,
      .min = 1,
      .max = LIMS_PASSWORD_MAX,
      .doc = "Signature password of now; absent for the first one." },
    { .name = "newPassword",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
      .min = LIMS_PASSWORD_MIN,
      .max = LIMS_PASSWORD_MAX,
      .doc = "Signature password from now on, as in a change of password." },
    LIMS_FIELD_END,
};

const lims_field_t lims_link_input[] = {
    { .name = "token",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
      .min = 1,
      .max = 128,
      .doc = "Token of the one-time link." },
    { .name = "password",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_SECRET,
      .min = LIMS_PASSWORD_MIN,
      .max = LIMS_PASSWORD_MAX,
      .doc = "Password from now on, as in a change of password." },
    LIMS_FIELD_END,
};

const lims_field_t lims_link_spent_output[] = {
    { .name = "email",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "E-mail address with which the person signs in." },
    LIMS_FIELD_END,
};

/* Refuses a password that everybody would guess of this person. */
static const lims_error_t *check_new(lims_request_t *rq, const char *member,
                                     const lims_result_t *owner)
{
    const char *names[] = { lims_result_get(owner, 0, "email"), lims_result_get(owner, 0, "name"),
                            lims_result_get(owner, 0, "code"), NULL };
    const char *fault = lims_password_fault(lims_values_get(rq->values, member), names, rq->pool);

    return fault ? lims_client_error(rq->pool, LIMS_E_INVALID_BODY, "%s %s.", member, fault) : NULL;
}

/* --- With the old one ------------------------------------------------------------ */

/* Refuses a change that cannot be, by the account and the new password. */
static const lims_error_t *check_new_own(lims_request_t *rq, const lims_result_t *own)
{
    const char *old = lims_values_get(rq->values, "oldPassword");

    rq->exchange->retry_after = lims_result_get(own, 0, "lockedSeconds");
    if (rq->exchange->retry_after) {
        return lims_client_error(rq->pool, LIMS_E_ACCOUNT_LOCKED,
                                 "The password cannot be changed for another %s s, after failed "
                                 "signatures.",
                                 rq->exchange->retry_after);
    }
    if (old && strcmp(old, lims_values_get(rq->values, "newPassword")) == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "newPassword is the old one: choose another.");
    }
    return check_new(rq, "newPassword", own);
}

static const lims_error_t *check_change(lims_request_t *rq, const lims_result_t *own)
{
    if (!lims_result_get(own, 0, "passwordHash")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "You have no password here: whoever manages users gives you a "
                                 "one-time link to set one.");
    }
    return check_new_own(rq, own);
}

/* Prepares a change of the password whose hash is the column `hash`, unless `check` refuses. */
static const lims_error_t *prepare(lims_request_t *rq, const char *hash,
                                   const lims_error_t *(*check)(lims_request_t *rq,
                                                                const lims_result_t *own))
{
    change_t *change = apr_pcalloc(rq->pool, sizeof(*change));
    lims_result_t *own = NULL;
    const lims_error_t *error = lims_database_call(&own, rq, LIMS_STMT_PASSWORD_OWN);

    if (!error) {
        error = check(rq, own);
    }
    if (!error) {
        change->old_hash = lims_result_get(own, 0, hash);
        rq->staged = change;
    }
    return error;
}

const lims_error_t *lims_password_change_prepare(lims_request_t *rq)
{
    return prepare(rq, "passwordHash", check_change);
}

/* Hashes the new password, if that is due. */
static const lims_error_t *hash_new(change_t *change, lims_request_t *rq, const char *member)
{
    if (change->old_hash && !change->right) {
        return NULL;
    }
    change->new_hash = lims_password_hash(lims_values_get(rq->values, member), rq->pool);
    return change->new_hash ? NULL
                            : lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                                                "OpenSSL failed: no scrypt, or no random numbers",
                                                "The password could not be hashed.");
}

const lims_error_t *lims_password_change_work(lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    change_t *change = rq->staged;
    const lims_error_t *error = x->transport->enter_queue(x, LIMS_QUEUE_SIGNATURE);

    if (!error) {
        change->right = change->old_hash &&
                        lims_password_verify(change->old_hash,
                                             lims_values_get(rq->values, "oldPassword"), rq->pool);
        error = hash_new(change, rq, "newPassword");
        x->transport->leave_queue(x, LIMS_QUEUE_SIGNATURE);
    }
    lims_wipe_value(rq, "oldPassword");
    lims_wipe_value(rq, "newPassword");
    return error;
}

/* Counts the check of the old password as that of a signature: by guessing here, nobody
 * learns what guessing there would not tell. A failure is kept, although the request is
 * refused. */
static const lims_error_t *note_check(lims_request_t *rq, bool right)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t calls[] = { { .statement = LIMS_STMT_SIGNATURE_NOTE, .values = values },
                                  { .statement = LIMS_STMT_SIGNER } };
    lims_result_t *found[2] = { NULL, NULL };
    const lims_error_t *error;
    lims_error_t *refused;

    lims_values_set(values, "right", right ? "t" : "f");
    error = lims_database_run(found, rq, calls, 2, 0);
    if (error || strcmp(lims_result_get(found[0], 0, "outcome"), "right") == 0) {
        return error;
    }
    error = lims_database_run(found, rq, NULL, 0, LIMS_DB_COMMIT);
    rq->in_transaction = false;
    if (error) {
        return error;
    }
    refused = apr_pmemdup(rq->pool,
                          lims_client_error(rq->pool, LIMS_E_SIGNATURE_INVALID,
                                            "The old password is wrong, or the account is locked "
                                            "after failed signatures; nothing was changed."),
                          sizeof(*refused));
    refused->members = apr_pstrcat(
        rq->pool, "\"attemptsLeft\":", lims_result_get(found[1], 0, "attemptsLeft"), NULL);
    return refused;
}

const lims_error_t *lims_password_change(lims_request_t *rq)
{
    const change_t *change = rq->staged;
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_PASSWORD_CHANGE, .values = values };
    lims_writer_t *w = lims_writer_create(rq->pool);
    const lims_error_t *error = note_check(rq, change->right);
    lims_result_t *row = NULL;
    const char *token = NULL;

    if (!error) {
        error = lims_session_token(&token, values, rq);
    }
    if (error) {
        return error;
    }
    lims_values_set(values, "passwordHash", change->old_hash);
    lims_values_set(values, "newHash", change->new_hash);
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (!error && !lims_result_get(row, 0, "id")) {
        error = lims_client_error(rq->pool, LIMS_E_SIGNATURE_INVALID,
                                  "The password was changed by somebody else meanwhile.");
    }
    if (error) {
        return error;
    }
    lims_session_cookie(rq, token);
    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_raw(w, lims_result_get(row, 0, "id"));
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

/* --- The signature password ------------------------------------------------------ */

/* Refuses a signature password where none is used, or none may be set now. */
static const lims_error_t *check_signature_password(lims_request_t *rq, const lims_result_t *own)
{
    bool first = !lims_result_get(own, 0, "signatureHash");
    bool old = !!lims_values_get(rq->values, "oldPassword");

    if (!lims_result_true(own, 0, "identified")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "You signed in with a password, and sign with it, too.");
    }
    if (rq->settings->signature_provider) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "Here you sign with the password of your directory; there is "
                                 "no signature password.");
    }
    if (first && !lims_result_true(own, 0, "lately")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "A first signature password is set within five minutes of "
                                 "signing in: sign in again, or have whoever manages users give "
                                 "you a link.");
    }
    if (first == old) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 first ? "oldPassword: there is no signature password yet."
                                       : "oldPassword is missing: you have a signature "
                                         "password.");
    }
    return check_new_own(rq, own);
}

const lims_error_t *lims_signature_password_prepare(lims_request_t *rq)
{
    return prepare(rq, "signatureHash", check_signature_password);
}

const lims_error_t *lims_signature_password_set(lims_request_t *rq)
{
    const change_t *change = rq->staged;
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGNATURE_PASSWORD_SET, .values = values };
    lims_writer_t *w = lims_writer_create(rq->pool);
    const lims_error_t *error = change->old_hash ? note_check(rq, change->right) : NULL;
    lims_result_t *row = NULL;

    if (error) {
        return error;
    }
    lims_values_set(values, "passwordHash", change->old_hash);
    lims_values_set(values, "newHash", change->new_hash);
    error = lims_database_run(&row, rq, &call, 1, 0);
    if (!error && !lims_result_get(row, 0, "id")) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                  "The signature password was changed meanwhile, or signing in "
                                  "is more than five minutes ago: sign in again.");
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_raw(w, lims_result_get(row, 0, "id"));
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

/* --- By a link ------------------------------------------------------------------- */

static const lims_error_t *no_link(lims_request_t *rq)
{
    return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                             "This link is not valid: it was used, replaced or withdrawn, or is "
                             "older than a day. Whoever manages users gives you another.");
}

/* Refuses a password to sign in with where nobody signs in with one: an account that has one is
 * not found by an identity any more. */
static const lims_error_t *check_link(lims_request_t *rq, const lims_result_t *owner)
{
    if (lims_result_count(owner) == 0) {
        return no_link(rq);
    }
    if (!rq->settings->sign_in_by_password &&
        strcmp(lims_result_get(owner, 0, "purpose"), "password") == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "This link sets a password to sign in with, and nobody signs in "
                                 "with one here. Whoever manages users gives you a link for a "
                                 "signature password, if you need one.");
    }
    return check_new(rq, "password", owner);
}

const lims_error_t *lims_link_prepare(lims_request_t *rq)
{
    const char *token = lims_values_get(rq->values, "token");
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_LINK_OWNER, .values = values };
    lims_result_t *owner = NULL;
    const lims_error_t *error;

    if (!lims_token_well_formed(token)) {
        return no_link(rq);
    }
    error = lims_token_hash(values, token, rq);
    if (!error) {
        error = lims_database_run(&owner, rq, &call, 1, 0);
    }
    if (!error) {
        error = check_link(rq, owner);
    }
    rq->staged = apr_pcalloc(rq->pool, sizeof(change_t));
    return error;
}

const lims_error_t *lims_link_work(lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    const lims_error_t *error = x->transport->enter_queue(x, LIMS_QUEUE_SIGNATURE);

    if (!error) {
        error = hash_new(rq->staged, rq, "password");
        x->transport->leave_queue(x, LIMS_QUEUE_SIGNATURE);
    }
    lims_wipe_value(rq, "password");
    return error;
}

const lims_error_t *lims_link_spend(lims_request_t *rq)
{
    const change_t *change = rq->staged;
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_LINK_SPEND, .values = values };
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_token_hash(values, lims_values_get(rq->values, "token"), rq);

    if (!error) {
        lims_values_set(values, "passwordHash", change->new_hash);
        error = lims_database_run(&row, rq, &call, 1, 0);
    }
    if (!error && !lims_result_get(row, 0, "email")) {
        error = no_link(rq);
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "email");
    lims_writer_string(w, lims_result_get(row, 0, "email"));
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}
