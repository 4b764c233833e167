/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - headings, paragraphs and facts, one below the other. */
#include "print/blocks.h"

#include <string.h>

#include "kernel/error.h"
#include "print/bounds.h"

/* Space above a heading, and what has to fit below it on its page. */
#define ABOVE_HEADING 8
#define BELOW_HEADING 64

/* Space behind a paragraph, and behind a row of facts. */
#define BEHIND 4

#define FACT_COLUMNS 3
#define FACT_GAP 14

/* A fact of more bytes is set like a paragraph. */
#define LONG_FACT 1500

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

void lims_block_table(lims_blocks_t *blocks, const lims_print_table_t *table)
{
    lims_block_add(blocks, LIMS_BLOCK_TABLE)->table = table;
    blocks->cells += table->row_count * table->column_count;
}

const lims_error_t *lims_blocks_check(const lims_blocks_t *blocks, int others)
{
    if (blocks->cells + others <= LIMS_PRINT_CELLS_MAX) {
        return NULL;
    }
    return lims_client_error(blocks->pool, LIMS_E_PAYLOAD_TOO_LARGE,
                             "The document has tables of more than %d cells in all: too many "
                             "results for one document",
                             LIMS_PRINT_CELLS_MAX);
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
#define PIECE 2048

/* Returns the end of the piece that begins there: at a line break, else within the line. */
static const char *piece_end(const char *at)
{
    apr_size_t length = strnlen(at, PIECE + 1);
    const char *line = memchr(at, '\n', length);

    if (line || length <= PIECE) {
        return line ? line : at + length;
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

/* A fact that has been set, not yet drawn. */
typedef struct {
    lims_set_text_t label, value;
    double height;
} set_fact_t;

static set_fact_t set_fact(lims_paper_t *paper, const lims_fact_t *fact, double width)
{
    const char *value = *fact->value ? fact->value : "\xE2\x80\x93";
    set_fact_t set = {
        .label = lims_text_set(paper, LIMS_STYLE_LABEL, width, fact->label, strlen(fact->label)),
        .value = lims_text_set(paper, fact->style, width, value, strlen(value)),
    };

    set.height =
        set.label.lines * set.label.style->leading + set.value.lines * set.value.style->leading;
    return set;
}

static void drop_fact(set_fact_t *set)
{
    lims_text_drop(&set->label);
    lims_text_drop(&set->value);
}

static void draw_fact(lims_paper_t *paper, const set_fact_t *set, double x, lims_align_e align)
{
    lims_tag_open(paper, "P");
    lims_text_draw(paper, &set->label, 0, set->label.lines, x, 0, LIMS_ALIGN_LEFT);
    lims_text_draw(paper, &set->value, 0, set->value.lines, x,
                   set->label.lines * set->label.style->leading, align);
    lims_tag_close(paper, "P");
}

/* Sets a fact that would not fit on a page as a paragraph below its label. */
static void set_long_fact(lims_paper_t *paper, const lims_fact_t *fact, double width)
{
    lims_paper_need(paper, 40);
    lims_paragraph_set(paper, LIMS_STYLE_LABEL, paper->left, width, fact->label);
    lims_paragraph_set(paper, fact->style, paper->left, width, fact->value);
    paper->y += BEHIND;
}

/* Returns how many facts from there on stand in one row of the grid. */
static int row_length(const lims_paper_t *paper, const lims_fact_t *facts, int count, double column)
{
    int length = 0;

    while (length < FACT_COLUMNS && length < count && strlen(facts[length].value) <= LONG_FACT &&
           span_of(paper, &facts[length], column) == 1) {
        length++;
    }
    return length > 0 ? length : 1;
}

/* Sets facts side by side. Returns false, and sets nothing, where one is higher than a page:
 * of many short lines. */
static bool set_row(lims_paper_t *paper, const lims_fact_t *facts, int count, double column)
{
    double all = paper->right - paper->left;
    bool wide = span_of(paper, facts, column) > 1, fits;
    set_fact_t set[FACT_COLUMNS];
    double height = 0;

    for (int i = 0; i < count; i++) {
        set[i] = set_fact(paper, &facts[i], wide ? all : column);
        height = set[i].height > height ? set[i].height : height;
    }
    lims_paper_need(paper, height);
    fits = paper->y + height <= paper->bottom;
    for (int i = 0; i < count; i++) {
        if (fits) {
            draw_fact(paper, &set[i], paper->left + i * (column + FACT_GAP),
                      wide ? LIMS_ALIGN_START : LIMS_ALIGN_LEFT);
        }
        drop_fact(&set[i]);
    }
    paper->y += fits ? height + BEHIND : 0;
    return fits;
}

void lims_facts_set(lims_paper_t *paper, const lims_fact_t *facts, int count)
{
    double all = paper->right - paper->left;
    double column = (all - (FACT_COLUMNS - 1) * FACT_GAP) / FACT_COLUMNS;

    for (int i = 0, row; i < count && !paper->error; i += row) {
        row = row_length(paper, facts + i, count - i, column);
        if (strlen(facts[i].value) <= LONG_FACT && set_row(paper, facts + i, row, column)) {
            continue;
        }
        for (int k = 0; k < row; k++) {
            set_long_fact(paper, &facts[i + k], all);
        }
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
