/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hl7.h - reading of HL7 version 2 messages: segments of fields, single messages
 * or batches, with or without MLLP framing.
 *
 * Counts in the file are verified: the number of messages in a batch by its
 * trailer, the number of batches in a file. A batch without trailer is a truncated
 * file.
 */
#ifndef LIMS_FORMATS_HL7_H
#define LIMS_FORMATS_HL7_H

#include "formats/encoding.h"

/* The delimiters of MSH-1 and MSH-2. */
typedef struct {
    char field, component, repeat, escape, subcomponent;
} lims_hl7_signs_t;

typedef struct {
    lims_hl7_signs_t signs;
    const lims_sheet_t *sheet; /* a row for each segment; cell 0 is its name, cell n is SEG-n */
    const char *encoding;      /* character encoding of the file */
    int unended;               /* line of the last segment if it lacks its terminator; else 0 */
} lims_hl7_t;

/* Reads the messages of a file into `pool`. A row's .message is the number of its
 * message, 0 for the envelope segments of file and batch. `charset` is used if
 * neither a byte order mark nor MSH-18 states the encoding. NULL with reasons. */
const lims_hl7_t *lims_hl7_read(const char *bytes, apr_size_t length, const char *charset,
                                lims_reasons_t *reasons, apr_pool_t *pool);

/* Returns a component of a field, both counted from 1, in the first repetition of
 * the field, with escapes (\F\ \S\ \T\ \R\ \E\ \Xdd..\ \.br\) resolved; "" if
 * there is none. */
const char *lims_hl7_component(const lims_row_t *segment, int field, int component,
                               const lims_hl7_signs_t *signs, apr_pool_t *pool);

#endif /* LIMS_FORMATS_HL7_H */
