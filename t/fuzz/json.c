/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request body: parsed, then validated as a creation, as an update and
 * against a table of its own with every kind of field.
 */
#include "fuzz.h"
#include "kernel/field.h"
#include "kernel/utf8.h"

static const char *const values[] = { "routine", "rush", "stat", NULL };

static const lims_field_t member[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_REQUIRED },
    { .name = "s", .type = LIMS_T_STRING, .flags = LIMS_F_NULLABLE },
    { .name = "b", .type = LIMS_T_BOOLEAN, .fallback = "false" },
    { .name = "l", .type = LIMS_T_STRING_LIST },
    LIMS_FIELD_END,
};

#define BOTH (LIMS_F_CREATE | LIMS_F_UPDATE)

static const lims_field_t fields[] = {
    { .name = "i", .type = LIMS_T_ID, .flags = BOTH | LIMS_F_NULLABLE },
    { .name = "n", .type = LIMS_T_INTEGER, .min = -9, .max = 9, .flags = BOTH },
    { .name = "d", .type = LIMS_T_DECIMAL, .min = -1, .max = 1, .flags = BOTH },
    { .name = "b", .type = LIMS_T_BOOLEAN, .flags = BOTH },
    { .name = "s", .type = LIMS_T_STRING, .flags = BOTH | LIMS_F_NULLABLE },
    { .name = "p", .type = LIMS_T_STRING, .pattern = "^[a-z]*$", .flags = BOTH },
    { .name = "e", .type = LIMS_T_ENUM, .values = values, .flags = BOTH, .fallback = "stat" },
    { .name = "t", .type = LIMS_T_TIMESTAMP, .flags = BOTH },
    { .name = "a", .type = LIMS_T_DATE, .flags = LIMS_F_CREATE },
    { .name = "il", .type = LIMS_T_ID_LIST, .flags = BOTH },
    { .name = "sl", .type = LIMS_T_STRING_LIST, .flags = BOTH },
    { .name = "o", .type = LIMS_T_OBJECT, .members = member, .flags = BOTH },
    { .name = "ol",
      .type = LIMS_T_OBJECT_LIST,
      .members = member,
      .unique = "id",
      .flags = BOTH | LIMS_F_UNIQUE },
    { .name = "x", .type = LIMS_T_JSON, .flags = LIMS_F_OUT },
    LIMS_FIELD_END,
};

static void check_value(const lims_value_t *value, apr_pool_t *pool)
{
    lims_json_t *root = NULL;

    if (!value->text) {
        must((value->field->flags & LIMS_F_NULLABLE) != 0, "only nullable fields are null");
        return;
    }
    must(lims_utf8_valid(value->text, strlen(value->text)), "a value is UTF-8");
    if (value->field->type == LIMS_T_OBJECT || value->field->type == LIMS_T_OBJECT_LIST) {
        must(!lims_json_parse(&root, value->text, strlen(value->text), pool),
             "an object is written as JSON");
    }
    if (value->field->type == LIMS_T_ID) {
        must(strtoll(value->text, NULL, 10) > 0, "an id is positive");
    }
}

static void check_body(unsigned flags, const lims_json_t *root, apr_pool_t *pool)
{
    lims_values_t *taken = lims_values_create(pool);
    const lims_error_t *error = lims_field_body(taken, fields, flags, root, pool);

    if (error) {
        must_be_answerable(error, pool);
        return;
    }
    for (int i = 0; i < taken->count; i++) {
        check_value(&taken->items[i], pool);
    }
}

/* Checks a tree that the parser accepted: code that uses it trusts it. */
static void check_tree(const lims_json_t *node, int depth)
{
    int count = 0;

    must(depth <= LIMS_JSON_DEPTH_MAX + 1, "the depth is limited");
    if (node->text) {
        must(strlen(node->text) == node->length, "no NUL is inside");
        must(lims_utf8_valid(node->text, node->length), "strings are UTF-8");
    }
    for (const lims_json_t *child = node->first; child; child = child->next) {
        must(!!child->name == (node->type == LIMS_JSON_OBJECT), "members have names");
        check_tree(child, depth + 1);
        count++;
    }
    must(count == node->count, "children are counted");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    lims_json_t *root = NULL;
    const lims_error_t *error = lims_json_parse(&root, (const char *)data, size, pool);

    must(!error == !!root, "either a tree or a refusal");
    if (error) {
        must_be_answerable(error, pool);
    } else {
        check_tree(root, 1);
        check_body(LIMS_F_CREATE, root, pool);
        check_body(LIMS_F_UPDATE, root, pool);
        check_body(0, root, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
