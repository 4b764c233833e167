/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - findings as JSON. */
#include "extraction/report.h"

#include <apr_strings.h>
#include <string.h>

#define MILLION 1000000

static const char *finished(lims_writer_t *w)
{
    apr_size_t length = 0;

    return lims_writer_finish(&length, w);
}

static void write_string(lims_writer_t *w, const char *name, const char *text)
{
    lims_writer_key(w, name);
    lims_writer_string(w, text);
}

static void write_number(lims_writer_t *w, const char *name, int number)
{
    lims_writer_key(w, name);
    if (number > 0) {
        lims_writer_integer(w, number);
    } else {
        lims_writer_null(w);
    }
}

const char *lims_report_share(int millionths, apr_pool_t *pool)
{
    char *text = apr_psprintf(pool, "%d.%06d", millionths / MILLION, millionths % MILLION);
    char *end = text + strlen(text);

    while (end[-1] == '0') {
        end--;
    }
    end -= end[-1] == '.' ? 1 : 0;
    *end = '\0';
    return text;
}

static void write_share(lims_writer_t *w, const char *name, int millionths)
{
    lims_writer_key(w, name);
    lims_writer_raw(w, lims_report_share(millionths, lims_writer_pool(w)));
}

const char *lims_report_updates(const apr_array_header_t *findings, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);

    lims_writer_array_begin(w);
    for (int i = 0; i < findings->nelts; i++) {
        const lims_finding_t *finding = &APR_ARRAY_IDX(findings, i, lims_finding_t);

        if (finding->status == LIMS_MATCH_PROPOSED) {
            lims_writer_object_begin(w);
            lims_writer_key(w, "sampleTestId");
            lims_writer_raw(w, finding->candidate->sample_test_id);
            write_string(w, "result", finding->result);
            write_string(w, "stood", finding->candidate->result);
            write_string(w, "stoodQualifier", finding->candidate->qualifier);
            if (finding->qualifier) {
                write_string(w, "qualifier", finding->qualifier);
            }
            lims_writer_object_end(w);
        }
    }
    lims_writer_array_end(w);
    return finished(w);
}

static void write_kept(lims_writer_t *w, const lims_finding_t *finding)
{
    lims_writer_object_begin(w);
    write_string(w, "sheet", finding->sheet && finding->sheet[0] ? finding->sheet : NULL);
    write_number(w, "row", finding->row);
    write_number(w, "column", finding->column);
    write_string(w, "cell", finding->cell);
    write_string(w, "trackingId", finding->tracking_id);
    lims_writer_key(w, "sampleTestId");
    lims_writer_raw(w, finding->candidate ? finding->candidate->sample_test_id : NULL);
    write_string(w, "cellUnit", finding->cell_unit);
    write_string(w, "result", finding->result);
    write_string(w, "unit", finding->unit);
    write_string(w, "qualifier", finding->qualifier);
    write_share(w, "confidence", finding->confidence);
    lims_writer_key(w, "features");
    lims_writer_object_begin(w);
    write_share(w, "id", finding->id_factor * 10000);
    write_share(w, "test", finding->test_factor * 10000);
    write_share(w, "unit", finding->unit_factor * 10000);
    if (finding->looks_factor > 0) {
        write_share(w, "looks", finding->looks_factor * 10000);
    }
    lims_writer_object_end(w);
    write_string(w, "status", lims_match_names[finding->status]);
    write_string(w, "message", finding->message);
    lims_writer_object_end(w);
}

const char *lims_report_rows(const apr_array_header_t *findings, apr_pool_t *pool)
{
    lims_writer_t *w = lims_writer_create(pool);

    lims_writer_array_begin(w);
    for (int i = 0; i < findings->nelts; i++) {
        write_kept(w, &APR_ARRAY_IDX(findings, i, lims_finding_t));
    }
    lims_writer_array_end(w);
    return finished(w);
}

static void write_row(lims_writer_t *w, const lims_finding_t *finding)
{
    const lims_candidate_t *candidate = finding->candidate;

    lims_writer_object_begin(w);
    write_number(w, "row", finding->row);
    write_string(w, "trackingId", finding->tracking_id);
    write_string(w, "testCode", candidate ? candidate->code : NULL);
    write_string(w, "result", finding->result);
    write_string(w, "unit", finding->unit);
    write_string(w, "qualifier", finding->qualifier);
    lims_writer_key(w, "sampleTestId");
    lims_writer_raw(w, candidate ? candidate->sample_test_id : NULL);
    write_share(w, "confidence", finding->confidence);
    write_string(w, "status", lims_match_names[finding->status]);
    write_string(w, "message", finding->message);
    lims_writer_key(w, "provenance");
    lims_writer_object_begin(w);
    write_string(w, "sheet", finding->sheet && finding->sheet[0] ? finding->sheet : NULL);
    write_number(w, "row", finding->row);
    write_number(w, "column", finding->column);
    write_string(w, "cell", finding->cell);
    write_string(w, "unit", finding->cell_unit);
    lims_writer_object_end(w);
    lims_writer_object_end(w);
}

static int count_of(const apr_array_header_t *findings, lims_match_status_e status)
{
    int count = 0;

    for (int i = 0; i < findings->nelts; i++) {
        count += APR_ARRAY_IDX(findings, i, lims_finding_t).status == status ? 1 : 0;
    }
    return count;
}

static void write_count(lims_writer_t *w, const char *name, int count)
{
    lims_writer_key(w, name);
    lims_writer_integer(w, count);
}

void lims_report_answer(lims_writer_t *w, const apr_array_header_t *findings)
{
    int applied = count_of(findings, LIMS_MATCH_APPLIED);
    int proposed = count_of(findings, LIMS_MATCH_PROPOSED);

    lims_writer_key(w, "rows");
    lims_writer_array_begin(w);
    for (int i = 0; i < findings->nelts; i++) {
        write_row(w, &APR_ARRAY_IDX(findings, i, lims_finding_t));
    }
    lims_writer_array_end(w);
    lims_writer_key(w, "summary");
    lims_writer_object_begin(w);
    write_count(w, "total", findings->nelts);
    write_count(w, "applied", applied);
    write_count(w, "proposed", proposed);
    write_count(w, "skipped", findings->nelts - applied - proposed);
    lims_writer_object_end(w);
}
