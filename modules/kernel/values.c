/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - the map of validated values. A request has a few dozen at most, for which a
 * linear search is fastest.
 */
#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

#include "kernel/validate.h"

#define FIRST_SIZE 16

lims_values_t *lims_values_create(apr_pool_t *pool)
{
    lims_values_t *values = apr_pcalloc(pool, sizeof(*values));

    values->pool = pool;
    values->size = FIRST_SIZE;
    values->items = apr_palloc(pool, FIRST_SIZE * sizeof(lims_value_t));
    return values;
}

static lims_value_t *find(const lims_values_t *values, const char *name)
{
    for (int i = 0; i < values->count; i++) {
        if (strcmp(values->items[i].name, name) == 0) {
            return &values->items[i];
        }
    }
    return NULL;
}

static lims_value_t *find_or_add(lims_values_t *values, const char *name)
{
    lims_value_t *value = find(values, name);

    if (value) {
        return value;
    }
    if (values->count == values->size) {
        lims_value_t *items =
            apr_palloc(values->pool, 2 * (apr_size_t)values->size * sizeof(*items));

        memcpy(items, values->items, (apr_size_t)values->size * sizeof(*items));
        values->items = items;
        values->size *= 2;
    }
    return &values->items[values->count++];
}

void lims_values_set(lims_values_t *values, const char *name, const char *text)
{
    *find_or_add(values, name) = (lims_value_t){ .name = name, .text = text };
}

void lims_values_put(lims_values_t *values, const lims_field_t *field, const char *text)
{
    *find_or_add(values, field->name) =
        (lims_value_t){ .name = field->name, .text = text, .field = field };
}

bool lims_values_has(const lims_values_t *values, const char *name)
{
    return find(values, name);
}

const char *lims_values_get(const lims_values_t *values, const char *name)
{
    const lims_value_t *value = find(values, name);

    return value ? value->text : NULL;
}

const lims_field_t *lims_field_find(const lims_field_t *fields, const char *name)
{
    for (const lims_field_t *field = fields; field && field->name; field++) {
        if (strcmp(field->name, name) == 0) {
            return field;
        }
    }
    return NULL;
}

const char *lims_bytea(const void *bytes, apr_size_t length, apr_pool_t *pool)
{
    return apr_pstrcat(pool, "\\x", apr_pescape_hex(pool, bytes, length, 0), NULL);
}
