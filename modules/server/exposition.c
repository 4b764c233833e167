/* SPDX-License-Identifier: Apache-2.0 */
/* exposition.c - Prometheus' text exposition format 0.0.4. */
#include "server/exposition.h"

#include <apr_strings.h>

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
