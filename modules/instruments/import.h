/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h - the import of an instrument file, for all its callers: an upload,
 * the job that resumes interrupted files, a person who releases a file from
 * quarantine.
 *
 * Three steps, of which only the first and the last hold a connection:
 *
 *   lims_import_find() or _load()   finds the record of the bytes, and the profiles
 *   lims_import_read()              reads the file (pure, may take seconds)
 *   lims_import_decide()            enters all of its results, or none
 */
#ifndef LIMS_INSTRUMENTS_IMPORT_H
#define LIMS_INSTRUMENTS_IMPORT_H

#include "database/database.h"
#include "instruments/registry.h"
#include "kernel/json.h"
#include "profiles/readings.h"

/* Time-out of the statement that enters a file's results, longer than usual
 * since a file may have many. */
#define LIMS_IMPORT_PATIENCE apr_time_from_sec(60)

/* An alias: the tracking id of the sample that is meant by a tracking id in the
 * file. */
typedef struct {
    const char *from, *to;
} lims_alias_t;

/* The place of a value for which a person names the test. */
typedef struct {
    const char *sheet; /* NULL: any */
    int row, column;   /* from 1; column 0: any */
} lims_named_t;

/* An exclusion by a person: a value is excluded if all given members fit it. */
typedef struct {
    const char *sheet;       /* "" where there are none */
    int row, column;         /* from 1; 0: any */
    const char *test;        /* code; NULL: any */
    const char *tracking_id; /* as the file has it; NULL: any */
    bool used;               /* it excluded at least one value */
} lims_excluded_t;

typedef struct {
    apr_pool_t *pool;
    /* The file. */
    const char *id;     /* id of the file's record, NULL: it has none yet */
    const char *status; /* of it, NULL: likewise */
    const char *name;
    const char *bytes;
    apr_size_t length;
    const char *sha256; /* hex */
    const char *asked;  /* code of the profile to use; NULL: the one that matches */
    /* Settings of reading. */
    lims_holding_t *holding;
    apr_array_header_t *profiles;      /* of const lims_profile_t * */
    const char *broken;                /* code of a profile that cannot be parsed, or NULL */
    apr_array_header_t *excluded;      /* of lims_excluded_t, or NULL */
    const apr_array_header_t *aliases; /* of lims_alias_t, or NULL */
    const char *tests;                 /* JSON: [{ row, sheet, column, sampleTestId }], or NULL */
    apr_array_header_t *named;         /* of lims_named_t: the places in .tests, or NULL */
    /* Content that was read. */
    lims_readings_t *readings;
    const char *sheets; /* JSON: cells of the file to show, or NULL */
    /* Outcome. */
    bool decided; /* decided by this import; false: another process was faster */
} lims_import_t;

/* Creates an import of these bytes; `bytes` NULL: they have to be loaded. NULL
 * if OpenSSL provides no SHA-256. */
lims_import_t *lims_import_create(const char *name, const char *bytes, apr_size_t length,
                                  const char *asked, apr_pool_t *pool);

/* Finds out whether the organization has these bytes already (.id, .status),
 * and gets the active profiles; one round trip. */
const lims_error_t *lims_import_find(lims_import_t *import, lims_request_t *rq);

/* Stores the bytes with status received; sets .id, also when another process
 * did so meanwhile. The values may have the bytes as they were sent, as
 * `content` or `contentBase64`. */
const lims_error_t *lims_import_store(lims_import_t *import, lims_request_t *rq,
                                      const lims_values_t *content);

/* Loads the stored file .id with its bytes, and gets the active profiles; one
 * round trip. LIMS_E_NOT_FOUND. */
const lims_error_t *lims_import_load(lims_import_t *import, lims_request_t *rq, const char *id);

/* Reads the file. Needs nothing but memory and time. */
void lims_import_read(lims_import_t *import);

/* exclude.c: parses an exclusion from its JSON; `index` is its place in the list.
 * LIMS_E_INVALID_BODY. */
const lims_error_t *lims_exclude_parse(lims_excluded_t *out, const lims_json_t *object, int index,
                                       apr_pool_t *pool);

/* Leaves out the values and reasons that the exclusions name, and notes which exclusions
 * fitted something. Controls stay, and are marked. */
void lims_import_exclude(lims_import_t *import);

/* Whether a person can leave out the value or the row that a reason is about, with which it
 * goes. False: it is about a table or the file. */
bool lims_reason_is_excludable(const lims_reason_t *reason);

/* Refuses an exclusion that fitted nothing in the file. LIMS_E_INVALID_BODY. */
const lims_error_t *lims_exclude_check(const lims_import_t *import, apr_pool_t *pool);

/* decisions.c: drops the reasons that naming the tests of rows has settled. */
void lims_decisions_settle(lims_import_t *import);

/* Imports or quarantines the stored file, whose status is `from`: sets .decided
 * and .status. With a `reason` the file is released, with `resolution` (JSON,
 * or NULL). Runs in the transaction of rq; serialization failures are left to
 * the caller to retry. */
const lims_error_t *lims_import_decide(lims_import_t *import, lims_request_t *rq, const char *from,
                                       const char *resolution, const char *reason);

/* The same for a file that must not be read: it is quarantined with that
 * reason. */
const lims_error_t *lims_import_give_up(lims_import_t *import, lims_request_t *rq, const char *from,
                                        const char *code, const char *message);

/* Maximum size of the JSON document of a file's readings, bytes: enough for some hundred
 * thousand readings. Each repeats the texts that all values of the file share. */
#define LIMS_IMPORT_DOCUMENT_MAX (64 * 1024 * 1024)

/* import_document.c: the readings as JSON for lims.import_file(); at most so
 * many of them, 0: all. If that would be too long, the file gets a reason and has no
 * readings any more. */
const char *lims_import_document(const lims_import_t *import, int at_most, apr_pool_t *pool);

#endif /* LIMS_INSTRUMENTS_IMPORT_H */
