/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - members of a job's JSON, as they are printed. */
#ifndef LIMS_PRINT_MEMBERS_H
#define LIMS_PRINT_MEMBERS_H

#include "kernel/json.h"

/* Returns a member's text made visible, of a string, a number or a boolean; "" where it is
 * missing, null, an object or an array. */
const char *lims_member_text(const lims_json_t *object, const char *name, apr_pool_t *pool);

/* The same on one line. */
const char *lims_member_line(const lims_json_t *object, const char *name, apr_pool_t *pool);

/* Returns the text of a value, as lims_member_text() does. */
const char *lims_value_text(const lims_json_t *value, bool one_line, apr_pool_t *pool);

/* Returns a member's text as it was sent; NULL: no string. */
const char *lims_member_raw(const lims_json_t *object, const char *name);

/* Whether a member is true. */
bool lims_member_true(const lims_json_t *object, const char *name);

/* Whether a member is false; an absent one is not. */
bool lims_member_false(const lims_json_t *object, const char *name);

/* Returns a number; `otherwise` where there is none. */
double lims_member_number(const lims_json_t *object, const char *name, double otherwise);

/* Returns the first value of an array, NULL: it is missing, empty or no array. */
const lims_json_t *lims_member_list(const lims_json_t *object, const char *name);

/* Returns the number of values of an array. */
int lims_member_count(const lims_json_t *object, const char *name);

/* Returns a time "2026-11-20T07:05:09-07:00" as "2026-11-20 07:05", with `exactly` as
 * "2026-11-20 07:05:09 -07:00"; what is no time as it is. */
const char *lims_member_time(const lims_json_t *object, const char *name, bool exactly,
                             apr_pool_t *pool);

/* A text that grows: zeroed at first, "" then. */
typedef struct {
    char *text;
    apr_size_t length, room;
} lims_growing_t;

/* Adds a text at the end. */
void lims_grow(lims_growing_t *growing, const char *text, apr_pool_t *pool);

#endif /* LIMS_PRINT_MEMBERS_H */
