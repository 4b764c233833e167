/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first line is a Content-Type, the rest a body, which is fed as a whole and
 * in pieces: what comes out may not depend on that.
 */
#include "kernel/multipart.h"

#include "fuzz.h"
#include "kernel/utf8.h"

#define FILE_MAX 4096

static const lims_error_t *parse(const apr_array_header_t **parts, const char *type,
                                 const uint8_t *bytes, size_t length, size_t piece,
                                 apr_pool_t *pool)
{
    lims_multipart_t *form = NULL;
    const lims_error_t *error = lims_multipart_create(&form, type, "file", FILE_MAX, pool);

    for (size_t at = 0; at < length && !error; at += piece) {
        size_t size = at + piece > length ? length - at : piece;
        /* A copy of its own, so that a byte too far is seen. */
        char *copy = malloc(size);

        must(copy, "there is memory");
        memcpy(copy, bytes + at, size);
        error = lims_multipart_feed(form, copy, size);
        free(copy);
    }
    return error ? error : lims_multipart_finish(parts, form);
}

static void check_part(const lims_part_t *part)
{
    bool file = strcmp(part->name, "file") == 0;

    must(part->bytes && part->bytes[part->length] == '\0', "a part ends in NUL");
    must(part->length <= (file ? FILE_MAX : LIMS_MULTIPART_FIELD_MAX), "its length is bounded");
    must(part->name[0] != '\0' && lims_utf8_valid(part->name, strlen(part->name)),
         "a name is UTF-8");
    must(!part->file_name || !strpbrk(part->file_name, "/\\"), "a file name has no path");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const uint8_t *end = memchr(data, '\n', size);
    size_t line = end ? (size_t)(end - data) : size;
    const char *type = apr_pstrmemdup(pool, (const char *)data, line);
    const uint8_t *body = data + line + (end ? 1 : 0);
    size_t length = size - (size_t)(body - data);
    const apr_array_header_t *whole = NULL, *pieces = NULL;
    const lims_error_t *error = parse(&whole, type, body, length, length + 1, pool);
    const lims_error_t *again = parse(&pieces, type, body, length, 1 + line % 7, pool);

    must(!error == !again, "pieces do not matter");
    if (error) {
        must_be_answerable(error, pool);
        must(error->kind == again->kind, "pieces are refused as the whole is");
    } else {
        must(strcmp(lims_multipart_digest(whole, pool), lims_multipart_digest(pieces, pool)) == 0,
             "pieces are read as the whole is");
        for (int i = 0; i < whole->nelts; i++) {
            check_part(&APR_ARRAY_IDX(whole, i, lims_part_t));
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
