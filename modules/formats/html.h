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

/* The name of the character set that a page declares of itself; NULL: none, or one
 * that is not known here. */
const char *lims_html_charset(const char *bytes, apr_size_t length, apr_pool_t *pool);

/* The rows of a page, in its order, numbered from 1; behind each table a blank one. A
 * cell over several columns stands in the first of them, one over several rows in
 * each. What is raised or lowered is marked: 10<sup>3</sup> is "10^3". NULL with
 * reasons. */
const lims_sheet_t *lims_html_read(const lims_text_t *text, lims_reasons_t *reasons,
                                   apr_pool_t *pool);

/* A character reference that begins at `text`, an ampersand: appends its character to
 * an array of char and gives its length. 0: it is none, the ampersand is itself; -1:
 * it names no character. */
int lims_html_character(apr_array_header_t *to, const char *text, apr_size_t length);

#endif /* LIMS_FORMATS_HTML_H */
