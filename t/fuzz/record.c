/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text as an array of PostgreSQL, as a number and as a string: whatever
 * the database says, the answer is JSON.
 */
#include "kernel/record.h"

#include "fuzz.h"
#include "kernel/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const lims_type_e types[] = { LIMS_T_STRING_LIST, LIMS_T_STRING, LIMS_T_TIMESTAMP };
    apr_pool_t *pool = fuzz_pool();
    const char *text = apr_pstrmemdup(pool, (const char *)data, size);
    lims_json_t *root = NULL;
    apr_size_t length = 0;
    lims_writer_t *w = lims_writer_create(pool);
    const char *json;

    lims_writer_array_begin(w);
    for (apr_size_t i = 0; i < LIMS_LENGTH(types); i++) {
        lims_field_t field = { .name = "x", .type = types[i] };

        lims_record_write_value(w, &field, text);
    }
    lims_writer_array_end(w);
    json = lims_writer_finish(&length, w);
    must(json && strlen(json) == length, "what is written is whole");
    if (lims_utf8_valid(text, strlen(text)) && length < 100000) {
        must(!lims_json_parse(&root, json, length, pool), "what is written is JSON");
        must(root->count == 3, "of three values");
        must(strcmp(root->first->next->text, text) == 0, "a string is read as it was written");
    }
    apr_pool_destroy(pool);
    return 0;
}
