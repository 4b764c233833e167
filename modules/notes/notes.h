/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes.h - what people add to the laboratory's records: comments and attachments. The
 * rules are in sql/167_notes.sql.
 */
#ifndef LIMS_NOTES_H
#define LIMS_NOTES_H

#include "lims.h"

extern const lims_resource_t lims_comment;
extern const lims_resource_t lims_attachment;

/* The member `on` of a note: table and id of the record that it is about. */
extern const lims_field_t lims_noted_record[];

/* The filters of a list of notes. */
extern const lims_field_t lims_note_filters[];

#endif /* LIMS_NOTES_H */
