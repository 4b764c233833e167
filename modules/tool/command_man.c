/* SPDX-License-Identifier: Apache-2.0 */
/* command_man.c - limsctl man: writes the manual page limsctl(8) from the tables, with
 * the macros of groff_man(7). */
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

#include "kernel/route.h"
#include "tool/tool.h"

static const char introduction[] =
    ".SH DESCRIPTION\n"
    "The command line of mod_lims, for administrators of the laboratory sample\n"
    "management service: it manages the database schema, organizations, users and\n"
    "API keys, and has a command for every action of the laboratory. Commands use\n"
    "the same tables, rules, gates and audit trail as the REST API.\n"
    ".PP\n"
    "Options may be given before or after the command. Lists are separated by\n"
    "commas; an empty value clears a field that may be empty; objects are JSON,\n"
    "or @FILE for a file that contains it. The id of a record is the first argument\n"
    "after the command, or \\-\\-id. A password is never an argument: it is read\n"
    "from a file, from standard input (\\-) or from the terminal.\n"
    ".PP\n"
    "Signatures (21 CFR 11) need the password of the acting user.\n"
    "limsctl connects as the owner of the schema, lims_owner, and acts for an\n"
    "organization as lims_app, so that row-level security applies.\n";

static const char ending[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nDone.\n"
    ".TP\n.B 1\nRefused by a rule, a gate or a check; nothing was changed.\n"
    ".TP\n.B 2\nThe command line is wrong.\n"
    ".TP\n.B 3\nThere is no such record, organization or user.\n"
    ".TP\n.B 4\nThe database cannot be reached, or an error occurred.\n"
    ".TP\n.B 5\nThe schema of the database does not fit this limsctl.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B LIMS_DATABASE\nConnection string, unless \\-\\-database is given.\n"
    ".TP\n.B LIMS_SECRET_KEY_FILE\nKey file, unless \\-\\-secret\\-key\\-file is given.\n"
    ".TP\n.BR PGHOST ,\\  PGDATABASE \", ...\"\n"
    "Further connection settings, as in libpq.\n"
    ".SH FILES\n"
    ".TP\n.I /etc/mod_lims/limsctl.conf\nDefaults for LIMS_DATABASE and LIMS_SECRET_KEY_FILE, "
    "a line each; LIMSCTL_CONF names another file.\n"
    ".TP\n.I /usr/share/mod_lims/roles.sql\nWhat a superuser runs once before the first "
    "migration.\n"
    ".SH EXAMPLES\n"
    ".EX\n"
    "limsctl migrate\n"
    "limsctl organization create \\-\\-code riverbend \\-\\-name \\(dqRiverbend\\(dq\n"
    "limsctl user create \\-\\-organization riverbend \\-\\-email ana@riverbend.example \\e\n"
    "    \\-\\-display\\-name \\(dqAna Ruiz\\(dq \\-\\-roles administrator\n"
    "limsctl key create \\-\\-organization riverbend \\-\\-user ana@riverbend.example \\e\n"
    "    \\-\\-name \\(dqERP connector\\(dq \\-\\-scopes samples:read,samples:write\n"
    ".EE\n"
    ".SH SEE ALSO\n"
    ".BR httpd (8),\n"
    ".BR psql (1)\n";

/* Escapes a text for troff: no escape sequence, no request, hyphens as typed. */
static const char *escaped(const char *text, apr_pool_t *pool)
{
    char *copy = apr_palloc(pool, 3 + 5 * strlen(text));
    char *out = copy;

    if (*text == '.' || *text == '\'') {
        *out++ = '\\';
        *out++ = '&';
    }
    for (; *text; text++) {
        const char *code = *text == '\\'   ? "\\e"
                           : *text == '-'  ? "\\-"
                           : *text == '"'  ? "\\(dq"
                           : *text == '\'' ? "\\(aq"
                           : *text == '|'  ? "|\\:" /* a long list may break here */
                           : *text == '\n' ? " "
                                           : NULL;

        if (code) {
            memcpy(out, code, strlen(code));
            out += strlen(code);
        } else {
            *out++ = *text;
        }
    }
    *out = '\0';
    return copy;
}

static void print_option(const char *name, const char *argument, const char *doc, apr_pool_t *pool)
{
    /* A list without a space in it cannot be adjusted to both margins. */
    printf(".TP\n.ad l\n\\fB\\-\\-%s\\fR", escaped(name, pool));
    if (argument) {
        printf(" \\fI%s\\fR", escaped(argument, pool));
    }
    printf("\n.ad b\n%s\n", doc ? escaped(doc, pool) : "\\&");
}

static void print_options(const lims_tool_t *command)
{
    lims_option_table_t tables[LIMS_OPTION_TABLES_MAX];
    int count = lims_tool_tables(tables, command);
    apr_pool_t *pool = command->pool;

    if (count == 0) {
        return;
    }
    printf(".RS\n");
    for (int i = 0; i < count; i++) {
        for (const lims_field_t *field = tables[i].fields; field->name; field++) {
            bool required = (field->flags & LIMS_F_REQUIRED) && tables[i].flags != LIMS_F_UPDATE;

            if (lims_option_taken(&tables[i], field)) {
                print_option(lims_option_name(field, pool), lims_option_argument(field, pool),
                             apr_pstrcat(pool, required ? "(required) " : "",
                                         field->doc ? field->doc : "", NULL),
                             pool);
            }
        }
    }
    printf(".RE\n");
}

static void print_command(const lims_tool_t *command)
{
    const lims_route_t *route = command->route;
    apr_pool_t *pool = command->pool;
    const char *description = route ? route->description : command->command->description;

    printf(".TP\n\\fBlimsctl %s\\fR%s\n",
           escaped(route ? route->command : command->command->name, pool),
           lims_tool_has_id(command) ? " \\fIID\\fR" : "");
    printf("%s.\n", escaped(route ? route->summary : command->command->summary, pool));
    if (description) {
        printf("%s\n", escaped(description, pool));
    }
    if (route && route->meaning) {
        printf("%s\n", route->flags & LIMS_R_SIGN ? "Signed."
                       : route->flags & LIMS_R_SIGN_NEXT
                           ? "Signed where it is not the first."
                           : "Signed where the organization\\(aqs policy asks for it.");
    }
    if (route && (route->flags & LIMS_R_REASON)) {
        printf("Needs \\-\\-reason.\n");
    }
    print_options(command);
}

static void print_resource(lims_tool_t *command, const lims_resource_t *resource)
{
    bool headed = false;

    for (const lims_route_t *route = resource->routes; route->method; route++) {
        if (!lims_route_is_on(route, LIMS_SURFACE_TOOL)) {
            continue;
        }
        if (!headed) {
            printf(".SS %s\n", escaped(resource->title, command->pool));
            headed = true;
        }
        command->resource = resource;
        command->route = route;
        print_command(command);
    }
}

lims_exit_e lims_command_man(lims_tool_t *tool)
{
    lims_tool_t command = { .pool = tool->pool };

    printf(".\\\" SPDX-License-Identifier: Apache-2.0\n"
           ".\\\" Written by \"limsctl man\" from the tables of the service.\n"
           ".TH LIMSCTL 8 \"\" \"mod_lims %s\" \"System administration\"\n"
           ".SH NAME\nlimsctl \\- administer a laboratory sample management service\n"
           ".SH SYNOPSIS\n.B limsctl\n[\\fIoptions\\fR] \\fIcommand\\fR [\\fIID\\fR] "
           "[\\fIoptions\\fR]\n%s.SH OPTIONS\nEvery command takes these.\n",
           LIMS_VERSION, introduction);
    for (const lims_global_option_t *option = lims_global_options; option->name; option++) {
        print_option(option->name, option->argument, option->doc, tool->pool);
    }
    printf(".SH COMMANDS\n.SS The service\n");
    for (command.command = lims_commands; command.command->name; command.command++) {
        print_command(&command);
    }
    command.command = NULL;
    for (const lims_resource_t *const *resource = lims_resources; *resource; resource++) {
        print_resource(&command, *resource);
    }
    fputs(ending, stdout);
    return LIMS_EXIT_OK;
}
