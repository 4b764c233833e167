/* SPDX-License-Identifier: Apache-2.0 */
/*
 * composite.c - validation of compound values: lists, objects, and lists of objects.
 *
 * Objects reach the database as JSON that is written anew from what was
 * validated, never as the bytes that were sent, so a statement sees only known
 * members in canonical form.
 */
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/validate.h"

static const lims_error_t *write_value(lims_writer_t *w, const lims_field_t *field,
                                       const lims_json_t *node, const lims_json_path_t *path);

/* Returns the path of a member of an object or, if `name` is NULL, of an element of an
 * array. */
static lims_json_path_t member_path(const lims_json_path_t *parent, const char *name)
{
    return (lims_json_path_t){
        .pool = parent->pool,
        .kind = parent->kind,
        .parent = parent,
        .name = name,
    };
}

/* --- Lists of scalars ----------------------------------------------------------- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns a text that occurs twice; NULL: there is none. NULL texts are skipped. */
static const char *find_duplicate(const char *const *texts, int count, apr_pool_t *pool)
{
    const char **sorted = apr_palloc(pool, (apr_size_t)count * sizeof(const char *) + 1);
    int n = 0;

    for (int i = 0; i < count; i++) {
        if (texts[i]) {
            sorted[n++] = texts[i];
        }
    }
    qsort(sorted, (size_t)n, sizeof(*sorted), compare_texts);
    for (int i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            return sorted[i];
        }
    }
    return NULL;
}

static const lims_error_t *check_count(const lims_field_t *field, const lims_json_t *node,
                                       const lims_json_path_t *path)
{
    apr_int64_t max = field->max != 0 ? field->max : LIMS_LIST_MAX;

    if (node->type != LIMS_JSON_ARRAY) {
        return lims_refuse(field, NULL, path);
    }
    if (node->count < field->min || node->count > max) {
        return lims_refuse(field, apr_psprintf(path->pool, "it has %d", node->count), path);
    }
    return NULL;
}

/* Validates the elements of a list; `*texts` are their values in order, NULL for null.
 * Duplicates are refused, except in a list of places. */
static const lims_error_t *check_list(const char ***texts, const lims_field_t *field,
                                      const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_error_t *error = check_count(field, node, path);
    lims_json_path_t at = member_path(path, NULL);
    const lims_field_t element = {
        .name = field->name,
        .type = field->type == LIMS_T_ID_LIST ? LIMS_T_ID
                : field->values               ? LIMS_T_ENUM
                                              : LIMS_T_STRING,
        .flags = LIMS_F_REQUIRED,
        .min = 1,
        .values = field->values,
        .pattern = field->pattern,
    };
    const bool places = (field->flags & LIMS_F_PLACES) != 0;
    const char *repeated;

    if (error) {
        return error;
    }
    *texts = apr_palloc(path->pool, (apr_size_t)node->count * sizeof(const char *) + 1);
    for (const lims_json_t *item = node->first; item; item = item->next) {
        (*texts)[at.index] = NULL;
        if (!places || item->type != LIMS_JSON_NULL) {
            error = lims_validate_scalar(&(*texts)[at.index], &element, item, &at);
        }
        if (error) {
            return error;
        }
        at.index++;
    }
    repeated = places ? NULL : find_duplicate(*texts, node->count, path->pool);
    return !repeated
               ? NULL
               : lims_client_error(path->pool, path->kind, "%s has '%s' twice",
                                   lims_json_path_text(path), lims_excerpt(repeated, path->pool));
}

/* Quotes an element of an array literal (PostgreSQL manual, 8.15.6). */
static char *quote_element(char *end, const char *text)
{
    *end++ = '"';
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            *end++ = '\\';
        }
        *end++ = *text;
    }
    *end++ = '"';
    return end;
}

static const char *array_literal(const char *const *texts, int count, bool quoted, apr_pool_t *pool)
{
    apr_size_t size = 3;
    char *literal;
    char *end;

    for (int i = 0; i < count; i++) {
        size += texts[i] ? 2 * strlen(texts[i]) + 3 : sizeof("NULL");
    }
    literal = apr_palloc(pool, size);
    end = literal;
    *end++ = '{';
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            *end++ = ',';
        }
        if (quoted && texts[i]) {
            end = quote_element(end, texts[i]);
        } else {
            end =
                apr_cpystrn(end, texts[i] ? texts[i] : "NULL", size - (apr_size_t)(end - literal));
        }
    }
    *end++ = '}';
    *end = '\0';
    return literal;
}

/* --- Objects ------------------------------------------------------------------------ */

static void write_scalar(lims_writer_t *w, const lims_field_t *field, const char *text)
{
    switch (lims_field_json_type(field->type)) {
    case LIMS_JSON_NUMBER:
        lims_writer_raw(w, text);
        break;
    case LIMS_JSON_BOOLEAN:
        lims_writer_boolean(w, text[0] == 't');
        break;
    default:
        lims_writer_string(w, text);
        break;
    }
}

static const lims_error_t *write_list(lims_writer_t *w, const lims_field_t *field,
                                      const lims_json_t *node, const lims_json_path_t *path)
{
    const char **texts;
    const lims_error_t *error = check_list(&texts, field, node, path);

    if (error) {
        return error;
    }
    lims_writer_array_begin(w);
    for (int i = 0; i < node->count; i++) {
        if (field->type == LIMS_T_ID_LIST) {
            lims_writer_raw(w, texts[i]);
        } else {
            lims_writer_string(w, texts[i]);
        }
    }
    lims_writer_array_end(w);
    return NULL;
}

/* Writes the fallbacks of absent members; refuses an absent required one. */
static const lims_error_t *write_absent(lims_writer_t *w, const lims_field_t *members,
                                        const lims_json_t *node, const lims_json_path_t *path)
{
    for (const lims_field_t *field = members; field->name; field++) {
        lims_json_path_t at = member_path(path, field->name);

        if (lims_json_member(node, field->name)) {
            continue;
        }
        if (field->fallback) {
            lims_writer_key(w, field->name);
            write_scalar(w, field, field->fallback);
        } else if ((field->flags & LIMS_F_REQUIRED) != 0) {
            return lims_client_error(path->pool, path->kind, "%s is missing: it must be %s",
                                     lims_json_path_text(&at),
                                     lims_field_expectation(field, path->pool));
        }
    }
    return NULL;
}

static const lims_error_t *write_object(lims_writer_t *w, const lims_field_t *field,
                                        const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_error_t *error;

    if (node->type != LIMS_JSON_OBJECT) {
        return lims_client_error(path->pool, path->kind, "%s must be an object",
                                 lims_json_path_text(path));
    }
    lims_writer_object_begin(w);
    for (const lims_json_t *member = node->first; member; member = member->next) {
        const lims_field_t *known = lims_field_find(field->members, member->name);
        lims_json_path_t at = member_path(path, member->name);

        if (!known) {
            return lims_client_error(path->pool, path->kind, "%s is not a member known here",
                                     lims_json_path_text(&at));
        }
        lims_writer_key(w, known->name);
        error = write_value(w, known, member, &at);
        if (error) {
            return error;
        }
    }
    error = write_absent(w, field->members, node, path);
    lims_writer_object_end(w);
    return error;
}

static const lims_error_t *check_unique(const lims_field_t *field, const lims_json_t *node,
                                        const lims_json_path_t *path)
{
    const char **texts;
    const char *repeated;
    int n = 0;

    if (!field->unique) {
        return NULL;
    }
    texts = apr_pcalloc(path->pool, (apr_size_t)node->count * sizeof(const char *) + 1);
    for (const lims_json_t *item = node->first; item; item = item->next) {
        const lims_json_t *member = lims_json_member(item, field->unique);

        texts[n++] = member ? member->text : NULL;
    }
    repeated = find_duplicate(texts, n, path->pool);
    return !repeated ? NULL
                     : lims_client_error(path->pool, path->kind, "%s has the %s '%s' twice",
                                         lims_json_path_text(path), field->unique,
                                         lims_excerpt(repeated, path->pool));
}

static const lims_error_t *write_objects(lims_writer_t *w, const lims_field_t *field,
                                         const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_error_t *error = check_count(field, node, path);
    lims_json_path_t at = member_path(path, NULL);

    if (error) {
        return error;
    }
    lims_writer_array_begin(w);
    for (const lims_json_t *item = node->first; item; item = item->next) {
        error = write_object(w, field, item, &at);
        if (error) {
            return error;
        }
        at.index++;
    }
    lims_writer_array_end(w);
    return check_unique(field, node, path);
}

/* --- Rows ----------------------------------------------------------------------------- */

const lims_field_t lims_mistake_fields[] = {
    { .name = "path",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Member that is wrong.",
      .example = "samples[3].plantLocation" },
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Slug of the refusal that a sample alone would have met.",
      .example = "invalid_body" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Explanation for people. Its wording may change." },
    LIMS_FIELD_END,
};

/* Writes a mistake in a row; nothing where there is no error. */
static void write_mistake(lims_writer_t *w, const lims_error_t *error, const lims_json_path_t *path)
{
    if (error) {
        lims_writer_object_begin(w);
        lims_writer_key(w, "path");
        lims_writer_string(w, lims_json_path_text(path));
        lims_writer_key(w, "error");
        lims_writer_string(w, lims_error_kinds[error->kind].slug);
        lims_writer_key(w, "message");
        lims_writer_string(w, error->message);
        lims_writer_object_end(w);
    }
}

/* Writes a member of a row if it is valid. As in every creation null is the same as no
 * member, if the field may be cleared. */
static const lims_error_t *write_cell(lims_writer_t *w, const lims_field_t *members,
                                      const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_field_t *field = lims_field_find(members, node->name);
    lims_writer_t *value = lims_writer_create(path->pool);
    const lims_error_t *error = NULL;
    apr_size_t length;

    if (!field) {
        return lims_client_error(path->pool, path->kind, "%s is not a field known here",
                                 lims_json_path_text(path));
    }
    if ((field->flags & LIMS_F_CREATE) == 0) {
        return lims_field_elsewhere(field, path->pool);
    }
    if (node->type == LIMS_JSON_NULL) {
        return (field->flags & LIMS_F_NULLABLE) != 0
                   ? NULL
                   : lims_refuse(field, "null is not allowed", path);
    }
    error = write_value(value, field, node, path);
    if (!error) {
        lims_writer_key(w, field->name);
        lims_writer_raw(w, lims_writer_finish(&length, value));
    }
    return error;
}

/* Whether a row has a member that is not null. */
static bool has_cell(const lims_json_t *node, const char *name)
{
    const lims_json_t *member = lims_json_member(node, name);

    return member && member->type != LIMS_JSON_NULL;
}

/* Writes the members of a row that are valid or have a fallback, and its mistakes into
 * `mistakes`. */
static void write_row(lims_writer_t *w, lims_writer_t *mistakes, const lims_field_t *members,
                      const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_field_t row = { .type = LIMS_T_OBJECT };
    const lims_json_t *first = node->type == LIMS_JSON_OBJECT ? node->first : NULL;

    if (node->type != LIMS_JSON_OBJECT) {
        write_mistake(mistakes, lims_refuse(&row, NULL, path), path);
        return;
    }
    for (const lims_json_t *member = first; member; member = member->next) {
        lims_json_path_t at = member_path(path, member->name);

        write_mistake(mistakes, write_cell(w, members, member, &at), &at);
    }
    for (const lims_field_t *field = members; field->name; field++) {
        lims_json_path_t at = member_path(path, field->name);

        if ((field->flags & LIMS_F_CREATE) == 0 || has_cell(node, field->name)) {
            continue;
        }
        if (field->fallback) {
            lims_writer_key(w, field->name);
            write_scalar(w, field, field->fallback);
        } else if ((field->flags & LIMS_F_REQUIRED) != 0) {
            write_mistake(mistakes,
                          lims_client_error(path->pool, path->kind, "%s is missing: it must be %s",
                                            lims_json_path_text(&at),
                                            lims_field_expectation(field, path->pool)),
                          &at);
        }
    }
}

/* Writes a list of LIMS_F_ROWS. */
static const lims_error_t *write_rows(lims_writer_t *w, const lims_field_t *field,
                                      const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_error_t *error = check_count(field, node, path);
    lims_json_path_t at = member_path(path, NULL);
    apr_size_t length;

    if (error) {
        return error;
    }
    lims_writer_array_begin(w);
    for (const lims_json_t *item = node->first; item; item = item->next) {
        lims_writer_t *mistakes = lims_writer_create(path->pool);

        lims_writer_object_begin(w);
        lims_writer_key(w, "row");
        lims_writer_object_begin(w);
        lims_writer_array_begin(mistakes);
        write_row(w, mistakes, field->members, item, &at);
        lims_writer_array_end(mistakes);
        lims_writer_object_end(w);
        lims_writer_key(w, "mistakes");
        lims_writer_raw(w, lims_writer_finish(&length, mistakes));
        lims_writer_object_end(w);
        at.index++;
    }
    lims_writer_array_end(w);
    return NULL;
}

static const lims_error_t *write_value(lims_writer_t *w, const lims_field_t *field,
                                       const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_error_t *error = NULL;
    const char *text = NULL;

    if (node->type == LIMS_JSON_NULL && (field->flags & LIMS_F_NULLABLE) != 0) {
        lims_writer_null(w);
        return NULL;
    }
    switch (field->type) {
    case LIMS_T_ID_LIST:
    case LIMS_T_STRING_LIST:
        return write_list(w, field, node, path);
    case LIMS_T_OBJECT:
        return write_object(w, field, node, path);
    case LIMS_T_OBJECT_LIST:
        return (field->flags & LIMS_F_ROWS) ? write_rows(w, field, node, path)
                                            : write_objects(w, field, node, path);
    default:
        error = lims_validate_scalar(&text, field, node, path);
        if (!error) {
            write_scalar(w, field, text);
        }
        return error;
    }
}

/* --- Any value ------------------------------------------------------------------- */

const lims_error_t *lims_validate(const char **text, const lims_field_t *field,
                                  const lims_json_t *node, const lims_json_path_t *path)
{
    const lims_error_t *error;
    const char **texts;
    apr_size_t length;
    lims_writer_t *w;

    switch (field->type) {
    case LIMS_T_ID_LIST:
    case LIMS_T_STRING_LIST:
        error = check_list(&texts, field, node, path);
        if (!error) {
            *text =
                array_literal(texts, node->count, field->type == LIMS_T_STRING_LIST, path->pool);
        }
        return error;
    case LIMS_T_OBJECT:
    case LIMS_T_OBJECT_LIST:
        w = lims_writer_create(path->pool);
        error = write_value(w, field, node, path);
        *text = lims_writer_finish(&length, w);
        return error;
    default:
        return lims_validate_scalar(text, field, node, path);
    }
}
