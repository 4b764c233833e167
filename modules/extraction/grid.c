/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - a file as a grid of numbered cells. */
#include "extraction/grid.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

#include "formats/read.h"
#include "kernel/error.h"
#include "profiles/fold.h"

/* Lengths of the shortest and the longest tracking id. */
#define TRACKING_ID_MIN 14
#define TRACKING_ID_MAX 30

/* --- Any file ------------------------------------------------------------------ */

/* Splits a line of a report without delimiter: cells are separated by two or more
 * blanks, and a colon ends a name. */
static void split_report(char *text)
{
    for (char *p = text; *p != '\0'; p++) {
        if (p[0] == ' ' && (p[1] == ' ' || (p > text && p[-1] == ':'))) {
            *p++ = '\t';
            while (*p == ' ' && p[1] == ' ') {
                p++;
            }
            p--;
        }
    }
}

/* Reads the sheets of a file and returns their number; 0: failed, with reasons. */
static int read_sheets(const lims_sheet_t **sheets, lims_container_e *container, const char *bytes,
                       apr_size_t length, lims_reasons_t *reasons, apr_pool_t *pool)
{
    const lims_dialect_t report = { .delimiter = '\t' };
    const lims_document_t *document = lims_document_read(bytes, length, NULL, reasons, pool);
    lims_text_t text;
    char *copy;

    if (!document) {
        return 0;
    }
    *container = document->container;
    *sheets = document->sheets;
    if (!document->text || document->dialect.delimiter != '\0') {
        return document->count;
    }
    text = *document->text;
    copy = apr_pstrmemdup(pool, text.bytes, text.length);
    split_report(copy);
    text.bytes = copy;
    *sheets = lims_delimited_read(&text, &report, reasons, pool);
    return *sheets ? 1 : 0;
}

static const char *trimmed(const lims_cell_t *cell, apr_pool_t *pool)
{
    apr_size_t length = 0;
    const char *text = lims_trim(&length, cell->text, cell->length);

    return length == 0 ? "" : apr_pstrmemdup(pool, text, length);
}

/* Whether a text has invisible or reordering characters: zero-width and bidirectional
 * ones (Unicode UAX #9, TR36), variation selectors, tags. Text that a person cannot see
 * is not sent to the model, since it may be a prompt injection. */
static bool has_invisible(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if ((p[0] == 0xE2 && p[1] == 0x80 &&
             ((p[2] >= 0x8B && p[2] <= 0x8F) || (p[2] >= 0xAA && p[2] <= 0xAE))) ||
            (p[0] == 0xE2 && p[1] == 0x81 && p[2] >= 0xA0 && p[2] <= 0xAF) ||
            (p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF) ||
            (p[0] == 0xEF && p[1] == 0xB8 && p[2] >= 0x80 && p[2] <= 0x8F) ||
            (p[0] == 0xF3 && p[1] == 0xA0) || (p[0] == 0xD8 && p[1] == 0x9C) ||
            (p[0] == 0xE1 && p[1] == 0xA0 && p[2] == 0x8E)) {
            return true;
        }
    }
    return false;
}

static void add_row(lims_grid_t *grid, lims_grid_row_t *added, const lims_row_t *row,
                    apr_pool_t *pool)
{
    added->number = row->number;
    added->message = row->message;
    added->count = row->count;
    added->cells = apr_pcalloc(pool, sizeof(*added->cells) * (apr_size_t)(row->count + 1));
    for (int i = 0; i < row->count; i++) {
        lims_grid_cell_t *cell = &added->cells[i];

        cell->kind = (lims_cell_e)row->cells[i].kind;
        cell->text = trimmed(&row->cells[i], pool);
        cell->shown = strlen(cell->text) <= LIMS_GRID_CELL_MAX && !has_invisible(cell->text)
                          ? cell->text
                          : NULL;
        grid->cells += cell->text[0] != '\0' ? 1 : 0;
    }
}

static const lims_error_t *too_large(const char *what, int max, apr_pool_t *pool)
{
    return lims_client_error(
        pool, LIMS_E_PAYLOAD_TOO_LARGE,
        "file: an extraction takes at most %d %s; split the file, or import it by a "
        "profile.",
        max, what);
}

static const lims_error_t *add_sheet(lims_grid_t *grid, const lims_sheet_t *sheet, int rows_max,
                                     int cells_max, apr_pool_t *pool)
{
    lims_grid_sheet_t *added = &grid->sheets[grid->count++];

    added->name = sheet->name;
    added->rows = apr_pcalloc(pool, sizeof(*added->rows) * (apr_size_t)(sheet->count + 1));
    for (int i = 0; i < sheet->count; i++) {
        if (sheet->rows[i].count == 0) {
            continue;
        }
        if (++grid->rows > rows_max) {
            return too_large("rows", rows_max, pool);
        }
        add_row(grid, &added->rows[added->count++], &sheet->rows[i], pool);
        if (grid->cells > cells_max) {
            return too_large("cells", cells_max, pool);
        }
    }
    return NULL;
}

static const lims_error_t *unreadable(const lims_reasons_t *reasons, apr_pool_t *pool)
{
    const lims_reason_t *first =
        reasons->list->nelts > 0 ? &APR_ARRAY_IDX(reasons->list, 0, lims_reason_t) : NULL;

    if (!first) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "file: it cannot be read");
    }
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "file: %s (%s%s)", first->message,
                             lims_reason_name(first->code),
                             first->row > 0 ? apr_psprintf(pool, ", row %d", first->row) : "");
}

const lims_error_t *lims_grid_read(lims_grid_t **grid, const char *bytes, apr_size_t length,
                                   int rows_max, int cells_max, apr_pool_t *pool)
{
    lims_grid_t *made = apr_pcalloc(pool, sizeof(*made));
    lims_reasons_t *reasons = lims_reasons_create(pool);
    const lims_error_t *error = NULL;
    const lims_sheet_t *sheets = NULL;
    int count;

    count = read_sheets(&sheets, &made->container, bytes, length, reasons, pool);
    if (count == 0) {
        return unreadable(reasons, pool);
    }
    made->sheets = apr_pcalloc(pool, sizeof(*made->sheets) * (apr_size_t)count);
    for (int i = 0; i < count && !error; i++) {
        if (!sheets[i].hidden) {
            error = add_sheet(made, &sheets[i], rows_max, cells_max, pool);
        }
    }
    if (!error) {
        *grid = made;
    }
    return error;
}

lims_grid_cell_t *lims_grid_cell(const lims_grid_t *grid, int sheet, int row, int column)
{
    const lims_grid_row_t *found;

    if (sheet < 1 || sheet > grid->count || row < 1 || row > grid->sheets[sheet - 1].count) {
        return NULL;
    }
    found = &grid->sheets[sheet - 1].rows[row - 1];
    return column >= 1 && column <= found->count ? &found->cells[column - 1] : NULL;
}

/* --- Words ---------------------------------------------------------------------- */

static bool in_word(char c)
{
    return apr_isalnum(c) || c == '-' || c == '_' || c == '.' || c == '/';
}

bool lims_grid_word(const char **word, apr_size_t *length, const char **rest)
{
    const char *begin = *rest, *end;

    while (*begin != '\0' && !apr_isalnum(*begin)) {
        begin++;
    }
    end = begin;
    while (*end != '\0' && in_word(*end)) {
        end++;
    }
    *rest = end;
    while (end > begin && !apr_isalnum(end[-1])) {
        end--;
    }
    *word = begin;
    *length = (apr_size_t)(end - begin);
    return *length > 0;
}

typedef struct {
    apr_hash_t *seen;
    apr_array_header_t *list;
    apr_pool_t *pool;
} words_t;

/* Whether a word is a tracking id: prefix, year, number and check character, as in
 * LAB-26-0004217-K. */
static bool is_tracking_id(const char *text, apr_size_t length)
{
    int hyphens = 0;

    for (apr_size_t i = 0; i < length; i++) {
        if (text[i] == '-') {
            hyphens++;
        } else if (!apr_isdigit(text[i]) && !apr_isupper(text[i])) {
            return false;
        }
    }
    return hyphens == 3 && length >= TRACKING_ID_MIN && length <= TRACKING_ID_MAX &&
           text[length - 2] == '-';
}

static void add_word(words_t *words, const char *text, apr_size_t length)
{
    if (is_tracking_id(text, length) && !apr_hash_get(words->seen, text, (apr_ssize_t)length)) {
        const char *word = apr_pstrmemdup(words->pool, text, length);

        apr_hash_set(words->seen, word, (apr_ssize_t)length, word);
        APR_ARRAY_PUSH(words->list, const char *) = word;
    }
}

static void add_words(words_t *words, const char *text)
{
    const char *rest = text, *word = NULL;
    apr_size_t length = 0;

    while (lims_grid_word(&word, &length, &rest)) {
        add_word(words, word, length);
    }
}

const char *lims_grid_words(const lims_grid_t *grid, apr_pool_t *pool)
{
    words_t words = { .seen = apr_hash_make(pool),
                      .list = apr_array_make(pool, 256, sizeof(const char *)),
                      .pool = pool };

    for (int s = 0; s < grid->count; s++) {
        for (int r = 0; r < grid->sheets[s].count; r++) {
            const lims_grid_row_t *row = &grid->sheets[s].rows[r];

            for (int c = 0; c < row->count; c++) {
                if (row->cells[c].shown && row->cells[c].text[0] != '\0') {
                    add_words(&words, row->cells[c].text);
                }
            }
        }
    }
    return apr_pstrcat(pool, "{", apr_array_pstrcat(pool, words.list, ','), "}", NULL);
}
