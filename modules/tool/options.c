/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - parsing the command line.
 *
 * A command's own options are fields of tables, so that the same validation applies as to
 * a request's body. A command's option hides a global one of the same name; before the
 * command's name all options are global.
 */
#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/error.h"
#include "kernel/route.h"
#include "tool/tool.h"

/* Largest file given as `--option @FILE`, bytes. */
#define FILE_MAX (16 * 1024 * 1024)

/* --- Commands and their options ------------------------------------------- */

static bool find_command(lims_tool_t *tool, const char *name)
{
    for (const lims_command_t *command = lims_commands; command->name; command++) {
        if (strcmp(command->name, name) == 0) {
            tool->command = command;
            return true;
        }
    }
    return lims_tool_route(&tool->resource, &tool->route, name);
}

static const lims_field_t *find_option(const lims_tool_t *tool, const char *name)
{
    lims_option_table_t tables[LIMS_OPTION_TABLES_MAX];
    int count = lims_tool_tables(tables, tool);

    for (int i = 0; i < count; i++) {
        for (const lims_field_t *field = tables[i].fields; field->name; field++) {
            if (lims_option_taken(&tables[i], field) &&
                strcmp(lims_option_name(field, tool->pool), name) == 0) {
                return field;
            }
        }
    }
    return NULL;
}

/* --- Global options ------------------------------------------------------- */

static const char **global_option(lims_tool_t *tool, const char *name)
{
    const struct {
        const char *name;
        const char **place;
    } places[] = {
        { "database", &tool->database },
        { "organization", &tool->organization },
        { "user", &tool->user },
        { "reason", &tool->reason },
        { "password-file", &tool->password_file },
        { "secret-key-file", &tool->secret_key_file },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(places); i++) {
        if (strcmp(places[i].name, name) == 0) {
            return places[i].place;
        }
    }
    return NULL;
}

static bool set_switch(lims_tool_t *tool, const char *name)
{
    if (strcmp(name, "json") == 0) {
        tool->json = true;
    } else if (strcmp(name, "help") == 0) {
        tool->help = true;
    } else if (strcmp(name, "version") == 0) {
        tool->version = true;
    } else {
        return false;
    }
    return true;
}

/* --- One argument after the other ----------------------------------------- */

typedef struct {
    lims_tool_t *tool;
    int count;
    const char *const *arguments;
    int next;
    const char *id; /* as given */
} reader_t;

/* Reads the value of an option: behind its '=', or the next argument. */
static const lims_error_t *read_value(const char **value, reader_t *reader, const char *name,
                                      const char *equals)
{
    if (equals) {
        *value = equals + 1;
        return NULL;
    }
    if (reader->next >= reader->count) {
        return lims_client_error(reader->tool->pool, LIMS_E_INVALID_QUERY, "--%s needs a value.",
                                 name);
    }
    *value = reader->arguments[reader->next++];
    return NULL;
}

/* Reads the value of a switch, which may be followed by true or false. */
static const char *read_switch(reader_t *reader, const char *equals)
{
    const char *next = reader->next < reader->count ? reader->arguments[reader->next] : "";

    if (equals) {
        return equals + 1;
    }
    if (strcmp(next, "true") == 0 || strcmp(next, "false") == 0) {
        reader->next++;
        return next;
    }
    return "true";
}

/* Reads a file of at most `most` bytes. */
static const lims_error_t *read_file(const char **text, apr_size_t *size, const char *name,
                                     apr_off_t most, apr_pool_t *pool)
{
    apr_file_t *file = NULL;
    apr_finfo_t info;
    apr_size_t length = 0;
    apr_status_t rv = apr_file_open(&file, name, APR_FOPEN_READ, APR_FPROT_OS_DEFAULT, pool);
    char reason[120];
    char *bytes;

    if (rv == APR_SUCCESS) {
        rv = apr_file_info_get(&info, APR_FINFO_SIZE, file);
    }
    if (rv != APR_SUCCESS) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s: %s", name,
                                 apr_strerror(rv, reason, sizeof(reason)));
    }
    if (info.size > most) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s is too large.", name);
    }
    bytes = apr_palloc(pool, (apr_size_t)info.size + 1);
    if (info.size > 0) {
        rv = apr_file_read_full(file, bytes, (apr_size_t)info.size, &length);
    }
    bytes[length] = '\0';
    apr_file_close(file);
    *text = bytes;
    *size = length;
    return rv == APR_SUCCESS
               ? NULL
               : lims_client_error(pool, LIMS_E_INVALID_QUERY, "%s cannot be read.", name);
}

/* Replaces the name of a file of at most `most` bytes by its text. */
static const lims_error_t *read_path(const char **text, apr_off_t most, apr_pool_t *pool)
{
    const char *name = *text;
    apr_size_t size = 0;
    const lims_error_t *error = read_file(text, &size, name, most, pool);

    if (!error && memchr(*text, '\0', size)) {
        error = lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                  "%s is not text: it has NUL characters.", name);
    }
    return error;
}

/* Replaces @FILE by the content of the file if the field takes a file; else it is a text. */
static const lims_error_t *read_at_file(const char **text, const lims_field_t *field,
                                        apr_pool_t *pool)
{
    bool document = field->type == LIMS_T_OBJECT || field->type == LIMS_T_OBJECT_LIST;
    const char *name = *text + 1;
    const lims_error_t *error;
    apr_size_t size = 0;

    if (!document && !(field->flags & (LIMS_F_FILE | LIMS_F_FILE64))) {
        return NULL;
    }
    *text = name;
    if (!(field->flags & LIMS_F_FILE64)) {
        return read_path(text, FILE_MAX, pool);
    }
    error = read_file(text, &size, name, FILE_MAX, pool);
    if (!error) {
        *text = lims_base64_encode(*text, size, pool);
    }
    return error;
}

static const lims_error_t *read_field_text(const char **text, reader_t *reader,
                                           const lims_field_t *field, const char *name,
                                           const char *equals)
{
    const lims_error_t *error;

    if (field->type == LIMS_T_BOOLEAN) {
        *text = read_switch(reader, equals);
        return NULL;
    }
    error = read_value(text, reader, name, equals);
    if (!error && (field->flags & LIMS_F_SECRET)) {
        error = lims_secret_read(text, *text, reader->tool->pool);
    } else if (!error && (field->flags & LIMS_F_PATH)) {
        error = read_path(text, (apr_off_t)field->max, reader->tool->pool);
    } else if (!error && (*text)[0] == '@') {
        error = read_at_file(text, field, reader->tool->pool);
    }
    return error;
}

static const lims_error_t *parse_field(reader_t *reader, const lims_field_t *field,
                                       const char *name, const char *equals)
{
    lims_tool_t *tool = reader->tool;
    const char *text = NULL;
    const lims_error_t *error;

    if (lims_values_has(tool->values, field->name)) {
        return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                 "--%s is given more than "
                                 "once.",
                                 name);
    }
    error = read_field_text(&text, reader, field, name, equals);
    if (!error) {
        error = lims_field_text(tool->values, lims_field_for_people(field, tool->pool), text,
                                LIMS_E_INVALID_BODY, tool->pool);
    }
    return error;
}

static const lims_error_t *parse_option(reader_t *reader, const char *argument)
{
    lims_tool_t *tool = reader->tool;
    const char *equals = strchr(argument, '=');
    const char *name =
        equals ? apr_pstrmemdup(tool->pool, argument, (apr_size_t)(equals - argument)) : argument;
    const lims_field_t *field = find_option(tool, name);
    const char **place = global_option(tool, name);

    if (field) {
        return parse_field(reader, field, name, equals);
    }
    if (strcmp(name, "id") == 0 && lims_tool_has_id(tool) && !reader->id) {
        return read_value(&reader->id, reader, name, equals);
    }
    if (place) {
        return *place ? lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                          "--%s is given more than once.", name)
                      : read_value(place, reader, name, equals);
    }
    if (!equals && set_switch(tool, name)) {
        return NULL;
    }
    return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                             "--%s is not an option of this "
                             "command.",
                             lims_printable(name, tool->pool));
}

/* Parses an argument behind the command's name. */
static const lims_error_t *parse_argument(reader_t *reader, const char *argument)
{
    lims_tool_t *tool = reader->tool;

    if (strncmp(argument, "--", 2) == 0 && argument[2]) {
        return parse_option(reader, argument + 2);
    }
    if (strcmp(argument, "-h") == 0) {
        tool->help = true;
        return NULL;
    }
    if (lims_tool_has_id(tool) && !reader->id) {
        reader->id = argument;
        return NULL;
    }
    return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                             "\"%s\" is one argument more "
                             "than this command takes.",
                             lims_printable(argument, tool->pool));
}

/* --- Command names -------------------------------------------------------- */

/* Lists the commands that begin with a word, for an error message. */
static const char *commands_of(const char *noun, apr_pool_t *pool)
{
    const char *text = "";

    for (const lims_command_t *command = lims_commands; command->name; command++) {
        if (lims_tool_of_noun(command->name, noun)) {
            text = apr_pstrcat(pool, text, *text ? ", " : "", command->name, NULL);
        }
    }
    for (const lims_resource_t *const *r = lims_resources; *r; r++) {
        for (const lims_route_t *route = (*r)->routes; route->method; route++) {
            if (lims_route_is_on(route, LIMS_SURFACE_TOOL) &&
                lims_tool_of_noun(route->command, noun)) {
                text = apr_pstrcat(pool, text, *text ? ", " : "", route->command, NULL);
            }
        }
    }
    return text;
}

static const lims_error_t *unknown_command(reader_t *reader, const char *first, const char *second)
{
    apr_pool_t *pool = reader->tool->pool;
    const char *known = commands_of(first, pool);
    const char *name =
        second && second[0] != '-' ? apr_pstrcat(pool, first, " ", second, NULL) : first;

    return lims_client_error(pool, LIMS_E_INVALID_QUERY, "There is no command \"%s\"; %s%s.",
                             lims_printable(name, pool),
                             *known ? "there are: " : "see limsctl --help", known);
}

/* Parses the command's name, of one or two words; the longer match is taken. */
static const lims_error_t *parse_command(reader_t *reader)
{
    lims_tool_t *tool = reader->tool;
    const char *first = reader->arguments[reader->next++];
    const char *second = reader->next < reader->count ? reader->arguments[reader->next] : NULL;

    if (second && find_command(tool, apr_pstrcat(tool->pool, first, " ", second, NULL))) {
        reader->next++;
        return NULL;
    }
    if (find_command(tool, first)) {
        return NULL;
    }
    /* Help about a noun lists its commands. */
    if (*commands_of(first, tool->pool) && second &&
        (strcmp(second, "--help") == 0 || strcmp(second, "-h") == 0)) {
        tool->help = true;
        tool->noun = first;
        reader->next++;
        return NULL;
    }
    return unknown_command(reader, first, second);
}

/* --- The whole line ------------------------------------------------------- */

static const lims_error_t *nothing_to_change(const lims_tool_t *tool)
{
    return lims_client_error(tool->pool, LIMS_E_NO_UPDATABLE_FIELDS,
                             "No option is given that changes a field.");
}

/* Gives the body of the command its member reason, and refuses where it is missing. */
static const lims_error_t *fill_reason(lims_tool_t *tool)
{
    const lims_route_t *route = tool->route;
    const lims_field_t *field;

    if (!route) {
        return NULL;
    }
    if ((route->flags & LIMS_R_REASON) && !(tool->reason && *tool->reason)) {
        return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                 "This command needs a reason: give --reason TEXT.");
    }
    field = lims_field_find(route->input  ? route->input
                            : route->body ? tool->resource->fields
                                          : NULL,
                            "reason");
    if (!field || !tool->reason || (field->flags & route->body) != route->body) {
        return NULL;
    }
    return lims_field_text(tool->values, field, tool->reason, LIMS_E_INVALID_BODY, tool->pool);
}

/* Sets the defaults of absent options; refuses absent required ones. */
static const lims_error_t *complete(lims_tool_t *tool)
{
    static const lims_json_t nothing = { .type = LIMS_JSON_OBJECT };
    lims_option_table_t tables[LIMS_OPTION_TABLES_MAX];
    int count = lims_tool_tables(tables, tool);
    const lims_error_t *error = NULL;

    for (int i = 0; i < count && !error; i++) {
        if (tables[i].query) {
            error = lims_field_query(tool->values, tables[i].fields, true, NULL, tool->pool);
        } else if (tables[i].flags != LIMS_F_UPDATE) {
            error = lims_field_body(tool->values, tables[i].fields, tables[i].flags, &nothing,
                                    tool->pool);
        }
    }
    return error;
}

/* Asks for required secrets that are not read from a file. */
static const lims_error_t *ask_secrets(lims_tool_t *tool)
{
    lims_option_table_t tables[LIMS_OPTION_TABLES_MAX];
    int count = lims_tool_tables(tables, tool);
    const unsigned wanted = LIMS_F_SECRET | LIMS_F_REQUIRED;
    const lims_error_t *error = NULL;

    for (int i = 0; i < count && !error; i++) {
        for (const lims_field_t *field = tables[i].fields; field->name && !error; field++) {
            const char *text = NULL;

            if ((field->flags & wanted) == wanted && lims_option_taken(&tables[i], field) &&
                !lims_values_has(tool->values, field->name)) {
                text = lims_secret_ask(apr_pstrcat(tool->pool, "New ", field->name, ": ", NULL),
                                       tool->pool);
            }
            if (text) {
                error = lims_field_text(tool->values, field, text, LIMS_E_INVALID_BODY, tool->pool);
            }
        }
    }
    return error;
}

static const lims_error_t *parse_id(reader_t *reader)
{
    lims_tool_t *tool = reader->tool;
    const char *id = NULL;
    const lims_error_t *error;

    if (!reader->id) {
        return lims_tool_has_id(tool)
                   ? lims_client_error(tool->pool, LIMS_E_INVALID_ID, "Which %s? Give its id.",
                                       tool->resource->name)
                   : NULL;
    }
    error = lims_field_id(&id, reader->id, tool->pool);
    if (error) {
        return lims_client_error(tool->pool, LIMS_E_INVALID_ID,
                                 "\"%s\" is not an id: ids are positive integers.",
                                 lims_printable(reader->id, tool->pool));
    }
    lims_values_set(tool->values, "id", id);
    return NULL;
}

static const lims_error_t *parse_all(reader_t *reader)
{
    const lims_error_t *error = NULL;

    while (!error && reader->next < reader->count) {
        const char *argument = reader->arguments[reader->next++];
        bool word = argument[0] != '-' && !reader->tool->command && !reader->tool->route;

        if (word) {
            reader->next--;
            error = parse_command(reader);
        } else {
            error = parse_argument(reader, argument);
        }
    }
    return error;
}

const lims_error_t *lims_tool_read(lims_tool_t *tool, int argc, const char *const *argv)
{
    reader_t reader = { .tool = tool, .count = argc, .arguments = argv, .next = 1 };
    const lims_error_t *error;

    tool->values = lims_values_create(tool->pool);
    error = parse_all(&reader);
    if (error || tool->help || tool->version) {
        return error;
    }
    if (!tool->command && !tool->route) {
        return lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                 "Which command? See limsctl --help.");
    }
    error = ask_secrets(tool);
    if (!error && tool->route && tool->route->body == LIMS_F_UPDATE && tool->values->count == 0) {
        return nothing_to_change(tool);
    }
    if (!error) {
        error = fill_reason(tool);
    }
    if (!error) {
        error = complete(tool);
    }
    return error ? error : parse_id(&reader);
}
