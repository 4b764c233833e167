/* SPDX-License-Identifier: Apache-2.0 */
/* xls.c - BIFF workbooks: the globals, which hold for all sheets. */
#include "formats/xls.h"

#include <apr_hash.h>
#include <apr_strings.h>

#include "formats/compound.h"

/* Versions in BOF records. */
enum { VERSION_5 = 0x0500, VERSION_8 = 0x0600 };

/* Kind of sheet in BOUNDSHEET records. */
enum { SHEET_OF_CELLS = 0 };

/* Code pages whose charset is not called by their number. */
enum { PAGE_UTF16 = 1200, PAGE_MACINTOSH = 10000, PAGE_MACINTOSH_OLD = 32768, PAGE_ANSI = 32769 };

/* Escapement of a FONT record. */
enum { SUPERSCRIPT = 1 };

/* Number of records between two checks of the time limit. */
#define RECORDS_BETWEEN_LOOKS 4096

typedef struct {
    const char *name;
    apr_size_t offset;
    bool hidden;
} bound_t;

typedef struct {
    unsigned id;
    lims_format_t format;
} format_t;

typedef struct {
    lims_xls_book_t book;
    apr_hash_t *formats;       /* custom formats: of format_t, by number */
    apr_array_header_t *bound; /* array of bound_t: the sheets */
} globals_t;

/* --- Globals --------------------------------------------------------------- */

static bool refuse_damaged(lims_xls_book_t *book)
{
    lims_reasons_block(book->reasons, LIMS_REASON_STRUCTURE_MISMATCH, 0, 0,
                       "A record of the workbook is shorter than it has to be.");
    return false;
}

static const char *charset_of(unsigned page, apr_pool_t *pool)
{
    switch (page) {
    case PAGE_UTF16:
        return "UTF-16LE";
    case PAGE_MACINTOSH:
    case PAGE_MACINTOSH_OLD:
        return "MACINTOSH";
    case PAGE_ANSI:
        return "CP1252";
    default:
        return apr_psprintf(pool, "CP%u", page);
    }
}

static bool read_bound(globals_t *g, lims_xls_record_t *r)
{
    bound_t bound;
    unsigned kind;

    if (!lims_xls_left(r, 6)) {
        return refuse_damaged(&g->book);
    }
    bound.offset = lims_xls_u32(r);
    bound.hidden = (lims_xls_u8(r) & 3) != 0;
    kind = lims_xls_u8(r);
    bound.name = lims_xls_text(r, 1, &g->book);
    if (kind == SHEET_OF_CELLS && g->bound->nelts >= LIMS_FILE_SHEETS_MAX) {
        lims_reasons_block(g->book.reasons, LIMS_REASON_ARCHIVE_LIMITS, 0, 0,
                           "The workbook has more than %d sheets.", LIMS_FILE_SHEETS_MAX);
        return false;
    }
    if (kind == SHEET_OF_CELLS && bound.name) {
        APR_ARRAY_PUSH(g->bound, bound_t) = bound;
    }
    return bound.name;
}

static bool read_format(globals_t *g, lims_xls_record_t *r)
{
    format_t *format = apr_palloc(g->book.pool, sizeof(*format));
    const char *code;

    if (!lims_xls_left(r, 2)) {
        return refuse_damaged(&g->book);
    }
    format->id = lims_xls_u16(r);
    code = lims_xls_text(r, g->book.wide ? 2 : 1, &g->book);
    if (code) {
        format->format = lims_format_of((int)format->id, code);
        apr_hash_set(g->formats, &format->id, sizeof(format->id), format);
    }
    return code;
}

/* Reads an XF record. FORMAT records precede the XF records that refer to them. */
static bool read_style(globals_t *g, lims_xls_record_t *r)
{
    const format_t *format;
    unsigned id;

    if (!lims_xls_left(r, 4)) {
        return refuse_damaged(&g->book);
    }
    lims_xls_u16(r); /* font index, unused */
    id = lims_xls_u16(r);
    format = apr_hash_get(g->formats, &id, sizeof(id));
    APR_ARRAY_PUSH(g->book.serials, lims_format_t) =
        format ? format->format : lims_format_of((int)id, NULL);
    return true;
}

/* Reads a FONT record, all of which precede the texts: whether it is for superscripts. */
static bool read_font(globals_t *g, lims_xls_record_t *r)
{
    if (!lims_xls_left(r, 10)) {
        return refuse_damaged(&g->book);
    }
    r->at += 8; /* height, options, colour and weight, unused */
    APR_ARRAY_PUSH(g->book.raised, bool) = lims_xls_u16(r) == SUPERSCRIPT;
    return true;
}

static bool read_global(globals_t *g, lims_xls_record_t *r)
{
    bool there = lims_xls_left(r, 2);

    switch (r->type) {
    case LIMS_XLS_FILEPASS:
        lims_reasons_block(g->book.reasons, LIMS_REASON_ENCRYPTED_FILE, 0, 0,
                           "The workbook is encrypted; save it without a password.");
        return false;
    case LIMS_XLS_CODEPAGE:
        g->book.charset = there ? charset_of(lims_xls_u16(r), g->book.pool) : g->book.charset;
        return true;
    case LIMS_XLS_DATE1904:
        g->book.since_1904 = there && lims_xls_u16(r) != 0;
        return true;
    case LIMS_XLS_BOUNDSHEET:
        return read_bound(g, r);
    case LIMS_XLS_FORMAT:
        return read_format(g, r);
    case LIMS_XLS_XF:
        return read_style(g, r);
    case LIMS_XLS_FONT:
        return read_font(g, r);
    case LIMS_XLS_SST:
        return lims_xls_strings(r, &g->book);
    default:
        return true;
    }
}

static bool read_globals(globals_t *g)
{
    lims_xls_record_t r;
    unsigned version;

    if (!lims_xls_record_at(&r, &g->book, 0)) {
        return false;
    }
    version = r.type == LIMS_XLS_BOF && lims_xls_left(&r, 2) ? lims_xls_u16(&r) : 0;
    if (version != VERSION_5 && version != VERSION_8) {
        lims_reasons_block(g->book.reasons, LIMS_REASON_UNSUPPORTED_CONTAINER, 0, 0,
                           "The workbook is of a version that cannot be read; save it as .xlsx.");
        return false;
    }
    g->book.wide = version == VERSION_8;
    for (unsigned count = 0; r.type != LIMS_XLS_EOF; count++) {
        if ((count % RECORDS_BETWEEN_LOOKS == 0 && !lims_reasons_in_time(g->book.reasons)) ||
            !lims_xls_next(&r, &g->book) || !read_global(g, &r)) {
            return false;
        }
    }
    return true;
}

/* --- The workbook ---------------------------------------------------------- */

/* Extracts the stream with the records; its name depends on the version. */
static bool read_stream(lims_xls_book_t *book, const char *bytes, apr_size_t length)
{
    lims_compound_t *compound = lims_compound_open(bytes, length, book->reasons, book->pool);
    const char *name;

    if (!compound) {
        return false;
    }
    if (lims_compound_has(compound, "EncryptedPackage")) {
        lims_reasons_block(book->reasons, LIMS_REASON_ENCRYPTED_FILE, 0, 0,
                           "The workbook is encrypted; save it without a password.");
        return false;
    }
    name = lims_compound_has(compound, "Workbook") ? "Workbook" : "Book";
    if (!lims_compound_has(compound, name)) {
        lims_reasons_block(book->reasons, LIMS_REASON_UNSUPPORTED_CONTAINER, 0, 0,
                           "The file is a compound file, but no workbook.");
        return false;
    }
    return lims_compound_read(&book->bytes, &book->length, compound, name, book->pool);
}

const lims_workbook_t *lims_xls_read(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                     apr_pool_t *pool)
{
    lims_workbook_t *workbook = apr_pcalloc(pool, sizeof(*workbook));
    lims_sheet_t *sheets;
    globals_t g = {
        .book = { .charset = "CP1252",
                  .strings = apr_array_make(pool, 64, sizeof(const char *)),
                  .serials = apr_array_make(pool, 64, sizeof(lims_format_t)),
                  .raised = apr_array_make(pool, 16, sizeof(bool)),
                  .reasons = reasons,
                  .pool = pool },
        .formats = apr_hash_make(pool),
        .bound = apr_array_make(pool, 4, sizeof(bound_t)),
    };

    if (!read_stream(&g.book, bytes, length) || !read_globals(&g)) {
        return NULL;
    }
    sheets = apr_pcalloc(pool, sizeof(*sheets) * (apr_size_t)(g.bound->nelts + 1));
    for (int i = 0; i < g.bound->nelts; i++) {
        const bound_t *bound = &APR_ARRAY_IDX(g.bound, i, bound_t);
        const lims_sheet_t *sheet = lims_xls_read_sheet(&g.book, bound->name, bound->offset);
        if (!sheet) {
            return NULL;
        }
        sheets[i] = *sheet;
        sheets[i].hidden = bound->hidden;
    }
    workbook->count = g.bound->nelts;
    workbook->sheets = sheets;
    return workbook;
}
