/* SPDX-License-Identifier: Apache-2.0 */
/* letterhead.c - the letterhead and title of the first page, heads of the others, feet. */
#include "print/letterhead.h"

#include <apr_strings.h>
#include <math.h>
#include <string.h>

#include "kernel/error.h"
#include "print/symbol.h"

#define TITLE "Certificate of analysis"
#define DRAFT "Draft: not a certificate, and not to be relied on"

/* The logo's box, and the QR code's side. */
#define LOGO_WIDTH (48 * LIMS_MM)
#define LOGO_HEIGHT (17 * LIMS_MM)
#define QR_SIDE (23 * LIMS_MM)

/* Lines of one text above or below the content of a page. */
#define LINES_MAX 10

typedef enum { LOGO_LEFT, LOGO_RIGHT, LOGO_NONE } logo_e;

typedef struct {
    const char *title;   /* of the layout */
    const char *name;    /* "COA-2026-000123, version 2"; of a draft "Draft of ..." */
    const char *issued;  /* "Issued 2026-11-26 14:03, replaces version 1", or "" */
    const char *running; /* head of the pages behind the first */
    const char *laboratory, *address, *accreditation;
    const char *code, *url;      /* for verification, "" without */
    const char *header, *footer; /* texts of the layout */
    logo_e logo;
    const lims_picture_t *picture; /* NULL: the laboratory has none */
    lims_symbol_t qr;              /* .rows 0: there is none */
} letterhead_t;

/* --- Names ------------------------------------------------------------------ */

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

static const char *issued_of(const lims_json_t *content, apr_pool_t *pool)
{
    const lims_json_t *head = lims_json_member(content, "certificate");
    const lims_json_t *replaces = lims_json_member(head, "replaces");
    const char *at = lims_member_time(head, "issuedAt", false, pool);
    const char *zone = lims_member_line(lims_json_member(content, "laboratory"), "timeZone", pool);
    const char *version = lims_member_line(replaces, "version", pool);

    if (!*at) {
        return "";
    }
    return apr_pstrcat(pool, "Issued ", at, *zone ? " (" : "", zone, *zone ? ")" : "",
                       *version ? ". Replaces version " : "", version, NULL);
}

/* --- The first page --------------------------------------------------------- */

/* Draws all lines of a text and moves .y behind them. Its length has been checked. */
static void set_lines(lims_paper_t *paper, lims_type_style_e style, double x, double width,
                      lims_align_e align, const char *text)
{
    lims_set_text_t set;

    if (*text) {
        set = lims_text_set(paper, style, width, text, strlen(text));
        lims_tag_open(paper, "P");
        lims_text_draw(paper, &set, 0, set.lines, x, 0, align);
        lims_tag_close(paper, "P");
        paper->y += set.lines * set.style->leading;
        lims_text_drop(&set);
    }
}

/* Draws the logo, or why it cannot be, and returns how wide it is. */
static double set_logo(lims_paper_t *paper, const letterhead_t *letterhead, double *height)
{
    const lims_picture_t *picture = letterhead->picture;
    double scale, width, y = paper->y;

    *height = 0;
    if (!picture || letterhead->logo == LOGO_NONE) {
        return 0;
    }
    if (!picture->surface) {
        set_lines(paper, LIMS_STYLE_FOOT,
                  letterhead->logo == LOGO_LEFT ? paper->left : paper->right - LOGO_WIDTH,
                  LOGO_WIDTH, LIMS_ALIGN_LEFT, picture->fault);
        *height = paper->y - y;
        paper->y = y;
        return LOGO_WIDTH;
    }
    scale = fmin(LOGO_WIDTH / picture->width, LOGO_HEIGHT / picture->height);
    width = scale * picture->width;
    *height = scale * picture->height;
    lims_tag_figure(paper, apr_pstrcat(paper->pool, "Logo of ", letterhead->laboratory, NULL));
    lims_picture_draw(paper, picture,
                      letterhead->logo == LOGO_LEFT ? paper->left : paper->right - width, width,
                      *height);
    lims_tag_close(paper, "Figure");
    return width;
}

static void set_laboratory(lims_paper_t *paper, const letterhead_t *letterhead)
{
    double logo_height, logo = set_logo(paper, letterhead, &logo_height), y = paper->y, below;
    double room = logo > 0 ? logo + 14 : 0;
    double x = letterhead->logo == LOGO_LEFT ? paper->left + room : paper->left;
    double width = paper->right - paper->left - room;
    bool beside = logo == 0 || letterhead->logo == LOGO_LEFT;
    double right = beside ? 0.42 * width : 0;

    set_lines(paper, LIMS_STYLE_NAME, x, width - right, LIMS_ALIGN_START, letterhead->laboratory);
    set_lines(paper, LIMS_STYLE_SMALL, x, width - right, LIMS_ALIGN_START, letterhead->address);
    below = paper->y;
    if (beside) {
        paper->y = y + 3;
    }
    set_lines(paper, LIMS_STYLE_SMALL, beside ? paper->right - right + 10 : x,
              beside ? right - 10 : width, beside ? LIMS_ALIGN_END : LIMS_ALIGN_START,
              letterhead->accreditation);
    paper->y = fmax(fmax(below, paper->y), y + logo_height);
    if (*letterhead->header) {
        paper->y += 3;
        set_lines(paper, LIMS_STYLE_SMALL, paper->left, paper->right - paper->left,
                  LIMS_ALIGN_START, letterhead->header);
    }
    paper->y += 6;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.75, &lims_ink);
    paper->y += 14;
}

static void set_title(lims_paper_t *paper, const letterhead_t *letterhead)
{
    bool qr = letterhead->qr.rows > 0;
    double y = paper->y, width = paper->right - paper->left - (qr ? QR_SIDE + 16 : 0);

    lims_tag_open(paper, "H1");
    lims_text_line(paper, LIMS_STYLE_TITLE, paper->left, -3, width, LIMS_ALIGN_START,
                   letterhead->title);
    lims_tag_close(paper, "H1");
    paper->y += lims_styles[LIMS_STYLE_TITLE].leading - 1;
    set_lines(paper, LIMS_STYLE_NUMBER, paper->left, width, LIMS_ALIGN_LEFT, letterhead->name);
    set_lines(paper, LIMS_STYLE_BODY, paper->left, width, LIMS_ALIGN_LEFT, letterhead->issued);
    if (*letterhead->code) {
        paper->y += 4;
        set_lines(paper, LIMS_STYLE_SMALL, paper->left, width, LIMS_ALIGN_LEFT,
                  apr_pstrcat(paper->pool, "Verification code ", letterhead->code,
                              *letterhead->url ? "\n" : "", letterhead->url, NULL));
    }
    if (qr) {
        double below = paper->y;

        paper->y = y;
        lims_tag_figure(paper, apr_pstrcat(paper->pool, "QR code of ", letterhead->url, NULL));
        lims_symbol_draw(paper, &letterhead->qr, paper->right - QR_SIDE, 0, QR_SIDE, QR_SIDE);
        lims_tag_close(paper, "Figure");
        paper->y = fmax(below, y + QR_SIDE);
    }
    paper->y += 12;
}

/* --- Heads and feet --------------------------------------------------------- */

static void set_following(lims_paper_t *paper, const letterhead_t *letterhead)
{
    double width = paper->right - paper->left;

    lims_text_line(paper, LIMS_STYLE_STRONG, paper->left, 0, 0.45 * width, LIMS_ALIGN_LEFT,
                   letterhead->laboratory);
    lims_text_line(paper, LIMS_STYLE_BODY, paper->left + 0.45 * width, 0, 0.55 * width,
                   LIMS_ALIGN_END, letterhead->running);
    paper->y += 16;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.75, &lims_ink);
    paper->y += 10;
}

static void set_head(lims_paper_t *paper, const void *baton)
{
    if (paper->page == 1) {
        set_laboratory(paper, baton);
        set_title(paper, baton);
    } else {
        set_following(paper, baton);
    }
}

static void set_foot(lims_paper_t *paper, const void *baton)
{
    const letterhead_t *letterhead = baton;
    double width = paper->right - paper->left;
    apr_pool_t *pool = paper->pool;
    const char *left = apr_pstrcat(pool, letterhead->name, *letterhead->code ? "    " : "",
                                   letterhead->code, NULL);

    paper->y = paper->bottom + 8;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.4, &lims_ink_line);
    paper->y += 4;
    set_lines(paper, LIMS_STYLE_FOOT, paper->left, width, LIMS_ALIGN_START, letterhead->footer);
    lims_text_line(paper, LIMS_STYLE_FOOT, paper->left, 0, width * 3 / 4, LIMS_ALIGN_LEFT, left);
    lims_text_line(paper, LIMS_STYLE_FOOT, paper->left + width * 3 / 4, 0, width / 4,
                   LIMS_ALIGN_END, apr_psprintf(pool, "Page %d of %d", paper->page, paper->pages));
}

/* --- Making it -------------------------------------------------------------- */

/* Returns a generous number of lines of a text. */
static int lines_of(const lims_fonts_t *fonts, lims_type_style_e style, double width,
                    const char *text)
{
    int lines = 0;

    for (const char *at = text; *at;) {
        apr_size_t length = strcspn(at, "\n");

        lines += 1 + (int)(1.1 * lims_fonts_estimate(fonts, style, at, length) / width);
        at += length + (at[length] ? 1 : 0);
    }
    return lines;
}

static const lims_error_t *check_length(const lims_fonts_t *fonts, const char *what,
                                        const char *text, double width, apr_pool_t *pool)
{
    if (lines_of(fonts, LIMS_STYLE_SMALL, width, text) > LINES_MAX) {
        return lims_client_error(pool, LIMS_E_INVALID_BODY,
                                 "The %s is too long: it has to fit into %d lines", what,
                                 LINES_MAX);
    }
    return NULL;
}

static const lims_error_t *check_lengths(const letterhead_t *letterhead, const lims_fonts_t *fonts,
                                         apr_pool_t *pool)
{
    const struct {
        const char *what, *text;
        double width;
    } texts[] = {
        { "laboratory's name", letterhead->laboratory, 150 },
        { "laboratory's address", letterhead->address, 150 },
        { "laboratory's accreditation", letterhead->accreditation, 130 },
        { "header of the layout", letterhead->header, 450 },
        { "footer of the layout", letterhead->footer, 450 },
        { "title of the layout", letterhead->title, 300 },
        { "certificate's number", letterhead->name, 300 },
        { "verification address", letterhead->url, 300 },
        { "verification code", letterhead->code, 300 },
    };
    const lims_error_t *error = NULL;

    for (size_t i = 0; i < LIMS_LENGTH(texts) && !error; i++) {
        error = check_length(fonts, texts[i].what, texts[i].text, texts[i].width, pool);
    }
    return error;
}

static logo_e logo_of(const lims_json_t *layout)
{
    const char *logo = lims_member_raw(layout, "logo");

    return !logo || strcmp(logo, "left") == 0 ? LOGO_LEFT
           : strcmp(logo, "right") == 0       ? LOGO_RIGHT
                                              : LOGO_NONE;
}

static letterhead_t read_letterhead(const lims_certificate_t *certificate, apr_pool_t *pool)
{
    const lims_json_t *content = certificate->content;
    const lims_json_t *laboratory = lims_json_member(content, "laboratory");
    const lims_json_t *verification = lims_json_member(content, "verification");
    const char *name = name_of(content, certificate->draft, pool);

    return (letterhead_t){
        .title = title_of(content, pool),
        .name = name,
        .issued = certificate->draft ? DRAFT : issued_of(content, pool),
        .running = apr_pstrcat(pool, title_of(content, pool), *name ? " " : "", name, NULL),
        .laboratory = lims_member_line(laboratory, "name", pool),
        .address = lims_member_text(laboratory, "address", pool),
        .accreditation = lims_member_text(laboratory, "accreditation", pool),
        .code = certificate->draft ? "" : lims_member_line(verification, "code", pool),
        .url = certificate->draft ? "" : lims_member_line(verification, "url", pool),
        .header = lims_member_text(certificate->layout, "header", pool),
        .footer = lims_member_text(certificate->layout, "footer", pool),
        .logo = logo_of(certificate->layout),
    };
}

const lims_error_t *lims_letterhead_make(lims_frame_t *frame, const lims_certificate_t *certificate,
                                         lims_pictures_t *pictures, apr_pool_t *pool)
{
    letterhead_t *letterhead = apr_pcalloc(pool, sizeof(*letterhead));
    const char *sha256 =
        lims_member_raw(lims_json_member(certificate->content, "laboratory"), "logoSha256");
    const lims_error_t *error;

    *letterhead = read_letterhead(certificate, pool);
    if (sha256 && letterhead->logo != LOGO_NONE) {
        letterhead->picture = lims_picture_find(pictures, sha256, pool);
    }
    *frame = (lims_frame_t){
        .head = set_head,
        .foot = set_foot,
        .baton = letterhead,
        .foot_height =
            24 + lims_styles[LIMS_STYLE_FOOT].leading *
                     lines_of(certificate->fonts, LIMS_STYLE_FOOT, 450, letterhead->footer),
        .watermark = certificate->draft ? "DRAFT" : NULL,
    };
    error = check_lengths(letterhead, certificate->fonts, pool);
    if (!error && *letterhead->url) {
        error = lims_symbol_make(&letterhead->qr, LIMS_SYMBOL_QR, letterhead->url, pool);
    }
    return error;
}
