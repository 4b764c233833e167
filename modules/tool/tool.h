/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - limsctl, the administrator's command line.
 *
 * A command is either a route of a resource that has a `.command` ("sample
 * create"), carried out by the same tables, statements and rules as through
 * the REST API, or one of the few of commands.c that are about the service
 * itself ("migrate"). The options of both are tables of fields, `--batch-number`
 * being the field batchNumber.
 *
 * Exit status, part of the interface: see lims_exit_e.
 */
#ifndef LIMS_TOOL_H
#define LIMS_TOOL_H

#include <stdio.h>

#include "kernel/field.h"
#include "lims.h"

typedef enum {
    LIMS_EXIT_OK = 0,
    LIMS_EXIT_REFUSED = 1,   /* a rule, a gate or a check said no; nothing was changed */
    LIMS_EXIT_USAGE = 2,     /* the command line itself is wrong */
    LIMS_EXIT_NOT_FOUND = 3, /* no such record */
    LIMS_EXIT_SYSTEM = 4,    /* the database is out of reach, or something broke */
    LIMS_EXIT_SCHEMA = 5     /* the database schema does not fit this limsctl */
} lims_exit_e;

typedef struct lims_tool_t lims_tool_t;
typedef struct lims_command_t lims_command_t;

/* A command that is no route. */
struct lims_command_t {
    const char *name;
    const char *summary;
    const char *description;     /* longer, or NULL */
    const lims_field_t *options; /* or NULL */
    lims_exit_e (*run)(lims_tool_t *tool);
};

/* The table of those, ending with a NULL name (commands.c). */
extern const lims_command_t lims_commands[];

/* One call of limsctl. */
struct lims_tool_t {
    apr_pool_t *pool;
    /* Either of these two, once the command is known. */
    const lims_command_t *command;
    const lims_route_t *route;
    const lims_resource_t *resource; /* of the route */
    lims_values_t *values;           /* of the command's own options */
    /* Options that every command takes; NULL: not given. */
    const char *database;
    const char *organization;
    const char *user;
    const char *reason;
    const char *password_file;
    const char *secret_key_file;
    bool json;
    bool help;
    const char *noun; /* of the commands that help is wanted about; or NULL */
    bool version;
};

/* --- Commands (option_tables.c) ---------------------------------------------- */

/* The route of a command ("sample create"); false when there is none. */
bool lims_tool_route(const lims_resource_t **resource, const lims_route_t **route,
                     const char *command);

/* Whether a command is one of a noun: "sample create" of "sample". NULL is none. */
bool lims_tool_of_noun(const char *command, const char *noun);

/* --- Options (option_tables.c, options.c) ------------------------------------ */

/* An option of every command. */
typedef struct {
    const char *name;
    const char *argument; /* NULL: a switch */
    const char *doc;
} lims_global_option_t;

/* Ends with a NULL name. */
extern const lims_global_option_t lims_global_options[];

/* A table that a command takes options from: its fields with all of `flags`. */
typedef struct {
    const lims_field_t *fields;
    unsigned flags;
    bool query;
} lims_option_table_t;

#define LIMS_OPTION_TABLES_MAX 3

int lims_tool_tables(lims_option_table_t tables[LIMS_OPTION_TABLES_MAX], const lims_tool_t *tool);

/* Is the field an option of a table? */
bool lims_option_taken(const lims_option_table_t *table, const lims_field_t *field);

/* "batch-number" for batchNumber, "password-file" for the secret password. */
const char *lims_option_name(const lims_field_t *field, apr_pool_t *pool);

/* What its value looks like: "ID", "block|warn". */
const char *lims_option_argument(const lims_field_t *field, apr_pool_t *pool);

/* Is the command about one record, whose id it is given? */
bool lims_tool_has_id(const lims_tool_t *tool);

/* Reads the command line into `tool`. Everything wrong with it is an error. */
const lims_error_t *lims_tool_read(lims_tool_t *tool, int argc, const char *const *argv);

/* Fills in what neither the command line nor `tool` says yet (settings.c). */
const lims_error_t *lims_tool_settings(lims_tool_t *tool);

/* --- Secrets (password_input.c) --------------------------------------------------- */

/* The first line of a file ("-": standard input). */
const lims_error_t *lims_secret_read(const char **secret, const char *file, apr_pool_t *pool);

/* Asks at the terminal without echo; NULL when there is none. */
const char *lims_secret_ask(const char *prompt, apr_pool_t *pool);

/* The keys of the key file that the command line names (keyring.c). */
const lims_error_t *lims_tool_keyring(const lims_keyring_t **ring, const lims_tool_t *tool);

/* --- Output (print.c, printable.c, help.c, command_man.c) ---------------- */

/* A JSON text for people: names and values, lists as tables. */
void lims_print(FILE *out, const char *json, apr_size_t length, apr_pool_t *pool);

/* The same on standard output, with --json as it is. */
void lims_print_answer(const lims_tool_t *tool, const char *json, apr_size_t length);

/* The bytes that a JSON text has as contentBase64. False if it has none. */
bool lims_print_bytes(FILE *out, const char *json, apr_size_t length, apr_pool_t *pool);

/* A text without what could control the terminal: a blank for each such character,
 * a question mark for what is no UTF-8 (printable.c). */
const char *lims_printable(const char *text, apr_pool_t *pool);

/* A JSON text with such characters escaped: the same JSON. */
const char *lims_printable_json(const char *json, apr_pool_t *pool);

/* What went wrong, as the options ask for it. Returns the exit status. */
lims_exit_e lims_print_error(const lims_tool_t *tool, const lims_error_t *error);

/* Help for the command, or for limsctl when none is given. */
void lims_print_help(const lims_tool_t *tool);

lims_exit_e lims_command_man(lims_tool_t *tool);
lims_exit_e lims_command_openapi(lims_tool_t *tool);
lims_exit_e lims_command_migrate(lims_tool_t *tool);
lims_exit_e lims_command_check(lims_tool_t *tool);
lims_exit_e lims_command_demo(lims_tool_t *tool);
lims_exit_e lims_command_rekey(lims_tool_t *tool);
lims_exit_e lims_command_scan(lims_tool_t *tool);
lims_exit_e lims_command_retention(lims_tool_t *tool);
lims_exit_e lims_command_secret_key(lims_tool_t *tool);
lims_exit_e lims_command_reevaluate(lims_tool_t *tool);

/* The options of those that have some. */
extern const lims_field_t lims_migrate_options[];
extern const lims_field_t lims_check_options[];
extern const lims_field_t lims_openapi_options[];
extern const lims_field_t lims_demo_options[];
extern const lims_field_t lims_scan_options[];
extern const lims_field_t lims_retention_options[];
extern const lims_field_t lims_secret_key_options[];
extern const lims_field_t lims_reevaluate_options[];

#endif /* LIMS_TOOL_H */
