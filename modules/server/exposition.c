/* SPDX-License-Identifier: Apache-2.0 */
/* exposition.c - Prometheus' text exposition format 0.0.4. */
#include "server/exposition.h"

#include <apr_strings.h>
#include <string.h>

void lims_exposition_line(lims_exposition_t *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    APR_ARRAY_PUSH(text->parts, const char *) = apr_pvsprintf(text->pool, format, arguments);
    va_end(arguments);
}

void lims_exposition_head(lims_exposition_t *text, const char *name, const char *type,
                          const char *help)
{
    lims_exposition_line(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

const char *lims_exposition_label(const char *value, apr_pool_t *pool)
{
    char *label = apr_palloc(pool, 2 * strlen(value) + 1), *out = label;

    for (; *value; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n') {
            *out++ = '\\';
        }
        *out++ = *value == '\n' ? 'n' : *value;
    }
    *out = '\0';
    return label;
}
