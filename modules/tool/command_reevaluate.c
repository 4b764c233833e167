/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_reevaluate.c - limsctl instrument-file reevaluate-all: what instrument-file
 * reevaluate does, for every file in quarantine.
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

/* Files that are listed at once: each may have many reasons. */
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
} again_t;

/* Carries out a command and reads its answer. */
static const lims_error_t *call(lims_json_t **answer, const again_t *again, const char *command,
                                lims_values_t *values, apr_pool_t *pool)
{
    const lims_resource_t *resource = NULL;
    const lims_route_t *route = NULL;
    lims_reply_t *reply = NULL;
    const lims_error_t *error;

    if (!lims_tool_route(&resource, &route, command)) {
        return lims_client_error(pool, LIMS_E_INTERNAL, "There is no command %s.", command);
    }
    error = lims_session_call(&reply, again->session, resource, route, values, pool);
    return error ? error : lims_json_parse(answer, reply->body, reply->length, pool);
}

static const char *text_of(const lims_json_t *object, const char *name)
{
    const lims_json_t *member = lims_json_member(object, name);

    return member && member->text ? member->text : "";
}

/* One that was decided about meanwhile is left as it is. */
static const lims_error_t *reevaluate(again_t *again, const char *id, apr_pool_t *pool)
{
    lims_values_t *values = lims_values_create(pool);
    lims_json_t *file = NULL;
    const lims_error_t *error;

    lims_values_set(values, "id", id);
    lims_values_set(values, "dryRun", lims_values_get(again->tool->values, "dryRun"));
    error = call(&file, again, "instrument-file reevaluate", values, pool);
    if (error) {
        return error->kind == LIMS_E_INVALID_TRANSITION ? NULL : error;
    }
    if (strcmp(text_of(file, "status"), "imported") == 0) {
        again->imported++;
    } else {
        again->quarantined++;
    }
    lims_writer_object_begin(again->w);
    lims_writer_key(again->w, "id");
    lims_writer_raw(again->w, apr_pstrdup(again->tool->pool, id));
    lims_writer_key(again->w, "fileName");
    lims_writer_string(again->w, text_of(file, "fileName"));
    lims_writer_key(again->w, "status");
    lims_writer_string(again->w, text_of(file, "status"));
    lims_writer_key(again->w, "reasons");
    lims_writer_integer(again->w, lims_json_member(file, "reasons")->count);
    lims_writer_object_end(again->w);
    return NULL;
}

/* The next page behind `*cursor`, which becomes its last id; NULL at the end. */
static const lims_error_t *next_page(const char **cursor, again_t *again, apr_pool_t *pool)
{
    lims_values_t *values = lims_values_create(pool);
    lims_json_t *page = NULL;
    const lims_error_t *error;

    lims_values_set(values, "limit", PAGE);
    lims_values_set(values, "cursor", *cursor);
    lims_values_set(values, "status", "quarantined");
    lims_values_set(values, "reasonCode", lims_values_get(again->tool->values, "reasonCode"));
    lims_values_set(values, "profile", lims_values_get(again->tool->values, "profile"));
    error = call(&page, again, "instrument-file list", values, pool);
    for (const lims_json_t *file = error ? NULL : lims_json_member(page, "data")->first;
         file && !error; file = file->next) {
        error = reevaluate(again, text_of(file, "id"), pool);
    }
    if (!error) {
        bool more = strcmp(text_of(page, "hasMore"), "true") == 0;
        *cursor = more ? apr_pstrdup(again->tool->pool, text_of(page, "nextCursor")) : NULL;
    }
    return error;
}

static const lims_error_t *reevaluate_all(again_t *again)
{
    const lims_error_t *error = NULL;
    const char *cursor = "0";
    apr_pool_t *pool = NULL;

    apr_pool_create(&pool, again->tool->pool);
    while (cursor && !error) {
        error = next_page(&cursor, again, pool);
        if (!error) {
            apr_pool_clear(pool);
        }
    }
    return error;
}

static void print(again_t *again)
{
    apr_size_t length = 0;
    const char *json;

    lims_writer_array_end(again->w);
    lims_writer_key(again->w, "imported");
    lims_writer_integer(again->w, again->imported);
    lims_writer_key(again->w, "quarantined");
    lims_writer_integer(again->w, again->quarantined);
    lims_writer_object_end(again->w);
    json = lims_writer_finish(&length, again->w);
    lims_print_answer(again->tool, json, length);
}

lims_exit_e lims_command_reevaluate(lims_tool_t *tool)
{
    again_t again = { .tool = tool, .w = lims_writer_create(tool->pool) };
    const lims_error_t *error = lims_session_open(&again.session, tool->database, tool->pool);

    lims_writer_object_begin(again.w);
    lims_writer_key(again.w, "files");
    lims_writer_array_begin(again.w);
    if (!error) {
        again.session->organization = tool->organization;
        again.session->user = tool->user;
        again.session->reason = tool->reason;
        error = reevaluate_all(&again);
    }
    if (error) {
        return lims_print_error(tool, error);
    }
    print(&again);
    return LIMS_EXIT_OK;
}
