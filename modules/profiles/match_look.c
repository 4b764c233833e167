/* SPDX-License-Identifier: Apache-2.0 */
/* match_look.c - views of a file for matching, each computed once. */
#include <apr_hash.h>
#include <apr_strings.h>

#include "profiles/match_look.h"

const lims_text_t *lims_look_text(lims_look_t *look, const char *charset)
{
    lims_text_t *text = apr_hash_get(look->texts, charset, APR_HASH_KEY_STRING);

    if (!text) {
        text = apr_pcalloc(look->pool, sizeof(*text));
        if (!lims_encoding_decode(text, look->bytes, look->length, charset, look->faults,
                                  look->pool)) {
            text->bytes = NULL;
        }
        look->readable = look->readable || text->bytes;
        apr_hash_set(look->texts, charset, APR_HASH_KEY_STRING, text);
    }
    return text->bytes ? text : NULL;
}

const lims_document_t *lims_look_document(lims_look_t *look)
{
    const lims_decoding_t decoding = { .charset = NULL };

    if (!look->read) {
        look->read = true;
        look->document =
            lims_document_read(look->bytes, look->length, &decoding, look->faults, look->pool);
        look->readable = look->document;
    }
    return look->document;
}

const char *lims_line_end(const char **next, const char *at, const char *end)
{
    const char *stop = at;

    while (stop < end && *stop != '\n' && *stop != '\r') {
        stop++;
    }
    *next = stop;
    if (*next < end) {
        *next += *stop == '\r' && stop + 1 < end && stop[1] == '\n' ? 2 : 1;
    }
    return stop;
}

/* Returns the first `count` lines of a text as a text. */
static lims_text_t head_of(const lims_text_t *text, int count, apr_pool_t *pool)
{
    const char *end = text->bytes + text->length;
    const char *at = text->bytes;
    lims_text_t head = *text;

    while (count-- > 0 && at < end) {
        lims_line_end(&at, at, end);
    }
    head.length = (apr_size_t)(at - text->bytes);
    head.bytes = apr_pstrmemdup(pool, text->bytes, head.length);
    return head;
}

static lims_dialect_t dialect_of(const lims_profile_t *profile)
{
    return (lims_dialect_t){
        .delimiter = profile->dialect.delimiter,
        .quote = profile->dialect.delimiter != '\0' || profile->dialect.unwrap
                     ? profile->dialect.quote
                     : '\0',
        .unwrap_record = profile->dialect.unwrap,
    };
}

/* Creates reasons that are only asked whether there are any, within the file's time. */
static lims_reasons_t *aside(const lims_look_t *look, apr_pool_t *pool)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);

    reasons->until = look->out->reasons->until;
    return reasons;
}

const lims_sheet_t *lims_look_rows(const char **why, const lims_look_t *look,
                                   const lims_profile_t *profile, const lims_text_t *text,
                                   apr_pool_t *pool)
{
    lims_reasons_t *reasons = aside(look, pool);
    lims_text_t head = head_of(text, profile->match.headers_within + 1, pool);
    lims_dialect_t dialect = dialect_of(profile);
    const lims_sheet_t *sheet = lims_delimited_read(&head, &dialect, reasons, pool);

    if (!sheet && !look->nearness && head.length < text->length) {
        reasons = aside(look, pool);
        sheet = lims_delimited_read(text, &dialect, reasons, pool);
    }
    *why = !sheet && reasons->list->nelts > 0
               ? APR_ARRAY_IDX(reasons->list, 0, lims_reason_t).message
               : NULL;
    return sheet ? lims_split(sheet, &profile->dialect, pool) : NULL;
}

const lims_document_t *lims_profile_document(const lims_profile_t *profile, const char *bytes,
                                             apr_size_t length, lims_reasons_t *reasons,
                                             apr_pool_t *pool)
{
    lims_dialect_t dialect = dialect_of(profile);
    const lims_decoding_t decoding = { .charset = profile->decode.charset, .dialect = &dialect };
    const lims_document_t *document = lims_document_read(bytes, length, &decoding, reasons, pool);
    lims_document_t *split;

    if (!document || document->container != LIMS_CONTAINER_TEXT) {
        return document;
    }
    split = apr_pmemdup(pool, document, sizeof(*split));
    split->sheets = lims_split(document->sheets, &profile->dialect, pool);
    return split;
}
