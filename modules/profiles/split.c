/* SPDX-License-Identifier: Apache-2.0 */
/* split.c - splitting of lines at fixed columns, and removal of comment lines. */
#include <apr_strings.h>
#include <string.h>

#include "profiles/match.h"

static bool is_comment(const lims_row_t *row, const char *comment)
{
    return comment && row->count > 0 && strncmp(row->cells[0].text, comment, strlen(comment)) == 0;
}

/* Returns the byte offset of a character, both from 0; the end if the text is
 * shorter. Continues from `*at`, the offset of the character `*character`. */
static apr_size_t advance(apr_size_t *at, int *character, const char *text, int to)
{
    while (*character < to && text[*at] != '\0') {
        do {
            (*at)++;
        } while (((unsigned char)text[*at] & 0xC0) == 0x80);
        (*character)++;
    }
    return *at;
}

/* Cuts a line's single cell at the fixed columns. Text before the first column is
 * ignored; a line has cells up to its last character. */
static lims_row_t cut_columns(const lims_row_t *row, const apr_array_header_t *columns,
                              apr_pool_t *pool)
{
    const lims_cell_t *line = &row->cells[0];
    lims_cell_t *cells = apr_pcalloc(pool, (apr_size_t)columns->nelts * sizeof(*cells));
    lims_row_t made = *row;
    apr_size_t at = 0;
    int character = 0;

    made.cells = cells;
    made.count = 0;
    for (int i = 0; i < columns->nelts; i++) {
        apr_size_t begin = advance(&at, &character, line->text, APR_ARRAY_IDX(columns, i, int) - 1);
        apr_size_t end = i + 1 < columns->nelts ? advance(&at, &character, line->text,
                                                          APR_ARRAY_IDX(columns, i + 1, int) - 1)
                                                : strlen(line->text);
        lims_cell_t *cell = &cells[made.count];

        if (begin == strlen(line->text)) {
            break;
        }
        *cell = *line;
        cell->text = apr_pstrmemdup(pool, line->text + begin, end - begin);
        cell->length = (apr_uint16_t)(end - begin);
        cell->offset += (apr_uint32_t)begin;
        made.count++;
    }
    return made;
}

const lims_sheet_t *lims_split(const lims_sheet_t *sheet, const lims_profile_dialect_t *dialect,
                               apr_pool_t *pool)
{
    lims_sheet_t *made;
    lims_row_t *rows;

    if (!dialect->columns && !dialect->comment) {
        return sheet;
    }
    made = apr_pmemdup(pool, sheet, sizeof(*made));
    rows = apr_palloc(pool, (apr_size_t)(sheet->count + 1) * sizeof(*rows));
    made->rows = rows;
    made->count = 0;
    for (int i = 0; i < sheet->count; i++) {
        const lims_row_t *row = &sheet->rows[i];

        if (!is_comment(row, dialect->comment)) {
            rows[made->count++] = dialect->columns && row->count > 0
                                      ? cut_columns(row, dialect->columns, pool)
                                      : *row;
        }
    }
    return made;
}
