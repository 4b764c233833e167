/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_strings.h>

#include "../lib/unit.h"
#include "kernel/field.h"
#include "kernel/validate.h"

static apr_pool_t *pool;

static void test_map(void)
{
    lims_values_t *values = lims_values_create(pool);

    ok(!lims_values_has(values, "a"), "an empty map has nothing");
    is(lims_values_get(values, "a"), NULL, "null gives no text");
    lims_values_set(values, "a", "1");
    lims_values_set(values, "b", NULL);
    is(lims_values_get(values, "a"), "1", "a value is found by its name");
    ok(lims_values_has(values, "b"), "a null was given");
    is(lims_values_get(values, "b"), NULL, "a null has no text");
    lims_values_set(values, "a", "2");
    is(lims_values_get(values, "a"), "2", "the later value stands");
    is_number(values->count, 2, "a value set again replaces the first");
    ok(!lims_values_has(values, "A"), "names differ by case");
}

static void test_growth(void)
{
    lims_values_t *values = lims_values_create(pool);
    int wrong = 0;

    for (int i = 0; i < 100; i++) {
        lims_values_set(values, apr_itoa(pool, i), apr_itoa(pool, i * i));
    }
    for (int i = 0; i < 100; i++) {
        const char *text = lims_values_get(values, apr_itoa(pool, i));

        wrong += !text || strcmp(text, apr_itoa(pool, i * i)) != 0;
        wrong += strcmp(values->items[i].name, apr_itoa(pool, i)) != 0;
    }
    is_number(wrong, 0, "a hundred values, in the order they came");
}

static void test_fields(void)
{
    static const lims_field_t fields[] = {
        { .name = "must", .type = LIMS_T_ID, .flags = LIMS_F_REQUIRED | LIMS_F_CREATE },
        { .name = "may", .type = LIMS_T_STRING, .flags = LIMS_F_CREATE },
        { .name = "flag", .type = LIMS_T_BOOLEAN, .flags = LIMS_F_CREATE, .fallback = "false" },
        { .name = "other", .type = LIMS_T_STRING, .flags = LIMS_F_REQUIRED },
        LIMS_FIELD_END,
    };
    lims_values_t *values = lims_values_create(pool);

    ok(lims_field_find(fields, "may") == &fields[1], "a field by its name");
    ok(!lims_field_find(fields, "none"), "an unknown name has no field");
    ok(!lims_field_find(NULL, "may"), "no table has no field");

    refuses(lims_values_complete(values, fields, LIMS_F_CREATE, LIMS_E_INVALID_BODY, pool),
            LIMS_E_INVALID_BODY, "must is missing", "a required field is missed");
    lims_values_put(values, &fields[0], "1");
    ok(values->items[0].field == &fields[0], "a value knows its field");
    passes(lims_values_complete(values, fields, LIMS_F_CREATE, LIMS_E_INVALID_BODY, pool),
           "a field without the flag is not missed");
    is(lims_values_get(values, "flag"), "f", "the fallback, as PostgreSQL reads it");
    ok(!lims_values_has(values, "may"), "no fallback, no value");
    lims_values_set(values, "flag", "t");
    passes(lims_values_complete(values, fields, LIMS_F_CREATE, LIMS_E_INVALID_BODY, pool),
           "completing again changes nothing");
    is(lims_values_get(values, "flag"), "t", "a fallback replaces nothing");
}

int main(void)
{
    pool = unit_pool();
    test_map();
    test_growth();
    test_fields();
    return tap_done();
}
