/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readings.h - reading of a file by profiles: the values of samples' tests, and
 * the reasons against them.
 *
 * The result depends only on the bytes, the file name and the profiles: not on
 * clock, database or the order of profiles. Whether the sample exists, whether the
 * test is locked and other records of the laboratory are checked later, by the
 * caller that enters results.
 */
#ifndef LIMS_PROFILES_READINGS_H
#define LIMS_PROFILES_READINGS_H

#include "formats/document.h"
#include "profiles/profile.h"

/* Longest text of a reading but its comment, bytes; the cell may be longer. */
#define LIMS_READING_TEXT_MAX 4000

/* Longest comment, characters: as much as the record of a result keeps. */
#define LIMS_COMMENT_MAX 4000

/* A reading: one value of a sample's test, or of a control. */
typedef struct {
    const char *sheet; /* sheet name; "" in files without sheets */
    int row, column;   /* position of the value's cell, from 1; column 0: the file has no columns */
    int record;        /* number of the row, block or element that was read as one, from 1 */
    apr_size_t offset; /* byte position in the decoded text */
    const char *tracking_id; /* after the profile's expression, or NULL (then a reason says so) */
    const char *test_name;   /* the instrument's name of the test */
    const char *test_code;   /* the organization's code, or NULL (then a reason says so) */
    const char *raw;         /* the cell's text, unchanged */
    const char *result;      /* result to enter: the cell's text after declared conversions */
    const char *unit;        /* unit of .result; this and the following may be NULL */
    const char *qualifier;
    const char *dilution;
    const char *replicate;
    const char *analysed_at; /* ISO 8601; without a zone when neither file nor format has one */
    const char *operator_name;
    const char *comment;
    const lims_control_t *control; /* NULL: of a sample; else the rule for this control */
    const char *native; /* of a control: result of the value in the file it is compared with */
    bool excluded;      /* of a control: an exclusion names it, so that the import is refused */
} lims_reading_t;

typedef struct {
    const lims_profile_t *profile; /* profile of the file; NULL: none matched, or several */
    const apr_array_header_t
        *candidates; /* array of const lims_profile_t *: those that matched, ordered by code */
    apr_array_header_t *readings; /* of lims_reading_t, in the file's order */
    lims_reasons_t *reasons;
    struct {
        int rows;     /* rows of the tables, including skipped ones */
        int results;  /* readings of samples */
        int controls; /* readings of controls that go to a QC batch */
        int skipped;  /* rows or values that the profile skips */
        int left;     /* controls among the skipped, by a rule of rows.controls */
    } counts;
    /* Context of the reading. */
    const char *file_name; /* as sent by the client, without directories */
    lims_matcher_t *matcher;
} lims_readings_t;

/* Reads a file with the profile (of `profiles`: const lims_profile_t *) that
 * matches; if `named` is not NULL, only the one with this code, which must match
 * too. Never returns NULL. Faults are in .reasons, blocking or not. The readings
 * live in `pool` and do not point into `bytes`. */
lims_readings_t *lims_file_read(const char *bytes, apr_size_t length, const char *file_name,
                                const apr_array_header_t *profiles, const char *named,
                                apr_pool_t *pool);

/* Reads a file with this profile without matching, to try a draft. */
lims_readings_t *lims_file_read_with(const char *bytes, apr_size_t length, const char *file_name,
                                     const lims_profile_t *profile, apr_pool_t *pool);

/* Finds for each control the value it is compared with: the sample that was spiked
 * or duplicated, or another control; a missing one is a reason. Reading calls
 * this. `again`: repeat it after readings were removed, reporting only what is
 * newly missing. */
void lims_controls_compare(lims_readings_t *readings, bool again, apr_pool_t *pool);

#endif /* LIMS_PROFILES_READINGS_H */
