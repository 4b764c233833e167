/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - default values of options, from the environment and the settings file.
 *
 * The command line takes precedence over the environment, and that over the file
 * /etc/mod_lims/limsctl.conf, which need not exist, or the one that LIMSCTL_CONF names.
 */
#include <apr_file_io.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "documents/document_key.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "tool/tool.h"

#define FILE_NAME "/etc/mod_lims/limsctl.conf"
#define LINE_MAX_LENGTH 4096

enum {
    DATABASE,
    SECRET_KEY_FILE,
    PRINTER,
    PRINTER_TIMEOUT,
    DOCUMENT_KEY,
    DOCUMENT_PASSPHRASE_FILE,
    APPLICATION,
    SETTINGS
};

/* Names of the settings in the environment and the file. */
static const char *const names[] = {
    [DATABASE] = "LIMS_DATABASE",
    [SECRET_KEY_FILE] = "LIMS_SECRET_KEY_FILE",
    [PRINTER] = "LIMS_PRINTER",
    [PRINTER_TIMEOUT] = "LIMS_PRINTER_TIMEOUT",
    [DOCUMENT_KEY] = "LIMS_DOCUMENT_KEY",
    [DOCUMENT_PASSPHRASE_FILE] = "LIMS_DOCUMENT_PASSPHRASE_FILE",
    [APPLICATION] = "LIMS_APPLICATION",
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

/* Returns the names of all settings: "A, B and C". */
static const char *all_names(apr_pool_t *pool)
{
    const char *all = names[0];

    for (int i = 1; i < SETTINGS; i++) {
        all = apr_pstrcat(pool, all, i + 1 < SETTINGS ? ", " : " and ", names[i], NULL);
    }
    return all;
}

/* Reads the settings of a file; `needed`: whether it has to exist. */
static const lims_error_t *read_file(const char *values[SETTINGS], const char *name, bool needed,
                                     apr_pool_t *pool)
{
    const char *odd = NULL;
    apr_file_t *file;
    char line[LINE_MAX_LENGTH];
    apr_status_t status =
        apr_file_open(&file, name, APR_FOPEN_READ | APR_FOPEN_BUFFERED, 0, pool);

    if (APR_STATUS_IS_ENOENT(status) && !needed) {
        return NULL;
    }
    if (status != APR_SUCCESS) {
        return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                 "The settings file %s cannot be read: %s.", name,
                                 apr_strerror(status, line, sizeof(line)));
    }
    for (int number = 1; !odd && apr_file_gets(line, sizeof(line), file) == APR_SUCCESS; number++) {
        odd = parse_line(values, line, pool);
        if (odd) {
            return lims_client_error(pool, LIMS_E_INVALID_QUERY,
                                     "%s, line %d: there is no setting \"%s\"; the settings are "
                                     "%s.",
                                     name, number, lims_printable(odd, pool), all_names(pool));
        }
    }
    apr_file_close(file);
    return NULL;
}

/* Sets the printer and what belongs to its documents. */
static const lims_error_t *set_printer(lims_tool_t *tool, const char *const values[SETTINGS])
{
    const char *timeout = values[PRINTER_TIMEOUT];
    char *end = NULL;
    apr_int64_t milliseconds = timeout ? apr_strtoi64(timeout, &end, 10) : LIMS_PRINTER_TIMEOUT;

    tool->printer = (lims_printer_t){ .program = values[PRINTER],
                                      .timeout = milliseconds * 1000 };
    tool->document_key = values[DOCUMENT_KEY];
    tool->document_passphrase_file = values[DOCUMENT_PASSPHRASE_FILE];
    tool->verification =
        values[APPLICATION] && *values[APPLICATION]
            ? apr_pstrcat(tool->pool, values[APPLICATION], "/verification/", NULL)
            : NULL;
    return milliseconds < LIMS_PRINTER_TIMEOUT_MIN || milliseconds > LIMS_PRINTER_TIMEOUT_MAX ||
                   (end && *end != '\0')
               ? lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                   "%s: \"%s\" is not a number of milliseconds from %d to %d.",
                                   names[PRINTER_TIMEOUT], lims_printable(timeout, tool->pool),
                                   LIMS_PRINTER_TIMEOUT_MIN, LIMS_PRINTER_TIMEOUT_MAX)
               : NULL;
}

const lims_error_t *lims_tool_settings(lims_tool_t *tool)
{
    const char *file = getenv("LIMSCTL_CONF");
    const char *values[SETTINGS] = { NULL };
    const lims_error_t *error = read_file(values, file ? file : FILE_NAME, file, tool->pool);

    for (int i = 0; i < SETTINGS; i++) {
        const char *own = getenv(names[i]);
        values[i] = own ? own : values[i];
    }
    tool->database = tool->database ? tool->database : values[DATABASE];
    tool->secret_key_file = tool->secret_key_file ? tool->secret_key_file : values[SECRET_KEY_FILE];
    return error ? error : set_printer(tool, values);
}

const lims_printer_t *lims_tool_printer(const lims_tool_t *tool)
{
    return tool->printer.program && *tool->printer.program ? &tool->printer : NULL;
}

const lims_error_t *lims_tool_document_key(lims_tool_t *tool)
{
    const char *file = tool->document_key;
    const char *problem = file && *file
                              ? lims_document_key_read(&tool->printer.key, file,
                                                       tool->document_passphrase_file, tool->pool)
                              : NULL;

    return problem ? lims_client_error(tool->pool, LIMS_E_INVALID_QUERY, "%s: %s.",
                                       names[DOCUMENT_KEY], problem)
                   : NULL;
}
