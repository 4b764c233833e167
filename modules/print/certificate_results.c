/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_results.c - the table of results, and what explains it. */
#include <apr_strings.h>
#include <string.h>

#include "print/certificate.h"

#define DASH "\xE2\x80\x93"

const char *lims_certificate_test(const lims_json_t *result, apr_pool_t *pool)
{
    const char *name = lims_member_line(result, "testName", pool);
    const char *code = lims_member_line(result, "testCode", pool);

    if (!*name || !*code || strcmp(name, code) == 0) {
        return *name ? name : code;
    }
    return apr_pstrcat(pool, name, " (", code, ")", NULL);
}

/* --- Cells ------------------------------------------------------------------ */

/* Whether a qualifier stands in front of its value: "<" and ">". */
static bool leads(const char *qualifier)
{
    return strcmp(qualifier, "<") == 0 || strcmp(qualifier, ">") == 0;
}

/* Whether a value has its sign in its own text, as instruments write it. It is what the result
 * was judged by, and stands alone. */
static bool has_sign(const char *value)
{
    value += strspn(value, " \t\n\r\f\v");
    return *value == '<' || *value == '>';
}

static lims_table_cell_t test_cell(const lims_certificate_t *certificate, const lims_json_t *result)
{
    return (lims_table_cell_t){ .text = lims_certificate_test(result, certificate->pool) };
}

static lims_table_cell_t method_cell(const lims_certificate_t *certificate,
                                     const lims_json_t *result)
{
    return (lims_table_cell_t){ .text = lims_member_line(result, "method", certificate->pool) };
}

static lims_table_cell_t result_cell(const lims_certificate_t *certificate,
                                     const lims_json_t *result)
{
    const char *value = lims_member_text(result, "result", certificate->pool);
    const char *qualifier = lims_member_line(result, "qualifier", certificate->pool);

    if (leads(qualifier) && !has_sign(value)) {
        value = apr_pstrcat(certificate->pool, qualifier, " ", value, NULL);
    } else if (!*value) {
        value = qualifier;
    }
    return (lims_table_cell_t){ .text = value,
                                .strong = lims_member_true(result, "outOfSpecification") };
}

/* A qualifier beside its result; one that leads it, or stands in its place, is there. */
static lims_table_cell_t qualifier_cell(const lims_certificate_t *certificate,
                                        const lims_json_t *result)
{
    const char *qualifier = lims_member_line(result, "qualifier", certificate->pool);

    return (lims_table_cell_t){ .text = leads(qualifier) ? "" : qualifier };
}

static lims_table_cell_t unit_cell(const lims_certificate_t *certificate, const lims_json_t *result)
{
    return (lims_table_cell_t){ .text = lims_member_line(result, "unit", certificate->pool) };
}

/* The limits without the unit at their end: it stands in its own column. */
static lims_table_cell_t limits_cell(const lims_certificate_t *certificate,
                                     const lims_json_t *result)
{
    const char *limits = lims_member_text(result, "specification", certificate->pool);
    const char *unit = lims_member_line(result, "unit", certificate->pool);
    apr_size_t length = strlen(limits), tail = strlen(unit);

    if (tail > 0 && length > tail + 1 && certificate->has_units &&
        limits[length - tail - 1] == ' ' && strcmp(limits + length - tail, unit) == 0) {
        limits = apr_pstrmemdup(certificate->pool, limits, length - tail - 1);
    }
    return (lims_table_cell_t){ .text = limits };
}

static lims_table_cell_t flag_cell(const lims_certificate_t *certificate, const lims_json_t *result)
{
    const char *conformity = lims_member_line(result, "conformity", certificate->pool);

    if (strcmp(conformity, "outside") == 0) {
        return (lims_table_cell_t){ "Outside", LIMS_SHAPE_ATTENTION, true };
    }
    if (strcmp(conformity, "within") == 0) {
        return (lims_table_cell_t){ "Within", LIMS_SHAPE_WITHIN, false };
    }
    return (lims_table_cell_t){ .text = DASH };
}

static lims_table_cell_t uncertainty_cell(const lims_certificate_t *certificate,
                                          const lims_json_t *result)
{
    return (lims_table_cell_t){ .text =
                                    lims_member_line(result, "uncertainty", certificate->pool) };
}

static lims_table_cell_t analyzed_cell(const lims_certificate_t *certificate,
                                       const lims_json_t *result)
{
    const char *at = lims_member_time(result, "analyzedAt", false, certificate->pool);

    return (lims_table_cell_t){
        .text = *at ? apr_pstrmemdup(certificate->pool, at, strcspn(at, " ")) : DASH
    };
}

static lims_table_cell_t accredited_cell(const lims_certificate_t *certificate,
                                         const lims_json_t *result)
{
    (void)certificate;
    return (lims_table_cell_t){ .text = lims_member_true(result, "accredited") ? "A" : DASH };
}

/* --- Columns ---------------------------------------------------------------- */

typedef struct {
    const char *name, *title;
    lims_column_kind_e kind;
    lims_table_cell_t (*cell)(const lims_certificate_t *certificate, const lims_json_t *result);
    bool required; /* whatever the layout says */
    bool always;   /* also where no result has one */
} column_t;

/* In the order in which they stand unless the layout says otherwise. */
static const column_t columns[] = {
    { "test", "Test", LIMS_COLUMN_TEXT, test_cell, true, true },
    { "method", "Method", LIMS_COLUMN_TEXT, method_cell, false, false },
    { "result", "Result", LIMS_COLUMN_TEXT, result_cell, true, true },
    { "qualifier", "Qualifier", LIMS_COLUMN_MARK, qualifier_cell, true, false },
    { "unit", "Unit", LIMS_COLUMN_TEXT, unit_cell, true, false },
    { "uncertainty", "Uncertainty", LIMS_COLUMN_TEXT, uncertainty_cell, true, false },
    { "limits", "Limits", LIMS_COLUMN_TEXT, limits_cell, true, false },
    { "flag", "Conformity", LIMS_COLUMN_TEXT, flag_cell, true, false },
    { "analyzed", "Analysed", LIMS_COLUMN_TEXT, analyzed_cell, false, false },
    { "accredited", "Accr.", LIMS_COLUMN_MARK, accredited_cell, true, false },
};

/* Whether any result has something in a column. */
static bool is_used(const lims_certificate_t *certificate, const column_t *column)
{
    if (column->cell == accredited_cell) {
        return lims_certificate_is_accredited(certificate);
    }
    for (const lims_json_t *result = lims_member_list(certificate->content, "results"); result;
         result = result->next) {
        const char *text = column->cell(certificate, result).text;

        if (*text && strcmp(text, DASH) != 0) {
            return true;
        }
    }
    return column->always;
}

static const column_t *column_named(const char *name)
{
    for (size_t i = 0; i < LIMS_LENGTH(columns); i++) {
        if (strcmp(columns[i].name, name) == 0) {
            return &columns[i];
        }
    }
    return NULL;
}

static int add_column(const column_t **chosen, int count, const lims_certificate_t *certificate,
                      const column_t *column)
{
    for (int i = 0; i < count; i++) {
        if (chosen[i] == column) {
            return count;
        }
    }
    if (!column || !is_used(certificate, column)) {
        return count;
    }
    chosen[count] = column;
    return count + 1;
}

/* Chooses columns by the layout. Those that are required are there in any case: without them
 * a result could be read as another. */
static int choose_columns(const column_t **chosen, const lims_certificate_t *certificate)
{
    const lims_json_t *named = lims_member_list(certificate->layout, "columns");
    int count = 0;

    for (; named; named = named->next) {
        count =
            add_column(chosen, count, certificate, column_named(named->text ? named->text : ""));
    }
    for (size_t i = 0, named_any = count > 0; i < LIMS_LENGTH(columns); i++) {
        if (!named_any || columns[i].required) {
            count = add_column(chosen, count, certificate, &columns[i]);
        }
    }
    return count;
}

/* Whether all results are of one unit: their decimal points stand below each other. */
static bool have_one_unit(const lims_certificate_t *certificate)
{
    const lims_json_t *result = lims_member_list(certificate->content, "results");
    const char *first = lims_member_line(result, "unit", certificate->pool);

    for (; result; result = result->next) {
        if (strcmp(lims_member_line(result, "unit", certificate->pool), first) != 0) {
            return false;
        }
    }
    return true;
}

/* --- Rows ------------------------------------------------------------------- */

static const char *add_sentence(const char *note, const char *sentence, apr_pool_t *pool)
{
    return *note ? apr_pstrcat(pool, note, "\n", sentence, NULL) : sentence;
}

/* Returns what is said below a result: why it is estimated, how it was confirmed, whether
 * the holding time was exceeded, the remark; NULL: nothing. */
static const char *note_of(const lims_certificate_t *certificate, const lims_json_t *result)
{
    apr_pool_t *pool = certificate->pool;
    const char *qualifier = lims_member_line(result, "qualifier", pool);
    const char *reporting = lims_member_line(result, "reportingLimit", pool);
    const char *detection = lims_member_line(result, "methodDetectionLimit", pool);
    const char *confirmation = lims_member_line(result, "confirmation", pool);
    const char *remark = lims_member_text(result, "remark", pool);
    const char *note = "";

    if (*qualifier && *reporting) {
        note = add_sentence(note, apr_pstrcat(pool, "Reporting limit ", reporting, NULL), pool);
    }
    if (*qualifier && *detection) {
        note =
            add_sentence(note, apr_pstrcat(pool, "Method detection limit ", detection, NULL), pool);
    }
    if (*confirmation) {
        note = add_sentence(note, apr_pstrcat(pool, "Confirmation: ", confirmation, NULL), pool);
    }
    if (lims_member_false(result, "holdingTimeMet")) {
        note = add_sentence(note, "The holding time was exceeded.", pool);
    }
    if (*remark) {
        note = add_sentence(note, remark, pool);
    }
    return *note ? note : NULL;
}

void lims_certificate_results(lims_certificate_t *certificate)
{
    apr_pool_t *pool = certificate->pool;
    const column_t *chosen[LIMS_LENGTH(columns)];
    int columns_chosen = choose_columns(chosen, certificate), row = 0;
    int count = lims_member_count(certificate->content, "results");
    lims_table_column_t *heads = apr_pcalloc(pool, sizeof(*heads) * LIMS_LENGTH(columns));
    lims_print_table_t *table = apr_pcalloc(pool, sizeof(*table));

    for (int i = 0; i < columns_chosen; i++) {
        certificate->has_units = certificate->has_units || chosen[i]->cell == unit_cell;
        heads[i] = (lims_table_column_t){ .title = chosen[i]->title, .kind = chosen[i]->kind };
        if (chosen[i]->cell == result_cell && have_one_unit(certificate)) {
            heads[i].kind = LIMS_COLUMN_DECIMAL;
        }
    }
    *table = (lims_print_table_t){ .columns = heads,
                                   .column_count = columns_chosen,
                                   .rows = apr_pcalloc(pool, sizeof(lims_table_row_t) *
                                                                 (apr_size_t)(count + 1)) };
    for (const lims_json_t *result = lims_member_list(certificate->content, "results"); result;
         result = result->next, row++) {
        lims_table_cell_t *cells = apr_pcalloc(pool, sizeof(*cells) * (apr_size_t)columns_chosen);

        for (int i = 0; i < columns_chosen; i++) {
            cells[i] = chosen[i]->cell(certificate, result);
        }
        table->rows[row] =
            (lims_table_row_t){ .cells = cells, .note = note_of(certificate, result) };
    }
    table->row_count = row;
    lims_block_heading(&certificate->blocks, "Results");
    if (row > 0) {
        lims_block_table(&certificate->blocks, table);
    } else {
        lims_block_paragraph(&certificate->blocks, LIMS_STYLE_BODY, "No results are reported.");
    }
}

/* --- What explains them ----------------------------------------------------- */

bool lims_certificate_is_accredited(const lims_certificate_t *certificate)
{
    const lims_json_t *laboratory = lims_json_member(certificate->content, "laboratory");
    const lims_json_t *result = lims_member_list(certificate->content, "results");

    for (; result; result = result->next) {
        if (lims_member_true(result, "accredited")) {
            return true;
        }
    }
    return *lims_member_line(laboratory, "accreditation", certificate->pool) != '\0';
}

static void explain_accreditation(lims_certificate_t *certificate)
{
    const lims_json_t *laboratory = lims_json_member(certificate->content, "laboratory");
    const char *mark = lims_member_line(laboratory, "accreditation", certificate->pool);

    lims_block_paragraph(&certificate->blocks, LIMS_STYLE_SMALL,
                         apr_pstrcat(certificate->pool, "A: within the scope of accreditation",
                                     *mark ? " (" : "", mark, *mark ? ")" : "",
                                     ". " DASH ": outside of it.", NULL));
}

void lims_certificate_qualifiers(lims_certificate_t *certificate)
{
    const lims_json_t *qualifier = lims_member_list(certificate->content, "qualifiers");
    bool accredited = lims_certificate_is_accredited(certificate);
    apr_pool_t *pool = certificate->pool;

    if (!qualifier && !accredited) {
        return;
    }
    lims_block_heading(&certificate->blocks, qualifier ? "Qualifiers and marks" : "Marks");
    for (; qualifier; qualifier = qualifier->next) {
        lims_block_paragraph(&certificate->blocks, LIMS_STYLE_SMALL,
                             apr_pstrcat(pool, lims_member_line(qualifier, "qualifier", pool), ": ",
                                         lims_member_line(qualifier, "meaning", pool), NULL));
    }
    if (accredited) {
        explain_accreditation(certificate);
    }
}

/* Returns the texts of an array, joined. */
static const char *joined(const lims_json_t *value, const char *between, apr_pool_t *pool)
{
    lims_growing_t all = { 0 };

    lims_grow(&all, "", pool);
    for (; value; value = value->next) {
        const char *text = lims_value_text(value, true, pool);

        lims_grow(&all, all.length > 0 && *text ? between : "", pool);
        lims_grow(&all, text, pool);
    }
    return all.text;
}

void lims_certificate_methods(lims_certificate_t *certificate)
{
    const lims_json_t *content = certificate->content;
    apr_pool_t *pool = certificate->pool;
    const lims_json_t *done = lims_json_member(content, "testsDone");
    const char *from = lims_member_line(done, "from", pool);
    const char *to = lims_member_line(done, "to", pool);
    lims_fact_list_t list = { .count = 0 };

    lims_fact_add(&list, "Methods", LIMS_STYLE_BODY,
                  joined(lims_member_list(content, "methods"), "; ", pool));
    if (*from) {
        lims_fact_add(&list, "Tests done", LIMS_STYLE_BODY,
                      strcmp(from, to) == 0 ? from : apr_pstrcat(pool, from, " to ", to, NULL));
    }
    lims_fact_add(&list, "No time of analysis stated for", LIMS_STYLE_BODY,
                  joined(lims_member_list(content, "withoutAnalysisDay"), ", ", pool));
    lims_fact_section(certificate, "Methods", &list);
}
