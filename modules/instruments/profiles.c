/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiles.c - profiles: declarations of the files of a laboratory and of how
 * they are read (profiles/profile.h).
 *
 * A version is added as a draft, tested on files, and activated; after that it
 * never changes. A change is a new version.
 */
#include <apr_strings.h>
#include <string.h>

#include "instruments/instruments.h"
#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "profiles/golden.h"
#include "service/service.h"

static const char *const statuses[] = { "draft", "active", "retired", NULL };

enum { SHOWN = LIMS_F_OUT };

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = SHOWN,
      .doc = "Id of the profile version, assigned by the service; also its cursor value." },
    { .name = "code",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Code of the profile, shared by its versions; a request can name it.",
      .example = "cedex-bio-ht" },
    { .name = "version",
      .type = LIMS_T_INTEGER,
      .flags = SHOWN,
      .doc = "Version of the profile, counted from 1." },
    { .name = "name",
      .type = LIMS_T_STRING,
      .flags = SHOWN,
      .doc = "Name of the profile, for people." },
    { .name = "instrumentId",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Id of the instrument whose files the profile reads; null if it is not of one "
             "instrument." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .flags = SHOWN,
      .doc = "Status of the version. Files are read by active versions; a code has at most one." },
    { .name = "definition",
      .type = LIMS_T_JSON,
      .flags = SHOWN,
      .doc = "Definition of the profile, a JSON object; conf/profiles/README.md explains it." },
    { .name = "warning",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Warning that files would be held back now: test codes that no active test definition "
             "has." },
    { .name = "createdBy",
      .type = LIMS_T_ID,
      .flags = SHOWN | LIMS_F_NULLABLE,
      .doc = "Id of the user who added the version." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the version was added, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = SHOWN,
      .doc = "When the record was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "code",
      .type = LIMS_T_STRING,
      .max = 64,
      .doc = "Only versions of the profile with this code." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = statuses,
      .doc = "Only versions of this status." },
    LIMS_FIELD_END,
};

static const lims_field_t add_input[] = {
    { .name = "definition",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_REQUIRED | LIMS_F_FILE,
      .min = 2,
      .max = LIMS_PROFILE_MAX,
      .doc = "Definition of the profile, a JSON object: `--definition @profile.json`." },
    LIMS_FIELD_END,
};

/* --- Adding --------------------------------------------------------------- */

/* Fields of the record that come from the definition: code and name. */
static const lims_error_t *check_definition(lims_request_t *rq)
{
    const char *text = lims_values_get(rq->values, "definition");
    const lims_profile_t *profile = NULL;
    const lims_error_t *error = lims_profile_parse(&profile, text, strlen(text), rq->pool);

    if (error && text[strspn(text, " \t\r\n")] != '{') {
        return lims_client_error(
            rq->pool, LIMS_E_INVALID_BODY,
            "The definition is no JSON object. The content of a file is given by an "
            "at sign and its name: --definition @%s",
            lims_excerpt(text, rq->pool));
    }
    if (!error) {
        error = lims_profile_check_new(profile, rq->pool);
    }
    if (!error) {
        lims_values_set(rq->values, "code", profile->code);
        lims_values_set(rq->values, "name", profile->name);
        lims_values_set(rq->values, "timeZone", profile->time_zone);
    }
    return error;
}

/* PostgreSQL accepts unknown names of time zones and reads them as POSIX does,
 * so a name that is not in its list is refused here. */
static const lims_error_t *check_time_zone(lims_request_t *rq)
{
    const char *zone = lims_values_get(rq->values, "timeZone");
    lims_result_t *row = NULL;
    const lims_error_t *error = NULL;

    if (zone) {
        error = lims_database_call(&row, rq, LIMS_STMT_PROFILE_TIME_ZONE);
    }
    if (!error && zone && !lims_result_true(row, 0, "known")) {
        error = lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                  "timeZone: there is no time zone \"%s\"; Europe/Zurich is one.",
                                  zone);
    }
    return error;
}

static const lims_error_t *add(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = check_time_zone(rq);

    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_PROFILE_ADD);
    }
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

/* Gets the bytes of a golden file, from the profile itself or from a stored
 * file. */
static const lims_error_t *read_golden(const char **bytes, apr_size_t *length, lims_request_t *rq,
                                       const lims_golden_t *golden, int index)
{
    const char *encoded = golden->content_base64;
    lims_values_t *values = lims_values_create(rq->pool);
    lims_result_t *row = NULL;
    const lims_call_t call = { .statement = LIMS_STMT_PROFILE_GOLDEN_FILE, .values = values };
    const lims_error_t *error = NULL;

    if (golden->content) {
        *bytes = golden->content;
        *length = strlen(golden->content);
        return NULL;
    }
    if (golden->sha256) {
        lims_values_set(values, "sha256", apr_pstrcat(rq->pool, "\\x", golden->sha256, NULL));
        error = lims_database_run(&row, rq, &call, 1, 0);
        if (!error && lims_result_count(row) == 0) {
            error = lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                      "goldenFiles[%d].sha256: no file of this hash has been sent",
                                      index);
        }
        if (error) {
            return error;
        }
        encoded = lims_result_get(row, 0, "contentBase64");
    }
    return lims_base64_decode(bytes, length, encoded, rq->pool)
               ? NULL
               : lims_client_error(
                     rq->pool, LIMS_E_INVALID_BODY,
                     "goldenFiles[%d].contentBase64: is no base64 with its padding and "
                     "without line breaks",
                     index);
}

/* Refuses a profile that does not read its golden files as it declares. */
static const lims_error_t *check_golden(lims_request_t *rq, const lims_profile_t *profile)
{
    const apr_array_header_t *files = profile->golden_files;
    const lims_error_t *error = NULL;

    for (int i = 0; files && i < files->nelts && !error; i++) {
        const char *bytes = NULL;
        apr_size_t length = 0;

        error = read_golden(&bytes, &length, rq, &APR_ARRAY_IDX(files, i, lims_golden_t), i);
        if (!error) {
            error = lims_golden_check(profile, i, bytes, length, rq->pool);
        }
    }
    return error;
}

/* An earlier version of the service may have accepted a draft that this one
 * refuses. */
static const lims_error_t *activate(lims_request_t *rq)
{
    const char *text = lims_result_get(rq->locked, 0, "definition");
    const lims_profile_t *profile = NULL;
    lims_values_t *values = lims_values_create(rq->pool);
    const lims_call_t calls[] = {
        { .statement = LIMS_STMT_PROFILE_RETIRE_OTHERS, .values = values },
        { .statement = LIMS_STMT_PROFILE_ACTIVATE, .values = values },
    };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_profile_parse(&profile, text, strlen(text), rq->pool);

    if (!error) {
        error = check_golden(rq, profile);
    }
    if (error) {
        return error;
    }
    lims_values_set(values, "id", lims_values_get(rq->values, "id"));
    lims_values_set(values, "code", lims_result_get(rq->locked, 0, "code"));
    return lims_database_run(results, rq, calls, 2, 0);
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e add_errors[] = { LIMS_E_INVALID_BODY, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/instrument-profiles",
      .command = "profile list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listInstrumentProfiles",
      .summary = "List profiles of instrument files",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_PROFILE_LIST },
    { .method = "GET",
      .path = "/instrument-profiles/:id",
      .command = "profile show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getInstrumentProfile",
      .summary = "One version of a profile",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_PROFILE_GET },
    { .method = "POST",
      .path = "/instrument-profiles",
      .command = "profile add",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "addInstrumentProfile",
      .summary = "Add a profile, or a new version of it, as a draft",
      .description =
          "Code and name are those in the definition. Each error in it is reported with the path "
          "of the member. Test the draft on files (profile test), then activate it.",
      .permission = "profile.manage",
      .flags = LIMS_R_FILE,
      .input = add_input,
      .status = 201,
      .check = check_definition,
      .handler = add,
      .errors = add_errors },
    { .method = "POST",
      .path = "/instrument-profiles/:id/activate",
      .command = "profile activate",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "activateInstrumentProfile",
      .summary = "Activate a version of a profile: files are read by it from now on",
      .description = "It replaces the active version, which can be activated again. Its golden "
                     "files are read first: if a reading differs from the declared one, the "
                     "difference is reported and nothing changes.",
      .permission = "profile.manage",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .handler = activate,
      .errors = add_errors },
    { .method = "POST",
      .path = "/instrument-profiles/:id/retire",
      .command = "profile retire",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "retireInstrumentProfile",
      .summary = "Retire a version of a profile: no file is read by it any more",
      .permission = "profile.manage",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .statement = LIMS_STMT_PROFILE_RETIRE },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_instrument_profile = {
    .name = "profile",
    .title = "Profiles",
    .schema = "InstrumentProfile",
    .doc = "Declaration of how the files of an instrument are read.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_PROFILE_GET,
    .lock = LIMS_STMT_PROFILE_LOCK,
};
