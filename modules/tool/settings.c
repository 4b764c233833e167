/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - default values of options, from the environment and the settings file.
 *
 * The command line takes precedence over the environment, and that over the file
 * /etc/mod_lims/limsctl.conf (or the one that LIMSCTL_CONF names). A file that the user
 * may not read is ignored.
 */
#include <apr_file_io.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "tool/tool.h"

#define FILE_NAME "/etc/mod_lims/limsctl.conf"
#define LINE_MAX_LENGTH 4096

/* Longest time for printing a document, as LimsPrinterTimeout is by default. */
#define PRINTER_TIMEOUT apr_time_from_sec(10)

enum { DATABASE, SECRET_KEY_FILE, PRINTER, SETTINGS };

/* Names of the settings in the environment and the file. */
static const char *const names[] = {
    [DATABASE] = "LIMS_DATABASE",
    [SECRET_KEY_FILE] = "LIMS_SECRET_KEY_FILE",
    [PRINTER] = "LIMS_PRINTER",
};

_Static_assert(LIMS_LENGTH(names) == SETTINGS, "a name for each");

static char *trim(char *text)
{
    apr_size_t length;

    while (apr_isspace(*text)) {
        text++;
    }
    for (length = strlen(text); length > 0 && apr_isspace(text[length - 1]); length--) {
        text[length - 1] = '\0';
    }
    return text;
}

/* Removes the quotes around a value. */
static const char *unquote(char *value)
{
    apr_size_t length = strlen(value);

    if (length > 1 && (*value == '"' || *value == '\'') && value[length - 1] == *value) {
        value[length - 1] = '\0';
        return value + 1;
    }
    return value;
}

/* Parses a line NAME=value. Returns NULL, or the mistake. */
static const char *parse_line(const char *values[SETTINGS], char *line, apr_pool_t *pool)
{
    char *name = trim(line), *value = strchr(name, '=');

    if (*name == '\0' || *name == '#') {
        return NULL;
    }
    if (!value) {
        return name;
    }
    *value++ = '\0';
    name = trim(name);
    for (int i = 0; i < SETTINGS; i++) {
        if (strcmp(name, names[i]) == 0) {
            values[i] = apr_pstrdup(pool, unquote(trim(value)));
            return NULL;
        }
    }
    return name;
}

static const lims_error_t *read_file(const char *values[SETTINGS], const char *name,
                                     apr_pool_t *pool)
{
    const char *odd = NULL;
    apr_file_t *file;
    char line[LINE_MAX_LENGTH];

    if (apr_file_open(&file, name, APR_FOPEN_READ | APR_FOPEN_BUFFERED, 0, pool) != APR_SUCCESS) {
        return NULL;
    }
    for (int number = 1; !odd && apr_file_gets(line, sizeof(line), file) == APR_SUCCESS; number++) {
        odd = parse_line(values, line, pool);
        if (odd) {
            return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                     "%s, line %d: there is no setting \"%s\"; the settings are "
                                     "%s, %s and %s.",
                                     name, number, lims_printable(odd, pool), names[DATABASE],
                                     names[SECRET_KEY_FILE], names[PRINTER]);
        }
    }
    apr_file_close(file);
    return NULL;
}

const lims_error_t *lims_tool_settings(lims_tool_t *tool)
{
    const char *file = getenv("LIMSCTL_CONF");
    const char *values[SETTINGS] = { NULL };
    const lims_error_t *error = read_file(values, file ? file : FILE_NAME, tool->pool);

    for (int i = 0; i < SETTINGS; i++) {
        const char *own = getenv(names[i]);
        values[i] = own ? own : values[i];
    }
    tool->database = tool->database ? tool->database : values[DATABASE];
    tool->secret_key_file = tool->secret_key_file ? tool->secret_key_file : values[SECRET_KEY_FILE];
    tool->printer = (lims_printer_t){ .program = values[PRINTER], .timeout = PRINTER_TIMEOUT };
    return error;
}

const lims_printer_t *lims_tool_printer(const lims_tool_t *tool)
{
    return tool->printer.program && *tool->printer.program ? &tool->printer : NULL;
}
