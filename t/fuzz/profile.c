/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile: parsed, or refused in words. What is taken keeps its promises, and
 * taking it again gives the same answer.
 */
#include "profiles/profile.h"

#include "fuzz.h"

static void check_source(const lims_source_t *source)
{
    must(source->kind != LIMS_SOURCE_HEADER || (source->header && source->occurrence > 0),
         "a header has a name and a number");
    must(source->kind != LIMS_SOURCE_INDEX || source->index > 0, "columns count from 1");
    must(source->kind != LIMS_SOURCE_FIELD || (source->field.record && source->field.number > 0),
         "a field has a record and a number");
    must(source->kind != LIMS_SOURCE_FROM || source->from < LIMS_FROM_COUNT, "a place there is");
}

static void check_tests(const lims_profile_t *profile)
{
    must(profile->tests && profile->tests->nelts > 0, "there are tests");
    for (int i = 0; i < profile->tests->nelts; i++) {
        const lims_test_t *test = &APR_ARRAY_IDX(profile->tests, i, lims_test_t);

        must(test->names && test->names->nelts > 0, "a test has a name");
        must(test->test_code, "a test has a code");
        must(test->kind != LIMS_KIND_CHOICE || test->values, "choices are listed");
        must(!test->convert || (test->unit && test->file_unit), "a conversion has both units");
        for (int column = 0; column < LIMS_COLUMN_COUNT; column++) {
            if (test->columns[column]) {
                check_source(test->columns[column]);
            }
        }
    }
}

static void check_profile(const lims_profile_t *profile)
{
    must(profile->code && profile->name, "it has a code and a name");
    must(profile->layout < LIMS_LAYOUT_COUNT, "a profile has a layout");
    must(profile->match.containers != 0 && profile->match.containers >> LIMS_CONTAINER_COUNT == 0,
         "a profile has containers that there are");
    must(profile->decode.charset && profile->table.key_separator, "a profile has its defaults");
    must(profile->qualifiers.operators, "a profile has operators");
    must(profile->numbers.decimal == '.' || profile->numbers.decimal == ',',
         "a profile has a decimal sign");
    must(profile->columns[LIMS_COLUMN_TRACKING_ID].kind != LIMS_SOURCE_NONE,
         "a profile says where the tracking id is");
    for (int column = 0; column < LIMS_COLUMN_COUNT; column++) {
        check_source(&profile->columns[column]);
        must(profile->columns[column].kind != LIMS_SOURCE_HEADER || profile->table.has_header,
             "headers stand in a row");
    }
    check_tests(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const lims_profile_t *profile;
    const lims_profile_t *again;
    const lims_error_t *error = lims_profile_parse(&profile, (const char *)data, size, pool);
    const lims_error_t *second = lims_profile_parse(&again, (const char *)data, size, pool);

    must(!error == !!profile, "either a profile or a refusal");
    must(!error == !second, "the same again");
    if (error) {
        must_be_answerable(error, pool);
        must(strcmp(error->message, second->message) == 0, "in the same words");
    } else {
        check_profile(profile);
    }
    apr_pool_destroy(pool);
    return 0;
}
