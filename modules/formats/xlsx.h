/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xlsx.h - shared parts of the XLSX reader: the workbook (xlsx.c), the cells of a
 * sheet (xlsx_sheet.c), which are streamed instead of being kept as a tree, and
 * their texts (xlsx_text.c).
 */
#ifndef LIMS_FORMATS_XLSX_H
#define LIMS_FORMATS_XLSX_H

#include "formats/workbook.h"

/* The parts of a workbook to which cells refer: shared strings and styles. */
typedef struct {
    const char *name;                  /* name of the sheet */
    const apr_array_header_t *strings; /* array of const char *: shared strings */
    const apr_array_header_t *formats; /* array of lims_format_t, by style number */
    bool since_1904;
    bool uncalculated; /* formulas wait for the program that opens it: a 0 of one is no value */
} lims_xlsx_context_t;

/* Reads a sheet from its part of the archive into `pool`. NULL with a reason. */
const lims_sheet_t *lims_xlsx_read_sheet(const lims_xlsx_context_t *context, lims_stream_t *stream,
                                         lims_reasons_t *reasons, apr_pool_t *pool);

/* --- Texts ----------------------------------------------------------------- */

/* Reader of a text: <t>, alone or in runs (<r>). Phonetic hints (<rPh>) are not text. */
typedef struct {
    apr_array_header_t *text; /* array of char */
    bool collecting, in_phonetic;
    bool raised; /* the run is a superscript, of which nothing was read yet */
} lims_xlsx_text_t;

/* Begins another text. */
void lims_xlsx_text_begin(lims_xlsx_text_t *text);

/* Takes the begin of an element, and with it whether .collecting begins. */
void lims_xlsx_text_start(lims_xlsx_text_t *text, const char *name, const char **attributes);

/* Takes the end of an element. */
void lims_xlsx_text_end(lims_xlsx_text_t *text, const char *name);

/* Takes character data; nothing unless .collecting. */
void lims_xlsx_text_add(lims_xlsx_text_t *text, const char *more, int length);

/* Returns the text with its escapes ("_x000D_", type ST_Xstring) decoded; valid until the next
 * text begins. */
const char *lims_xlsx_text_done(lims_xlsx_text_t *text);

#endif /* LIMS_FORMATS_XLSX_H */
