/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manual's example is true: its profile reads its file as its table says.
 */
#include <apr_file_io.h>
#include <apr_strings.h>

#include "readings.h"
#include "sheet.h"

static apr_pool_t *pool;
static const char *manual;

static const char *read_manual(void)
{
    const char *file = __FILE__;
    const char *folder = strstr(file, "t/profiles/");
    const char *path =
        apr_psprintf(pool, "%.*sconf/profiles/README.md", (int)(folder ? folder - file : 0), file);
    apr_file_t *opened;
    apr_finfo_t about;
    char *text;

    if (apr_file_open(&opened, path, APR_READ, 0, pool) != APR_SUCCESS ||
        apr_file_info_get(&about, APR_FINFO_SIZE, opened) != APR_SUCCESS) {
        return NULL;
    }
    text = apr_pcalloc(pool, (apr_size_t)about.size + 1);
    apr_file_read_full(opened, text, (apr_size_t)about.size, NULL);
    return text;
}

/* Returns the text between the fences behind a mark. */
static const char *block(const char *mark)
{
    const char *place = strstr(manual, mark);
    const char *begin = place ? strstr(place, "```") : NULL;
    const char *end;

    ok(begin, "the manual has %s", mark);
    if (!begin) {
        return "";
    }
    begin = strchr(begin, '\n') + 1;
    end = strstr(begin, "```");
    return end ? apr_pstrmemdup(pool, begin, (apr_size_t)(end - begin)) : "";
}

/* A reading as a row of the manual's table. */
static const char *row_of(const lims_reading_t *reading)
{
    return apr_psprintf(pool, "| %d | %s | %s | %s | %s | %s | %s |\n", reading->row,
                        reading->tracking_id, reading->test_code, reading->result, reading->unit,
                        reading->qualifier ? reading->qualifier : "", reading->analysed_at);
}

static lims_readings_t *read_example(const lims_profile_t *profile, const char *file)
{
    apr_array_header_t *profiles = apr_array_make(pool, 1, sizeof(const lims_profile_t *));

    APR_ARRAY_PUSH(profiles, const lims_profile_t *) = profile;
    return lims_file_read(file, strlen(file), "run.csv", profiles, NULL, pool);
}

static void test_example(const lims_profile_t *profile, const char *file)
{
    lims_readings_t *out = read_example(profile, file);

    is(reasons_text(out->reasons, pool), "", "the file has no reasons");
    is_number(out->readings->nelts, 3, "three values are read");
    is_number(out->counts.skipped, 1, "one row is skipped");
    for (int i = 0; i < out->readings->nelts; i++) {
        const char *row = row_of(&APR_ARRAY_IDX(out->readings, i, lims_reading_t));

        if (!ok(strstr(manual, row), "the manual has the readings of the example")) {
            tap_text("lacks", row);
        }
    }
}

/* The manual's sentences about a file that is cut, and about a remark. */
static void test_words(const lims_profile_t *profile, const char *file)
{
    const char *end = strstr(file, "End of run");
    const char *remark = strstr(file, ";mg/l;\n");

    if (!ok(end && remark, "the file has an end and an empty remark")) {
        return;
    }
    has(reasons_text(
            read_example(profile, apr_pstrmemdup(pool, file, (apr_size_t)(end - file)))->reasons,
            pool),
        "truncated_file", "a file without its last line");
    has(reasons_text(read_example(profile, apr_psprintf(pool, "%.*s;mg/l;QUARK%s",
                                                        (int)(remark - file), file, remark + 6))
                         ->reasons,
                     pool),
        "instrument_error_flag", "a remark");
}

/* Whatever is cut off, nothing of the file could be imported. */
static void test_prefixes(const lims_profile_t *profile, const char *file)
{
    const char *last = strstr(file, "End of run;3");
    int whole = 0;

    for (apr_size_t length = 0; last && length < (apr_size_t)(last - file) + 12; length++) {
        lims_readings_t *out = read_example(profile, apr_pstrmemdup(pool, file, length));

        whole += out->reasons->blocking == 0;
    }
    is_number(whole, 0, "no beginning of the file passes for the file");
}

int main(void)
{
    const lims_profile_t *profile = NULL;
    const char *file;
    const char *json;

    pool = unit_pool();
    manual = read_manual();
    if (ok(manual, "there is a manual")) {
        file = block("<!-- example: file -->");
        json = block("<!-- example: profile -->");
        if (passes(lims_profile_parse(&profile, json, strlen(json), pool), "its profile is one")) {
            test_example(profile, file);
            test_words(profile, file);
            test_prefixes(profile, file);
        }
    }
    return tap_done();
}
