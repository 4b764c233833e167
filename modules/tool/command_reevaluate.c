/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_reevaluate.c - limsctl instrument-file reevaluate-all: reevaluates every file
 * in quarantine.
 */
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/writer.h"
#include "tool/session.h"
#include "tool/tool.h"

/* Page size of the list of files; a file may have many reasons. */
#define PAGE "10"

const lims_field_t lims_reevaluate_options[] = {
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "true",
      .doc = "Whether only to show the outcome; false imports the files that can be imported." },
    { .name = "reasonCode",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Only files with a reason of this code.",
      .example = "unknown_profile" },
    { .name = "profile",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Only files that were read by a profile of this code." },
    LIMS_FIELD_END,
};

typedef struct {
    lims_tool_t *tool;
    lims_session_t *session;
    lims_writer_t *w; /* the list of files */
    int imported, quarantined;
} reevaluation_t;

/* Runs a command of a route and parses its answer. */
static const lims_error_t *run_command(lims_json_t **answer, const reevaluation_t *run,
                                       const char *command, lims_values_t *values, apr_pool_t *pool)
{
    const lims_resource_t *resource = NULL;
    const lims_route_t *route = NULL;
    lims_reply_t *reply = NULL;
    const lims_error_t *error;

    if (!lims_tool_route(&resource, &route, command)) {
        return lims_client_error(pool, LIMS_E_INTERNAL, "There is no command %s.", command);
    }
    error = lims_session_call(&reply, run->session, resource, route, values, pool);
    return error ? error : lims_json_parse(answer, reply->body, reply->length, pool);
}

static const char *text_of(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->text ? member->text : "";
}

/* Reevaluates one file; skips a file that has left quarantine meanwhile. */
static const lims_error_t *reevaluate(reevaluation_t *run, const char *id, apr_pool_t *pool)
{
    lims_values_t *values = lims_values_create(pool);
    lims_json_t *file = NULL;
    const lims_error_t *error;

    lims_values_set(values, "id", id);
    lims_values_set(values, "dryRun", lims_values_get(run->tool->values, "dryRun"));
    error = run_command(&file, run, "instrument-file reevaluate", values, pool);
    if (error) {
        return error->kind == LIMS_E_INVALID_TRANSITION ? NULL : error;
    }
    if (strcmp(text_of(file, "status"), "imported") == 0) {
        run->imported++;
    } else {
        run->quarantined++;
    }
    lims_writer_object_begin(run->w);
    lims_writer_key(run->w, "id");
    lims_writer_raw(run->w, apr_pstrdup(run->tool->pool, id));
    lims_writer_key(run->w, "fileName");
    lims_writer_string(run->w, text_of(file, "fileName"));
    lims_writer_key(run->w, "status");
    lims_writer_string(run->w, text_of(file, "status"));
    lims_writer_key(run->w, "reasons");
    lims_writer_integer(run->w, lims_json_member(file, "reasons")->count);
    lims_writer_object_end(run->w);
    return NULL;
}

/* Reevaluates the files of the page after `*cursor`, which becomes the cursor of the next
 * page; NULL: there is none. */
static const lims_error_t *reevaluate_page(const char **cursor, reevaluation_t *run,
                                           apr_pool_t *pool)
{
    lims_values_t *values = lims_values_create(pool);
    lims_json_t *page = NULL;
    const lims_error_t *error;

    lims_values_set(values, "limit", PAGE);
    lims_values_set(values, "cursor", *cursor);
    lims_values_set(values, "status", "quarantined");
    lims_values_set(values, "reasonCode", lims_values_get(run->tool->values, "reasonCode"));
    lims_values_set(values, "profile", lims_values_get(run->tool->values, "profile"));
    error = run_command(&page, run, "instrument-file list", values, pool);
    for (const lims_json_t *file = error ? NULL : lims_json_member(page, "data")->first;
         file && !error; file = file->next) {
        error = reevaluate(run, text_of(file, "id"), pool);
    }
    if (!error) {
        bool more = strcmp(text_of(page, "hasMore"), "true") == 0;
        *cursor = more ? apr_pstrdup(run->tool->pool, text_of(page, "nextCursor")) : NULL;
    }
    return error;
}

static const lims_error_t *reevaluate_all(reevaluation_t *run)
{
    const lims_error_t *error = NULL;
    const char *cursor = "0";
    apr_pool_t *pool = NULL;

    apr_pool_create(&pool, run->tool->pool);
    while (cursor && !error) {
        error = reevaluate_page(&cursor, run, pool);
        if (!error) {
            apr_pool_clear(pool);
        }
    }
    return error;
}

static void print_summary(reevaluation_t *run)
{
    apr_size_t length = 0;
    const char *json;

    lims_writer_array_end(run->w);
    lims_writer_key(run->w, "imported");
    lims_writer_integer(run->w, run->imported);
    lims_writer_key(run->w, "quarantined");
    lims_writer_integer(run->w, run->quarantined);
    lims_writer_object_end(run->w);
    json = lims_writer_finish(&length, run->w);
    lims_print_answer(run->tool, json, length);
}

lims_exit_e lims_command_reevaluate(lims_tool_t *tool)
{
    reevaluation_t run = { .tool = tool, .w = lims_writer_create(tool->pool) };
    const lims_error_t *error = lims_session_open(&run.session, tool->database, tool->pool);

    lims_writer_object_begin(run.w);
    lims_writer_key(run.w, "files");
    lims_writer_array_begin(run.w);
    if (!error) {
        run.session->organization = tool->organization;
        run.session->user = tool->user;
        run.session->reason = tool->reason;
        error = reevaluate_all(&run);
    }
    if (error) {
        return lims_print_error(tool, error);
    }
    print_summary(&run);
    return LIMS_EXIT_OK;
}
