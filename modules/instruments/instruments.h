/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruments.h - instrument files: the profiles by which they are read, their
 * ingest, and quarantine.
 *
 * What a file says is determined by profiles/ from its bytes alone; whether its
 * results may be entered is decided by the database (sql/212_import.sql).
 */
#ifndef LIMS_INSTRUMENTS_H
#define LIMS_INSTRUMENTS_H

#include "lims.h"

extern const lims_resource_t lims_ingest;
extern const lims_resource_t lims_instrument_profile;
extern const lims_resource_t lims_profile_trial;
extern const lims_resource_t lims_instrument_file;
extern const lims_resource_t lims_instrument_file_row;
extern const lims_resource_t lims_file_decisions;
extern const lims_resource_t lims_file_review;
extern const lims_resource_t lims_files_reevaluation;
extern const lims_resource_t lims_sample_name;

extern const lims_field_t lims_instrument_file_fields[];
extern const char *const lims_instrument_file_statuses[];

/* Outcome of resuming a file. */
typedef enum {
    LIMS_RESUMED_NONE,        /* there is no file to resume */
    LIMS_RESUMED_UNDECIDED,   /* another process has decided about it meanwhile */
    LIMS_RESUMED_IMPORTED,    /* its results were entered */
    LIMS_RESUMED_QUARANTINED, /* it is quarantined: a person has to decide */
} lims_resumed_e;

/* Resumes one file whose reading was interrupted, as its sender, in
 * transactions of its own (resume.c). The value `resumeAfter` of the request is
 * the least age of the interruption in seconds. */
const lims_error_t *lims_files_resume(lims_resumed_e *resumed, lims_request_t *rq);

#endif /* LIMS_INSTRUMENTS_H */
