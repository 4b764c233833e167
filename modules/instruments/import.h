/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import.h - a file on its way into results, whoever brought it there: an
 * instrument's upload, the job that takes up what a crash left, a person who
 * releases it from quarantine.
 *
 * Three steps, of which only the first and the last hold a connection:
 *
 *     lims_import_find() or _load()   the bytes' record, the profiles
 *     lims_import_read()              what the file says (pure, may take seconds)
 *     lims_import_decide()            all of it becomes results, or none
 */
#ifndef LIMS_INSTRUMENTS_IMPORT_H
#define LIMS_INSTRUMENTS_IMPORT_H

#include "database/database.h"
#include "instruments/registry.h"
#include "kernel/json.h"
#include "profiles/readings.h"

/* Longest that entering what a file says may take in the database: as many
 * results as a file may have take a while. */
#define LIMS_IMPORT_PATIENCE apr_time_from_sec(60)

/* A value of one tracking id in a file that stands for another's. */
typedef struct {
    const char *from, *to;
} lims_alias_t;

/* What a person leaves out: all that is given has to hold. */
typedef struct {
    const char *sheet;       /* "" where there are none */
    int row, column;         /* from 1; 0: any */
    const char *test;        /* code; NULL: any */
    const char *tracking_id; /* as the file has it; NULL: any */
    bool used;               /* something was left out by it */
} lims_excluded_t;

typedef struct {
    apr_pool_t *pool;
    /* The file. */
    const char *id;     /* of its record, NULL: it has none yet */
    const char *status; /* of it, NULL: likewise */
    const char *name;
    const char *bytes;
    apr_size_t length;
    const char *sha256; /* hex */
    const char *asked;  /* the code of a profile, or NULL: whichever matches */
    /* What it is read by. */
    lims_holding_t *holding;
    apr_array_header_t *profiles;      /* of const lims_profile_t * */
    const char *broken;                /* the code of one that cannot be parsed, or NULL */
    apr_array_header_t *excluded;      /* of lims_excluded_t, or NULL */
    const apr_array_header_t *aliases; /* of lims_alias_t, or NULL */
    /* What it says. */
    lims_readings_t *readings;
    /* What was decided. */
    bool decided; /* by this; else another was faster */
} lims_import_t;

/* An import of these bytes; `bytes` NULL: they are to be loaded. NULL when there is no
 * SHA-256. */
lims_import_t *lims_import_create(const char *name, const char *bytes, apr_size_t length,
                                  const char *asked, apr_pool_t *pool);

/* Whether the organization has these bytes already (.id, .status), and the active
 * profiles; one round trip. */
const lims_error_t *lims_import_find(lims_import_t *import, lims_request_t *rq);

/* Keeps the bytes as received; .id, also when somebody else did so meanwhile. The
 * values may have them as they came, as `content` or `contentBase64`. */
const lims_error_t *lims_import_store(lims_import_t *import, lims_request_t *rq,
                                      const lims_values_t *content);

/* The kept file .id as it stands, with its bytes, and the active profiles; one round
 * trip. LIMS_E_NOT_FOUND. */
const lims_error_t *lims_import_load(lims_import_t *import, lims_request_t *rq, const char *id);

/* What the file says. Needs nothing but memory and time. */
void lims_import_read(lims_import_t *import);

/* exclude.c: an element of the list of what is left out, from its JSON, and takes it
 * out of what was read; what nothing was left out by is refused. LIMS_E_INVALID_BODY. */
const lims_error_t *lims_exclude_take(lims_excluded_t *out, const lims_json_t *object, int index,
                                      apr_pool_t *pool);
void lims_import_exclude(lims_import_t *import);
const lims_error_t *lims_exclude_check(const lims_import_t *import, apr_pool_t *pool);

/* Decides about the kept file, which stands as `from`: .decided and .status. With a
 * `reason` it is released, by `resolution` (JSON, or NULL). In the transaction of
 * rq; serialization failures are for who asked to try again. */
const lims_error_t *lims_import_decide(lims_import_t *import, lims_request_t *rq, const char *from,
                                       const char *resolution, const char *reason);

/* The same for a file that is not to be read: it is kept for a person, who is told
 * why. */
const lims_error_t *lims_import_give_up(lims_import_t *import, lims_request_t *rq, const char *from,
                                        const char *code, const char *message);

/* import_document.c: what was read, as lims.import_file() takes it; at most so many of the
 * readings, 0: all. */
const char *lims_import_document(const lims_import_t *import, int at_most, apr_pool_t *pool);

/* The bytes of a body that has them as `content`, a text, or as `contentBase64`
 * (RFC 4648 section 4, padded, in one line), NUL-terminated; NULL when it has neither.
 * LIMS_E_INVALID_BODY. */
const lims_error_t *lims_import_content(const char **bytes, apr_size_t *length,
                                        const lims_request_t *rq);

#endif /* LIMS_INSTRUMENTS_IMPORT_H */
