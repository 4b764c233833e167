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

#include "jobs/jobs.h"
#include "lims.h"

extern const lims_resource_t lims_ingest;
extern const lims_resource_t lims_instrument_profile;
extern const lims_resource_t lims_profile_trial;
extern const lims_resource_t lims_instrument_file;
extern const lims_resource_t lims_sample_name;

/* resume.c: takes up one file whose reading was cut short, on behalf of who sent
 * it; the value `resumeAfter` is how many seconds ago that has to be. */
const lims_error_t *lims_files_resume(lims_job_report_t *report, lims_request_t *rq);

/* May the acting user decide about files and profiles? `what` begins the
 * sentence of the refusal: "Profiles are managed". */
const lims_error_t *lims_instruments_reviewer(lims_request_t *rq, const char *what);

#endif /* LIMS_INSTRUMENTS_H */
