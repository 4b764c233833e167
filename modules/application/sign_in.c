/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in.c - signing in by address and password.
 *
 * The answer for a wrong address and for a wrong password is the same, and takes as long:
 * the same number of passwords is checked for every address, against a made-up account
 * where there is none.
 */
#include <apr_strings.h>
#include <stdlib.h>

#include "application/own_session.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/password.h"
#include "kernel/writer.h"
#include "service/service.h"

/* Most accounts of one address that are tried (lims.sign_in_accounts). */
#define ACCOUNTS_MAX 5

typedef struct {
    lims_result_t *accounts;
    int count;
    int checks;               /* passwords to check, whatever the number of accounts */
    bool held;                /* too many failed sign-ins came from the client's address */
    bool right[ACCOUNTS_MAX]; /* by account, as the next */
    bool open[ACCOUNTS_MAX];  /* right, and neither locked nor held by the address */
    const char *rehashed[ACCOUNTS_MAX]; /* the right password at the cost of now, where its hash
                                           has a lower one; else NULL */
} attempt_t;

const lims_error_t *lims_sign_in_prepare(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_SIGN_IN_ACCOUNTS },
                                  { .statement = LIMS_STMT_SIGN_IN_CHECKS } };
    lims_result_t *found[2] = { NULL, NULL };
    attempt_t *attempt = apr_pcalloc(rq->pool, sizeof(*attempt));
    const lims_error_t *error;

    if (!rq->settings->sign_in_by_password) {
        return lims_client_error(rq->pool, LIMS_E_FORBIDDEN, "People sign in at %s here.",
                                 rq->settings->sign_on);
    }
    lims_values_set(rq->values, "address", rq->exchange->address);
    error = lims_database_run(found, rq, calls, 2, 0);
    if (!error) {
        attempt->accounts = found[0];
        attempt->count = lims_result_count(found[0]);
        attempt->held = rq->exchange->transport->sign_ins_exceeded(rq->exchange);
        attempt->checks = (int)strtol(lims_result_get(found[1], 0, "checks"), NULL, 10);
        rq->staged = attempt;
    }
    return error;
}

static bool is_open(const attempt_t *attempt, int account)
{
    return !lims_result_true(attempt->accounts, account, "barred") &&
           (!attempt->held || lims_result_true(attempt->accounts, account, "known"));
}

static void check_passwords(attempt_t *attempt, lims_request_t *rq)
{
    const char *password = lims_values_get(rq->values, "password");

    for (int i = 0; i < ACCOUNTS_MAX && (i < attempt->checks || i < attempt->count); i++) {
        const char *hash =
            i < attempt->count ? lims_result_get(attempt->accounts, i, "passwordHash") : NULL;

        attempt->right[i] = lims_password_verify(hash ? hash : lims_password_nobodys, password,
                                                 rq->pool) &&
                            hash;
        attempt->open[i] = attempt->right[i] && is_open(attempt, i);
    }
}

/* Hashes the right password anew where the cost was raised since. Where OpenSSL fails, the
 * former hash stays. */
static void raise_cost(attempt_t *attempt, lims_request_t *rq)
{
    const char *password = lims_values_get(rq->values, "password");

    for (int i = 0; i < ACCOUNTS_MAX; i++) {
        if (attempt->open[i] &&
            lims_password_is_cheap(lims_result_get(attempt->accounts, i, "passwordHash"),
                                   rq->pool)) {
            attempt->rehashed[i] = lims_password_hash(password, rq->pool);
        }
    }
}

const lims_error_t *lims_sign_in_work(lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    const lims_error_t *error = x->transport->enter_queue(x, LIMS_QUEUE_SIGN_IN);

    if (!error) {
        check_passwords(rq->staged, rq);
        raise_cost(rq->staged, rq);
        x->transport->leave_queue(x, LIMS_QUEUE_SIGN_IN);
    }
    lims_wipe_value(rq, "password");
    return error;
}

static int count_of(const bool *accounts)
{
    int count = 0;

    for (int i = 0; i < ACCOUNTS_MAX; i++) {
        count += accounts[i];
    }
    return count;
}

const lims_error_t *lims_sign_in_refused(lims_request_t *rq, const char *cause,
                                         const char *message)
{
    const lims_error_t *error =
        lims_server_error(rq->pool, LIMS_E_UNAUTHORIZED, 4, cause, "%s", message);

    return lims_error_with_failure(error, LIMS_FAILURE_SIGN_IN, rq->pool);
}

static const lims_error_t *refuse(lims_request_t *rq, const char *cause)
{
    return lims_sign_in_refused(rq, cause,
                                "The e-mail address or the password is wrong, or the account is "
                                "locked for a time after failed sign-ins.");
}

/* Counts the failure for each account of the address, and for the client's address; it is
 * kept, although the request is refused. A password that is right for one of the accounts
 * is a failure of none. */
static const lims_error_t *note_failure(lims_request_t *rq, const attempt_t *attempt)
{
    lims_call_t calls[ACCOUNTS_MAX];
    lims_result_t *ignored[ACCOUNTS_MAX] = { NULL };
    int count = count_of(attempt->right) == 0 ? attempt->count : 0;
    const lims_error_t *error;

    for (int i = 0; i < count; i++) {
        lims_values_t *values = lims_values_create(rq->pool);

        lims_values_set(values, "organizationId",
                        lims_result_get(attempt->accounts, i, "organizationId"));
        lims_values_set(values, "userId", lims_result_get(attempt->accounts, i, "userId"));
        lims_values_set(values, "address", rq->exchange->address);
        calls[i] = (lims_call_t){ .statement = LIMS_STMT_SIGN_IN_FAILED, .values = values };
    }
    rq->exchange->transport->count_sign_in(rq->exchange);
    error = lims_database_run(ignored, rq, calls, count, LIMS_DB_COMMIT);
    rq->in_transaction = false;
    return error ? error
                 : refuse(rq, attempt->held ? "too many failed sign-ins from this address"
                          : count           ? "wrong password"
                          : attempt->count  ? "locked account"
                                            : "no such account");
}

void lims_write_choice(lims_writer_t *w, const lims_result_t *accounts, int row)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "code");
    lims_writer_string(w, lims_result_get(accounts, row, "code"));
    lims_writer_key(w, "name");
    lims_writer_string(w, lims_result_get(accounts, row, "name"));
    lims_writer_object_end(w);
}

/* Answers with the organizations in which the password is right. */
static const lims_error_t *offer_organizations(lims_request_t *rq, const attempt_t *attempt)
{
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_null(w);
    lims_writer_key(w, "organizations");
    lims_writer_array_begin(w);
    for (int i = 0; i < ACCOUNTS_MAX; i++) {
        if (attempt->open[i]) {
            lims_write_choice(w, attempt->accounts, i);
        }
    }
    lims_writer_array_end(w);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    rq->reply->status = 200;
    return NULL;
}

/* Ends the session that the browser had before. */
static const lims_error_t *replace_session(lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGN_IN_REPLACE, .values = values };
    lims_result_t *ignored = NULL;

    lims_values_set(values, "tokenHash", rq->exchange->key_hash);
    return rq->exchange->key_hash ? lims_database_run(&ignored, rq, &call, 1, 0) : NULL;
}

const lims_error_t *lims_session_begin(lims_request_t *rq, lims_stmt_e statement,
                                       lims_values_t *values,
                                       const lims_error_t *(*refuse_by)(lims_request_t *rq,
                                                                        const char *cause))
{
    const lims_call_t call = { .statement = statement, .values = values };
    lims_writer_t *w = lims_writer_create(rq->pool);
    const char *token = NULL, *id = NULL;
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_session_token(&token, values, rq);

    lims_values_set(values, "address", rq->exchange->address);
    lims_values_set(values, "browser", rq->exchange->browser);
    if (!error) {
        error = replace_session(rq);
    }
    if (!error) {
        error = lims_database_run(&row, rq, &call, 1, 0);
    }
    id = error ? NULL : lims_result_get(row, 0, "id");
    if (!id) {
        return error ? error : refuse_by(rq, "the account was changed or locked meanwhile");
    }
    lims_session_cookie(rq, token);
    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_raw(w, id);
    lims_writer_key(w, "organizations");
    lims_writer_null(w);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_t *begin_session(lims_request_t *rq, const attempt_t *attempt, int account)
{
    static const char *const taken[] = { "organizationId", "userId", "passwordHash" };
    lims_values_t *values = lims_values_create(rq->pool);

    for (apr_size_t i = 0; i < LIMS_LENGTH(taken); i++) {
        lims_values_set(values, taken[i], lims_result_get(attempt->accounts, account, taken[i]));
    }
    lims_values_set(values, "rehashed", attempt->rehashed[account]);
    return lims_session_begin(rq, LIMS_STMT_SIGN_IN_BEGIN, values, refuse);
}

const lims_error_t *lims_sign_in(lims_request_t *rq)
{
    const attempt_t *attempt = rq->staged;
    int right = count_of(attempt->open), account = 0;

    if (right == 0) {
        return note_failure(rq, attempt);
    }
    if (right > 1) {
        return offer_organizations(rq, attempt);
    }
    while (!attempt->open[account]) {
        account++;
    }
    return begin_session(rq, attempt, account);
}
