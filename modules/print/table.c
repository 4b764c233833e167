/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - tables: rows that break only where they must, heads that are repeated. */
#include <math.h>
#include <string.h>

#include "print/table_columns.h"

/* Space above and below the texts of a row. */
#define PAD 2.6

/* Room for a head and the first rows: a table begins where there is so much. */
#define HEAD_AND_ROWS 60

/* A row of more lines than this is broken at the end of a page, a shorter one moved. */
#define WHOLE_LINES 12

/* Space in front of a note, and the longest that can have so few lines, in bytes. */
#define NOTE_INDENT 10
#define WHOLE_NOTE 2000

typedef struct {
    lims_paper_t *paper;
    const lims_print_table_t *table;
    lims_place_t places[LIMS_TABLE_COLUMNS_MAX];
    double body; /* .y behind the head on this page */
    int page;    /* the page of that head */
} setting_t;

/* --- Head ------------------------------------------------------------------- */

static lims_align_e align_of(lims_column_kind_e kind)
{
    return kind == LIMS_COLUMN_NUMBER ? LIMS_ALIGN_END
           : kind == LIMS_COLUMN_MARK ? LIMS_ALIGN_CENTRE
                                      : LIMS_ALIGN_START;
}

static void draw_head(const setting_t *setting, const lims_set_text_t *titles, int lines)
{
    lims_paper_t *paper = setting->paper;
    double leading = lims_styles[LIMS_STYLE_CELL_HEAD].leading;

    lims_tag_open(paper, "TR");
    for (int i = 0; i < setting->table->column_count; i++) {
        lims_tag_open(paper, "TH");
        lims_text_draw(paper, &titles[i], 0, titles[i].lines, setting->places[i].x,
                       PAD + (lines - titles[i].lines) * leading,
                       align_of(setting->table->columns[i].kind));
        lims_tag_close(paper, "TH");
    }
    lims_tag_close(paper, "TR");
    paper->y += lines * leading + 2 * PAD;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.75, &lims_ink);
}

/* Sets the head of the table, unless no column has a title. */
static void set_head(setting_t *setting)
{
    lims_set_text_t titles[LIMS_TABLE_COLUMNS_MAX];
    int lines = 0;

    for (int i = 0; i < setting->table->column_count; i++) {
        const char *title = setting->table->columns[i].title;

        titles[i] = lims_text_set(setting->paper, LIMS_STYLE_CELL_HEAD, setting->places[i].width,
                                  title, strlen(title));
        lines = *title && titles[i].lines > lines ? titles[i].lines : lines;
    }
    if (lines > 0) {
        draw_head(setting, titles, lines);
    }
    for (int i = 0; i < setting->table->column_count; i++) {
        lims_text_drop(&titles[i]);
    }
    setting->body = setting->paper->y;
    setting->page = setting->paper->page;
}

/* --- Rows ------------------------------------------------------------------- */

typedef struct {
    const lims_table_row_t *row;
    lims_set_text_t texts[LIMS_TABLE_COLUMNS_MAX];
    int lines;
} set_row_t;

static set_row_t set_row(const setting_t *setting, const lims_table_row_t *row)
{
    set_row_t set = { .row = row, .lines = 1 };

    for (int i = 0; i < setting->table->column_count; i++) {
        const lims_table_cell_t *cell = &row->cells[i];
        double room = cell->shape == LIMS_SHAPE_NONE ? 0 : LIMS_SHAPE_ROOM;

        set.texts[i] =
            lims_text_set(setting->paper, lims_cell_style(&setting->table->columns[i], cell),
                          setting->places[i].width - room, cell->text, strlen(cell->text));
        set.lines = set.texts[i].lines > set.lines ? set.texts[i].lines : set.lines;
    }
    return set;
}

/* Returns how far a number is moved, so that its decimal point stands below the others'; never
 * to the left, into another column: a text may be wider than was estimated. */
static double decimal_offset(const lims_set_text_t *text, const lims_table_cell_t *cell,
                             double point)
{
    PangoRectangle position;

    pango_layout_index_to_pos(text->layout, (int)lims_whole_part(cell->text), &position);
    return fmax(0, point - (double)position.x / PANGO_SCALE);
}

static void draw_cell(const setting_t *setting, const set_row_t *set, int i, int first, int end,
                      double dy)
{
    lims_paper_t *paper = setting->paper;
    const lims_table_cell_t *cell = &set->row->cells[i];
    const lims_set_text_t *text = &set->texts[i];
    double x = setting->places[i].x, room = 0;
    lims_column_kind_e kind = setting->table->columns[i].kind;

    if (cell->shape != LIMS_SHAPE_NONE) {
        room = LIMS_SHAPE_ROOM;
        if (first == 0) {
            lims_shape_draw(paper, cell->shape, x,
                            dy + (text->style->leading - LIMS_SHAPE_SIZE) / 2, LIMS_SHAPE_SIZE);
        }
    }
    if (kind == LIMS_COLUMN_DECIMAL && text->lines == 1 && setting->places[i].point >= 0) {
        room += decimal_offset(text, cell, setting->places[i].point);
    }
    end = end > text->lines ? text->lines : end;
    lims_tag_open(paper, "TD");
    if (first < end) {
        lims_text_draw(paper, text, first, end, x + room, dy, align_of(kind));
    }
    lims_tag_close(paper, "TD");
}

/* Draws some lines of a row, with the space above the first and below the last. */
static void draw_lines(const setting_t *setting, const set_row_t *set, int first, int end)
{
    lims_paper_t *paper = setting->paper;
    double leading = lims_styles[LIMS_STYLE_CELL].leading;

    lims_tag_open(paper, "TR");
    for (int i = 0; i < setting->table->column_count; i++) {
        draw_cell(setting, set, i, first, end, PAD);
    }
    lims_tag_close(paper, "TR");
    paper->y += (end - first) * leading + 2 * PAD;
}

static void begin_page(setting_t *setting)
{
    lims_paper_break(setting->paper);
    set_head(setting);
}

static double note_width(const lims_paper_t *paper)
{
    return paper->right - paper->left - NOTE_INDENT;
}

/* Returns the height that a note needs on the page on which its row ends: that of all its lines,
 * or, of a long note, of the first two. At the top of a page it would seem to be of the next
 * row. */
static double note_height(lims_paper_t *paper, const lims_table_row_t *row)
{
    apr_size_t length = row->note ? strlen(row->note) : 0;
    int lines = length > 0 ? 2 : 0;

    if (length > 0 && length <= WHOLE_NOTE) {
        lims_set_text_t set =
            lims_text_set(paper, LIMS_STYLE_SMALL, note_width(paper), row->note, length);

        lines = set.lines <= WHOLE_LINES ? set.lines : lines;
        lims_text_drop(&set);
    }
    return lines * lims_styles[LIMS_STYLE_SMALL].leading;
}

static void draw_row(setting_t *setting, const set_row_t *set)
{
    lims_paper_t *paper = setting->paper;
    double leading = lims_styles[LIMS_STYLE_CELL].leading;
    double note = note_height(paper, set->row);
    int line = 0;

    while (line < set->lines && !paper->error) {
        int fit = (int)((paper->bottom - paper->y - 2 * PAD - note) / leading);
        int left = set->lines - line;

        if (fit < left && (left <= WHOLE_LINES || fit < 2) && paper->y > setting->body) {
            begin_page(setting);
            continue;
        }
        fit = fit < 1 ? 1 : fit > left ? left : fit;
        draw_lines(setting, set, line, line + fit);
        setting->body = 0; /* from here on a row stands on each page */
        line += fit;
    }
}

static void draw_note(const setting_t *setting, const char *note)
{
    lims_paper_t *paper = setting->paper;

    paper->y -= PAD;
    lims_paragraph_set(paper, LIMS_STYLE_SMALL, paper->left + NOTE_INDENT, note_width(paper), note);
    paper->y += PAD;
}

/* Sets the head where it and a row have room below each other. */
static void begin_rows(setting_t *setting, const lims_table_row_t *first)
{
    double note = first ? note_height(setting->paper, first) : 0;

    lims_paper_need(setting->paper, HEAD_AND_ROWS + note);
    set_head(setting);
}

void lims_table_set(lims_paper_t *paper, const lims_print_table_t *table)
{
    setting_t setting = { .paper = paper, .table = table };

    lims_table_places(setting.places, paper, table);
    lims_tag_open(paper, "Table");
    begin_rows(&setting, table->row_count > 0 ? &table->rows[0] : NULL);
    for (int i = 0; i < table->row_count && !paper->error; i++) {
        set_row_t set = set_row(&setting, &table->rows[i]);

        /* A long note has begun a page, which has no head yet. */
        if (paper->page != setting.page) {
            begin_rows(&setting, &table->rows[i]);
        }
        draw_row(&setting, &set);
        for (int k = 0; k < table->column_count; k++) {
            lims_text_drop(&set.texts[k]);
        }
        if (table->rows[i].note) {
            draw_note(&setting, table->rows[i].note);
        }
        lims_paper_rule(paper, paper->left, paper->right, 0, i + 1 < table->row_count ? 0.4 : 0.75,
                        i + 1 < table->row_count ? &lims_ink_line : &lims_ink);
    }
    lims_tag_close(paper, "Table");
    paper->y += 2 * PAD;
}
