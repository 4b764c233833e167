/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delimited.h - splitting of delimited text (RFC 4180 and the variants that
 * instruments write), with comma, tab, semicolon or any other character between
 * the cells.
 *
 * This tokenizer exists because libraries do not report positions: every cell has
 * its line, column and offset. Lines end in CR LF, LF or CR, also mixed in a file.
 * A row's number is the line where it begins; a blank line is a row without cells.
 */
#ifndef LIMS_FORMATS_DELIMITED_H
#define LIMS_FORMATS_DELIMITED_H

#include "formats/encoding.h"

typedef struct {
    char delimiter;     /* delimiter between cells; '\0': each line is one cell */
    char quote;         /* quote around cells that contain a delimiter; '\0': none */
    bool unwrap_record; /* each record as a whole is quoted */
} lims_dialect_t;

/* Detects the dialect by the first lines of a text: the delimiter that occurs
 * equally often on most of them, outside of quotes; '\0' if there is none, so that
 * a line is a cell. Only for a preview without a profile: an import uses the
 * declared dialect. */
lims_dialect_t lims_dialect_of(const lims_text_t *text);

/* Splits a text into rows. A first line "sep=;", which spreadsheets write, sets
 * the delimiter and is not a row. NULL with reasons if the text violates the
 * dialect or a limit. The cells live in `pool`. */
const lims_sheet_t *lims_delimited_read(const lims_text_t *text, const lims_dialect_t *dialect,
                                        lims_reasons_t *reasons, apr_pool_t *pool);

#endif /* LIMS_FORMATS_DELIMITED_H */
