/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choice of the profile for a file: the only one that matches. Messages if none does, or
 * several, in any order.
 */
#include "profiles/match.h"

#include "readings.h"

static apr_pool_t *pool;

#define PROFILE(code, match)                                                                       \
    "{'code': '" code "', 'name': 'n', 'layout': 'wide', 'match': {" match "},"                    \
    " 'table': {'header': {'find': ['Sample']}}, 'columns': {'trackingId': 'Sample'},"             \
    " 'tests': [{'name': 'Gluc', 'testCode': 'GLU'}]}"

static const char *const csv = "Analyser 3,v2\nOperator,MK\n\nSample,Gluc,Lac\nS1,7.10,2\n";

static const apr_array_header_t *profiles_of(const char *const *texts, int count, int first)
{
    apr_array_header_t *list = apr_array_make(pool, 4, sizeof(const lims_profile_t *));

    for (int i = 0; i < count; i++) {
        APR_ARRAY_PUSH(list, const lims_profile_t *) = profile_of(texts[(first + i) % count], pool);
    }
    return list;
}

static lims_readings_t *read_by(const char *const *texts, int count, int first, const char *named,
                                const char *bytes)
{
    return lims_file_read(bytes, strlen(bytes), "run42.csv", profiles_of(texts, count, first),
                          named, pool);
}

static const char *first_message(const lims_readings_t *out)
{
    return out->reasons->list->nelts > 0
               ? APR_ARRAY_IDX(out->reasons->list, 0, lims_reason_t).message
               : NULL;
}

static lims_reason_e first_code(const lims_readings_t *out)
{
    return out->reasons->list->nelts > 0 ? APR_ARRAY_IDX(out->reasons->list, 0, lims_reason_t).code
                                         : LIMS_REASON_COUNT;
}

/* One profile alone: matches the file above, or misses it for this reason. */
static void test_conditions(void)
{
    static const struct {
        const char *profile, *misses;
    } cases[] = {
        { PROFILE("p", "'container': 'text', 'headers': ['SAMPLE', 'gluc ']"), NULL },
        { PROFILE("p", "'container': 'text', 'headers': ['Sample', 'Na', 'K']"),
          "1 of its 3 headers are there, and \"Na\" is not" },
        { PROFILE("p", "'container': 'text', 'headers': ['Na']"),
          "none of its 1 headers is in the first 50 rows" },
        { PROFILE("p", "'container': 'text', 'headers': ['Sample'], 'headersWithin': 4"), NULL },
        { PROFILE("p", "'container': 'text', 'headers': ['Sample'], 'headersWithin': 3"),
          "none of its 1 headers is in the first 3 rows" },
        { PROFILE("p", "'container': 'xlsx', 'headers': ['Sample']"),
          "it is a file of the kind text" },
        { PROFILE("p", "'container': ['xlsx', 'text'], 'headers': ['Sample']"), NULL },
        { PROFILE("p", "'container': 'text', 'lines': [{'regex': '^Analyser \\\\d'}]"), NULL },
        { PROFILE("p", "'container': 'text', 'lines': [{'regex': '^Sample', 'within': 3}]"),
          "none of the first 3 lines looks like \"^Sample\"" },
        { PROFILE("p", "'container': 'text', 'lines': [{'regex': 'MK$', 'within': 2}]"), NULL },
        { PROFILE("p", "'container': 'text', 'lines': [{'regex': 'A'}, {'regex': 'Z'}]"),
          "none of the first 20 lines looks like \"Z\"" },
        { PROFILE("p", "'container': 'text', 'lines': [{'regex': 'A'}, {'regex': 'Z', 'absent': "
                       "true}]"),
          NULL },
        { PROFILE("p", "'container': 'text', 'lines': [{'regex': 'A'}, {'regex': '^S1', 'absent': "
                       "true}]"),
          "one of the first 20 lines looks like \"^S1\"" },
        { PROFILE("p", "'container': 'text', 'sections': 'analyser 3'"), NULL },
        { PROFILE("p", "'container': 'text', 'sections': ['Operator', 'Results']"),
          "no row begins with \"Results\"" },
        { PROFILE("p", "'container': 'text', 'headers': ['Sample'], 'fileName': '^run\\\\d+'"),
          NULL },
        { PROFILE("p", "'container': 'text', 'headers': ['Sample'], 'fileName': 'xls$'"),
          "its name does not look like \"xls$\"" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        lims_readings_t *out = read_by(&cases[i].profile, 1, 0, NULL, csv);

        if (!cases[i].misses) {
            is(readings_text(out, pool), "5:2 S1 GLU=7.10", cases[i].profile);
            is_number(out->reasons->count, 0, "the file has no reasons");
        } else {
            is(first_message(out),
               apr_psprintf(pool,
                            "No active profile is for this file. The nearest is \"p\", but %s.",
                            cases[i].misses),
               cases[i].profile);
            is_number(first_code(out), LIMS_REASON_UNKNOWN_PROFILE,
                      "the reason is unknown_profile");
            ok(!out->profile && out->readings->nelts == 0, "no profile reads the file");
        }
    }
}

static const char *const several[] = {
    PROFILE("gluc", "'container': 'text', 'headers': ['Sample', 'Gluc']"),
    PROFILE("near", "'container': 'text', 'headers': ['Sample', 'Gluc', 'Lac', 'Na']"),
    PROFILE("book", "'container': 'xlsx', 'headers': ['Sample']"),
    PROFILE("lac", "'container': 'text', 'lines': [{'regex': 'Lac'}]"),
    PROFILE("far", "'container': 'text', 'headers': ['x']"),
};

/* Whatever comes first, the outcome is the same. */
static void test_order(void)
{
    static const char *const text = "Sample,Na\nS1,1\n";

    for (int first = 0; first < 5; first++) {
        lims_readings_t *out = read_by(several, 5, first, NULL, csv);

        is(first_message(out),
           "2 active profiles are for this file: \"gluc\", \"lac\". Name one, or make their match "
           "stricter.",
           "both that match are named");
        is_number(first_code(out), LIMS_REASON_AMBIGUOUS_PROFILE,
                  "the reason is ambiguous_profile");
        is_number(out->candidates->nelts, 2, "both candidates are returned");
        is_number(out->readings->nelts, 0, "neither profile reads the file");
        is(first_message(read_by(several, 5, first, NULL, text)),
           "No active profile is for this file. The nearest is \"near\", but 2 of its 4 headers "
           "are there, and \"Gluc\" is not.",
           "the nearest is the nearest");
        out = read_by(several, 5, first, "lac", csv);
        is(readings_text(out, pool), "5:2 S1 GLU=7.10", "the one that is named reads");
        is(out->profile ? out->profile->code : NULL, "lac", "the answer names the profile");
    }
    is(first_message(read_by(several, 5, 0, "near", csv)),
       "The file is none for the profile \"near\": 3 of its 4 headers are there, and \"Na\" is "
       "not.",
       "a named profile has to match too");
    is(first_message(read_by(several, 5, 0, "none", csv)),
       "No active profile has the code \"none\".", "a named profile has to exist");
    is(first_message(read_by(several, 5, 0, NULL, "a,b\n1,2\n")),
       "No active profile is for this file, and none comes near.", "or far from all");
    is(first_message(read_by(several, 0, 0, NULL, csv)), "There is no active profile.",
       "without profiles no file is read");
}

/* A file of the same software as a profile's, whose first condition does not hold: what
 * holds behind it counts too. */
static void test_nearest(void)
{
    static const char *const same[] = {
        PROFILE("alike", "'container': 'text', 'lines': [{'regex': '^Amount'}, {'regex': 'K'}],"
                         " 'headers': ['Run  ID', 'Data File', 'Type']"),
        PROFILE("closer", "'container': 'text', 'lines': [{'regex': '^Amount'}, {'regex': 'c.'}],"
                          " 'headers': ['Run  ID', 'Data File', 'Type']"),
        PROFILE("far", "'container': 'text', 'headers': ['Wavelength']"),
        PROFILE("named", "'container': 'text', 'headers': ['Type'], 'fileName': '^amounts'"),
    };
    static const char *const text = "Final Conc.,,\nRun ID,Data File,Type\nS1,a.d,Sample\n";

    for (int first = 0; first < 3; first++) {
        is(first_message(read_by(same, 3, first, NULL, text)),
           "No active profile is for this file. The nearest is \"closer\", but none of the first "
           "20 lines looks like \"^Amount\".",
           "the profile of the same headers of which most holds");
    }
    is(first_message(read_by(same + 2, 2, 0, NULL, text)),
       "No active profile is for this file. The nearest is \"named\", but its name does not look "
       "like \"^amounts\".",
       "a profile whose file name alone does not match is the nearest");
    is(first_message(read_by(same, 4, 0, NULL, "Date,Run ID\n1,2\n")),
       "No active profile is for this file. The nearest is \"alike\", but none of the first 20 "
       "lines looks like \"^Amount\".",
       "one matching header is enough to be named");
    is(first_message(read_by(same + 1, 1, 0, "closer", "Run ID,Data File\n1,2\nAmountc,1\n")),
       "The file is none for the profile \"closer\": 2 of its 3 headers are there, and \"Type\" "
       "is not.",
       "a header that is missing is named as the profile writes it");
}

static lims_reason_e code_of(const char *bytes, apr_size_t length)
{
    return first_code(lims_file_read(bytes, length, "f", profiles_of(several, 5, 0), NULL, pool));
}

/* Bytes that no profile can do anything about. */
static void test_bytes(void)
{
    static const char *const charset[] = { "{'code': 'g', 'name': 'n', 'layout': 'wide',"
                                           " 'match': {'container': 'text', 'headers': ['Sample']},"
                                           " 'decode': {'charset': 'US-ASCII'},"
                                           " 'columns': {'trackingId': 'Sample'},"
                                           " 'tests': [{'name': 'Gluc', 'testCode': 'GLU'}]}" };

    is_number(code_of("", 0), LIMS_REASON_EMPTY_FILE, "nothing");
    is_number(
        first_code(lims_file_read_with(csv, strlen(csv), "f", profile_of(several[2], pool), pool)),
        LIMS_REASON_UNKNOWN_PROFILE, "a profile of another container, tried alone");
    is_number(code_of("%PDF-1.7", 8), LIMS_REASON_UNSUPPORTED_CONTAINER, "a PDF");
    is_number(code_of("Sample\0Gluc\nS1\0001\n", 17), LIMS_REASON_ENCODING_ERROR, "NUL bytes");
    is_number(code_of("PK\x03\x04garbage", 11) != LIMS_REASON_UNKNOWN_PROFILE, 1,
              "a damaged workbook is told as one");
    is_number(first_code(read_by(charset, 1, 0, NULL, "Sample,Gluc\n\xE4,1\n")),
              LIMS_REASON_ENCODING_ERROR, "a file that is not in the declared charset");
}

static void test_messages(void)
{
    static const char *const hl7[] = {
        "{'code': 'h', 'name': 'n', 'layout': 'hl7',"
        " 'match': {'container': 'hl7', 'messages': ['ORU^R01'], 'sender': '^LAB$'},"
        " 'columns': {'trackingId': 'OBR-3.1'}, 'tests': [{'name': 'GLU', 'testCode': 'GLU'}]}"
    };
    static const char *const astm[] = { "{'code': 'a', 'name': 'n', 'layout': 'astm',"
                                        " 'match': {'container': 'astm', 'sender': 'VISION'},"
                                        " 'tests': [{'name': 'GLU', 'testCode': 'GLU'}]}" };
    static const char *const message =
        "MSH|^~\\&|LAB|M|E|R|20260419101500||ORU^R01^ORU_R01|1|P|2.5\r"
        "OBR|1|ORD010|S1|C\rOBX|1|NM|GLU||5.50|||||F\r";

    is(readings_text(read_by(hl7, 1, 0, NULL, message), pool), "3:5 S1 GLU=5.50",
       "HL7 by sender and type");
    has(first_message(read_by(hl7, 1, 0, NULL, "MSH|^~\\&|X|M|E|R|2026||ORU^R01|1|P|2.5\rOBR|1\r")),
        "its sender does not look like \"^LAB$\"", "a message of another sender does not match");
    has(first_message(
            read_by(hl7, 1, 0, NULL, "MSH|^~\\&|LAB|M|E|R|2026||ADT^A01|1|P|2.5\rEVN|1\r")),
        "it has a message \"ADT^A01\"", "a message of another type does not match");
    has(first_message(read_by(astm, 1, 0, NULL, "H|\\^&|||Other|||||||P|1\rL|1|N\r")),
        "its sender does not look like \"VISION\"", "ASTM: another sender");
}

static void test_no_rows(void)
{
    const char *const one[] = { several[0] };
    const char *const controls =
        "{'code': 'q', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
        " ['Sample']}, 'columns': {'trackingId': 'Sample'}, 'rows': {'skip': [{'when': [{'column':"
        " 'trackingId', 'equals': 'X'}]}], 'controls': [{'when': [{'column': 'trackingId',"
        " 'matches': '^QC'}], 'controlType': 'CCV', 'route': 'skip'}]},"
        " 'tests': [{'name': 'Gluc', 'testCode': 'GLU'}, {'name': 'Lac', 'testCode': 'LAC'}]}";

    is_number(first_code(read_by(one, 1, 0, NULL, "Sample,Gluc\n")), LIMS_REASON_NO_RESULT_ROWS,
              "a file without rows");
    is(first_message(read_by(&controls, 1, 0, NULL, "Sample,Gluc,Lac\nQC1,1,2\nQC2,2,3\nX,4,5\n")),
       "The profile \"q\" finds no result in the file: of 3 rows 3 were passed over, 2 of them as "
       "controls.",
       "a file of controls and skipped rows only");
}

/* An expression that is stopped counts against its own profile: where that is the
 * only one, the file is held back. */
static void test_exhausted(void)
{
    const char *const slow[] = {
        several[0],
        PROFILE("slow", "'container': 'text', 'lines': [{'regex': '^(?:A+)+$', 'within': 1}]")
    };
    char *text = apr_palloc(pool, 20000);
    lims_readings_t *out;

    memset(text, 'A', 10000);
    apr_cpystrn(text + 9999, "b\nSample,Gluc\nS1,1\n", 100);
    out = read_by(slow, 2, 0, NULL, text);
    ok(out->reasons->blocking == 0 && out->readings->nelts == 1, "another profile reads the file");
    out = read_by(slow + 1, 1, 0, NULL, text);
    has(APR_ARRAY_IDX(out->reasons->list, out->reasons->list->nelts - 1, lims_reason_t).message,
        "takes too long on this file", "without another it is told");
    is(lims_reason_name(APR_ARRAY_IDX(out->reasons->list, 0, lims_reason_t).code), "profile_error",
       "a profile error blocks");
}

static const char *split(const char *text, const char *dialect)
{
    const lims_profile_t *profile = profile_of(
        apr_psprintf(
            pool,
            "{'code': 'p', 'name': 'n', 'layout': 'wide', 'dialect': %s,"
            " 'match': {'container': 'text', 'lines': [{'regex': 'a'}]},"
            " 'columns': {'trackingId': {'index': 1}},"
            " 'tests': [{'name': 'x', 'testCode': 'X', 'columns': {'value': {'index': 2}}}]}",
            dialect),
        pool);
    const lims_document_t *document =
        lims_profile_document(profile, text, strlen(text), lims_reasons_create(pool), pool);
    const char *cells = "";

    for (int i = 0; document && i < document->sheets[0].count; i++) {
        const lims_row_t *row = &document->sheets[0].rows[i];

        cells = apr_psprintf(pool, "%s%d", cells, row->number);
        for (int j = 0; j < row->count; j++) {
            const lims_cell_t *cell = &row->cells[j];

            ok(profile->dialect.unwrap ||
                   memcmp(document->text->bytes + cell->offset, cell->text, cell->length) == 0,
               "'%s' is where it says", cell->text);
            cells = apr_psprintf(pool, "%s[%s]", cells, cell->text);
        }
    }
    return cells;
}

static void test_splitting(void)
{
    is(split("ab cd\n\n\xC2\xB5m x\nlong line\n", "{'delimiter': 'none', 'columns': [1, 4]}"),
       "1[ab ][cd]23[\xC2\xB5m ][x]4[lon][g line]", "fixed columns, by characters");
    is(split("  abc\nxy\n", "{'delimiter': 'none', 'columns': [3, 4]}"), "1[a][bc]2",
       "text before the first column is no cell");
    is(split("# a\nb,c\n#\n d\n", "{'comment': '#'}"), "2[b][c]4[ d]", "comments");
    is(split("a\tb,\"c\n", "{'delimiter': 'none'}"), "1[a\tb,\"c]", "whole lines");
    is(split("\"a,\"\"b,c\"\"\"\n", "{'unwrap': true}"), "1[a][b,c]", "whole lines in quotes");
}

int main(void)
{
    pool = unit_pool();
    test_conditions();
    test_order();
    test_nearest();
    test_bytes();
    test_messages();
    test_no_rows();
    test_exhausted();
    test_splitting();
    return tap_done();
}
