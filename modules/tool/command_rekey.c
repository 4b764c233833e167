/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_rekey.c - limsctl webhook rekey: seals all secrets again with the first key of
 * the key file, so that its other keys can be removed.
 *
 * For all organizations, as the owner of the schema, because the key file belongs to the
 * server. In short transactions, so that it can be stopped and continued.
 */
#include <apr_strings.h>
#include <stdio.h>

#include "kernel/header_fields.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/seal.h"
#include "kernel/writer.h"
#include "tool/session.h"
#include "tool/tool.h"
#include "webhooks/secret.h"

/* Endpoints in one transaction. */
#define BATCH "50"

typedef struct {
    lims_tool_t *tool;
    lims_request_t *rq;
    const lims_keyring_t *ring;
    int sealed;
    int failed;
    /* The last endpoint processed. */
    const char *organization;
    const char *endpoint;
} rekey_t;

/* Seals one secret again and binds it to the value `name`. A secret that cannot be opened
 * is left unchanged and reported. */
static bool reseal(rekey_t *rekey, lims_values_t *values, const char *name, const char *sealed)
{
    const char *secret = NULL;
    const char *problem;

    if (!sealed) {
        lims_values_set(values, name, NULL);
        return true;
    }
    problem = lims_webhook_secret_open(&secret, rekey->ring, sealed, rekey->organization,
                                       rekey->endpoint, rekey->rq->pool);
    if (problem) {
        fprintf(stderr, "limsctl: a secret of webhook endpoint %s of organization %s: %s\n",
                rekey->endpoint, rekey->organization, lims_printable(problem, rekey->rq->pool));
        return false;
    }
    lims_values_set(values, name,
                    lims_webhook_secret_seal(rekey->ring, secret, rekey->organization,
                                             rekey->endpoint, rekey->rq->pool));
    return true;
}

static const lims_error_t *rekey_one(rekey_t *rekey, const lims_result_t *rows, int row)
{
    lims_values_t *values = lims_values_create(rekey->rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_REKEY_SEAL, .values = values };
    lims_result_t *ignored = NULL;

    rekey->organization = lims_result_get(rows, row, "organizationId");
    rekey->endpoint = lims_result_get(rows, row, "id");
    if (!reseal(rekey, values, "secret", lims_result_get(rows, row, "secret")) ||
        !reseal(rekey, values, "previousSecret", lims_result_get(rows, row, "previousSecret"))) {
        rekey->failed++;
        return NULL;
    }
    rekey->sealed++;
    rekey->rq->actor.organization = rekey->organization;
    lims_values_set(values, "id", rekey->endpoint);
    return lims_database_run(&ignored, rekey->rq, &call, 1, 0);
}

/* Processes one batch in one transaction; sets `*more` if there may be another. */
static const lims_error_t *rekey_batch(bool *more, rekey_t *rekey)
{
    lims_values_t *values = lims_values_create(rekey->rq->pool);
    const lims_call_t call = { .statement = LIMS_STMT_REKEY_FIND, .values = values };
    lims_result_t *rows = NULL;
    const lims_error_t *error;

    lims_values_set(values, "prefix", lims_seal_prefix(rekey->ring, rekey->rq->pool));
    lims_values_set(values, "afterOrganization", rekey->organization);
    lims_values_set(values, "afterEndpoint", rekey->endpoint);
    lims_values_set(values, "batch", BATCH);
    rekey->rq->actor.organization = NULL;
    error = lims_database_run(&rows, rekey->rq, &call, 1, LIMS_DB_BEGIN);
    *more = !error && lims_result_count(rows) > 0;
    for (int i = 0; !error && i < lims_result_count(rows); i++) {
        error = rekey_one(rekey, rows, i);
    }
    if (!error) {
        error = lims_database_run(NULL, rekey->rq, NULL, 0, LIMS_DB_COMMIT);
    }
    lims_connection_release(rekey->rq->connection);
    return error;
}

static const lims_error_t *rekey_all(rekey_t *rekey)
{
    const lims_error_t *error = NULL;

    for (bool more = true; more && !error;) {
        error = rekey_batch(&more, rekey);
    }
    return error;
}

static lims_exit_e report(const rekey_t *rekey)
{
    if (rekey->tool->json) {
        printf("{\"sealed\":%d,\"failed\":%d}\n", rekey->sealed, rekey->failed);
    } else {
        printf("The secrets of %d endpoints are now encrypted with key %s", rekey->sealed,
               lims_keyring_first(rekey->ring));
        printf(rekey->failed ? "; %d could not be decrypted.\n" : ".\n", rekey->failed);
    }
    return rekey->failed ? LIMS_EXIT_REFUSED : LIMS_EXIT_OK;
}

lims_exit_e lims_command_rekey(lims_tool_t *tool)
{
    rekey_t rekey = { .tool = tool, .organization = "0", .endpoint = "0" };
    lims_session_t *session = NULL;
    const lims_error_t *error = lims_tool_keyring(&rekey.ring, tool);

    if (!error) {
        error = lims_session_open(&session, tool->database, tool->pool);
    }
    if (!error) {
        lims_request_t rq = { .pool = tool->pool,
                              .id = lims_request_id_create(tool->pool),
                              .reason = apr_pstrcat(tool->pool, "sealed by key ",
                                                    lims_keyring_first(rekey.ring), NULL),
                              .values = lims_values_create(tool->pool),
                              .connection = session->connection };
        rekey.rq = &rq;
        error = rekey_all(&rekey);
    }
    return error ? lims_print_error(tool, error) : report(&rekey);
}
