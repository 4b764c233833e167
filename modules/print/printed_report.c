/* SPDX-License-Identifier: Apache-2.0 */
/* printed_report.c - reports: blocks as the job declares them, under a title. */
#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "print/control_chart.h"
#include "print/job.h"
#include "print/members.h"
#include "print/table_columns.h"

typedef struct {
    const char *title, *subtitle, *laboratory, *made;
    lims_blocks_t blocks;
} report_t;

/* --- Heads and feet --------------------------------------------------------- */

static void set_head(lims_paper_t *paper, const void *baton)
{
    const report_t *report = baton;
    double width = paper->right - paper->left;

    lims_text_line(paper, LIMS_STYLE_SMALL, paper->left, 0, width / 2, LIMS_ALIGN_LEFT,
                   report->laboratory);
    if (paper->page > 1) {
        lims_text_line(paper, LIMS_STYLE_SMALL, paper->left + width / 2, 0, width / 2,
                       LIMS_ALIGN_END, report->title);
    }
    paper->y += 14;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.75, &lims_ink);
    paper->y += 10;
    if (paper->page == 1) {
        lims_tag_open(paper, "H1");
        lims_text_line(paper, LIMS_STYLE_TITLE, paper->left, 0, width, LIMS_ALIGN_START,
                       report->title);
        lims_tag_close(paper, "H1");
        paper->y += lims_styles[LIMS_STYLE_TITLE].leading + 2;
    }
}

static void set_foot(lims_paper_t *paper, const void *baton)
{
    const report_t *report = baton;
    double width = paper->right - paper->left;

    paper->y = paper->bottom + 8;
    lims_paper_rule(paper, paper->left, paper->right, 0, 0.4, &lims_ink_line);
    lims_text_line(paper, LIMS_STYLE_FOOT, paper->left, 4, width * 3 / 4, LIMS_ALIGN_LEFT,
                   *report->made ? apr_pstrcat(paper->pool, "Made ", report->made, NULL) : "");
    lims_text_line(paper, LIMS_STYLE_FOOT, paper->left + width * 3 / 4, 4, width / 4,
                   LIMS_ALIGN_END,
                   apr_psprintf(paper->pool, "Page %d of %d", paper->page, paper->pages));
}

static void set_content(lims_paper_t *paper, const void *baton)
{
    const report_t *report = baton;

    if (*report->subtitle) {
        lims_paragraph_set(paper, LIMS_STYLE_BODY, paper->left, paper->right - paper->left,
                           report->subtitle);
        paper->y += 6;
    }
    lims_blocks_set(paper, report->blocks.first);
}

/* --- Blocks ----------------------------------------------------------------- */

static const lims_error_t *refuse(const char *why, apr_pool_t *pool)
{
    return lims_client_error(pool, LIMS_E_INVALID_BODY, "The report cannot be set: %s", why);
}

static const lims_error_t *add_heading(lims_blocks_t *blocks, const lims_json_t *block)
{
    lims_block_heading(blocks, lims_member_text(block, "text", blocks->pool));
    return NULL;
}

static const lims_error_t *add_paragraph(lims_blocks_t *blocks, const lims_json_t *block)
{
    const char *style = lims_member_line(block, "style", blocks->pool);

    lims_block_paragraph(blocks,
                         strcmp(style, "small") == 0    ? LIMS_STYLE_SMALL
                         : strcmp(style, "strong") == 0 ? LIMS_STYLE_STRONG
                         : strcmp(style, "code") == 0   ? LIMS_STYLE_CODE
                                                        : LIMS_STYLE_BODY,
                         lims_member_text(block, "text", blocks->pool));
    return NULL;
}

static const lims_error_t *add_facts(lims_blocks_t *blocks, const lims_json_t *block)
{
    const lims_json_t *item = lims_member_list(block, "items");
    lims_fact_t *facts = apr_pcalloc(
        blocks->pool, sizeof(*facts) * (apr_size_t)(lims_member_count(block, "items") + 1));
    lims_block_t *added = lims_block_add(blocks, LIMS_BLOCK_FACTS);

    for (; item; item = item->next) {
        facts[added->fact_count++] = (lims_fact_t){
            .label = lims_member_line(item, "label", blocks->pool),
            .value = lims_member_text(item, "value", blocks->pool),
            .style = lims_member_true(item, "code") ? LIMS_STYLE_CODE : LIMS_STYLE_BODY,
        };
    }
    added->facts = facts;
    return NULL;
}

static lims_column_kind_e kind_of(const lims_json_t *column)
{
    static const struct {
        const char *name;
        lims_column_kind_e kind;
    } kinds[] = {
        { "right", LIMS_COLUMN_NUMBER },
        { "decimal", LIMS_COLUMN_DECIMAL },
        { "centre", LIMS_COLUMN_MARK },
    };
    const char *align = lims_member_raw(column, "align");

    for (size_t i = 0; align && i < LIMS_LENGTH(kinds); i++) {
        if (strcmp(kinds[i].name, align) == 0) {
            return kinds[i].kind;
        }
    }
    return lims_member_true(column, "code") ? LIMS_COLUMN_CODE : LIMS_COLUMN_TEXT;
}

static const lims_error_t *read_cell(lims_table_cell_t *cell, const lims_json_t *value,
                                     apr_pool_t *pool)
{
    const char *shape;

    if (value->type != LIMS_JSON_OBJECT) {
        *cell = (lims_table_cell_t){ .text = lims_value_text(value, false, pool) };
        return NULL;
    }
    shape = lims_member_raw(value, "shape");
    *cell = (lims_table_cell_t){
        .text = lims_member_text(value, "text", pool),
        .shape = shape ? lims_shape_named(shape) : LIMS_SHAPE_NONE,
        .strong = lims_member_true(value, "strong"),
    };
    return cell->shape == LIMS_SHAPE_COUNT ? refuse("a cell has a shape that is not known", pool)
                                           : NULL;
}

static const lims_error_t *read_row(lims_table_row_t *row, int columns, const lims_json_t *value,
                                    apr_pool_t *pool)
{
    const lims_json_t *cell =
        value->type == LIMS_JSON_ARRAY ? value->first : lims_member_list(value, "cells");
    const char *note = lims_member_text(value, "note", pool);
    const lims_error_t *error = NULL;
    int i = 0;

    row->cells = apr_pcalloc(pool, sizeof(*row->cells) * (apr_size_t)columns);
    for (; cell && i < columns && !error; cell = cell->next) {
        error = read_cell(&row->cells[i++], cell, pool);
    }
    for (; i < columns; i++) {
        row->cells[i].text = "";
    }
    row->note = *note ? note : NULL;
    return !error && cell ? refuse("a row has more cells than there are columns", pool) : error;
}

static const lims_error_t *add_table(lims_blocks_t *blocks, const lims_json_t *block)
{
    apr_pool_t *pool = blocks->pool;
    const lims_json_t *column = lims_member_list(block, "columns");
    const lims_json_t *row = lims_member_list(block, "rows");
    int columns = lims_member_count(block, "columns");
    lims_table_column_t *heads = apr_pcalloc(pool, sizeof(*heads) * (apr_size_t)(columns + 1));
    lims_print_table_t *table = apr_pcalloc(pool, sizeof(*table));
    const lims_error_t *error = NULL;

    if (columns < 1 || columns > LIMS_TABLE_COLUMNS_MAX) {
        return refuse("a table has no columns, or more than 24", pool);
    }
    for (int i = 0; column; column = column->next) {
        heads[i++] = (lims_table_column_t){ .title = lims_member_text(column, "title", pool),
                                            .kind = kind_of(column) };
    }
    table->rows = apr_pcalloc(pool, sizeof(lims_table_row_t) *
                                        (apr_size_t)(lims_member_count(block, "rows") + 1));
    for (; row && !error; row = row->next) {
        error = read_row(&table->rows[table->row_count++], columns, row, pool);
    }
    table->columns = heads;
    table->column_count = columns;
    lims_block_table(blocks, table);
    return error ? error : lims_blocks_check(blocks, 0);
}

static const lims_error_t *add_chart(lims_blocks_t *blocks, const lims_json_t *block)
{
    return lims_chart_read(&lims_block_add(blocks, LIMS_BLOCK_CHART)->chart, block, blocks->pool);
}

static const lims_error_t *add_page(lims_blocks_t *blocks, const lims_json_t *block)
{
    (void)block;
    lims_block_add(blocks, LIMS_BLOCK_PAGE);
    return NULL;
}

static const struct {
    const char *type;
    const lims_error_t *(*add)(lims_blocks_t *blocks, const lims_json_t *block);
} types[] = {
    { "heading", add_heading }, { "paragraph", add_paragraph }, { "facts", add_facts },
    { "table", add_table },     { "chart", add_chart },         { "pagebreak", add_page },
};

static const lims_error_t *add_block(lims_blocks_t *blocks, const lims_json_t *block)
{
    const char *type = lims_member_raw(block, "type");

    for (size_t i = 0; type && i < LIMS_LENGTH(types); i++) {
        if (strcmp(types[i].type, type) == 0) {
            return types[i].add(blocks, block);
        }
    }
    return refuse("a block has no type that is known", blocks->pool);
}

const lims_error_t *lims_report_document(lims_print_document_t *document, const lims_json_t *job,
                                         lims_fonts_t *fonts, apr_pool_t *pool)
{
    report_t *report = apr_pcalloc(pool, sizeof(*report));
    const lims_json_t *block = lims_member_list(job, "blocks");
    const char *paper = lims_member_raw(job, "paper"),
               *turned = lims_member_raw(job, "orientation");
    const lims_error_t *error = NULL;

    (void)fonts;
    *report = (report_t){
        .title = lims_member_line(job, "title", pool),
        .subtitle = lims_member_text(job, "subtitle", pool),
        .laboratory = lims_member_line(job, "laboratory", pool),
        .made = lims_member_time(job, "madeAt", true, pool),
        .blocks = { .pool = pool },
    };
    for (; block && !error; block = block->next) {
        error = add_block(&report->blocks, block);
    }
    document->letter = paper && strcmp(paper, "letter") == 0;
    document->landscape = turned && strcmp(turned, "landscape") == 0;
    document->title = report->title;
    document->author = report->laboratory;
    document->made_at = lims_member_raw(job, "madeAt");
    document->parts = apr_pcalloc(pool, sizeof(*document->parts));
    *document->parts = (lims_print_part_t){
        .frame = { .head = set_head, .foot = set_foot, .baton = report, .foot_height = 22 },
        .set = set_content,
        .baton = report,
    };
    return error;
}
