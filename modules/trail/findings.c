/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - what does not fit in the chain of the audit trail, in words. */
#include "trail/findings.h"

#include <apr_strings.h>
#include <string.h>

const char *const lims_trail_kinds[LIMS_TRAIL_KINDS + 1] = {
    [LIMS_TRAIL_SOUND] = NULL,
    [LIMS_TRAIL_CHANGED] = "changed",
    [LIMS_TRAIL_REMOVED] = "removed",
    [LIMS_TRAIL_INSERTED] = "inserted",
    [LIMS_TRAIL_BACKDATED] = "backdated",
    [LIMS_TRAIL_BLOCK_MISSING] = "block_missing",
    [LIMS_TRAIL_KEY_MISSING] = "key_missing",
    [LIMS_TRAIL_OTHER_HEAD] = "other_head",
    [LIMS_TRAIL_CUT_OFF] = "cut_off",
    [LIMS_TRAIL_ARCHIVE_FORGED] = "archive_forged",
    [LIMS_TRAIL_KINDS] = NULL,
};

_Static_assert(LIMS_LENGTH(lims_trail_kinds) == LIMS_TRAIL_KINDS + 1, "a name for each kind");

/* Says in words what was found. */
static const char *words_of(const lims_trail_finding_t *finding, apr_pool_t *pool)
{
    static const char *const words[LIMS_TRAIL_KINDS] = {
        [LIMS_TRAIL_CHANGED] = "Entry %2$s is not as it was when block %1$s was closed.",
        [LIMS_TRAIL_REMOVED] = "Entry %2$s was in block %1$s when that was closed, and is gone.",
        [LIMS_TRAIL_INSERTED] = "Entry %2$s was not there when its part of the trail was closed.",
        [LIMS_TRAIL_BACKDATED] = "The time of entry %2$s, in block %1$s, is earlier by more than "
                                 "an hour than that of entries written before it.",
        [LIMS_TRAIL_BLOCK_MISSING] = "Block %1$s is missing, or does not begin where the one "
                                     "before it ends.",
        [LIMS_TRAIL_KEY_MISSING] = "The key file does not have the key of block %1$s, without "
                                   "which nothing from there on can be verified.",
        [LIMS_TRAIL_OTHER_HEAD] = "Block %1$s has another head than the one that was kept "
                                  "outside: the chain was made anew.",
        [LIMS_TRAIL_CUT_OFF] = "Block %1$s, whose head was kept outside, is not there: the end of "
                               "the trail was cut off.",
        [LIMS_TRAIL_ARCHIVE_FORGED] = "The record of the archive that begins with block %1$s was "
                                      "not made by this service: its entries are gone.",
    };
    const char *block = finding->block ? finding->block : "";
    const char *entry = finding->entry ? finding->entry : "";
    const char *sentence = words[finding->kind];

    for (const char *place = strchr(sentence, '%'); place; place = strchr(sentence, '%')) {
        sentence = apr_pstrcat(pool, apr_pstrmemdup(pool, sentence, (apr_size_t)(place - sentence)),
                               place[1] == '1' ? block : entry, place + 4, NULL);
    }
    return sentence;
}

apr_array_header_t *lims_findings_create(apr_pool_t *pool)
{
    return apr_array_make(pool, 4, sizeof(lims_trail_finding_t));
}

void lims_findings_add(apr_array_header_t *findings, lims_trail_e kind, const char *block,
                       const char *entry)
{
    lims_trail_finding_t finding = { .kind = kind,
                                     .block = apr_pstrdup(findings->pool, block),
                                     .entry = apr_pstrdup(findings->pool, entry) };

    if (findings->nelts < LIMS_FINDINGS_MAX) {
        finding.message = words_of(&finding, findings->pool);
        APR_ARRAY_PUSH(findings, lims_trail_finding_t) = finding;
    }
}
