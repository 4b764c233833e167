/* SPDX-License-Identifier: Apache-2.0 */
/* http_signing.c - signing in the application: the steps before the act's transaction. */
#include "service/http_signing.h"

#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/password.h"
#include "service/caller.h"
#include "service/caller_session.h"
#include "service/idempotency.h"
#include "service/signing.h"

bool lims_http_signing_concerns(const lims_exchange_t *x)
{
    return lims_session_is_asked(x) && x->rq.route && x->rq.route->meaning;
}

/* Opens a transaction and checks the caller in it, who has no right to more than a look. */
static const lims_error_t *begin(lims_result_t **signer, lims_exchange_t *x)
{
    const lims_call_t calls[] = { lims_caller_check(x, true),
                                  { .statement = LIMS_STMT_SIGNER } };
    lims_result_t *found[2] = { NULL, NULL };
    const lims_error_t *error = NULL, *refusal = NULL;

    if (!x->rq.actor.organization) {
        return lims_server_error(x->rq.pool, LIMS_E_INTERNAL, 0, "no caller",
                                 "The request could not be carried out.");
    }
    error = lims_database_run(found, &x->rq, calls, 2, LIMS_DB_BEGIN);
    refusal = found[0] ? lims_caller_authorize(x, found[0]) : NULL;
    x->rq.in_transaction = true;
    *signer = found[1];
    return refusal ? refusal : error;
}

/* Refuses an act that cannot be signed as it was asked for. */
static const lims_error_t *check_signature(const lims_exchange_t *x)
{
    apr_pool_t *pool = x->rq.pool;
    bool each = (x->rq.route->flags & LIMS_R_EACH) != 0;

    if (!x->signer_hash && !x->signer_name) {
        return lims_client_error(pool, LIMS_E_ESIGNATURE_REQUIRED,
                                 "This act is signed, and you have no password to sign with: "
                                 "set a signature password within five minutes of signing in, "
                                 "or have whoever manages users give you a link to set one.");
    }
    if (!x->password) {
        return lims_client_error(pool, LIMS_E_ESIGNATURE_REQUIRED,
                                 "This act is signed: send signature { password, contentHash }.");
    }
    if (!each && !x->rq.content_hash) {
        return lims_client_error(pool, LIMS_E_PRECONDITION_REQUIRED,
                                 "signature.contentHash is missing: a signature names what was "
                                 "seen, as the record showed it.");
    }
    return NULL;
}

const lims_error_t *lims_http_signing_look(lims_exchange_t *x, const char *body, apr_size_t length)
{
    lims_result_t *signer = NULL;
    bool replayed = false, policy;
    const lims_error_t *error = begin(&signer, x);

    if (!error && x->idempotency_key) {
        error = lims_idempotency_look(&replayed, x, body, length);
    }
    if (error || replayed) {
        return error;
    }
    policy = lims_result_true(signer, 0, "esignatureRequired");
    x->rq.signs = lims_signing_due(&x->rq, policy, !!x->password);
    x->signer_hash = lims_result_get(signer, 0, "passwordHash");
    if (x->rq.settings->signature_provider) {
        x->signer_name = lims_result_get(signer, 0, "name");
    }
    x->signer = lims_result_get(signer, 0, "email");
    return x->rq.signs ? check_signature(x) : NULL;
}

/* Checks the password by the provider where the session began by an identity, else against
 * the hash. */
static const lims_error_t *check_password(lims_exchange_t *x)
{
    if (!x->signer_name) {
        x->signer_right = lims_password_verify(x->signer_hash, x->password, x->rq.pool);
        return NULL;
    }
    x->rq.signer_of_provider = true;
    return x->transport->ask_provider(&x->signer_right, x, x->rq.settings->signature_provider,
                                      x->signer_name, x->password);
}

const lims_error_t *lims_http_signing_verify(lims_exchange_t *x)
{
    const lims_error_t *error = x->transport->enter_queue(x, LIMS_QUEUE_SIGNATURE);

    if (!error) {
        error = check_password(x);
        x->transport->leave_queue(x, LIMS_QUEUE_SIGNATURE);
    }
    OPENSSL_cleanse((char *)(apr_uintptr_t)x->password, strlen(x->password));
    return error;
}

/* Adds how many more attempts the person has before the account is locked. */
static const lims_error_t *with_attempts(const lims_error_t *error, const lims_result_t *signer,
                                         apr_pool_t *pool)
{
    lims_error_t *told = apr_pmemdup(pool, error, sizeof(*error));
    const char *left = lims_result_get(signer, 0, "attemptsLeft");

    told->members = apr_pstrcat(pool, "\"attemptsLeft\":", left, NULL);
    return told;
}

const lims_error_t *lims_http_signing_note(lims_exchange_t *x)
{
    const lims_call_t after = { .statement = LIMS_STMT_SIGNER };
    lims_result_t *signer = NULL;
    const lims_error_t *failed, *error = begin(&signer, x);

    if (!error) {
        error = lims_signing_note(&x->rq, x->signer, x->signer_right);
    }
    if (error && error->kind != LIMS_E_SIGNATURE_INVALID) {
        return error;
    }
    /* A failure that was counted is kept. */
    failed = lims_database_run(&signer, &x->rq, &after, 1, LIMS_DB_COMMIT);
    x->rq.in_transaction = false;
    if (failed) {
        return failed;
    }
    return error ? with_attempts(error, signer, x->rq.pool) : NULL;
}
