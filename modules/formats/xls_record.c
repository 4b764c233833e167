/* SPDX-License-Identifier: Apache-2.0 */
/* xls_record.c - the sequence of records in a BIFF stream. */
#include "formats/xls.h"

unsigned lims_xls_u8(lims_xls_record_t *record)
{
    return *record->at++;
}

unsigned lims_xls_u16(lims_xls_record_t *record)
{
    unsigned low = lims_xls_u8(record);
    return low | lims_xls_u8(record) << 8;
}

apr_uint32_t lims_xls_u32(lims_xls_record_t *record)
{
    apr_uint32_t low = lims_xls_u16(record);
    return low | (apr_uint32_t)lims_xls_u16(record) << 16;
}

bool lims_xls_left(const lims_xls_record_t *record, apr_size_t size)
{
    return (apr_size_t)(record->end - record->at) >= size;
}

static bool refuse_truncated(lims_xls_book_t *book)
{
    lims_reasons_block(book->reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "The workbook ends within its records: it was cut off.");
    return false;
}

bool lims_xls_record_at(lims_xls_record_t *record, lims_xls_book_t *book, apr_size_t offset)
{
    if (offset > book->length) {
        return refuse_truncated(book);
    }
    record->end = book->bytes + offset;
    record->stream_end = book->bytes + book->length;
    return lims_xls_next(record, book);
}

bool lims_xls_next(lims_xls_record_t *record, lims_xls_book_t *book)
{
    apr_size_t size;

    if (record->stream_end - record->end < 4) {
        return refuse_truncated(book);
    }
    record->at = record->end;
    record->end = record->at + 4;
    record->type = lims_xls_u16(record);
    size = lims_xls_u16(record);
    if ((apr_size_t)(record->stream_end - record->at) < size) {
        return refuse_truncated(book);
    }
    record->end = record->at + size;
    return true;
}
