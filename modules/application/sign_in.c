/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_in.c - signing in by address and password; where LimsSignInProvider names one, an
 * authentication provider of httpd is asked as well, about a name of its directory.
 *
 * The answer for a wrong address and for a wrong password is the same, and takes as long:
 * the same number of passwords is checked for every address, against a made-up account
 * where there is none, the provider is asked about any name, and the answer is held back for
 * longer than it takes to write the failure down, which is done for accounts alone.
 */
#include <apr_atomic.h>
#include <apr_strings.h>
#include <stdlib.h>

#include "application/own_session.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/password.h"
#include "kernel/writer.h"
#include "service/service.h"

/* Most accounts of one address that are tried (lims.sign_in_accounts), and as many of a name
 * at the provider (lims.identified_accounts). */
#define ACCOUNTS_MAX 5

typedef struct {
    const lims_result_t *found; /* row of this result */
    int row;
    bool identified;      /* the provider knows the password; else its hash is kept here */
    bool exact;           /* the name is that of the account; else it is only counted as that */
    bool right;           /* the password is right, */
    bool open;            /* and the account neither locked nor held by the address, nor
                             another's */
    const char *rehashed; /* the right password at the cost of now, where its hash has a lower
                             one; else NULL */
} account_t;

typedef struct {
    account_t accounts[2 * ACCOUNTS_MAX];
    int count;
    int checks;                    /* hashes to check, whatever the number of accounts */
    apr_time_t refused_at;         /* when a refusal is answered */
    bool held;                     /* too many failed sign-ins came from the client's address */
    const lims_error_t *no_answer; /* the provider of identities failed; NULL: it did not */
} attempt_t;

static void add_accounts(attempt_t *attempt, const lims_result_t *found, bool identified)
{
    for (int i = 0; found && i < lims_result_count(found) && i < ACCOUNTS_MAX; i++) {
        attempt->accounts[attempt->count++] =
            (account_t){ .found = found,
                         .row = i,
                         .identified = identified,
                         .exact = !identified || lims_result_true(found, i, "exact") };
    }
}

/* Finds the accounts whose password the provider knows. */
static const lims_error_t *find_identified(lims_result_t **found, lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_SIGN_IN_IDENTIFIED, .values = values };

    if (!rq->settings->sign_in_provider) {
        return NULL;
    }
    lims_set_identity(values, rq->settings->sign_in_provider, lims_values_get(rq->values, "email"),
                      rq);
    lims_values_set(values, "organization", lims_values_get(rq->values, "organization"));
    lims_values_set(values, "address", rq->exchange->address);
    return lims_database_run(found, rq, &call, 1, 0);
}

/* The minute, and in the last three bits the number of checks that is known of it. */
static apr_uint32_t known_of_minute(int checks)
{
    return (apr_uint32_t)(apr_time_sec(apr_time_now()) / 60) << 3 | (apr_uint32_t)checks;
}

/* Returns the number of hashes that a sign-in checks; 0: it has to be asked for. It takes a look at
 * all accounts, which anybody could have taken at every attempt: a process takes it once a minute.
 * An address with more accounts since then has them checked all the same. */
static int known_checks(const lims_request_t *rq)
{
    apr_uint32_t known = apr_atomic_read32(rq->settings->sign_in_checks);

    return lims_values_get(rq->values, "organization") ? 1
           : known >> 3 == known_of_minute(0) >> 3     ? (int)(known & 7)
                                                       : 0;
}

/* Finds the accounts whose password is kept here, and the number of hashes to check. */
static const lims_error_t *find_kept(lims_result_t **found, int *checks, lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_SIGN_IN_ACCOUNTS },
                                  { .statement = LIMS_STMT_SIGN_IN_CHECKS } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error;

    *checks = known_checks(rq);
    error = lims_database_run(results, rq, calls, *checks ? 1 : 2, 0);
    *found = results[0];
    if (!error && !*checks) {
        *checks = (int)strtol(lims_result_get(results[1], 0, "checks"), NULL, 10);
        apr_atomic_set32(rq->settings->sign_in_checks, known_of_minute(*checks));
    }
    return error;
}

const lims_error_t *lims_sign_in_prepare(lims_request_t *rq)
{
    lims_result_t *found = NULL, *identified = NULL;
    attempt_t *attempt = apr_pcalloc(rq->pool, sizeof(*attempt));
    const lims_error_t *error;

    if (!rq->settings->sign_in_by_password && !rq->settings->sign_in_provider) {
        return lims_client_error(rq->pool, LIMS_E_FORBIDDEN, "People sign in at %s here.",
                                 rq->settings->sign_on);
    }
    lims_values_set(rq->values, "address", rq->exchange->address);
    error = find_kept(&found, &attempt->checks, rq);
    if (!error) {
        error = find_identified(&identified, rq);
    }
    if (!error) {
        add_accounts(attempt, rq->settings->sign_in_by_password ? found : NULL, false);
        add_accounts(attempt, identified, true);
        attempt->held = rq->exchange->transport->sign_ins_exceeded(rq->exchange);
        rq->staged = attempt;
    }
    return error;
}

static const char *value_of(const account_t *account, const char *column)
{
    return lims_result_get(account->found, account->row, column);
}

/* Whether the account may sign in from the client's address, if the password is right. */
static bool is_free(const attempt_t *attempt, const account_t *account)
{
    return !lims_result_true(account->found, account->row, "barred") &&
           (!attempt->held || lims_result_true(account->found, account->row, "known"));
}

static void note_right(const attempt_t *attempt, account_t *account)
{
    account->right = true;
    account->open = account->exact && is_free(attempt, account);
}

static void check_hashes(attempt_t *attempt, const char *password, apr_pool_t *pool)
{
    int checked = 0;

    for (int i = 0; i < attempt->count; i++) {
        account_t *account = &attempt->accounts[i];

        if (!account->identified) {
            checked++;
            if (lims_password_verify(value_of(account, "passwordHash"), password, pool)) {
                note_right(attempt, account);
            }
        }
    }
    for (; checked < attempt->checks; checked++) {
        lims_password_verify(lims_password_nobodys, password, pool);
    }
}

/* Whether the provider is asked about the name: not where nobody could be let in, for its own
 * lock would keep the person from everything else, too; nor about another spelling of the name
 * of a locked account, which the provider may take for the same. */
static bool is_provider_asked(const attempt_t *attempt)
{
    bool closed = attempt->held;

    for (int i = 0; i < attempt->count; i++) {
        const account_t *account = &attempt->accounts[i];
        bool is_open = is_free(attempt, account);

        if (account->identified && account->exact && is_open) {
            return true;
        }
        closed |= account->identified && (account->exact || !is_open);
    }
    return !closed;
}

static const account_t *find_open(const attempt_t *attempt)
{
    for (int i = 0; i < attempt->count; i++) {
        if (attempt->accounts[i].open) {
            return &attempt->accounts[i];
        }
    }
    return NULL;
}

/* Has the provider of identities check the password. If that fails, people whose
 * password is kept here are not affected. */
static void check_by_provider(attempt_t *attempt, lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    bool right = false;

    if (rq->settings->sign_in_provider && is_provider_asked(attempt)) {
        attempt->no_answer = x->transport->ask_provider(&right, x, rq->settings->sign_in_provider,
                                                        lims_values_get(rq->values, "email"),
                                                        lims_values_get(rq->values, "password"));
    }
    for (int i = 0; right && i < attempt->count; i++) {
        if (attempt->accounts[i].identified) {
            note_right(attempt, &attempt->accounts[i]);
        }
    }
}

/* Hashes the right password anew where the cost was raised since. Where OpenSSL fails, the
 * former hash stays. */
static void raise_cost(attempt_t *attempt, lims_request_t *rq)
{
    const char *password = lims_values_get(rq->values, "password");

    for (int i = 0; i < attempt->count; i++) {
        account_t *account = &attempt->accounts[i];

        if (account->open && !account->identified &&
            lims_password_is_cheap(value_of(account, "passwordHash"), rq->pool)) {
            account->rehashed = lims_password_hash(password, rq->pool);
        }
    }
}

/* A refusal takes half as long again as the checks did, a second more at most. */
static apr_time_t time_of_refusal(apr_time_t began)
{
    apr_time_t now = apr_time_now(), more = (now - began) / 2;

    return now + (more < apr_time_from_sec(1) ? more : apr_time_from_sec(1));
}

const lims_error_t *lims_sign_in_work(lims_request_t *rq)
{
    lims_exchange_t *x = rq->exchange;
    attempt_t *attempt = rq->staged;
    const lims_error_t *error = x->transport->enter_queue(x, LIMS_QUEUE_SIGN_IN);

    if (!error) {
        apr_time_t began = apr_time_now();

        check_hashes(attempt, lims_values_get(rq->values, "password"), rq->pool);
        check_by_provider(attempt, rq);
        attempt->refused_at = time_of_refusal(began);
        raise_cost(attempt, rq);
        x->transport->leave_queue(x, LIMS_QUEUE_SIGN_IN);
    }
    lims_wipe_value(rq, "password");
    return error;
}

const lims_error_t *lims_sign_in_refused(lims_request_t *rq, const char *cause, const char *message)
{
    const lims_error_t *error =
        lims_server_error(rq->pool, LIMS_E_UNAUTHORIZED, 4, cause, "%s", message);

    return lims_error_with_failure(error, LIMS_FAILURE_SIGN_IN, rq->pool);
}

static const lims_error_t *refuse(lims_request_t *rq, const char *cause)
{
    return lims_sign_in_refused(rq, cause,
                                "The name or the password is wrong, or the account is "
                                "locked for a time after failed sign-ins.");
}

static bool is_right_for_any(const attempt_t *attempt)
{
    for (int i = 0; i < attempt->count; i++) {
        if (attempt->accounts[i].right) {
            return true;
        }
    }
    return false;
}

/* Whether the password was compared with that of the account, and is wrong. */
static bool is_failure_of(const account_t *account, const attempt_t *attempt)
{
    return !account->identified || !attempt->no_answer;
}

/* Returns the statement that counts a failure for an account. */
static lims_call_t failure_of(lims_request_t *rq, const account_t *account)
{
    lims_values_t *values = lims_values_create(rq->pool);

    lims_values_set(values, "organizationId", value_of(account, "organizationId"));
    lims_values_set(values, "userId", value_of(account, "userId"));
    lims_values_set(values, "address", rq->exchange->address);
    return (lims_call_t){ .statement = LIMS_STMT_SIGN_IN_FAILED, .values = values };
}

/* Returns why a sign-in was refused, for the log; `counted`: accounts that it was counted for. */
static const char *cause_of(const attempt_t *attempt, int counted)
{
    if (attempt->held) {
        return "too many failed sign-ins from this address";
    }
    if (counted > 0) {
        return "wrong password";
    }
    for (int i = 0; i < attempt->count; i++) {
        if (attempt->accounts[i].exact) {
            return "locked account";
        }
    }
    return "no such account";
}

/* Counts the failure for each account of the address whose password was compared, and for the
 * client's address; it is kept, although the request is refused. A password that is right for
 * one of the accounts is a failure of none. Where the provider failed the answer says so, whatever
 * was counted: it does not tell which accounts there are. */
static const lims_error_t *note_failure(lims_request_t *rq, const attempt_t *attempt)
{
    lims_call_t calls[2 * ACCOUNTS_MAX];
    lims_result_t *ignored[2 * ACCOUNTS_MAX] = { NULL };
    const lims_error_t *error;
    int accounts = is_right_for_any(attempt) ? 0 : attempt->count;
    int count = 0;

    for (int i = 0; i < accounts; i++) {
        if (is_failure_of(&attempt->accounts[i], attempt)) {
            calls[count++] = failure_of(rq, &attempt->accounts[i]);
        }
    }
    if (count > 0 || !attempt->no_answer) {
        rq->exchange->transport->count_sign_in(rq->exchange);
    }
    rq->exchange->not_before = attempt->refused_at;
    error = lims_database_run(ignored, rq, calls, count, LIMS_DB_COMMIT);
    rq->in_transaction = false;
    return error                ? error
           : attempt->no_answer ? attempt->no_answer
                                : refuse(rq, cause_of(attempt, count));
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
    for (int i = 0; i < attempt->count; i++) {
        if (attempt->accounts[i].open) {
            lims_write_choice(w, attempt->accounts[i].found, attempt->accounts[i].row);
        }
    }
    lims_writer_array_end(w);
    lims_writer_key(w, "session");
    lims_writer_null(w);
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

/* Answers with the session that began, as the person will ask for it. */
static const lims_error_t *answer_session(lims_request_t *rq, const char *id, lims_values_t *values)
{
    const lims_call_t call = lims_own_session_call(values, rq);
    const lims_actor_t nobody = rq->actor;
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error;

    rq->actor.organization = lims_values_get(values, "organizationId");
    rq->actor.user = lims_values_get(values, "userId");
    rq->actor.session = id;
    error = lims_database_run(&row, rq, &call, 1, 0);
    rq->actor = nobody;
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "id");
    lims_writer_raw(w, id);
    lims_writer_key(w, "organizations");
    lims_writer_null(w);
    lims_writer_key(w, "session");
    lims_render_object(w, lims_own_session_output, row, rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

const lims_error_t *lims_session_begin(lims_request_t *rq, lims_stmt_e statement,
                                       lims_values_t *values,
                                       const lims_error_t *(*refuse_by)(lims_request_t *rq,
                                                                        const char *cause))
{
    const lims_call_t call = { .statement = statement, .values = values };
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
    return answer_session(rq, id, values);
}

static const lims_error_t *begin_session(lims_request_t *rq, const account_t *account)
{
    lims_values_t *values = lims_values_create(rq->pool);

    lims_values_set(values, "organizationId", value_of(account, "organizationId"));
    lims_values_set(values, "userId", value_of(account, "userId"));
    if (account->identified) {
        lims_set_identity(values, rq->settings->sign_in_provider,
                          lims_values_get(rq->values, "email"), rq);
        return lims_session_begin(rq, LIMS_STMT_SIGN_ON_BEGIN, values, refuse);
    }
    lims_values_set(values, "passwordHash", value_of(account, "passwordHash"));
    lims_values_set(values, "rehashed", account->rehashed);
    return lims_session_begin(rq, LIMS_STMT_SIGN_IN_BEGIN, values, refuse);
}

const lims_error_t *lims_sign_in(lims_request_t *rq)
{
    const attempt_t *attempt = rq->staged;
    const account_t *account = find_open(attempt);
    int open = 0;

    for (int i = 0; i < attempt->count; i++) {
        open += attempt->accounts[i].open;
    }
    return !account   ? note_failure(rq, attempt)
           : open > 1 ? offer_organizations(rq, attempt)
                      : begin_session(rq, account);
}
