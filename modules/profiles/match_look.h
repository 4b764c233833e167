/* SPDX-License-Identifier: Apache-2.0 */
/* match_look.h - what match.c looks at. */
#ifndef LIMS_PROFILES_MATCH_LOOK_H
#define LIMS_PROFILES_MATCH_LOOK_H

#include <apr_hash.h>

#include "profiles/match.h"

/* The file, and what was made of it so far. */
typedef struct {
    const char *bytes;
    apr_size_t length;
    lims_readings_t *out;
    lims_container_e container;
    bool read;                       /* .document was tried */
    const lims_document_t *document; /* of any container but text; or NULL */
    apr_hash_t *texts;               /* charset -> const lims_text_t *, no bytes: not decodable */
    lims_reasons_t *faults;          /* why bytes could not be read */
    bool readable;                   /* by some profile */
    bool nearness;                   /* no profile is for it: only how near they come counts */
    apr_pool_t *pool;
} lims_look_t;

/* The text, decoded; NULL with faults. */
const lims_text_t *lims_look_text(lims_look_t *look, const char *charset);

/* The document of any container but text; NULL with faults. */
const lims_document_t *lims_look_document(lims_look_t *look);

/* The first rows of a text as the profile splits it; NULL when that breaks its
 * dialect or a bound; `*why` says how. A quoted cell may go on behind the lines looked at:
 * then all are read, if `all`. */
const lims_sheet_t *lims_look_rows(const char **why, const lims_profile_t *profile,
                                   const lims_text_t *text, bool all, apr_pool_t *pool);

/* The end of the line that begins here, and in `*next` where the next one does. */
const char *lims_line_end(const char **next, const char *at, const char *end);

/* What the headers of messages, and the root of XML or JSON, miss of a profile: NULL when
 * they fit or it says nothing of them. `*score` grows by what holds. */
const char *lims_match_messages(lims_look_t *look, const lims_profile_t *profile, int *score);
const char *lims_match_root(lims_look_t *look, const lims_profile_t *profile, int *score);

#endif /* LIMS_PROFILES_MATCH_LOOK_H */
