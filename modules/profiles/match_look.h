/* SPDX-License-Identifier: Apache-2.0 */
/* match_look.h - cached views of a file, shared by the matching of all profiles. */
#ifndef LIMS_PROFILES_MATCH_LOOK_H
#define LIMS_PROFILES_MATCH_LOOK_H

#include <apr_hash.h>

#include "profiles/match.h"

/* The file, and the views of it that were made so far. */
typedef struct {
    const char *bytes;
    apr_size_t length;
    lims_readings_t *out;
    lims_container_e container;
    bool read;                       /* the reading of .document was attempted */
    const lims_document_t *document; /* document of a container other than text; or NULL */
    apr_hash_t *texts;      /* charset -> const lims_text_t *; without bytes if not decodable */
    lims_reasons_t *faults; /* why bytes could not be read */
    bool readable;          /* by some profile */
    bool nearness;          /* no profile matches: only the score counts */
    apr_pool_t *pool;
} lims_look_t;

/* Returns the decoded text; NULL with .faults. */
const lims_text_t *lims_look_text(lims_look_t *look, const char *charset);

/* Returns the document of a container other than text; NULL with .faults. */
const lims_document_t *lims_look_document(lims_look_t *look);

/* The first rows of a text, split by the profile; NULL when the text breaks its
 * dialect or a bound, with the reason in `*why`. A quoted cell may continue
 * after these lines: then all lines are read, unless only the score counts. */
const lims_sheet_t *lims_look_rows(const char **why, const lims_look_t *look,
                                   const lims_profile_t *profile, const lims_text_t *text,
                                   apr_pool_t *pool);

/* Returns the end of the line at `at`; `*next` becomes the begin of the next line. */
const char *lims_line_end(const char **next, const char *at, const char *end);

/* Returns the condition of a profile that the headers of messages do not meet; NULL: all
 * are met, or there are none. Increases `*score` by the number of met conditions. */
const char *lims_match_messages(lims_look_t *look, const lims_profile_t *profile, int *score);

/* Returns the condition of a profile that the root of XML or JSON does not meet, likewise. */
const char *lims_match_root(lims_look_t *look, const lims_profile_t *profile, int *score);

#endif /* LIMS_PROFILES_MATCH_LOOK_H */
