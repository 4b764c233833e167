/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - limsctl, the administrator's command line.
 *
 * A command is either a route with a `.command` ("sample create"), for which the same
 * tables, statements and rules hold as in the REST API, or a row of commands.c, for the
 * administration of the service itself ("migrate"). The options of both are tables of
 * fields: `--batch-number` is the field batchNumber.
 *
 * Exit status, part of the interface: see lims_exit_e.
 */
#ifndef LIMS_TOOL_H
#define LIMS_TOOL_H

#include <stdio.h>

#include "documents/printer.h"
#include "kernel/field.h"
#include "lims.h"

typedef enum {
    LIMS_EXIT_OK = 0,
    LIMS_EXIT_REFUSED = 1,   /* refused by a rule, a gate or a check; nothing was changed */
    LIMS_EXIT_USAGE = 2,     /* the command line is invalid */
    LIMS_EXIT_NOT_FOUND = 3, /* no such record */
    LIMS_EXIT_SYSTEM = 4,    /* the database cannot be reached, or an internal error */
    LIMS_EXIT_SCHEMA = 5     /* the database schema does not fit this limsctl */
} lims_exit_e;

typedef struct lims_tool_t lims_tool_t;
typedef struct lims_command_t lims_command_t;

/* A command that is not a route. */
struct lims_command_t {
    const char *name;
    const char *summary;
    const char *description;     /* longer, or NULL */
    const lims_field_t *options; /* or NULL */
    lims_exit_e (*run)(lims_tool_t *tool);
};

/* The commands that are not routes; ends with a NULL name (commands.c). */
extern const lims_command_t lims_commands[];

/* One call of limsctl. */
struct lims_tool_t {
    apr_pool_t *pool;
    /* The command or the route to run; one of the two is set once the command line is
     * read. */
    const lims_command_t *command;
    const lims_route_t *route;
    const lims_resource_t *resource; /* of the route */
    lims_values_t *values;           /* of the command's own options */
    /* Options of every command; NULL: not given. */
    const char *database;
    const char *organization;
    const char *user;
    const char *reason;
    const char *password_file;
    const char *secret_key_file;
    lims_printer_t printer; /* its program: LIMS_PRINTER; NULL: there is none */
    const char *document_key;
    const char *document_passphrase_file;
    const char *verification; /* address below which certificates are verified; or NULL */
    bool json;
    bool help;
    const char *noun; /* help is asked for about the commands of this noun; or NULL */
    bool version;
};

/* --- Commands (option_tables.c) ---------------------------------------------- */

/* Finds the route of a command ("sample create"). False: there is none. */
bool lims_tool_route(const lims_resource_t **resource, const lims_route_t **route,
                     const char *command);

/* Whether a command belongs to a noun, as "sample create" to "sample". False for a NULL
 * command. */
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

/* A table of options of a command: its fields that have all of `flags`. */
typedef struct {
    const lims_field_t *fields;
    unsigned flags;
    bool query;
} lims_option_table_t;

#define LIMS_OPTION_TABLES_MAX 3

/* Fills in the tables of the command's options and returns how many there are. */
int lims_tool_tables(lims_option_table_t tables[LIMS_OPTION_TABLES_MAX], const lims_tool_t *tool);

/* Whether a field of the table is an option. */
bool lims_option_taken(const lims_option_table_t *table, const lims_field_t *field);

/* Returns the option's name for a field, in `pool`: "batch-number" for batchNumber,
 * "password-file" for the secret password. */
const char *lims_option_name(const lims_field_t *field, apr_pool_t *pool);

/* Returns the placeholder of the option's value for help texts: "ID", "block|warn". In
 * `pool`, or static. */
const char *lims_option_argument(const lims_field_t *field, apr_pool_t *pool);

/* Whether the command concerns one record and takes its id as an argument. */
bool lims_tool_has_id(const lims_tool_t *tool);

/* Parses the command line into `tool`. LIMS_E_INVALID_QUERY names the first mistake. */
const lims_error_t *lims_tool_read(lims_tool_t *tool, int argc, const char *const *argv);

/* Fills in options that are not set yet, from the environment and the settings file
 * (settings.c). */
const lims_error_t *lims_tool_settings(lims_tool_t *tool);

/* Returns the printer of the settings; NULL: there is none. */
const lims_printer_t *lims_tool_printer(const lims_tool_t *tool);

/* Reads the key of the settings, if any, by which the printer's documents are signed. */
const lims_error_t *lims_tool_document_key(lims_tool_t *tool);

/* --- Secrets (password_input.c) --------------------------------------------------- */

/* Reads a secret: the first line of a file ("-": standard input). `*secret` is in `pool`. */
const lims_error_t *lims_secret_read(const char **secret, const char *file, apr_pool_t *pool);

/* Asks for a secret at the terminal, without echo. NULL: there is no terminal. */
const char *lims_secret_ask(const char *prompt, apr_pool_t *pool);

/* Reads the key file that the command line names, in the tool's pool (keyring.c). */
const lims_error_t *lims_tool_keyring(const lims_keyring_t **ring, const lims_tool_t *tool);

/* --- Output (print.c, printable.c, help.c, command_man.c) ---------------- */

/* Prints a JSON text for people: names and values, arrays of objects as tables. */
void lims_print(FILE *out, const char *json, apr_size_t length, apr_pool_t *pool);

/* Prints likewise, without leaving out columns that are too wide for the terminal. */
void lims_print_whole(FILE *out, const char *json, apr_pool_t *pool);

/* Prints a JSON text on standard output: with --json as JSON, else for people. */
void lims_print_answer(const lims_tool_t *tool, const char *json, apr_size_t length);

/* Writes the bytes of the member contentBase64 of a JSON text. False: it has none. */
bool lims_print_bytes(FILE *out, const char *json, apr_size_t length, apr_pool_t *pool);

/* Returns a copy of the text, in `pool`, that cannot control the terminal: each control
 * character is replaced by a blank, each malformed byte of UTF-8 by a question mark
 * (printable.c). */
const char *lims_printable(const char *text, apr_pool_t *pool);

/* Returns a JSON text with such characters escaped, in `pool`; its meaning is the same. */
const char *lims_printable_json(const char *json, apr_pool_t *pool);

/* Prints an error on standard error, with --json as JSON, and returns the exit status for
 * it. */
lims_exit_e lims_print_error(const lims_tool_t *tool, const lims_error_t *error);

/* Prints the help of the command, or of limsctl if there is no command. */
void lims_print_help(const lims_tool_t *tool);

/* --- Commands that are no route: the functions of lims_commands[] (commands.c) ----- */

/* Prints the manual page. */
lims_exit_e lims_command_man(lims_tool_t *tool);

/* Prints the OpenAPI document. */
lims_exit_e lims_command_openapi(lims_tool_t *tool);

/* Creates or upgrades the schema, or lists the migrations. */
lims_exit_e lims_command_migrate(lims_tool_t *tool);

/* Checks database and server, and prints the findings. */
lims_exit_e lims_command_check(lims_tool_t *tool);

/* Loads the demonstration data. */
lims_exit_e lims_command_demo(lims_tool_t *tool);

/* Encrypts the secrets of webhooks with the first key of the key file. */
lims_exit_e lims_command_rekey(lims_tool_t *tool);

/* Runs the lifecycle scan. */
lims_exit_e lims_command_scan(lims_tool_t *tool);

/* Deletes expired events, deliveries and stored answers. */
lims_exit_e lims_command_retention(lims_tool_t *tool);

/* Closes blocks of the audit trail. */
lims_exit_e lims_command_audit_close(lims_tool_t *tool);

/* Writes the signed heads of all organizations. */
lims_exit_e lims_command_audit_export_all_heads(lims_tool_t *tool);

/* Writes old blocks of the audit trail to a file, and removes their entries. */
lims_exit_e lims_command_audit_archive(lims_tool_t *tool);

/* Verifies such a file, and compares it with the database. */
lims_exit_e lims_command_audit_verify_archive(lims_tool_t *tool);

/* Prints the documents of certificates that wait. */
lims_exit_e lims_command_print(lims_tool_t *tool);

/* Adds a new key to the key file, as its first; makes the file if there is none. */
lims_exit_e lims_command_secret_key(lims_tool_t *tool);

/* Reads quarantined files again. */
lims_exit_e lims_command_reevaluate(lims_tool_t *tool);

/* The options of these commands. */
extern const lims_field_t lims_migrate_options[];
extern const lims_field_t lims_check_options[];
extern const lims_field_t lims_openapi_options[];
extern const lims_field_t lims_demo_options[];
extern const lims_field_t lims_scan_options[];
extern const lims_field_t lims_retention_options[];
extern const lims_field_t lims_print_options[];
extern const lims_field_t lims_export_all_heads_options[];
extern const lims_field_t lims_archive_options[];
extern const lims_field_t lims_verify_archive_options[];
extern const lims_field_t lims_secret_key_options[];
extern const lims_field_t lims_reevaluate_options[];

#endif /* LIMS_TOOL_H */
