/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles are taken with their defaults, or refused with the member's path and
 * what would be right.
 */
#include <apr_strings.h>

#include "profiles/profile_parse.h"
#include "unit.h"

static apr_pool_t *pool;

/* In apostrophes, for legibility; in JSON they are quotes. */
static const char *const small =
    "{'code': 'c', 'name': 'n', 'layout': 'wide',"
    " 'match': {'container': 'text', 'headers': ['Sample ID', 'Gluc']},"
    " 'columns': {'trackingId': 'Sample ID'},"
    " 'tests': [{'name': 'Gluc', 'testCode': 'GLU', 'unit': 'g/L'}]}";

static const char *quoted(const char *text)
{
    char *json = apr_pstrdup(pool, text);

    for (char *p = json; *p != '\0'; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    return json;
}

/* The small profile with one part of it replaced by another. */
static const char *changed(const char *part, const char *by)
{
    const char *place = strstr(small, part);

    ok(place, "the profile has %s", part);
    return !place ? small
                  : apr_psprintf(pool, "%.*s%s%s", (int)(place - small), small, by,
                                 place + strlen(part));
}

static const lims_profile_t *parsed(const char *text)
{
    const lims_profile_t *profile;
    const char *json = quoted(text);

    passes(lims_profile_parse(&profile, json, strlen(json), pool), text);
    return profile;
}

static const char *text_at(const apr_array_header_t *list, int index)
{
    return list && index < list->nelts ? APR_ARRAY_IDX(list, index, const char *) : NULL;
}

static void test_defaults(void)
{
    const lims_profile_t *profile = parsed(small);
    const lims_test_t *test;

    if (!profile) {
        return;
    }
    test = &APR_ARRAY_IDX(profile->tests, 0, lims_test_t);
    is(profile->code, "c", "code");
    is_number(profile->layout, LIMS_LAYOUT_WIDE, "layout");
    is_number(profile->match.containers, 1 << LIMS_CONTAINER_TEXT, "container");
    is(text_at(profile->match.headers, 0), "sample id", "headers are folded");
    is(text_at(profile->table.header.find, 1), "gluc", "the header is found by match's");
    is_number(profile->columns[0].kind, LIMS_SOURCE_HEADER, "a string is a header");
    is(profile->columns[0].header, "sample id", "a header is folded");
    is_number(profile->columns[0].occurrence, 1, "a header is the first of its name");
    is_number(profile->columns[LIMS_COLUMN_UNIT].kind, LIMS_SOURCE_NONE,
              "the profile has no other column");
    is(text_at(test->names, 0), "gluc", "the test has its name");
    is(test->unit, "g/L", "its unit is as written");
    ok(!test->file_unit && !test->convert && !test->values, "the test has no conversions");
    is_number(test->kind, LIMS_KIND_NUMERIC, "the test is numeric");
    is(profile->decode.charset, "windows-1252", "charset");
    ok(profile->dialect.delimiter == ',' && profile->dialect.quote == '"', "comma, quotes");
    ok(profile->numbers.decimal == '.' && !profile->numbers.group, "decimal point");
    ok(profile->numbers.scientific, "exponents");
    is_number(profile->qualifiers.operators->nelts, 7, "operators");
    is(text_at(profile->qualifiers.operators, 2), "<=", "the operators are in their order");
    is_number(profile->qualifiers.unknown_flag, LIMS_FLAG_BLOCK, "unknown flags block");
    is_number(profile->units.policy, LIMS_UNITS_ALIAS, "units");
    is_number(profile->unknown_test, LIMS_UNKNOWN_QUARANTINE, "unknown tests hold a file back");
    is_number(profile->replicates.policy, LIMS_REPLICATES_QUARANTINE,
              "replicates hold a file back");
    is_number(profile->replicates.decimals, -1, "decimals of a mean");
    is_number(profile->write.sample_statuses, LIMS_SAMPLE_RECEIVED | LIMS_SAMPLE_PROCESSING,
              "statuses");
    is_number(profile->write.future_tolerance_minutes, 15, "tolerance");
    is(profile->table.key_separator, ":", "separator");
    is_number(profile->table.header.rows, 1, "rows of the header");
    ok(profile->table.has_header, "there is one");
    ok(!profile->rows.only && !profile->rows.final, "the profile has no rules of rows");
}

static void test_sources(void)
{
    const lims_profile_t *profile = parsed(
        changed("'trackingId': 'Sample ID'",
                "'trackingId': {'header': 'Sample ID', 'regex': '^(\\\\S+)'},"
                "'unit': 'Units#2', 'dilution': {'index': 7}, 'operator': {'key': 'User  Name'},"
                "'analysedAt': {'header': 'Date', 'format': 'dd/MM/yyyy \\u0027at\\u0027 HH'},"
                "'analysedTime': 'Time', 'comment': {'from': 'fileName', 'regex': 'run\\\\d+'}"));
    const lims_source_t *columns = profile ? profile->columns : NULL;

    if (!columns) {
        return;
    }
    ok(columns[LIMS_COLUMN_TRACKING_ID].regex, "the column has an expression");
    is(columns[LIMS_COLUMN_UNIT].header, "units", "a header that occurs twice");
    is_number(columns[LIMS_COLUMN_UNIT].occurrence, 2, "the second");
    is_number(columns[LIMS_COLUMN_DILUTION].index, 7, "the column has its number");
    is(columns[LIMS_COLUMN_OPERATOR].key, "user name", "a key is folded");
    is(APR_ARRAY_IDX(columns[LIMS_COLUMN_ANALYSED_AT].formats, 0, const char *),
       "dd/MM/yyyy 'at' HH", "the column has its format");
    is_number(columns[LIMS_COLUMN_COMMENT].from, LIMS_FROM_FILE_NAME, "the file's name");
    profile = parsed(changed("'Sample ID'}", "'# of IDs'}"));
    is(profile ? profile->columns[0].header : NULL, "# of ids", "a # of its own stays");
}

static void test_layouts(void)
{
    const lims_profile_t *profile =
        parsed("{'code': 'a', 'name': 'a', 'layout': 'astm',"
               " 'match': {'container': 'astm', 'sender': 'VISION'},"
               " 'tests': [{'name': 'ABO', 'testCode': 'ABO', 'kind': 'text'}]}");

    if (profile) {
        const lims_source_t *test = &profile->columns[LIMS_COLUMN_TEST];
        is(test->field.record, "R", "astm: the test's record");
        is_number(test->field.number, 3, "the record's field is read");
        is_number(test->field.component, 4, "the field's component is read");
        is(text_at(profile->rows.final, 1), "C", "corrected results are final");
    }
    profile = parsed("{'code': 'h', 'name': 'h', 'layout': 'hl7',"
                     " 'match': {'container': 'hl7', 'messages': 'ORU^R01'},"
                     " 'columns': {'trackingId': 'SPM-2.1', 'value': 'OBX-5'},"
                     " 'tests': [{'name': 'GLU', 'testCode': 'GLU'}]}");
    if (profile) {
        is(profile->columns[0].field.record, "SPM", "hl7: a string is a field");
        is_number(profile->columns[LIMS_COLUMN_VALUE].field.component, 0, "whole fields");
    }
    profile = parsed("{'code': 'x', 'name': 'x', 'layout': 'xml',"
                     " 'match': {'container': 'xml', 'root': 'File'},"
                     " 'table': {'element': '/File/Samples/Sample'},"
                     " 'columns': {'trackingId': '@id', 'unit': '/File/Assay/Units'},"
                     " 'tests': [{'name': 'Conc', 'testCode': 'C', 'unit': ''}]}");
    if (profile) {
        is(profile->columns[0].path, "@id", "xml: a string is a path");
        is(APR_ARRAY_IDX(profile->tests, 0, lims_test_t).unit, "", "no unit is a unit");
    }
    profile = parsed("{'code': 'k', 'name': 'k', 'layout': 'keyvalue',"
                     " 'match': {'container': 'text', 'lines': [{'regex': '^Vi-CELL'}]},"
                     " 'dialect': {'delimiter': 'none'},"
                     " 'columns': {'trackingId': 'Sample ID'},"
                     " 'tests': [{'name': ['Viability', 'Vitality'], 'testCode': 'V',"
                     " 'optional': true}]}");
    if (profile) {
        ok(APR_ARRAY_IDX(profile->tests, 0, lims_test_t).optional, "a key may be missing");
        is(profile->columns[0].key, "sample id", "keyvalue: a string is a key");
        is_number(profile->dialect.delimiter, 0, "whole lines");
        is_number(APR_ARRAY_IDX(profile->tests, 0, lims_test_t).names->nelts, 2,
                  "the test has two names");
    }
    profile = parsed(changed("'layout': 'wide'", "'layout': 'transposed'"));
    if (profile) {
        is_number(profile->columns[LIMS_COLUMN_TEST].from, LIMS_FROM_ROW_LABEL,
                  "transposed: tests are the rows' labels");
    }
}

/* The small profile with a part of it replaced, and what the refusal says. */
typedef struct {
    const char *part, *by, *message;
} refusal_t;

static void all_refused(const refusal_t *cases, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        const char *json = quoted(changed(cases[i].part, cases[i].by));
        const lims_profile_t *profile;

        refuses(lims_profile_parse(&profile, json, strlen(json), pool), LIMS_E_INVALID_BODY,
                cases[i].message, cases[i].message);
        ok(!profile, "a refused profile gives no profile");
    }
}

/* Name of a profile, its layout, and the files it is for. */
static void test_refused_match(void)
{
    static const refusal_t cases[] = {
        { "'code': 'c', ", "", "code: is missing; it must be a string of 1 to 64 characters" },
        { "'c'", "' '", "code: must be a string of 1 to 64" },
        { "'c'", "7", "code: must be a string" },
        { "'c'", "null", "code: must be a string" },
        { "'name': 'n'", "'name': 'n', 'nmae': 1", "nmae: is no member here; there are code, na" },
        { "'wide'", "'tall'", "layout: must be one of long, wide, grouped, tran" },
        { "'container': 'text', ", "", "match.container: is missing; it must be one of text, xl" },
        { "'text'", "['text', 'pdf']", "match.container[1]: must be one of text, xlsx" },
        { "'text'", "'xml'", "match.headers: not every container named has it" },
        { "'text'", "[]", "match.container: must be one of" },
        { ", 'headers': ['Sample ID', 'Gluc']", "", "match: must say what only such files have" },
        { ", 'headers': ['Sample ID', 'Gluc']", ", 'lines': [{'regex': 'a', 'absent': true}]",
          "match: must say what only such files have" },
        { "['Sample ID', 'Gluc']", "['a', '']", "match.headers[1]: must be a string, or an arr" },
        { "'headers'", "'lines': [{'regex': 'a', 'within': 0}], 'headers'",
          "match.lines[0].within: must be an integer from 1 to 1000" },
        { "'headers'", "'lines': [{'regex': '(a'}], 'headers'",
          "match.lines[0].regex: is no regular expression: missing closing parenthesis" },
        { "'headers'", "'lines': {}, 'headers'", "match.lines: must be an array of 1 to 20" },
        { "'headers'", "'lines': [1], 'headers'", "match.lines[0]: must be an object" },
        { "'headers'", "'root': 'a', 'headers'", "match.root: not every container named has it" },
        { "'wide'", "'xml'", "layout: xml does not occur" },
    };

    all_refused(cases, LIMS_LENGTH(cases));
}

/* Where a value stands. */
static void test_refused_columns(void)
{
    static const refusal_t cases[] = {
        { "{'trackingId': 'Sample ID'}", "{}", "columns.trackingId: is missing: layout wide" },
        { "{'trackingId': 'Sample ID'}", "[]", "columns: must be an object" },
        { "'Sample ID'}", "{}}", "columns.trackingId: must have exactly one of header, index" },
        { "'Sample ID'}", "{'join': ['a']}}", "columns.trackingId.join: must be an array of 2 to" },
        { "'Sample ID'}", "{'join': ['a', {}]}}",
          "columns.trackingId.join[1]: must have exactly one of header, index" },
        { "'Sample ID'}", "{'join': ['a', {'join': ['a', 'b']}]}}",
          "columns.trackingId.join[1].join: cannot stand within a join" },
        { "'Sample ID'}", "{'join': ['a', {'from': 'block'}]}}",
          "columns.trackingId: needs table.block.start to capture" },
        { "'Sample ID'}", "{'header': 'a', 'separator': '-'}}",
          "columns.trackingId.separator: is for a join alone" },
        { "'Sample ID'}", "{'index': 1, 'key': 'a'}}", "columns.trackingId: must have exactly on" },
        { "'Sample ID'}", "{'index': 0}}", "columns.trackingId.index: must be an integer from 1" },
        { "'Sample ID'}", "{'index': 1.0}}", "columns.trackingId.index: must be an integer" },
        { "'Sample ID'}", "{'field': 'R-3'}}", "columns.trackingId.field: layout wide has no suc" },
        { "'Sample ID'}", "{'from': 'map'}}", "columns.trackingId.from: layout wide has no map" },
        { "'Sample ID'}", "{'from': 'block'}}", "columns.trackingId: needs table.block.start" },
        { "'Sample ID'}", "{'header': 'a', 'optional': true}}",
          "columns.trackingId.optional: is for a header of analysedAt" },
        { "'Sample ID'}", "'a', 'operator': {'key': 'b', 'optional': true}}",
          "columns.operator.optional: is for a header of analysedAt" },
        { "'Sample ID'}", "{'header': 'a', 'format': 'yyyy'}}",
          "columns.trackingId.format: is for analysedAt and" },
        { "'Sample ID'}", "'a', 'analysedAt': {'header': 'b', 'format': 'dd.mm.yyyy'}}",
          "columns.analysedAt.format: must have year, month and day" },
        { "'Sample ID'}",
          "'a', 'analysedAt': {'header': 'b', 'format': 'dd.MM.yyyy \\u0027at HH'}}",
          "columns.analysedAt.format: must have" },
        { "'Sample ID'}", "'a', 'analysedAt': {'header': 'b', 'format': ['d.M.yyyy', 'dd.mm.yy']}}",
          "columns.analysedAt.format: must have" },
        { "'Sample ID'}", "'a', 'analysedAt': {'header': 'b', 'format': 'dd.MM.yyyy kk'}}",
          "columns.analysedAt.format: must have" },
        { "'Sample ID'}", "'a', 'analysedAt': {'header': 'b', 'format': 'dd.MM.yyyy HH:mm a'}}",
          "columns.analysedAt.format: must have" },
        { "'Sample ID'}", "'a', 'analysedAt': {'header': 'b', 'format': 'dd.MM.yyyy hh:mm'}}",
          "columns.analysedAt.format: must have" },
        { "'Sample ID'}", "'a', 'analysedAt': 'b', 'analysedTime': {'index': 2, 'format': 'h:mm'}}",
          "columns.analysedTime.format: must have hours and minutes alone" },
        { "'Sample ID'}", "'a', 'analysedAt': 'b', 'analysedTime': {'index': 2, 'format': 'HH'}}",
          "columns.analysedTime.format: must have hours and minutes alone" },
        { "'Sample ID'}", "'a', 'analysedTime': 'b'}", "columns.analysedTime: needs analysedAt" },
        { "'Sample ID'}", "'a', 'value': 'b'}", "columns.value: layout wide has none" },
        { "'layout': 'wide'", "'table': {'header': {'group': '(a)'}}, 'layout': 'transposed'",
          "columns.value: is missing: which of the columns of a sample" },
        { "'layout': 'wide'", "'table': {'header': {'rows': 2}}, 'layout': 'transposed'",
          "columns.value: is missing: which of the columns of a sample" },
        { "'wide'", "'matrix'", "columns.test: is missing: layout matrix needs it" },
        { "'wide'", "'long'", "columns.test: is missing: layout long needs it" },
        { "'wide'", "'astm'", "columns.trackingId.field: must be a record and the number of" },
    };

    all_refused(cases, LIMS_LENGTH(cases));
}

/* Tests and their units. */
static void test_refused_tests(void)
{
    static const refusal_t cases[] = {
        { "[{'name': 'Gluc', 'testCode': 'GLU', 'unit': 'g/L'}]", "[]",
          "tests: must be an array of 1 to 5000 objects" },
        { "'unit': 'g/L'", "'units': 'g/L'", "tests[0].units: is no member here; there are nam" },
        { "'unit': 'g/L'", "'unit': 'g/L', 'fileUnit': 'mg/L', 'convert': {'factor': 0.001}",
          "tests[0].convert.factor: must be a decimal number as a string, like" },
        { "'unit': 'g/L'", "'unit': 'g/L', 'fileUnit': 'mg/L', 'convert': {'factor': '1e-3'}",
          "tests[0].convert.factor: must be a decimal number as a string, like" },
        { "'unit': 'g/L'", "'unit': 'g/L', 'fileUnit': 'mg/L', 'convert': {'factor': '0.0'}",
          "tests[0].convert.factor: must not be zero" },
        { "'unit': 'g/L'", "'unit': 'g/L', 'convert': {'factor': '2'}",
          "tests[0].convert: needs fileUnit and unit" },
        { "'unit': 'g/L'", "'fileUnit': 'g/L'", "tests[0].fileUnit: needs unit" },
        { "'unit': 'g/L'", "'unit': 'g/L', 'kind': 'text'", "tests[0].unit: is for tests of kin" },
        { "'unit': 'g/L'", "'kind': 'choice'", "tests[0].values: is missing: kind choice" },
        { "'unit': 'g/L'", "'values': [{'text': 'a', 'write': 'b'}]",
          "tests[0].values: is for kinds choice and text" },
        { "'unit': 'g/L'", "'replicate': '1'", "tests[0].replicate: needs replicates.policy" },
        { "'unit': 'g/L'", "'columns': {'unit': {'from': 'map'}}",
          "tests[0].columns.unit.from: layout wide has no map" },
        { "'unit': 'g/L'}", "'unit': 'g/L'}, {'name': 'GLUC', 'testCode': 'X'}",
          "tests[1].name: \"gluc\" is a test's name already" },
        { "'tests'", "'ignoreTests': ['a', 'gluc '], 'tests'", "ignoreTests[1]: \"gluc\" is one" },
    };

    all_refused(cases, LIMS_LENGTH(cases));
}

/* How texts, numbers, units, replicates and qualifiers are read. */
static void test_refused_values(void)
{
    static const refusal_t cases[] = {
        { "'tests'", "'numbers': {'decimal': ';'}, 'tests'", "numbers.decimal: must be \".\" or" },
        { "'tests'", "'numbers': {'decimal': ',', 'group': [',']}, 'tests'",
          "numbers.group: has the decimal sign in it" },
        { "'tests'", "'numbers': {'group': ['ab']}, 'tests'",
          "numbers.group[0]: must be an array" },
        { "'tests'", "'numbers': {'scientific': 'yes'}, 'tests'",
          "numbers.scientific: must be true or false" },
        { "'tests'", "'dialect': {'delimiter': ';;'}, 'tests'",
          "dialect.delimiter: must be a string of one ASCII character, \"tab\"" },
        { "'tests'", "'dialect': {'quote': ','}, 'tests'", "dialect.quote: is the delimiter too" },
        { "'tests'", "'dialect': {'columns': [1, 9]}, 'tests'", "dialect.columns: needs \"delimi" },
        { "'tests'", "'dialect': {'delimiter': 'none', 'columns': [9, 1]}, 'tests'",
          "dialect.columns: must be an array of ascending integers" },
        { "'tests'", "'decode': {'charset': 'klingon-1'}, 'tests'",
          "decode.charset: is no character set that this system knows" },
        { "'tests'", "'timeZone': 'Europe; DROP', 'tests'", "timeZone: must be a name like" },
        { "'tests'", "'timeZone': 'UTC+2', 'tests'", "timeZone: must be a name like" },
        { "'tests'", "'timeZone': '+02:00', 'tests'", "timeZone: must be a name like" },
        { "'tests'", "'units': {'conversions': [{'from': 'a', 'to': 'b', 'factor': '2'}]}, 'tests'",
          "units.conversions: needs \"policy\": \"convert\"" },
        { "'tests'", "'dilution': {'apply': 'multiply'}, 'tests'",
          "dilution.apply: needs columns" },
        { "'tests'", "'replicates': {'policy': 'mean'}, 'tests'", "replicates.count: is missing" },
        { "'tests'", "'replicates': {'count': 3}, 'tests'", "replicates.count: is for the policy" },
        { "'tests'", "'replicates': {'policy': 'distinctTests'}, 'tests'",
          "replicates.policy: needs columns.replicate" },
        { "'tests'", "'qualifiers': {'flags': [{'text': 'H', 'action': 'note'}]}, 'tests'",
          "qualifiers.flags: needs columns.flag" },
        { "'tests'", "'qualifiers': {'operators': ['<5']}, 'tests'", "qualifiers.operators: must" },
        { "'tests'", "'qualifiers': {'codes': [{'text': 'U', 'meaning': 'nondetect'}]}, 'tests'",
          "qualifiers.codes: needs columns.qualifier" },
        { "'tests'",
          "'qualifiers': {'tokens': [{'text': 'U', 'meaning': 'nondetect', 'write': '<{limit}'}]},"
          " 'tests'",
          "qualifiers.tokens: writes {limit}, which needs columns.limit" },
        { "'tests'",
          "'qualifiers': {'tokens': [{'text': 'U', 'meaning': 'nondetect', 'write': '<{value}'}]},"
          " 'tests'",
          "qualifiers.tokens: has {value} where the value is the token itself" },
    };

    all_refused(cases, LIMS_LENGTH(cases));
}

/* Rows that count, tables, integrity, and the values that are written. */
static void test_refused_rows(void)
{
    static const refusal_t cases[] = {
        { "'tests'", "'rows': {'only': [{'column': 'flag', 'equals': 'x'}]}, 'tests'",
          "rows.only[0]: columns.flag is not declared" },
        { ", 'tests'",
          ", 'rows': {'only': [{'column': 'trackingId', 'less': '1', 'equals': '1'}]}, 'tests'",
          "rows.only[0]: must have one of equals, matches, and bounds" },
        { ", 'tests'", ", 'rows': {'only': [{'column': 'trackingId', 'less': 1}]}, 'tests'",
          "rows.only[0].less: must be a decimal number as a string" },
        { "'layout'", "'table': {'header': {'group': '(a)'}}, 'layout'",
          "table.header.group: is for layout transposed alone" },
        { "'layout': 'wide'", "'table': {'header': {'group': 'a'}}, 'layout': 'transposed'",
          "table.header.group: must capture what counts" },
        { "'tests'", "'rows': {'only': [{'column': 'trackingId'}]}, 'tests'",
          "rows.only[0]: must have one of equals, matches, and bounds" },
        { "'tests'", "'rows': {'only': [{'column': 'value', 'index': 1, 'equals': 'a'}]}, 'tests'",
          "rows.only[0].index: cannot stand beside column" },
        { "'tests'", "'rows': {'skip': [{'when': []}]}, 'tests'",
          "rows.skip[0].when: must be an array of 1 to 20 objects" },
        { "'tests'", "'rows': {'final': 'F'}, 'tests'", "rows.final: needs columns.status" },
        { "'tests'", "'integrity': {'frames': 'required'}, 'tests'", "integrity.frames: is for" },
        { "'tests'", "'integrity': {'hash': {'regex': 'a'}}, 'tests'",
          "integrity.hash.regex: must capture what counts" },
        { "'tests'", "'table': {'element': '/a'}, 'tests'", "table.element: is for layouts xml" },
        { "'tests'", "'table': {'map': {'section': 'a'}}, 'tests'", "table.map: is for layout ma" },
        { "'tests'", "'table': {'block': {}}, 'tests'",
          "table.block.start: is missing; it must b" },
        { "'tests'", "'write': {'sampleStatuses': 'verified'}, 'tests'",
          "write.sampleStatuses: must be one of received, processing, or an array" },
    };

    all_refused(cases, LIMS_LENGTH(cases));
}

/* Rows of QC controls. */
static void test_refused_controls(void)
{
    static const refusal_t cases[] = {
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'B'}], 'controlType': 'MB',"
          " 'route': 'qcBatch'}]}, 'tests'",
          "rows.controls[0].criterion: is missing: how the QC batch judges" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'B'}], 'controlType': 'MB',"
          " 'route': 'qcBatch', 'criterion': 'maximum'}]}, 'tests'",
          "rows.controls[0].upperLimit: is missing: the criterion needs it" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'B'}], 'controlType': 'blank'}]},"
          " 'tests'",
          "rows.controls[0].controlType: must be one of MB, LRB" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'DUP',"
          " 'route': 'qcBatch', 'criterion': 'rpd'}]}, 'tests'",
          "rows.controls[0].upperLimit: is missing: the criterion needs it" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'DUP',"
          " 'route': 'qcBatch', 'criterion': 'rpd', 'upperLimit': '20', 'against': 'it'}]}, "
          "'tests'",
          "rows.controls[0].against: must be a type of control" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'DUP',"
          " 'route': 'qcBatch', 'criterion': 'maximum', 'upperLimit': '2', 'against': 'LCS'}]},"
          " 'tests'",
          "rows.controls[0].against: is for the criterion rpd" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'CCV',"
          " 'route': 'qcBatch', 'criterion': 'range', 'lowerLimit': '9', 'upperLimit': '8.9'}]},"
          " 'tests'",
          "rows.controls[0].upperLimit: lies below lowerLimit" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'DUP',"
          " 'route': 'qcBatch', 'criterion': 'rpd', 'upperLimit': '20', 'unit': 'ug/L'}]}, 'tests'",
          "rows.controls[0].unit: has no meaning for this criterion" },
        { "'tests'",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'MB',"
          " 'route': 'qcBatch', 'criterion': 'maximum', 'upperLimit': '2', 'unit': 'mmol/L'}]},"
          " 'tests'",
          "rows.controls[0].unit: \"mmol/L\" cannot be converted to the unit of test GLU" },
        { "'tests': [{'name': 'Gluc', 'testCode': 'GLU', 'unit': 'g/L'}]",
          "'rows': {'controls': [{'when': [{'index': 1, 'equals': 'D'}], 'controlType': 'MB',"
          " 'route': 'qcBatch', 'criterion': 'maximum', 'upperLimit': '2', 'unit': 'mg/L'}]},"
          " 'tests': [{'name': 'Gluc', 'testCode': 'GLU'}]",
          "rows.controls[0].unit: \"mg/L\" cannot be converted to the unit of test GLU, which is "
          "not given" },
    };

    all_refused(cases, LIMS_LENGTH(cases));
}

static void test_bounds(void)
{
    const lims_profile_t *profile;
    char *large = apr_palloc(pool, LIMS_PROFILE_MAX + 1);

    memset(large, ' ', LIMS_PROFILE_MAX + 1);
    refuses(lims_profile_parse(&profile, large, LIMS_PROFILE_MAX + 1, pool), LIMS_E_INVALID_BODY,
            "larger than 1000000 bytes", "too large");
    refuses(lims_profile_parse(&profile, "[]", 2, pool), LIMS_E_INVALID_BODY,
            "The profile: must be an object", "no object");
    refuses(lims_profile_parse(&profile, "{\"a\":", 5, pool), LIMS_E_INVALID_BODY, "not valid JSON",
            "no JSON");
}

/* Refusals of a profile that is added, and not of one that is in use. */
static void test_judged(void)
{
    static const struct {
        const char *test, *units, *message;
    } cases[] = {
        { "'unit': 'mg/L', 'fileUnit': 'ug/L'", "",
          "tests[0].fileUnit: no conversion from \"ug/L\" to \"mg/L\" is declared" },
        { "'unit': 'mg/L', 'fileUnit': 'ug/L'", ", 'units': {'policy': 'convert'}", NULL },
        { "'unit': 'mg/L', 'fileUnit': 'mmol/L'", ", 'units': {'policy': 'convert'}",
          "tests[0].fileUnit: no conversion from \"mmol/L\"" },
        { "'unit': 'mg/L', 'fileUnit': 'mmol/L'",
          ", 'units': {'policy': 'convert', 'conversions': [{'from': 'mM', 'to': 'mg/L',"
          " 'factor': '180'}]}",
          NULL },
        { "'unit': 'mg/L', 'fileUnit': 'ug/L', 'convert': {'factor': '0.001'}", "", NULL },
        { "'unit': 'mg/L', 'fileUnit': 'ug/mL'", "", NULL },
        { "'unit': 'mg/L', 'fileUnit': 'ug/mL'", ", 'units': {'policy': 'exact'}",
          "tests[0].fileUnit: no conversion" },
        { "'unit': 'mg/L', 'fileUnit': 'ppm'",
          ", 'units': {'aliases': [{'text': 'ppm', 'means': 'mg/L'}]}", NULL },
        { "'unit': '', 'fileUnit': 'ug/L'", "", "tests[0].fileUnit: no conversion" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const char *text = apr_psprintf(
            pool,
            "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text',"
            " 'headers': 'id'}, 'columns': {'trackingId': 'id'}, 'tests': [{'name': 'a',"
            " 'testCode': 'A', %s}]%s}",
            cases[i].test, cases[i].units);
        const lims_profile_t *profile = parsed(text);
        const lims_error_t *error = profile ? lims_profile_check_new(profile, pool) : NULL;

        if (cases[i].message) {
            has(error ? error->message : NULL, cases[i].message, cases[i].test);
        } else {
            ok(profile && !error, "%s: fits", cases[i].test);
        }
    }
}

int main(void)
{
    pool = unit_pool();
    test_defaults();
    test_sources();
    test_layouts();
    test_refused_match();
    test_refused_columns();
    test_refused_tests();
    test_refused_values();
    test_refused_rows();
    test_refused_controls();
    test_bounds();
    test_judged();
    return tap_done();
}
