/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - API keys. The key itself is only in the answer to its creation; its
 * SHA-256 is stored.
 */
#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/key.h"
#include "kernel/record.h"
#include "kernel/scope.h"
#include "kernel/time.h"
#include "organizations/organizations.h"
#include "service/csv.h"
#include "service/service.h"

enum { SHOWN = LIMS_F_OUT, GIVEN = LIMS_F_OUT | LIMS_F_CREATE };

#define RECORD_FIELDS                                                                              \
    { .name = "id",                                                                                \
      .type = LIMS_T_ID,                                                                           \
      .flags = SHOWN,                                                                              \
      .doc = "Id of the API key, assigned by the service." },                                      \
        { .name = "name",                                                                          \
          .type = LIMS_T_STRING,                                                                   \
          .flags = GIVEN | LIMS_F_REQUIRED,                                                        \
          .min = 1,                                                                                \
          .doc = "Name of the key, for people: the program that uses it.",                         \
          .example = "ERP connector" },                                                            \
        { .name = "keyPrefix",                                                                     \
          .type = LIMS_T_STRING,                                                                   \
          .flags = SHOWN,                                                                          \
          .doc = "First characters of the key, the only part that is shown later.",                \
          .example = "lk_AbCdE..." },                                                              \
        { .name = "scopes",                                                                        \
          .type = LIMS_T_STRING_LIST,                                                              \
          .flags = GIVEN,                                                                          \
          .doc = "Scopes that the key has; without a list it has all of them." },                  \
        { .name = "uploadOnly",                                                                    \
          .type = LIMS_T_BOOLEAN,                                                                  \
          .flags = GIVEN,                                                                          \
          .fallback = "false",                                                                     \
          .doc = "Whether the key may only deliver instrument files." },                           \
        { .name = "fileStorageMegabytes",                                                          \
          .type = LIMS_T_INTEGER,                                                                  \
          .flags = GIVEN | LIMS_F_UPDATE | LIMS_F_NULLABLE,                                        \
          .min = 1,                                                                                \
          .max = 1024 * 1024 * 1024,                                                               \
          .doc = "Storage for the instrument files that the key sends, in megabytes; null: as "    \
                 "LimsFileStorage says." },                                                        \
        { .name = "fileBytes",                                                                     \
          .type = LIMS_T_INTEGER,                                                                  \
          .flags = SHOWN,                                                                          \
          .doc = "Storage that the instrument files of the key take, in bytes." },                 \
        { .name = "createdBy",                                                                     \
          .type = LIMS_T_ID,                                                                       \
          .flags = SHOWN,                                                                          \
          .doc = "Id of the user who created the key." },                                          \
        { .name = "actsFor",                                                                       \
          .type = LIMS_T_ID,                                                                       \
          .flags = GIVEN,                                                                          \
          .doc = "Id of the active user to whom what the key does is put down; by default who "    \
                 "creates it. It never changes; when that user or the creator is deactivated, "    \
                 "the key is refused." },                                                          \
        { .name = "createdAt",                                                                     \
          .type = LIMS_T_TIMESTAMP,                                                                \
          .flags = SHOWN,                                                                          \
          .doc = "When the key was created, UTC." },                                               \
        { .name = "lastUsedAt",                                                                    \
          .type = LIMS_T_TIMESTAMP,                                                                \
          .flags = SHOWN | LIMS_F_NULLABLE,                                                        \
          .doc = "When the key was last used, UTC; null if never. It is written at most once in "  \
                 "LimsKeyTouchInterval." },                                                        \
        { .name = "expiresAt",                                                                     \
          .type = LIMS_T_TIMESTAMP,                                                                \
          .flags = GIVEN | LIMS_F_NULLABLE,                                                        \
          .doc = "When the key expires, UTC; null if never." },                                    \
    {                                                                                              \
        .name = "revokedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN | LIMS_F_NULLABLE,           \
        .doc = "When the key was revoked, UTC; null if it was not."                                \
    }

static const lims_field_t fields[] = { RECORD_FIELDS, LIMS_FIELD_END };

static const lims_field_t created_fields[] = {
    RECORD_FIELDS,
    { .name = "rawKey",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_SECRET | LIMS_F_NULLABLE,
      .doc = "The API key itself, shown only this once and stored nowhere." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = { LIMS_PAGING_FIELDS,
                                        { .name = "revoked",
                                          .type = LIMS_T_BOOLEAN,
                                          .doc = "Only revoked (true) or unrevoked (false) keys." },
                                        LIMS_FIELD_END };

/* --- Creation ------------------------------------------------------------- */

static const char *all_scopes(apr_pool_t *pool)
{
    const char *text = "";

    for (const lims_scope_t *scope = lims_scopes; scope->name; scope++) {
        text = apr_pstrcat(pool, text, *text ? ", " : "", scope->name, NULL);
    }
    return text;
}

/* PostgreSQL's array literal with every element quoted:
 * {"samples:read","results:read"}. */
static const lims_error_t *check_scopes(lims_request_t *rq)
{
    const char *scopes = lims_values_get(rq->values, "scopes");
    char *list = apr_pstrdup(rq->pool, scopes ? scopes : "");
    char *rest = NULL;

    for (char *scope = apr_strtok(list, "{\",}", &rest); scope;
         scope = apr_strtok(NULL, "{\",}", &rest)) {
        if (!lims_scope_valid(scope)) {
            return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                     "scopes: there is no scope \"%s\"; the scopes are %s.",
                                     lims_excerpt(scope, rq->pool), all_scopes(rq->pool));
        }
    }
    return NULL;
}

/* Compared as text, to the second: both are UTC in the same format. */
static bool is_past(const char *moment, apr_pool_t *pool)
{
    return strncmp(moment, lims_time_format(apr_time_now(), pool),
                   sizeof("YYYY-MM-DDThh:mm:ss") - 1) < 0;
}

static const lims_error_t *check_expiry(lims_request_t *rq)
{
    const char *expires = lims_values_get(rq->values, "expiresAt");

    return expires && is_past(expires, rq->pool)
               ? lims_client_error(rq->pool, LIMS_E_INVALID_BODY, "expiresAt lies in the past.")
               : NULL;
}

/* A key without a list has all scopes; an empty list would say the opposite, but of a key that
 * only delivers files. */
static const lims_error_t *check_use(lims_request_t *rq)
{
    const char *scopes = lims_values_get(rq->values, "scopes");
    bool upload_only = *lims_values_get(rq->values, "uploadOnly") == 't';
    const lims_error_t *error = check_expiry(rq);

    if (error) {
        return error;
    }
    if (!scopes || (upload_only && strcmp(scopes, "{}") == 0)) {
        return NULL;
    }
    if (strcmp(scopes, "{}") == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "scopes is empty: name at least one; without the list a key has "
                                 "all of them.");
    }
    if (upload_only && !lims_scope_in(scopes, "instruments:write")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 "scopes: an upload-only key needs instruments:write, or no list.");
    }
    return NULL;
}

static const lims_error_t *make_key(const char **key, lims_request_t *rq)
{
    unsigned char hash[LIMS_KEY_HASH_LENGTH];

    *key = lims_key_generate(rq->pool);
    if (!*key || !lims_key_hash(hash, *key)) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                                 "OpenSSL failed: no random numbers, or no SHA-256",
                                 "No key could be made.");
    }
    lims_values_set(
        rq->values, "keyHash",
        apr_pstrcat(rq->pool, "\\x", apr_pescape_hex(rq->pool, hash, sizeof(hash), 0), NULL));
    lims_values_set(rq->values, "keyPrefix", lims_key_prefix(*key, rq->pool));
    return NULL;
}

static const char *cell(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

/* The record with the key itself, which only this answer shows. */
static const lims_error_t *answer_created(lims_request_t *rq, const char *id, const char *key)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(rq->values, "id", id);
    error = lims_database_call(&row, rq, LIMS_STMT_KEY_GET);
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_record_write(w, fields, cell, row);
    lims_writer_key(w, "rawKey");
    lims_writer_string(w, key);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

static const lims_error_t *create(lims_request_t *rq)
{
    const char *key = NULL;
    lims_result_t *row = NULL;
    const lims_error_t *error = check_scopes(rq);

    if (!error) {
        error = check_use(rq);
    }
    if (!error) {
        error = make_key(&key, rq);
    }
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_KEY_CREATE);
    }
    return error ? error : answer_created(rq, lims_result_get(row, 0, "id"), key);
}

/* A key that replaces another, with the same scopes and for the same person. */
static const lims_error_t *rotate(lims_request_t *rq)
{
    const char *key = NULL;
    lims_result_t *row = NULL;
    const lims_error_t *error = check_expiry(rq);

    if (!error) {
        error = make_key(&key, rq);
    }
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_KEY_ROTATE);
    }
    if (!error && lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                                 "API key %s is revoked or has expired: create another.",
                                 lims_values_get(rq->values, "id"));
    }
    return error ? error : answer_created(rq, lims_result_get(row, 0, "id"), key);
}

static const lims_error_t *revoke_key(lims_request_t *rq)
{
    lims_result_t *row = NULL;

    return lims_database_call(&row, rq, LIMS_STMT_KEY_REVOKE);
}

/* --- Routes --------------------------------------------------------------- */

static const lims_field_t rotate_input[] = {
    { .name = "overlapHours",
      .type = LIMS_T_INTEGER,
      .max = 168,
      .fallback = "24",
      .doc = "Hours for which the former key is still accepted. 0: not at all, for a key that has "
             "become known.",
      .example = "24" },
    { .name = "expiresAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_NULLABLE,
      .doc = "When the new key expires, UTC; null if never. Unless it is given, when the former "
             "one would have." },
    LIMS_FIELD_END,
};

static const lims_error_e create_errors[] = { LIMS_E_INVALID_REFERENCE, LIMS_E_COUNT };
static const lims_error_e rotate_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_INVALID_REFERENCE,
                                              LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/keys",
      .command = "key list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listKeys",
      .summary = "List API keys with their last use",
      .permission = "key.manage",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_KEY_LIST },
    { LIMS_CSV_EXPORT("/keys", "key export", "exportKeys", "API keys"),
      .permission = "key.manage",
      .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/keys", "key pdf", "printKeys", "API keys"),
      .permission = "key.manage",
      .flags = LIMS_PDF_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/keys/:id",
      .command = "key show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getKey",
      .summary = "One API key",
      .permission = "key.manage",
      .status = 200,
      .statement = LIMS_STMT_KEY_GET },
    { .method = "POST",
      .path = "/keys",
      .command = "key create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createKey",
      .summary = "Create an API key, which is shown only this once",
      .description = "The key acts for the user named by actsFor, by default the one who creates "
                     "it.",
      .permission = "key.manage",
      .body = LIMS_F_CREATE,
      .output = created_fields,
      .flags = LIMS_R_NO_RECORD,
      .status = 201,
      .handler = create,
      .errors = create_errors },
    { .method = "PATCH",
      .path = "/keys/:id",
      .command = "key update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateKey",
      .summary = "Change the storage limit for the instrument files of an API key",
      .permission = "key.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_KEY_UPDATE },
    { .method = "POST",
      .path = "/keys/:id/rotate",
      .command = "key rotate",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "rotateKey",
      .summary = "Replace an API key by a new one, which is shown only this once",
      .description = "The new key has the name, the scopes, the person, the storage and the "
                     "expiry of the former one, which expires after overlapHours.",
      .permission = "key.manage",
      .input = rotate_input,
      .output = created_fields,
      .flags = LIMS_R_NO_RECORD,
      .status = 201,
      .handler = rotate,
      .errors = rotate_errors },
    { .method = "POST",
      .path = "/keys/:id/revoke",
      .command = "key revoke",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "revokeKey",
      .summary = "Revoke an API key: its next request is refused",
      .permission = "key.manage",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .handler = revoke_key },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_key = {
    .name = "API key",
    .title = "API keys",
    .schema = "ApiKey",
    .doc = "API key with which a program identifies itself.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_KEY_GET,
    .lock = LIMS_STMT_KEY_LOCK,
};
