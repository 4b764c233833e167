/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files that would take gigabytes or minutes to read: they are refused, and each
 * stays within the memory and the time of a file, whatever the profiles look for.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/archive.h"
#include "profiles/layout.h"
#include "profiles/match.h"

#include "readings.h"

/* The memory that reading any of these files may take, MB: some times what it takes, also
 * under a sanitizer, and a fraction of what it took without its bounds. */
#define MEMORY_MAX 640

static apr_pool_t *pool;

/* A file, and the profiles that it is read by. */
typedef struct {
    const char *bytes;
    apr_size_t length;
    apr_array_header_t *profiles;
} hostile_t;

static hostile_t file_of(const char *bytes, apr_size_t length)
{
    return (hostile_t){ bytes, length, apr_array_make(pool, 8, sizeof(const lims_profile_t *)) };
}

static void add_profile(hostile_t *file, const char *profile)
{
    APR_ARRAY_PUSH(file->profiles, const lims_profile_t *) = profile_of(profile, pool);
}

static const char *repeated(const char *text, int count)
{
    apr_array_header_t *parts = apr_array_make(pool, count + 1, sizeof(const char *));

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(parts, const char *) = text;
    }
    return apr_array_pstrcat(pool, parts, 0);
}

static const char *outcome_of(const hostile_t *file)
{
    const lims_readings_t *out =
        lims_file_read(file->bytes, file->length, "f", file->profiles, NULL, pool);

    return apr_psprintf(pool, "%d of %s", out->readings->nelts, why_text(out, pool));
}

/* Reads a file in a process of its own, whose memory is measured. */
static void reads_within(const hostile_t *file, const char *expected, const char *name)
{
    struct rusage usage;
    char outcome[400] = "";
    int ends[2], status = 0;
    ssize_t length;
    pid_t child;

    if (pipe(ends) != 0) {
        exit(2);
    }
    fflush(stdout);
    child = fork();
    if (child == 0) {
        const char *got = outcome_of(file);
        apr_size_t size = strlen(got) < sizeof(outcome) ? strlen(got) : sizeof(outcome) - 1;
        _exit(write(ends[1], got, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    length = read(ends[0], outcome, sizeof(outcome) - 1);
    outcome[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    if (wait4(child, &status, 0, &usage) != child) {
        exit(2);
    }
    if (strlen(outcome) > 40) {
        outcome[strlen(expected)] = '\0'; /* the cell of a reason is long */
    }
    is(outcome, expected, name);
    ok(status == 0 && usage.ru_maxrss / 1024 < MEMORY_MAX, "it takes less than %d MB", MEMORY_MAX);
    printf("# %ld MB, %ld ms\n", usage.ru_maxrss / 1024,
           usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000);
}

/* --- Workbooks ------------------------------------------------------------------------ */

#define BOOK(code, match)                                                                          \
    "{'code': '" code "', 'name': 'n', 'layout': 'wide', 'match': {'container': 'xlsx', " match    \
    "}, 'table': {'header': {'find': ['ID']}}, 'columns': {'trackingId': 'ID'},"                   \
    " 'tests': [{'name': 'T', 'testCode': 'T'}]}"

/* A workbook whose cells all are the same string of 32,000 letters. */
static hostile_t shared_strings(int rows, int columns)
{
    const book_parts_t parts = {
        .strings = apr_pstrcat(pool, "<si><t>", repeated("letters ", 4000), "</t></si>", NULL),
        .sheet = apr_pstrcat(
            pool, "<sheetData>",
            repeated(apr_pstrcat(pool, "<row>", repeated("<c t=\"s\"><v>0</v></c>", columns),
                                 "</row>", NULL),
                     rows),
            "</sheetData>", NULL),
    };
    apr_size_t length;
    const char *bytes = book_of(&length, &parts, true, pool);

    return file_of(bytes, length);
}

static void test_shared_strings(void)
{
    hostile_t file = shared_strings(8, 4096);

    add_profile(&file, BOOK("headers", "'headers': ['ID']"));
    add_profile(&file, BOOK("lines", "'lines': [{'regex': 'never', 'within': 60}]"));
    ok(file.length < 1048576, "the workbook has less than 1 MB");
    reads_within(&file, "0 of archive_limits@1:0",
                 "a string that the cells of a workbook share counts for each of them");
}

/* Each profile joins the row for its expression. */
static void test_lines(void)
{
    hostile_t file = shared_strings(1, 500);

    for (int i = 0; i < 40; i++) {
        add_profile(&file, BOOK("lines", "'lines': [{'regex': 'never', 'within': 60}]"));
    }
    reads_within(&file, "0 of unknown_profile@0:0",
                 "rows that profiles look through are kept for no longer than each");
}

/* A row whose remarks all have the same header, and whose values do. */
static void test_columns(void)
{
    const char *row = apr_pstrcat(pool, "S1\t", repeated("a remark\t5\tanother\t5\t", 1000), "\n",
                                  NULL);
    const char *text =
        apr_pstrcat(pool, "ID\t", repeated("C\tT\t", 2000), "\n", repeated(row, 60), NULL);
    hostile_t file;

    file = file_of(text, strlen(text));
    add_profile(&file,
                "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text',"
                " 'headers': ['ID']}, 'dialect': {'delimiter': 'tab', 'ragged': true}, 'columns':"
                " {'trackingId': 'ID', 'comment': 'C'}, 'tests': [{'name': 'T', 'testCode': 'T'}]}");
    reads_within(&file, "60 of duplicate_row@3:3 [5]", "remarks of thousands of columns are joined in one text");
}

/* --- Messages ------------------------------------------------------------------------- */

static void test_repetitions(void)
{
    static const char hl7[] =
        "{'code': 'c', 'name': 'n', 'match': {'container': 'hl7', 'messages': ['ORU^R01']},"
        " 'layout': 'hl7', 'columns': {'trackingId': 'SPM-2', 'comment': 'NTE-3'},"
        " 'tests': [{'name': 'T', 'testCode': 'T'}]}";
    static const char astm[] =
        "{'code': 'c', 'name': 'n', 'match': {'container': 'astm', 'sender': '.'}, 'layout': "
        "'astm', 'columns': {'comment': 'C-4'}, 'tests': [{'name': 'T', 'testCode': 'T'}]}";
    const char *fields = repeated("|", 4080);
    const char *same = repeated("~1", 16000), *others = repeated("~1~2", 8000);
    const struct {
        const char *name, *profile, *text, *outcome;
    } files[] = {
        { "repetitions of a field of HL7 are compared in one copy of the segment", hl7,
          apr_pstrcat(pool, "MSH|^~\\&|||||||ORU^R01\rOBR|1\rOBX|1|NM|T||1", same, "||||||F", fields,
                      "\rSPM|1|S1\r", NULL),
          "1 of " },
        { "the first that differs is told", hl7,
          apr_pstrcat(pool, "MSH|^~\\&|||||||ORU^R01\rOBR|1\rOBX|1|NM|T||1", others, "||||||F",
                      fields, "\rSPM|1|S1\r", NULL),
          "1 of structure_mismatch@3:5 [1~1~2~1~2" },
        { "the same in ASTM", astm,
          apr_pstrcat(pool, "H|~^&|||D\rO|1|S1\rR|1|^^^T|1", same, "|||||F", fields, "\rL|1|N\r",
                      NULL),
          "1 of " },
        { "repetitions of a remark are joined in one text", hl7,
          apr_pstrcat(pool, "MSH|^~\\&|||||||ORU^R01\rOBR|1\r",
                      repeated(apr_pstrcat(pool, "OBX|1|NM|T||1||||||F\rNTE|1||1", others, "\r",
                                           NULL),
                               4),
                      "SPM|1|S1\r", NULL),
          "4 of duplicate_row@5:5 [1]" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(files); i++) {
        hostile_t file = file_of(files[i].text, strlen(files[i].text));

        add_profile(&file, files[i].profile);
        reads_within(&file, files[i].outcome, files[i].name);
    }
}

/* --- Time ----------------------------------------------------------------------------- */

/* Reads a file whose time is over. */
static lims_readings_t *too_late(void)
{
    lims_readings_t *out = apr_pcalloc(pool, sizeof(*out));

    out->reasons = lims_reasons_create(pool);
    out->reasons->until = 1;
    out->file_name = "f";
    out->matcher = lims_matcher_create(0, pool);
    return out;
}

#define TEXT(match)                                                                                \
    "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': ['text', 'xlsx'], " match \
    "}, 'table': {'header': {'find': ['ID']}}, 'columns': {'trackingId': 'ID'},"                   \
    " 'tests': [{'name': 'T', 'testCode': 'T'}]}"

static void test_time_of_matching(void)
{
    static const char *const matches[] = { TEXT("'headers': ['ID']"), TEXT("'headers': ['no']"),
                                           TEXT("'lines': [{'regex': '.'}]"),
                                           TEXT("'sections': ['S1']") };

    for (apr_size_t i = 0; i < LIMS_LENGTH(matches); i++) {
        hostile_t file = file_of("ID,T\nS1,5\n", 10);
        lims_readings_t *out = too_late();

        add_profile(&file, matches[i]);
        is_number(lims_match(out, file.bytes, file.length, file.profiles, NULL, pool)->nelts, 0,
                  "behind its time a file is for no profile");
        is(why_text(out, pool), "read_timeout@0:0", "the time is the only reason");
    }
}

static void test_time_of_tables(void)
{
    static const char *const tables[] = {
        "'header': {'find': ['ID']}", "'section': '^ID', 'header': {'find': ['ID']}",
        "'block': {'start': '^ID'}, 'header': {'find': ['ID']}", "'end': {'row': '^S1'}"
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(tables); i++) {
        lims_readings_t *out = too_late();
        const lims_profile_t *profile = profile_of(
            apr_pstrcat(pool,
                        "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': "
                        "'text', 'headers': ['ID']}, 'columns': {'trackingId': 'ID'}, 'tests': "
                        "[{'name': 'T', 'testCode': 'T'}], 'table': {",
                        tables[i], "}}", NULL),
            pool);
        const lims_document_t *document =
            lims_profile_document(profile, "ID,T\nS1,5\n", 10, lims_reasons_create(pool), pool);

        lims_layout_read(out, document, profile, pool);
        is(why_text(out, pool), "read_timeout@0:0",
           "behind the time of a file nothing is searched in it, and no table is missed");
    }
}

int main(void)
{
    pool = unit_pool();
    test_shared_strings();
    test_lines();
    test_columns();
    test_repetitions();
    test_time_of_matching();
    test_time_of_tables();
    apr_pool_destroy(pool);
    return tap_done();
}
