/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - limsctl --help: writes help texts from the tables. */
#include <apr_strings.h>
#include <string.h>

#include "kernel/route.h"
#include "tool/tool.h"

/* Columns at which an option's description begins and lines end. */
#define INDENT 8
#define WIDTH 79

/* The placeholder of an option's value. */
const char *lims_option_argument(const lims_field_t *field, apr_pool_t *pool)
{
    const char *text = "";

    if (field->flags & LIMS_F_SECRET) {
        return "FILE";
    }
    if (field->values) {
        for (const char *const *value = field->values; *value; value++) {
            text = apr_pstrcat(pool, text, *text ? "|" : "", *value, NULL);
        }
        return field->type == LIMS_T_STRING_LIST ? apr_pstrcat(pool, text, ",...", NULL) : text;
    }
    switch (field->type) {
    case LIMS_T_ID:
        return "ID";
    case LIMS_T_INTEGER:
    case LIMS_T_DECIMAL:
        return "NUMBER";
    case LIMS_T_BOOLEAN:
        return "true|false";
    case LIMS_T_DATE:
        return "YYYY-MM-DD";
    case LIMS_T_TIMESTAMP:
        return "TIMESTAMP";
    case LIMS_T_MOMENT:
    case LIMS_T_MOMENT_END:
        return "DATE|TIMESTAMP";
    case LIMS_T_ID_LIST:
        return "ID,...";
    case LIMS_T_STRING_LIST:
        return "TEXT,...";
    case LIMS_T_OBJECT:
    case LIMS_T_OBJECT_LIST:
        return "JSON|@FILE";
    default:
        return field->flags & LIMS_F_PATH     ? "FILE"
               : field->flags & LIMS_F_FILE   ? "TEXT|@FILE"
               : field->flags & LIMS_F_FILE64 ? "BASE64|@FILE"
                                              : "TEXT";
    }
}

/* Prints a text in indented lines that are wrapped at the width. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        apr_size_t length = strcspn(text, " \n");

        if (column > 0 && column + 1 + (int)length > WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += printf("%*s%.*s", column ? 1 : indent, "", (int)length, text);
        text += length;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

static void print_field(const lims_tool_t *tool, const lims_option_table_t *table,
                        const lims_field_t *field)
{
    bool required = (field->flags & LIMS_F_REQUIRED) && table->flags != LIMS_F_UPDATE;
    const char *end = required          ? " (required)"
                      : field->fallback ? apr_psprintf(tool->pool, " [%s]", field->fallback)
                                        : "";

    if (field->fallback && (!*field->fallback || table->flags == LIMS_F_UPDATE)) {
        end = "";
    }
    printf("  --%s %s%s\n", lims_option_name(field, tool->pool),
           lims_option_argument(field, tool->pool), end);
    if (field->doc) {
        print_wrapped(field->doc, INDENT);
    }
    for (const lims_field_t *member = field->members; member && member->name; member++) {
        print_wrapped(apr_pstrcat(tool->pool, member->name,
                                  member->flags & LIMS_F_REQUIRED ? " (required)" : "", ": ",
                                  lims_option_argument(member, tool->pool), member->doc ? ". " : "",
                                  member->doc, NULL),
                      INDENT + 4);
    }
}

static void print_globals(void)
{
    puts("\nOptions of every command:");
    for (const lims_global_option_t *option = lims_global_options; option->name; option++) {
        printf("  --%s%s%s\n", option->name, option->argument ? " " : "",
               option->argument ? option->argument : "");
        print_wrapped(option->doc, INDENT);
    }
}

static void print_command(const lims_tool_t *tool)
{
    const lims_route_t *route = tool->route;
    const char *description = route ? route->description : tool->command->description;
    lims_option_table_t tables[LIMS_OPTION_TABLES_MAX];
    int count = lims_tool_tables(tables, tool);

    printf("limsctl %s%s%s\n\n", route ? route->command : tool->command->name,
           lims_tool_has_id(tool) ? " ID" : "", count ? " [options]" : "");
    print_wrapped(
        apr_pstrcat(tool->pool, route ? route->summary : tool->command->summary, ".", NULL), 0);
    if (description) {
        print_wrapped(description, 0);
    }
    if (route && route->meaning) {
        print_wrapped(route->flags & LIMS_R_SIGN
                          ? "Signed with the acting user's password."
                      : route->flags & LIMS_R_SIGN_NEXT
                          ? "Signed with the acting user's password where it is not the first."
                          : "Signed with the acting user's password where the organization's "
                            "policy asks for it.",
                      0);
    }
    if (route && (route->flags & LIMS_R_REASON)) {
        puts("Needs --reason.");
    }
    if (count) {
        puts("\nOptions:");
    }
    for (int i = 0; i < count; i++) {
        for (const lims_field_t *field = tables[i].fields; field->name; field++) {
            if (lims_option_taken(&tables[i], field)) {
                print_field(tool, &tables[i], field);
            }
        }
    }
    print_globals();
}

/* Returns the length of the longest command's name. */
static int width_of_commands(void)
{
    apr_size_t width = 0;

    for (const lims_command_t *command = lims_commands; command->name; command++) {
        width = strlen(command->name) > width ? strlen(command->name) : width;
    }
    for (const lims_resource_t *const *resource = lims_resources; *resource; resource++) {
        for (const lims_route_t *route = (*resource)->routes; route->method; route++) {
            bool on = lims_route_is_on(route, LIMS_SURFACE_TOOL);

            width = on && strlen(route->command) > width ? strlen(route->command) : width;
        }
    }
    return (int)width;
}

/* Prints the commands of a noun; NULL: all commands. */
static void print_commands(const char *noun)
{
    int width = width_of_commands();

    for (const lims_command_t *command = lims_commands; command->name; command++) {
        if (!noun || lims_tool_of_noun(command->name, noun)) {
            printf("  %-*s  %s\n", width, command->name, command->summary);
        }
    }
    for (const lims_resource_t *const *resource = lims_resources; *resource; resource++) {
        for (const lims_route_t *route = (*resource)->routes; route->method; route++) {
            if (lims_route_is_on(route, LIMS_SURFACE_TOOL) &&
                (!noun || lims_tool_of_noun(route->command, noun))) {
                printf("  %-*s  %s\n", width, route->command, route->summary);
            }
        }
    }
}

static void print_noun(const char *noun)
{
    printf("limsctl %s ... [ID] [options]\n\nCommands:\n", noun);
    print_commands(noun);
    puts("\nlimsctl COMMAND --help shows the options of a command.");
}

static void print_overview(void)
{
    puts("limsctl [options] COMMAND [ID] [options]\n\n"
         "The command line of mod_lims " LIMS_VERSION ".\n\nCommands:");
    print_commands(NULL);
    puts("\nlimsctl COMMAND --help shows the options of a command.");
    print_globals();
    puts("\nExit status: 0 done, 1 refused by a rule, 2 wrong command line, 3 no such record,\n4 "
         "the database cannot be reached or an error occurred, 5 the schema does not fit.");
}

void lims_print_help(const lims_tool_t *tool)
{
    if (tool->noun) {
        print_noun(tool->noun);
    } else if (tool->route || tool->command) {
        print_command(tool);
    } else {
        print_overview();
    }
}
