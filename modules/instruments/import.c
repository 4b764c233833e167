/* SPDX-License-Identifier: Apache-2.0 */
/* import.c - the import of an instrument file. */
#include "instruments/import.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/digest.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/writer.h"
#include "service/service.h"

/* Above this number of readings, only the first are sent to the database for a
 * first decision: the faults of a large file mostly concern all of its rows,
 * and the number of listed reasons is limited. */
#define LARGE 20000
#define FIRST 2000

lims_import_t *lims_import_create(const char *name, const char *bytes, apr_size_t length,
                                  const char *asked, apr_pool_t *pool)
{
    lims_import_t *import = apr_pcalloc(pool, sizeof(*import));

    import->pool = pool;
    import->name = name;
    import->bytes = bytes;
    import->length = length;
    import->asked = asked;
    if (bytes) {
        import->sha256 = lims_sha256_hex(bytes, length, LIMS_SHA256_LENGTH, pool);
    }
    return bytes && !import->sha256 ? NULL : import;
}

/* --- Before reading ------------------------------------------------------- */

/* Runs a statement about the file, together with the one that returns the
 * profiles. */
static const lims_error_t *fetch(lims_result_t **row, lims_import_t *import, lims_request_t *rq,
                                 lims_stmt_e statement, lims_values_t *values)
{
    lims_values_t *known = lims_values_create(rq->pool);
    const lims_call_t calls[] = { { .statement = statement, .values = values },
                                  { .statement = LIMS_STMT_PROFILES_ACTIVE, .values = known } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error;

    import->holding = lims_registry_hold(import->pool);
    lims_values_set(known, "known", lims_holding_keys(import->holding));
    /* Outside a transaction a caller over HTTP is checked in the same round trip. */
    error = rq->exchange ? lims_service_read(results, rq, calls, 2)
                         : lims_database_run(results, rq, calls, 2, 0);
    if (!error) {
        import->profiles = lims_holding_profiles(&import->broken, import->holding, results[1]);
        *row = results[0];
    }
    return error;
}

const lims_error_t *lims_import_find(lims_import_t *import, lims_request_t *rq)
{
    lims_values_t *values = lims_values_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(values, "sha256", apr_pstrcat(rq->pool, "\\x", import->sha256, NULL));
    error = fetch(&row, import, rq, LIMS_STMT_INSTRUMENT_FILE_FIND, values);
    if (!error && lims_result_count(row) == 1) {
        import->id = lims_result_get(row, 0, "id");
        import->status = lims_result_get(row, 0, "status");
    }
    return error;
}

const lims_error_t *lims_import_store(lims_import_t *import, lims_request_t *rq,
                                      const lims_values_t *content)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t calls[] = {
        { .statement = LIMS_STMT_INSTRUMENT_FILE_STORE, .values = values },
        { .statement = LIMS_STMT_INSTRUMENT_FILE_FIND, .values = values },
    };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error;

    lims_values_set(values, "fileName", import->name);
    lims_values_set(values, "sha256", apr_pstrcat(rq->pool, "\\x", import->sha256, NULL));
    lims_values_set(values, "profile", import->asked);
    lims_values_set(values, "fileStorage", rq->settings->file_storage);
    lims_values_set(values, "trial", rq->roll_back ? "t" : "f");
    lims_values_set(values, "content", lims_values_get(content, "content"));
    lims_values_set(values, "contentBase64", lims_values_get(content, "contentBase64"));
    if (!lims_values_get(values, "content") && !lims_values_get(values, "contentBase64")) {
        lims_values_set(values, "contentBase64",
                        lims_base64_encode(import->bytes, import->length, rq->pool));
    }
    error = lims_database_run(results, rq, calls, 2, 0);
    if (!error && lims_result_count(results[1]) != 1) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 65,
                                 "a file that was stored is not there",
                                 "The file could not be kept; send it again.");
    }
    if (!error) {
        import->id = lims_result_get(results[1], 0, "id");
        import->status = lims_result_get(results[1], 0, "status");
    }
    return error;
}

const lims_error_t *lims_import_load(lims_import_t *import, lims_request_t *rq, const char *id)
{
    lims_values_t *values = lims_values_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error;

    lims_values_set(values, "id", id);
    error = fetch(&row, import, rq, LIMS_STMT_INSTRUMENT_FILE_LOAD, values);
    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no instrument file %s in your organization.", id);
    }
    import->id = lims_result_get(row, 0, "id");
    import->status = lims_result_get(row, 0, "status");
    import->name = lims_result_get(row, 0, "fileName");
    import->asked = lims_result_get(row, 0, "profile");
    if (!lims_base64_decode(&import->bytes, &import->length,
                            lims_result_get(row, 0, "contentBase64"), import->pool)) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 66, "PostgreSQL's base64 is none",
                                 "The file could not be read.");
    }
    return NULL;
}

/* --- Reading -------------------------------------------------------------- */

static void rename_samples(lims_import_t *import)
{
    for (int i = 0; i < import->readings->readings->nelts; i++) {
        lims_reading_t *reading = &APR_ARRAY_IDX(import->readings->readings, i, lims_reading_t);

        for (int j = 0; reading->tracking_id && j < import->aliases->nelts; j++) {
            const lims_alias_t *alias = &APR_ARRAY_IDX(import->aliases, j, lims_alias_t);

            if (strcmp(reading->tracking_id, alias->from) == 0) {
                reading->tracking_id = alias->to;
                break;
            }
        }
    }
}

void lims_import_read(lims_import_t *import)
{
    import->readings = lims_file_read(import->bytes, import->length, import->name, import->profiles,
                                      import->asked, import->pool);
    if (import->excluded) {
        lims_import_exclude(import);
    }
    if (import->aliases) {
        rename_samples(import);
    }
    if (import->named) {
        lims_decisions_settle(import);
    }
    lims_controls_compare(import->readings, true, import->pool);
}

/* --- Deciding ------------------------------------------------------------- */

static const lims_error_t *decide(lims_import_t *import, lims_request_t *rq, const char *from,
                                  const char *document, const char *resolution, const char *reason)
{
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t calls[] = { { .statement = LIMS_STMT_IMPORT_PATIENCE, .values = values },
                                  { .statement = LIMS_STMT_IMPORT_FILE, .values = values } };
    lims_result_t *results[2] = { NULL, NULL };
    apr_interval_time_t usual;
    const lims_error_t *error;

    lims_values_set(values, "fileId", import->id);
    lims_values_set(values, "from", from);
    lims_values_set(values, "reading", document);
    lims_values_set(values, "resolution", resolution);
    lims_values_set(values, "because", reason);
    lims_values_set(
        values, "milliseconds",
        apr_psprintf(rq->pool, "%" APR_TIME_T_FMT, apr_time_as_msec(LIMS_IMPORT_PATIENCE)));
    usual =
        lims_connection_set_timeout(rq->connection, LIMS_IMPORT_PATIENCE + apr_time_from_sec(2));
    error = lims_database_run(results, rq, calls, 2, 0);
    /* Restores the usual statement time-out. */
    lims_connection_set_timeout(rq->connection, usual);
    if (!error) {
        import->status = lims_result_get(results[1], 0, "status");
        import->decided = lims_result_true(results[1], 0, "decided");
    }
    return error;
}

/* Decides about the file by its first `at_most` readings; 0: by all. The JSON document of the
 * readings may be large and a caller may decide twice, so that each has a pool of its own. */
static const lims_error_t *decide_by(lims_import_t *import, lims_request_t *rq, const char *from,
                                     int at_most, const char *resolution, const char *reason)
{
    apr_pool_t *pool;
    const lims_error_t *error;

    apr_pool_create(&pool, rq->pool);
    error =
        decide(import, rq, from, lims_import_document(import, at_most, pool), resolution, reason);
    apr_pool_destroy(pool);
    return error;
}

const lims_error_t *lims_import_decide(lims_import_t *import, lims_request_t *rq, const char *from,
                                       const char *resolution, const char *reason)
{
    const lims_error_t *error = NULL;
    bool open = true;

    if (import->readings->readings->nelts > LARGE) {
        error = decide_by(import, rq, from, FIRST, resolution, reason);
        open = !error && !import->status;
    }
    return open ? decide_by(import, rq, from, 0, resolution, reason) : error;
}

const lims_error_t *lims_import_give_up(lims_import_t *import, lims_request_t *rq, const char *from,
                                        const char *code, const char *message)
{
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length = 0;

    lims_writer_object_begin(w);
    lims_writer_key(w, "blocking");
    lims_writer_integer(w, 1);
    lims_writer_key(w, "reasons");
    lims_writer_array_begin(w);
    lims_writer_object_begin(w);
    lims_writer_key(w, "code");
    lims_writer_string(w, code);
    lims_writer_key(w, "severity");
    lims_writer_string(w, "blocking");
    lims_writer_key(w, "message");
    lims_writer_string(w, message);
    lims_writer_object_end(w);
    lims_writer_array_end(w);
    lims_writer_key(w, "readings");
    lims_writer_array_begin(w);
    lims_writer_array_end(w);
    lims_writer_object_end(w);
    return decide(import, rq, from, lims_writer_finish(&length, w), NULL, NULL);
}
