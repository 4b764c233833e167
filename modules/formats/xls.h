/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xls.h - shared parts of the XLS reader: records (xls_record.c), workbook globals
 * (xls.c), the cells of a sheet (xls_sheet.c), and texts, which may continue in
 * further records (xls_text.c).
 *
 * Supports BIFF5 to BIFF8, that is Excel 5 to 2003 and instruments that write
 * these formats ([MS-XLS]). No existing library is safe against out-of-bounds
 * reads in damaged files.
 */
#ifndef LIMS_FORMATS_XLS_H
#define LIMS_FORMATS_XLS_H

#include "formats/workbook.h"

/* Record types that are read; all others concern formatting. */
enum {
    LIMS_XLS_FORMULA = 0x0006,
    LIMS_XLS_EOF = 0x000a,
    LIMS_XLS_DATE1904 = 0x0022,
    LIMS_XLS_FILEPASS = 0x002f,
    LIMS_XLS_FONT = 0x0031,
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
    LIMS_XLS_ROW = 0x0208,
    LIMS_XLS_RK = 0x027e,
    LIMS_XLS_FORMAT = 0x041e,
    LIMS_XLS_BOF = 0x0809,
};

/* A cursor in a workbook's stream: the current record, and what follows it. */
typedef struct {
    unsigned type;           /* record type */
    const unsigned char *at; /* unread part of the record */
    const unsigned char *end;
    const unsigned char *stream_end;
} lims_xls_record_t;

typedef struct {
    const unsigned char *bytes; /* bytes of the workbook's stream */
    apr_size_t length;
    bool wide;           /* BIFF8: texts are UTF-16; in earlier versions they are in .charset */
    const char *charset; /* name for iconv */
    bool since_1904;
    apr_array_header_t *strings; /* array of const char *: shared strings */
    apr_array_header_t *serials; /* array of lims_format_t, by number of the XF record */
    apr_array_header_t *raised;  /* array of bool, by number of the FONT record: superscript */
    lims_reasons_t *reasons;
    apr_pool_t *pool;
} lims_xls_book_t;

/* Moves the cursor to the record at an offset of the stream. False, with a reason: the
 * stream ends before the record does. */
bool lims_xls_record_at(lims_xls_record_t *record, lims_xls_book_t *book, apr_size_t offset);

/* Moves the cursor to the next record. False, with a reason: as above. */
bool lims_xls_next(lims_xls_record_t *record, lims_xls_book_t *book);

/* Whether at least `size` bytes of the record are unread. */
bool lims_xls_left(const lims_xls_record_t *record, apr_size_t size);

/* Reads a byte. The caller has checked lims_xls_left(). */
unsigned lims_xls_u8(lims_xls_record_t *record);

/* Reads an integer of 16 bits, little-endian. The caller has checked lims_xls_left(). */
unsigned lims_xls_u16(lims_xls_record_t *record);

/* Reads an integer of 32 bits, little-endian. The caller has checked lims_xls_left(). */
apr_uint32_t lims_xls_u32(lims_xls_record_t *record);

/* Reads a text with its length before it, in one or two bytes; it may continue in
 * CONTINUE records. In the workbook's pool. NULL with a reason. */
const char *lims_xls_text(lims_xls_record_t *record, int count_bytes, lims_xls_book_t *book);

/* Reads the table of shared strings in this record and its CONTINUE records. False
 * with a reason. */
bool lims_xls_strings(lims_xls_record_t *record, lims_xls_book_t *book);

/* Reads the sheet whose BOF record is at this offset. NULL with a reason. */
const lims_sheet_t *lims_xls_read_sheet(lims_xls_book_t *book, const char *name, apr_size_t offset);

#endif /* LIMS_FORMATS_XLS_H */
