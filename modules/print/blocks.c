/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - headings, paragraphs and facts, one below the other. */
#include "print/blocks.h"

#include <string.h>

/* Space above a heading, and what has to fit below it on its page. */
#define ABOVE_HEADING 8
#define BELOW_HEADING 40

/* Space behind a paragraph, and behind a row of facts. */
#define BEHIND 4

#define FACT_COLUMNS 3
#define FACT_GAP 14

lims_block_t *lims_block_add(lims_blocks_t *blocks, lims_block_e type)
{
    lims_block_t *block = apr_pcalloc(blocks->pool, sizeof(*block));

    block->type = type;
    if (blocks->last) {
        blocks->last->next = block;
    } else {
        blocks->first = block;
    }
    blocks->last = block;
    return block;
}

void lims_block_heading(lims_blocks_t *blocks, const char *text)
{
    lims_block_add(blocks, LIMS_BLOCK_HEADING)->text = text;
}

void lims_block_paragraph(lims_blocks_t *blocks, lims_type_style_e style, const char *text)
{
    lims_block_t *block = lims_block_add(blocks, LIMS_BLOCK_PARAGRAPH);

    block->text = text;
    block->style = style;
}

/* --- Headings --------------------------------------------------------------- */

static void set_heading(lims_paper_t *paper, const char *text)
{
    double width = paper->right - paper->left;
    lims_set_text_t set = lims_text_set(paper, LIMS_STYLE_HEADING, width, text, strlen(text));
    double height = set.lines * set.style->leading;

    if (!lims_paper_need(paper, ABOVE_HEADING + height + BELOW_HEADING) &&
        !lims_paper_is_fresh(paper)) {
        paper->y += ABOVE_HEADING;
    }
    lims_tag_open(paper, "H2");
    lims_text_draw(paper, &set, 0, set.lines, paper->left, 0, LIMS_ALIGN_START);
    lims_tag_close(paper, "H2");
    paper->y += height + BEHIND;
    lims_text_drop(&set);
}

/* --- Paragraphs ------------------------------------------------------------- */

/* A piece of a text that is set at once. */
#define PIECE 8192

/* Returns the end of the piece that begins there: at a line break, else within the line. */
static const char *piece_end(const char *at)
{
    apr_size_t length = strcspn(at, "\n");

    if (length <= PIECE) {
        return at + length;
    }
    return g_utf8_find_prev_char(at, at + PIECE + 1);
}

/* Draws lines, on as many pages as they need. */
static void flow(lims_paper_t *paper, const lims_set_text_t *text, int lines, double x)
{
    int line = 0;

    while (line < lines && !paper->error) {
        double leading = text->style->leading;
        int fit = (int)((paper->bottom - paper->y) / leading);

        if (fit < 1 && !lims_paper_is_fresh(paper)) {
            lims_paper_break(paper);
            continue;
        }
        fit = fit < 1 ? 1 : fit;
        fit = fit > lines - line ? lines - line : fit;
        lims_tag_open(paper, "P");
        lims_text_draw(paper, text, line, line + fit, x, 0, LIMS_ALIGN_START);
        lims_tag_close(paper, "P");
        paper->y += fit * leading;
        line += fit;
    }
}

void lims_paragraph_set(lims_paper_t *paper, lims_type_style_e style, double x, double width,
                        const char *text)
{
    const char *at = text;

    while (*at && !paper->error) {
        const char *end = piece_end(at);
        bool whole = *end == '\n' || !*end;
        lims_set_text_t set = lims_text_set(paper, style, width, at, (apr_size_t)(end - at));
        int lines = set.lines;

        /* The last line of a piece is not full: it begins the next piece. */
        if (!whole && lines > 1) {
            lines--;
            end = at + ((PangoLayoutLine *)g_slist_nth_data(
                            pango_layout_get_lines_readonly(set.layout), (guint)lines))
                           ->start_index;
        }
        flow(paper, &set, lines, x);
        lims_text_drop(&set);
        at = whole && *end ? end + 1 : end;
    }
}

/* --- Facts ------------------------------------------------------------------ */

/* Returns how many columns of the grid a fact takes: all of them, where it is long. */
static int span_of(const lims_paper_t *paper, const lims_fact_t *fact, double column)
{
    double width = lims_fonts_estimate(paper->fonts, fact->style, fact->value, strlen(fact->value));

    return strchr(fact->value, '\n') || width <= 2 * column ? 1 : FACT_COLUMNS;
}

static double set_fact(lims_paper_t *paper, const lims_fact_t *fact, double x, double width,
                       bool draw)
{
    const char *value = *fact->value ? fact->value : "\xE2\x80\x93";
    lims_set_text_t label =
        lims_text_set(paper, LIMS_STYLE_LABEL, width, fact->label, strlen(fact->label));
    lims_set_text_t text = lims_text_set(paper, fact->style, width, value, strlen(value));
    double above = label.lines * label.style->leading;
    double height = above + text.lines * text.style->leading;

    if (draw) {
        lims_tag_open(paper, "P");
        lims_text_draw(paper, &label, 0, label.lines, x, 0, LIMS_ALIGN_LEFT);
        lims_text_draw(paper, &text, 0, text.lines, x, above, LIMS_ALIGN_LEFT);
        lims_tag_close(paper, "P");
    }
    lims_text_drop(&label);
    lims_text_drop(&text);
    return height;
}

/* Sets a fact that would not fit on a page as a paragraph below its label. */
static void set_long_fact(lims_paper_t *paper, const lims_fact_t *fact, double width)
{
    lims_paper_need(paper, 40);
    lims_paragraph_set(paper, LIMS_STYLE_LABEL, paper->left, width, fact->label);
    lims_paragraph_set(paper, fact->style, paper->left, width, fact->value);
    paper->y += BEHIND;
}

void lims_facts_set(lims_paper_t *paper, const lims_fact_t *facts, int count)
{
    double all = paper->right - paper->left;
    double column = (all - (FACT_COLUMNS - 1) * FACT_GAP) / FACT_COLUMNS;

    for (int i = 0; i < count && !paper->error;) {
        double height = 0;
        int row = 0;

        if (strlen(facts[i].value) > PIECE / 4) {
            set_long_fact(paper, &facts[i++], all);
            continue;
        }
        if (span_of(paper, &facts[i], column) > 1) {
            row = 1;
        }
        while (row == 0 ||
               (row < FACT_COLUMNS && i + row < count && span_of(paper, &facts[i], column) == 1 &&
                span_of(paper, &facts[i + row], column) == 1 &&
                strlen(facts[i + row].value) <= PIECE / 4)) {
            row++;
        }
        for (int k = 0; k < row; k++) {
            double width = span_of(paper, &facts[i + k], column) > 1 ? all : column;
            double own = set_fact(paper, &facts[i + k], 0, width, false);

            height = own > height ? own : height;
        }
        lims_paper_need(paper, height);
        for (int k = 0; k < row; k++) {
            double width = span_of(paper, &facts[i + k], column) > 1 ? all : column;

            set_fact(paper, &facts[i + k], paper->left + k * (column + FACT_GAP), width, true);
        }
        paper->y += height + BEHIND;
        i += row;
    }
}

/* --- All -------------------------------------------------------------------- */

void lims_blocks_set(lims_paper_t *paper, const lims_block_t *first)
{
    for (const lims_block_t *block = first; block && !paper->error; block = block->next) {
        switch (block->type) {
        case LIMS_BLOCK_HEADING:
            set_heading(paper, block->text);
            break;
        case LIMS_BLOCK_PARAGRAPH:
            lims_paragraph_set(paper, block->style, paper->left, paper->right - paper->left,
                               block->text);
            paper->y += BEHIND;
            break;
        case LIMS_BLOCK_FACTS:
            lims_facts_set(paper, block->facts, block->fact_count);
            break;
        case LIMS_BLOCK_TABLE:
            lims_table_set(paper, block->table);
            break;
        case LIMS_BLOCK_CHART:
            lims_chart_set(paper, block->chart);
            break;
        case LIMS_BLOCK_PAGE:
            lims_paper_break(paper);
            break;
        default:
            break;
        }
    }
}
