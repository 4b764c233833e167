/* SPDX-License-Identifier: Apache-2.0 */
/* session_token.c - the secrets of signing in: tokens, the cookie, passwords in memory. */
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

#include "application/own_session.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/key.h"
#include "kernel/token.h"
#include "service/service.h"

void lims_session_cookie(lims_request_t *rq, const char *token)
{
    apr_table_setn(rq->reply->headers, "Set-Cookie",
                   apr_pstrcat(rq->pool, rq->settings->cookie, "=", token ? token : "",
                               "; Path=/; Secure; HttpOnly; SameSite=Strict",
                               token ? "" : "; Max-Age=0", NULL));
}

const lims_error_t *lims_session_token(const char **token, lims_values_t *values,
                                       lims_request_t *rq)
{
    *token = lims_token_generate(rq->pool);
    if (!*token) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0, "OpenSSL has no randomness",
                                 "No session could begin.");
    }
    return lims_token_hash(values, *token, rq);
}

const lims_error_t *lims_token_hash(lims_values_t *values, const char *token, lims_request_t *rq)
{
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    if (!lims_key_hash(hash, token)) {
        return lims_no_digest(rq->pool);
    }
    lims_values_set(values, "tokenHash", lims_bytea(hash, sizeof(hash), rq->pool));
    return NULL;
}

void lims_wipe_value(lims_request_t *rq, const char *name)
{
    const char *text = lims_values_get(rq->values, name);

    if (text) {
        OPENSSL_cleanse((char *)(apr_uintptr_t)text, strlen(text));
    }
}
