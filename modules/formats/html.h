/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h - web pages with tables, which much software saves under a workbook's
 * name: a row for each row of a table, and for each line of text around them.
 *
 * HTML as it is written, not as it should be: tags that may be left out are, and
 * names of elements and characters are compared as the HTML standard (WHATWG,
 * "HTML Living Standard", chapter 13) says. What would let a value come out
 * changed or in another column is refused: a table within a table, an unknown
 * character, an element that is none, a page that is cut off.
 */
#ifndef LIMS_FORMATS_HTML_H
#define LIMS_FORMATS_HTML_H

#include "formats/encoding.h"

/* Returns the charset that a page declares; NULL: none, or an unknown one. */
const char *lims_html_charset(const char *bytes, apr_size_t length, apr_pool_t *pool);

/* Reads the rows of a page in document order, numbered from 1, with a blank row
 * after each table. A cell that spans columns is in the first of them, one that
 * spans rows is in each. Superscripts and subscripts are marked: 10<sup>3</sup>
 * becomes "10^3". Everything lives in `pool`. NULL with reasons. */
const lims_sheet_t *lims_html_read(const lims_text_t *text, lims_reasons_t *reasons,
                                   apr_pool_t *pool);

/* Decodes the character reference at `text`, which begins with an ampersand:
 * appends the character to an array of char and returns the reference's length in
 * bytes. 0: not a reference, the ampersand is literal; -1: a reference to an
 * unknown character. */
int lims_html_character(apr_array_header_t *to, const char *text, apr_size_t length);

#endif /* LIMS_FORMATS_HTML_H */
