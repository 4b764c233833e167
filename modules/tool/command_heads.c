/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_heads.c - limsctl audit export-all-heads: the signed file of heads of each
 * organization (trail/head_export.h), one behind the other, on standard output.
 */
#include <stdio.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/header_fields.h"
#include "service/spool.h"
#include "tool/session.h"
#include "tool/tool.h"

const lims_field_t lims_export_all_heads_options[] = {
    { .name = "days",
      .type = LIMS_T_INTEGER,
      .min = 1,
      .max = 3650,
      .doc = "Only the blocks that were closed in the last DAYS days, and of each organization the "
             "one before them. By default all, of each organization at most the last 80,000.",
      .example = "2" },
    LIMS_FIELD_END,
};

/* Connects, as the owner of the schema, with the keys that sign. */
static const lims_error_t *begin(lims_session_t **session, lims_tool_t *tool)
{
    const lims_error_t *error;

    if (tool->organization || tool->user) {
        return lims_client_error(
            tool->pool, LIMS_E_INVALID_QUERY,
            "This command is for all organizations: do not give --organization or --user.");
    }
    error = lims_session_open(session, tool->database, tool->pool);
    return error ? error : lims_tool_keyring(&(*session)->keyring, tool);
}

/* Finds the organizations, each with the block to begin with. */
static const lims_error_t *find_organizations(lims_result_t **found, lims_session_t *session,
                                              lims_tool_t *tool)
{
    const lims_call_t call = { .statement = LIMS_STMT_TOOL_HEADS, .values = tool->values };
    lims_request_t rq = { .pool = tool->pool,
                          .id = lims_request_id_create(tool->pool),
                          .connection = session->connection };

    return lims_database_run(found, &rq, &call, 1, 0);
}

static const lims_error_t *export_one(lims_session_t *session, const lims_resource_t *resource,
                                      const lims_route_t *route, const char *from,
                                      apr_pool_t *pool)
{
    lims_values_t *values = lims_values_create(pool);
    lims_reply_t *reply = NULL;
    const lims_error_t *error;

    lims_values_set(values, "fromBlock", from);
    error = lims_session_call(&reply, session, resource, route, values, pool);
    return error ? error : lims_spool_copy(stdout, reply, pool);
}

lims_exit_e lims_command_audit_export_all_heads(lims_tool_t *tool)
{
    const lims_resource_t *resource = NULL;
    const lims_route_t *route = NULL;
    lims_session_t *session = NULL;
    lims_result_t *found = NULL;
    const lims_error_t *error = begin(&session, tool);

    lims_tool_route(&resource, &route, "audit export-heads");
    if (!error) {
        error = find_organizations(&found, session, tool);
    }
    for (int row = 0; !error && row < lims_result_count(found); row++) {
        apr_pool_t *pool;

        apr_pool_create(&pool, tool->pool);
        session->organization = lims_result_get(found, row, "code");
        error = export_one(session, resource, route, lims_result_get(found, row, "fromBlock"),
                           pool);
        if (!error) {
            apr_pool_destroy(pool);
        }
    }
    return error ? lims_print_error(tool, error) : LIMS_EXIT_OK;
}
