/* SPDX-License-Identifier: Apache-2.0 */
/* letterhead.c - the letterhead and title of the first page, heads of the others, feet. */
#include "print/letterhead.h"

#include <apr_strings.h>
#include <string.h>

#define TITLE "Certificate of analysis"

typedef struct {
    const lims_certificate_t *certificate;
    const char *title; /* of the layout */
    const char *name;  /* "C-2026-000123, version 2"; of a draft "Draft" */
    const char *laboratory, *address, *accreditation;
    const char *code, *url;      /* for verification, "" without */
    const char *header, *footer; /* texts of the layout */
} letterhead_t;

static const char *name_of(const lims_json_t *content, bool draft, apr_pool_t *pool)
{
    const lims_json_t *head = lims_json_member(content, "certificate");
    const char *number = lims_member_line(head, "number", pool);
    const char *version = lims_member_line(head, "version", pool);
    const char *name = apr_pstrcat(pool, number, *number && *version ? ", " : "",
                                   *version ? "version " : "", version, NULL);

    return draft ? apr_pstrcat(pool, "Draft", *name ? " of " : "", name, NULL) : name;
}

static const char *title_of(const lims_json_t *content, apr_pool_t *pool)
{
    const char *title = lims_member_line(lims_json_member(content, "layout"), "title", pool);

    return *title ? title : TITLE;
}

const char *lims_letterhead_title(const lims_json_t *content, bool draft, apr_pool_t *pool)
{
    return apr_pstrcat(pool, title_of(content, pool), " ", name_of(content, draft, pool), NULL);
}

/* --- Heads ------------------------------------------------------------------ */

static void set_first(lims_paper_t *paper, const letterhead_t *letterhead)
{
    double width = paper->right - paper->left;

    lims_paragraph_set(paper, LIMS_STYLE_NAME, paper->left, width, letterhead->laboratory);
    lims_paragraph_set(paper, LIMS_STYLE_SMALL, paper->left, width, letterhead->address);
    lims_paragraph_set(paper, LIMS_STYLE_SMALL, paper->left, width, letterhead->accreditation);
    lims_paragraph_set(paper, LIMS_STYLE_SMALL, paper->left, width, letterhead->header);
    paper->y += 6;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.75, &lims_ink);
    paper->y += 12;
    lims_tag_open(paper, "H1");
    lims_text_line(paper, LIMS_STYLE_TITLE, paper->left, 0, width, LIMS_ALIGN_START,
                   letterhead->title);
    lims_tag_close(paper, "H1");
    paper->y += lims_styles[LIMS_STYLE_TITLE].leading;
    lims_paragraph_set(paper, LIMS_STYLE_CODE, paper->left, width, letterhead->name);
    paper->y += 10;
}

static void set_following(lims_paper_t *paper, const letterhead_t *letterhead)
{
    double width = paper->right - paper->left;

    lims_text_line(paper, LIMS_STYLE_STRONG, paper->left, 0, width / 2, LIMS_ALIGN_LEFT,
                   letterhead->laboratory);
    lims_text_line(paper, LIMS_STYLE_BODY, paper->left + width / 2, 0, width / 2, LIMS_ALIGN_END,
                   letterhead->name);
    paper->y += 16;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.75, &lims_ink);
    paper->y += 12;
}

static void set_head(lims_paper_t *paper, const void *baton)
{
    if (paper->page == 1) {
        set_first(paper, baton);
    } else {
        set_following(paper, baton);
    }
}

/* --- Feet ------------------------------------------------------------------- */

static void set_foot(lims_paper_t *paper, const void *baton)
{
    const letterhead_t *letterhead = baton;
    double width = paper->right - paper->left;
    apr_pool_t *pool = paper->pool;
    const char *left =
        apr_pstrcat(pool, letterhead->name, *letterhead->code ? "   " : "", letterhead->code, NULL);

    paper->y = paper->bottom + 8;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.4, &lims_ink_line);
    lims_text_line(paper, LIMS_STYLE_FOOT, paper->left, 4, width * 3 / 4, LIMS_ALIGN_LEFT, left);
    lims_text_line(paper, LIMS_STYLE_FOOT, paper->left + width * 3 / 4, 4, width / 4,
                   LIMS_ALIGN_END, apr_psprintf(pool, "Page %d of %d", paper->page, paper->pages));
}

const lims_error_t *lims_letterhead_make(lims_frame_t *frame, const lims_certificate_t *certificate,
                                         const lims_json_t *files, apr_pool_t *pool)
{
    letterhead_t *letterhead = apr_pcalloc(pool, sizeof(*letterhead));
    const lims_json_t *laboratory = lims_json_member(certificate->content, "laboratory");
    const lims_json_t *verification = lims_json_member(certificate->content, "verification");
    const lims_json_t *texts = lims_json_member(certificate->layout, "texts");

    (void)files;
    *letterhead = (letterhead_t){
        .certificate = certificate,
        .title = title_of(certificate->content, pool),
        .name = name_of(certificate->content, certificate->draft, pool),
        .laboratory = lims_member_line(laboratory, "name", pool),
        .address = lims_member_text(laboratory, "address", pool),
        .accreditation = lims_member_text(laboratory, "accreditation", pool),
        .code = lims_member_line(verification, "code", pool),
        .url = lims_member_line(verification, "url", pool),
        .header = lims_member_text(texts, "header", pool),
        .footer = lims_member_text(texts, "footer", pool),
    };
    *frame = (lims_frame_t){
        .head = set_head,
        .foot = set_foot,
        .baton = letterhead,
        .foot_height = 24,
        .watermark = certificate->draft ? "DRAFT" : NULL,
    };
    return NULL;
}
