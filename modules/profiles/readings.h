/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readings.h - what a file says, read by a profile: a value of a sample's test
 * each, and every reason why one of them cannot be taken.
 *
 * Reading is a function of the bytes, the file's name and the profiles, and of
 * nothing else: no clock, no database, no order of profiles. What depends on
 * the laboratory's records (does the sample exist, is the test locked) is judged
 * afterwards, by whoever writes.
 */
#ifndef LIMS_PROFILES_READINGS_H
#define LIMS_PROFILES_READINGS_H

#include "formats/document.h"
#include "profiles/profile.h"

/* One value of one sample's test, or of a control. */
typedef struct {
    const char *sheet;       /* "" where there are none */
    int row, column;         /* of the value's cell, from 1; column 0: not in columns */
    apr_size_t offset;       /* of it in the decoded text */
    const char *tracking_id; /* after the profile's expression, or NULL (then a reason says so) */
    const char *test_name;   /* as the instrument calls it */
    const char *test_code;   /* the organization's code, or NULL (then a reason says so) */
    const char *raw;         /* the cell, literally */
    const char *result;      /* what is to be written: literal but for declared conversions */
    const char *unit;        /* of .result; or NULL, as the following may be */
    const char *qualifier;
    const char *dilution;
    const char *replicate;
    const char *analysed_at; /* ISO 8601; without a zone when neither file nor format has one */
    const char *operator_name;
    const char *comment;
    const lims_control_t *control; /* NULL: a sample; else what kind of control, and its route */
    const char *native; /* of a control: what it is held against, a result of the same file */
} lims_reading_t;

typedef struct {
    const lims_profile_t *profile;        /* that read it; NULL: none matched, or several */
    const apr_array_header_t *candidates; /* of const lims_profile_t *: that matched, by code */
    apr_array_header_t *readings;         /* of lims_reading_t, in the file's order */
    lims_reasons_t *reasons;
    struct {
        int rows;     /* of the table, with what was skipped */
        int results;  /* readings of samples */
        int controls; /* readings of controls that go to a QC batch */
        int skipped;  /* rows or values that the profile says not to take */
        int left;     /* of those: controls, that a rule of rows.controls says to skip */
    } counts;
    /* What reading works with. */
    const char *file_name; /* as it was sent, never a path here */
    lims_matcher_t *matcher;
} lims_readings_t;

/* Reads a file by the one of `profiles` (const lims_profile_t *) that matches,
 * or by the one of the code `named` (NULL: any), which has to match too. Never
 * NULL, and fails but for memory: what cannot be imported is told in .reasons,
 * blocking or not. The readings point into `pool`, not into `bytes`. */
lims_readings_t *lims_file_read(const char *bytes, apr_size_t length, const char *file_name,
                                const apr_array_header_t *profiles, const char *named,
                                apr_pool_t *pool);

/* Reads with one profile, without looking whether it matches: to try a draft. */
lims_readings_t *lims_file_read_with(const char *bytes, apr_size_t length, const char *file_name,
                                     const lims_profile_t *profile, apr_pool_t *pool);

/* Finds for each control what it is held against: the sample that a spike was added
 * to or a duplicate taken of, or another control. What a duplicate lacks is a
 * reason. Reading does this; `again` is for who has taken readings out, and then
 * only what is lacking now is told. */
void lims_controls_compare(lims_readings_t *readings, bool again, apr_pool_t *pool);

#endif /* LIMS_PROFILES_READINGS_H */
