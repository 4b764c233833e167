/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - reading of a file by its container. */
#include "formats/read.h"

#include "formats/html.h"
#include "formats/workbook.h"

typedef struct {
    const char *bytes;
    apr_size_t length;
    const char *charset;
    const lims_dialect_t *dialect;
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} input_t;

/* Reader of a container: fills the container's members of the document; false with
 * reasons. */
typedef bool reader_t(lims_document_t *document, const input_t *in);

static bool set_sheet(lims_document_t *document, const lims_sheet_t *sheet)
{
    document->count = sheet ? 1 : 0;
    document->sheets = sheet;
    return sheet;
}

static bool read_text(lims_document_t *document, const input_t *in)
{
    lims_text_t *text = apr_pcalloc(in->pool, sizeof(*text));

    if (!lims_encoding_decode(text, in->bytes, in->length, in->charset, in->reasons, in->pool)) {
        return false;
    }
    document->text = text;
    document->encoding = text->encoding;
    document->dialect = in->dialect ? *in->dialect : lims_dialect_of(text);
    return set_sheet(document,
                     lims_delimited_read(text, &document->dialect, in->reasons, in->pool));
}

/* A page may declare its charset itself, which takes precedence over the
 * profile's. */
static bool read_html(lims_document_t *document, const input_t *in)
{
    const char *charset = lims_html_charset(in->bytes, in->length, in->pool);
    lims_text_t text;

    if (!lims_encoding_decode(&text, in->bytes, in->length, charset ? charset : in->charset,
                              in->reasons, in->pool)) {
        return false;
    }
    document->encoding = text.encoding;
    return set_sheet(document, lims_html_read(&text, in->reasons, in->pool));
}

static bool sheets_of(lims_document_t *document, const lims_workbook_t *workbook)
{
    if (workbook) {
        document->count = workbook->count;
        document->sheets = workbook->sheets;
    }
    return workbook;
}

static bool read_xlsx(lims_document_t *document, const input_t *in)
{
    return sheets_of(document, lims_xlsx_read(in->bytes, in->length, in->reasons, in->pool));
}

static bool read_xls(lims_document_t *document, const input_t *in)
{
    return sheets_of(document, lims_xls_read(in->bytes, in->length, in->reasons, in->pool));
}

static bool read_astm(lims_document_t *document, const input_t *in)
{
    document->astm = lims_astm_read(in->bytes, in->length, in->charset, in->reasons, in->pool);
    if (document->astm) {
        document->encoding = document->astm->encoding;
    }
    return document->astm && set_sheet(document, document->astm->sheet);
}

static bool read_hl7(lims_document_t *document, const input_t *in)
{
    document->hl7 = lims_hl7_read(in->bytes, in->length, in->charset, in->reasons, in->pool);
    if (document->hl7) {
        document->encoding = document->hl7->encoding;
    }
    return document->hl7 && set_sheet(document, document->hl7->sheet);
}

static bool read_xml(lims_document_t *document, const input_t *in)
{
    lims_stream_t *stream = lims_stream_bytes(in->bytes, in->length, in->pool);

    document->xml = lims_xml_read(stream, in->reasons, in->pool);
    return document->xml &&
           set_sheet(document, lims_xml_sheet(document->xml, in->reasons, in->pool));
}

static bool read_json(lims_document_t *document, const input_t *in)
{
    lims_text_t text;

    if (!lims_encoding_decode(&text, in->bytes, in->length, in->charset, in->reasons, in->pool)) {
        return false;
    }
    document->encoding = text.encoding;
    document->xml = lims_json_read(&text, in->reasons, in->pool);
    return document->xml &&
           set_sheet(document, lims_xml_sheet(document->xml, in->reasons, in->pool));
}

static reader_t *const readers[] = {
    [LIMS_CONTAINER_TEXT] = read_text, [LIMS_CONTAINER_XLSX] = read_xlsx,
    [LIMS_CONTAINER_XLS] = read_xls,   [LIMS_CONTAINER_ASTM] = read_astm,
    [LIMS_CONTAINER_HL7] = read_hl7,   [LIMS_CONTAINER_XML] = read_xml,
    [LIMS_CONTAINER_JSON] = read_json, [LIMS_CONTAINER_HTML] = read_html,
};
_Static_assert(LIMS_LENGTH(readers) == LIMS_CONTAINER_COUNT, "a reader for every container");

const lims_document_t *lims_document_read(const char *bytes, apr_size_t length,
                                          const lims_decoding_t *decoding, lims_reasons_t *reasons,
                                          apr_pool_t *pool)
{
    lims_document_t *document = apr_pcalloc(pool, sizeof(*document));
    const input_t in = {
        .bytes = bytes,
        .length = length,
        .charset = decoding && decoding->charset ? decoding->charset : LIMS_ENCODING_DEFAULT,
        .dialect = decoding ? decoding->dialect : NULL,
        .reasons = reasons,
        .pool = pool,
    };

    reasons->rows = 0;
    reasons->cells = 0;
    reasons->text = 0;
    if (!lims_container_detect(&document->container, bytes, length, reasons) ||
        !readers[document->container](document, &in)) {
        return NULL;
    }
    return document;
}
