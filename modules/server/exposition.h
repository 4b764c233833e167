/* SPDX-License-Identifier: Apache-2.0 */
/* exposition.h - Prometheus' text exposition format 0.0.4. */
#ifndef LIMS_EXPOSITION_H
#define LIMS_EXPOSITION_H

#include <apr_tables.h>

/* Collects lines, which are joined at the end. */
typedef struct {
    apr_array_header_t *parts; /* const char * */
    apr_pool_t *pool;
} lims_exposition_t;

/* Adds text, which includes its line feeds. */
void lims_exposition_line(lims_exposition_t *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Escapes the value of a label. */
const char *lims_exposition_label(const char *value, apr_pool_t *pool);

/* Begins a metric; `type` is "counter", "gauge" or "histogram". */
void lims_exposition_head(lims_exposition_t *text, const char *name, const char *type,
                          const char *help);

#endif /* LIMS_EXPOSITION_H */
