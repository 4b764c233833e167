/* SPDX-License-Identifier: Apache-2.0 */
/* match_messages.c - matching of messages, XML and JSON by their own headers. */
#include <apr_strings.h>
#include <string.h>

#include "profiles/match_look.h"

static const char *quote(const lims_look_t *look, const char *text)
{
    return apr_psprintf(look->pool, "\"%s\"", text);
}

static bool one_of(const apr_array_header_t *names, const char *name)
{
    for (int i = 0; i < names->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(names, i, const char *), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Compares a message's header with the profile's conditions; returns the first
 * that does not hold, or NULL. */
static const char *header_misses(lims_look_t *look, const lims_profile_t *profile,
                                 const lims_row_t *header)
{
    bool hl7 = look->container == LIMS_CONTAINER_HL7;
    const lims_cell_t *sender = lims_row_cell(header, hl7 ? 3 : 4);

    if (profile->match.sender && !lims_regex_matches(look->out->matcher, profile->match.sender,
                                                     sender->text, sender->length)) {
        return apr_psprintf(look->pool, "its sender does not look like %s",
                            quote(look, lims_regex_pattern(profile->match.sender)));
    }
    if (profile->match.messages) {
        const lims_hl7_signs_t *signs = &look->document->hl7->signs;
        const char *type =
            apr_pstrcat(look->pool, lims_hl7_component(header, 9, 1, signs, look->pool), "^",
                        lims_hl7_component(header, 9, 2, signs, look->pool), NULL);

        if (!one_of(profile->match.messages, type)) {
            return apr_psprintf(look->pool, "it has a message %s", quote(look, type));
        }
    }
    return NULL;
}

const char *lims_match_messages(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const char *name = look->container == LIMS_CONTAINER_HL7 ? "MSH" : "H";
    const lims_document_t *document;
    const char *misses = NULL;

    if (!profile->match.sender && !profile->match.messages) {
        return NULL;
    }
    document = lims_look_document(look);
    if (!document || document->count == 0) {
        return "its messages cannot be read";
    }
    for (int i = 0; i < document->sheets[0].count && !misses; i++) {
        const lims_row_t *row = &document->sheets[0].rows[i];

        if (strcmp(lims_row_cell(row, 0)->text, name) == 0) {
            misses = header_misses(look, profile, row);
        }
    }
    *score += !misses;
    return misses;
}

const char *lims_match_root(lims_look_t *look, const lims_profile_t *profile, int *score)
{
    const lims_document_t *document;

    if (!profile->match.root) {
        return NULL;
    }
    document = lims_look_document(look);
    if (look->container == LIMS_CONTAINER_JSON) {
        if (!document || !lims_xml_child(document->xml, profile->match.root)) {
            return apr_psprintf(look->pool, "it has no member %s",
                                quote(look, profile->match.root));
        }
    } else if (!document || !document->xml ||
               strcmp(document->xml->name, profile->match.root) != 0) {
        return apr_psprintf(look->pool, "its outermost element is not %s",
                            quote(look, profile->match.root));
    }
    (*score)++;
    return NULL;
}
