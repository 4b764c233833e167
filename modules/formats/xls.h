/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xls.h - what the parts of the XLS reader share: records (xls_record.c), what
 * holds for all sheets of a workbook (xls.c), the cells of one (xls_sheet.c), and
 * texts, which may go on over several records (xls_text.c).
 *
 * BIFF5 to BIFF8, that is Excel 5 to 2003 and the instruments that write like
 * them ([MS-XLS]). There are libraries for it; none that keeps within a broken
 * file's bytes.
 */
#ifndef LIMS_FORMATS_XLS_H
#define LIMS_FORMATS_XLS_H

#include "formats/workbook.h"

/* Records that are read; the rest say how cells look. */
enum {
    LIMS_XLS_FORMULA = 0x0006,
    LIMS_XLS_EOF = 0x000a,
    LIMS_XLS_DATE1904 = 0x0022,
    LIMS_XLS_FILEPASS = 0x002f,
    LIMS_XLS_CONTINUE = 0x003c,
    LIMS_XLS_CODEPAGE = 0x0042,
    LIMS_XLS_BOUNDSHEET = 0x0085,
    LIMS_XLS_MULRK = 0x00bd,
    LIMS_XLS_RSTRING = 0x00d6,
    LIMS_XLS_XF = 0x00e0,
    LIMS_XLS_SST = 0x00fc,
    LIMS_XLS_LABELSST = 0x00fd,
    LIMS_XLS_NUMBER = 0x0203,
    LIMS_XLS_LABEL = 0x0204,
    LIMS_XLS_BOOLERR = 0x0205,
    LIMS_XLS_STRING = 0x0207,
    LIMS_XLS_RK = 0x027e,
    LIMS_XLS_FORMAT = 0x041e,
    LIMS_XLS_BOF = 0x0809,
};

/* A place in a workbook's stream: within a record, and behind it the next. */
typedef struct {
    unsigned type;           /* of the record */
    const unsigned char *at; /* what is not yet read of it */
    const unsigned char *end;
    const unsigned char *stream_end;
} lims_xls_record_t;

typedef struct {
    const unsigned char *bytes; /* the workbook's stream */
    apr_size_t length;
    bool wide;           /* BIFF8: texts in UTF-16; before in .charset */
    const char *charset; /* iconv's name */
    bool since_1904;
    apr_array_header_t *strings; /* of const char *: shared strings */
    apr_array_header_t *serials; /* of lims_format_t: by XF record */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} lims_xls_book_t;

/* The record at a place of the stream; false, with a reason, when the stream ends
 * before the record does. */
bool lims_xls_record_at(lims_xls_record_t *record, lims_xls_book_t *book, apr_size_t offset);
bool lims_xls_next(lims_xls_record_t *record, lims_xls_book_t *book);

/* So many bytes are left of the record itself. */
bool lims_xls_left(const lims_xls_record_t *record, apr_size_t size);

/* Integers, least byte first; what was asked for has to be left. */
unsigned lims_xls_u8(lims_xls_record_t *record);
unsigned lims_xls_u16(lims_xls_record_t *record);
apr_uint32_t lims_xls_u32(lims_xls_record_t *record);

/* A text with its count before it, in one byte or in two; it may go on in records
 * that continue this one. NULL with a reason. */
const char *lims_xls_text(lims_xls_record_t *record, int count_bytes, lims_xls_book_t *book);

/* The table of shared strings, of this record and those that continue it. False
 * with a reason. */
bool lims_xls_strings(lims_xls_record_t *record, lims_xls_book_t *book);

/* Reads the sheet whose records begin there. NULL with a reason. */
const lims_sheet_t *lims_xls_read_sheet(lims_xls_book_t *book, const char *name, apr_size_t offset);

#endif /* LIMS_FORMATS_XLS_H */
