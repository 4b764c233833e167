/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delimited.h - text of rows and columns: comma, tab, semicolon or any other
 * sign between the cells (RFC 4180 and what instruments write instead).
 *
 * A tokenizer of our own, since libraries lose the places: every cell has its
 * line, column and offset. Lines end in CR LF, LF or CR, also mixed. A row's
 * number is the line where it begins; blank lines are rows without cells.
 */
#ifndef LIMS_FORMATS_DELIMITED_H
#define LIMS_FORMATS_DELIMITED_H

#include "formats/encoding.h"

typedef struct {
    char delimiter;     /* between cells; '\0': each line is one cell */
    char quote;         /* around cells that hold a delimiter; '\0': none */
    bool unwrap_record; /* each whole record stands in a pair of quotes */
} lims_dialect_t;

/* The dialect that the first lines of a text show: what comes equally often on
 * most of them, outside of quotes; '\0' when nothing does, and a line is a cell. For
 * a look at a file whose profile is not known: what is imported is declared. */
lims_dialect_t lims_dialect_of(const lims_text_t *text);

/* Splits a text. A first line "sep=;", which spreadsheets write, names the
 * delimiter and is no row. NULL when the text breaks the dialect's rules or a
 * bound; the reasons say where. Cells point into `pool`. */
const lims_sheet_t *lims_delimited_read(const lims_text_t *text, const lims_dialect_t *dialect,
                                        lims_reasons_t *reasons, apr_pool_t *pool);

#endif /* LIMS_FORMATS_DELIMITED_H */
