/* SPDX-License-Identifier: Apache-2.0 */
/* option_tables.c - the commands of routes, and the tables of each command's options. */
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/route.h"
#include "tool/tool.h"

const lims_global_option_t lims_global_options[] = {
    { "database", "CONNINFO",
      "Connection string of the database, as its owner. Default: LIMS_DATABASE in the environment "
      "or in /etc/mod_lims/limsctl.conf, otherwise libpq's defaults." },
    { "organization", "CODE", "Code of the organization." },
    { "user", "EMAIL", "E-mail address of the acting user. Required for changes." },
    { "reason", "TEXT", "Reason for the change, for the audit trail." },
    { "password-file", "FILE",
      "File with the acting user's password, for signatures; - is standard input. Without it the "
      "terminal asks for the password." },
    { "secret-key-file", "FILE",
      "File with the keys that encrypt webhook secrets. Default: LIMS_SECRET_KEY_FILE in the "
      "environment or in /etc/mod_lims/limsctl.conf." },
    { "json", NULL, "Print JSON, as the REST API answers it." },
    { "help", NULL, "Show help and do nothing." },
    { "version", NULL, "Show the version and do nothing." },
    { NULL, NULL, NULL },
};

bool lims_tool_route(const lims_resource_t **resource, const lims_route_t **route,
                     const char *command)
{
    for (const lims_resource_t *const *r = lims_resources; *r; r++) {
        for (const lims_route_t *candidate = (*r)->routes; candidate->method; candidate++) {
            if (lims_route_is_on(candidate, LIMS_SURFACE_TOOL) &&
                strcmp(candidate->command, command) == 0) {
                *resource = *r;
                *route = candidate;
                return true;
            }
        }
    }
    return false;
}

int lims_tool_tables(lims_option_table_t tables[LIMS_OPTION_TABLES_MAX], const lims_tool_t *tool)
{
    const lims_route_t *route = tool->route;
    int count = 0;

    if (tool->command && tool->command->options) {
        tables[count++] = (lims_option_table_t){ .fields = tool->command->options };
    }
    if (route && route->body) {
        tables[count++] =
            (lims_option_table_t){ .fields = tool->resource->fields, .flags = route->body };
    }
    if (route && route->input) {
        tables[count++] = (lims_option_table_t){ .fields = route->input };
    }
    if (route && route->query) {
        tables[count++] = (lims_option_table_t){ .fields = route->query, .query = true };
    }
    return count;
}

bool lims_tool_has_id(const lims_tool_t *tool)
{
    return tool->route && lims_route_has_id(tool->route);
}

bool lims_option_taken(const lims_option_table_t *table, const lims_field_t *field)
{
    /* The reason is an option of every command. */
    return (field->flags & table->flags) == table->flags && field->type != LIMS_T_JSON &&
           strcmp(field->name, "reason") != 0;
}

const char *lims_option_name(const lims_field_t *field, apr_pool_t *pool)
{
    char *name = apr_palloc(pool, 2 * strlen(field->name) + 1);
    char *out = name;

    for (const char *in = field->name; *in; in++) {
        if (apr_isupper(*in)) {
            *out++ = '-';
        }
        *out++ = (char)apr_tolower(*in);
    }
    *out = '\0';
    return field->flags & LIMS_F_SECRET ? apr_pstrcat(pool, name, "-file", NULL) : name;
}

bool lims_tool_of_noun(const char *command, const char *noun)
{
    apr_size_t length = strlen(noun);

    return command && strncmp(command, noun, length) == 0 && command[length] == ' ';
}
