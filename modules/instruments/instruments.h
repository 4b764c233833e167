/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruments.h - files of instruments: how they are read (profiles), how they
 * come in (ingest), and what becomes of those that could not be imported.
 *
 * What a file says is worked out by profiles/ from its bytes alone; what may be
 * written of it is decided by the database (sql/212_import.sql).
 */
#ifndef LIMS_INSTRUMENTS_H
#define LIMS_INSTRUMENTS_H

#include "lims.h"

extern const lims_resource_t lims_ingest;
extern const lims_resource_t lims_instrument_profile;
extern const lims_resource_t lims_profile_trial;
extern const lims_resource_t lims_instrument_file;
extern const lims_resource_t lims_sample_name;

/* What became of a file that was taken up again. */
typedef enum {
    LIMS_RESUMED_NONE,        /* there is none to be taken up */
    LIMS_RESUMED_UNDECIDED,   /* somebody else has decided about it meanwhile */
    LIMS_RESUMED_IMPORTED,    /* its results are entered */
    LIMS_RESUMED_QUARANTINED, /* a person has to decide */
} lims_resumed_e;

/* Takes up one file whose reading was cut short, on behalf of who sent it, in
 * transactions of its own (resume.c). The value `resumeAfter` of the request is how
 * many seconds ago that has to be. */
const lims_error_t *lims_files_resume(lims_resumed_e *resumed, lims_request_t *rq);

/* May the acting user decide about files and profiles? `what` begins the
 * sentence of the refusal: "Profiles are managed". */
const lims_error_t *lims_instruments_reviewer(lims_request_t *rq, const char *what);

#endif /* LIMS_INSTRUMENTS_H */
