/* SPDX-License-Identifier: Apache-2.0 */
/* certificate.c - a certificate of analysis, from its stored content alone: its sections in
 * the order of the layout, its paper, its metadata. */
#include "print/certificate.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "print/job.h"
#include "print/letterhead.h"

typedef struct {
    const char *name;
    void (*add)(lims_certificate_t *certificate);
    bool always; /* whatever the layout says */
} section_t;

/* In the order in which they stand unless the layout says otherwise. */
static const section_t sections[] = {
    { "client", lims_certificate_client, true },
    { "order", lims_certificate_order, false },
    { "sample", lims_certificate_sample, true },
    { "receipt", lims_certificate_receipt, true },
    { "results", lims_certificate_results, true },
    { "qualifiers", lims_certificate_qualifiers, true },
    { "methods", lims_certificate_methods, true },
    { "approvals", lims_certificate_approvals, false },
    { "people", lims_certificate_people, true },
    { "amendments", lims_certificate_amendments, true },
    { "statements", lims_certificate_statements, true },
};

/* Adds a section unless it is there. */
static void add_section(lims_certificate_t *certificate, bool *added, size_t i)
{
    if (!added[i]) {
        added[i] = true;
        sections[i].add(certificate);
    }
}

/* Adds the sections that the layout names, in its order, and those that are never left out;
 * without such a declaration all. */
static void add_sections(lims_certificate_t *certificate)
{
    const lims_json_t *name = lims_member_list(certificate->layout, "sections");
    bool added[LIMS_LENGTH(sections)] = { false }, all = !name;

    for (; name; name = name->next) {
        for (size_t i = 0; i < LIMS_LENGTH(sections); i++) {
            if (name->text && strcmp(sections[i].name, name->text) == 0) {
                add_section(certificate, added, i);
            }
        }
    }
    for (size_t i = 0; i < LIMS_LENGTH(sections); i++) {
        if (all || sections[i].always) {
            add_section(certificate, added, i);
        }
    }
}

static void set_content(lims_paper_t *paper, const void *baton)
{
    lims_blocks_set(paper, ((const lims_certificate_t *)baton)->blocks.first);
}

static const lims_error_t *make_part(lims_print_part_t **part, int *cells,
                                     const lims_json_t *content, bool draft,
                                     lims_pictures_t *pictures, lims_fonts_t *fonts,
                                     apr_pool_t *pool)
{
    lims_certificate_t *certificate = apr_pcalloc(pool, sizeof(*certificate));
    const lims_json_t *layout = lims_json_member(content, "layout");
    const lims_error_t *error;

    if (!lims_json_member(content, "certificate") || !lims_json_member(content, "results")) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "The job has no content of a certificate");
    }
    *certificate = (lims_certificate_t){
        .content = content,
        .layout = layout && layout->type == LIMS_JSON_OBJECT ? layout : NULL,
        .draft = draft,
        .fonts = fonts,
        .blocks = { .pool = pool },
        .pool = pool,
    };
    add_sections(certificate);
    *part = apr_pcalloc(pool, sizeof(**part));
    **part = (lims_print_part_t){ .set = set_content, .baton = certificate };
    error = lims_blocks_check(&certificate->blocks, *cells);
    *cells += certificate->blocks.cells;
    return error ? error : lims_letterhead_make(&(*part)->frame, certificate, pictures, pool);
}

/* Fills what holds for the whole document by its first certificate. */
static void describe(lims_print_document_t *document, const lims_json_t *content, bool draft,
                     apr_pool_t *pool)
{
    const lims_json_t *layout = lims_json_member(content, "layout");
    const char *paper = lims_member_raw(layout, "paper");
    const char *language = lims_member_raw(layout, "language");

    document->letter = paper && strcmp(paper, "letter") == 0;
    document->language = language && *language ? language : document->language;
    document->title = lims_letterhead_title(content, draft, pool);
    document->author = lims_member_line(lims_json_member(content, "laboratory"), "name", pool);
    document->made_at = lims_member_raw(lims_json_member(content, "certificate"), "issuedAt");
}

const lims_error_t *lims_certificate_document(lims_print_document_t *document,
                                              const lims_json_t *job, lims_fonts_t *fonts,
                                              apr_pool_t *pool)
{
    const lims_json_t *single = lims_json_member(job, "content");
    const lims_json_t *content = single ? single : lims_member_list(job, "contents");
    lims_pictures_t *pictures = lims_pictures_of(lims_json_member(job, "files"), pool);
    bool draft = lims_member_true(job, "draft");
    lims_print_part_t **next = &document->parts;
    const lims_error_t *error = NULL;
    int cells = 0;

    if (!content) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY, "The job has no content");
    }
    describe(document, content, draft, pool);
    for (; content && !error; content = single ? NULL : content->next) {
        error = make_part(next, &cells, content, draft, pictures, fonts, pool);
        next = error ? next : &(*next)->next;
    }
    return error;
}
