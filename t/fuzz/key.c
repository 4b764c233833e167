/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One text as an API key and as the other tokens that come in headers.
 */
#include "kernel/key.h"

#include "fuzz.h"
#include "kernel/header_fields.h"
#include "kernel/scope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    char *text = apr_pstrmemdup(pool, (const char *)data, size);
    apr_size_t length = strlen(text);

    if (lims_key_well_formed(text)) {
        must(length == LIMS_KEY_LENGTH && strncmp(text, "lk_", 3) == 0, "a key has its form");
        text[3] = text[3] == '0' ? '1' : '0';
        must(!lims_key_well_formed(text), "a key has a checksum");
    }
    must(strlen(lims_key_prefix(text, pool)) <= 11, "little of it is shown");
    if (lims_request_id_valid(text)) {
        must(length <= 128 && !strpbrk(text, " \"\r\n\t<"), "an id can be logged");
        must(lims_idempotency_key_valid(text), "an id is a visible idempotency key");
    }
    must(!lims_media_type_json(text) || length >= 16, "a media type is a word");
    must(!lims_scope_in(text, "samples:read") || strstr(text, "samples:read") ||
             strpbrk(text, "{}\", ;") || length == 0,
         "a scope is named, or the list is empty");
    apr_pool_destroy(pool);
    return 0;
}
