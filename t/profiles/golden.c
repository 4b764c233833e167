/* SPDX-License-Identifier: Apache-2.0 */
/* A profile's golden files are read as it says, or it is told where not. */
#include <apr_strings.h>

#include "profiles/golden.h"
#include "readings.h"

static apr_pool_t *pool;

#define PROFILE(golden)                                                                            \
    "{'code': 'c', 'name': 'n', 'layout': 'long', 'dialect': {'delimiter': ';'},"                  \
    " 'match': {'container': 'text', 'headers': ['ID', 'Test', 'Value']},"                         \
    " 'columns': {'trackingId': 'ID', 'test': 'Test', 'value': 'Value'},"                          \
    " 'rows': {'controls': [{'when': [{'column': 'trackingId', 'equals': 'B'}],"                   \
    "  'controlType': 'MB', 'route': 'qcBatch', 'criterion': 'maximum', 'upperLimit': '1'}]},"     \
    " 'tests': [{'name': 'T', 'testCode': 'T', 'unit': 'mg/L'}], 'goldenFiles': [" golden "]}"

#define HEAD "ID;Test;Value\n"
#define FILE_OF(rows) "{'content': 'x', 'rows': [" rows "]}"
#define ROW(id, result) "{'trackingId': '" id "', 'testCode': 'T', 'result': '" result "'}"
#define HELD(code) "{'content': 'x', 'reasons': '" code "'}"

typedef struct {
    const char *golden, *file;
    const char *difference; /* NULL: there is none */
} case_t;

static const case_t cases[] = {
    { FILE_OF(ROW("S1", "1.0") "," ROW("S2", "<2")), HEAD "S1;T;1.0\nS2;T;<2\n", NULL },
    { FILE_OF("{'trackingId': 'S1', 'testCode': 'T', 'result': '1.0', 'unit': 'mg/L',"
              " 'qualifier': '', 'analysedAt': ''}"),
      HEAD "S1;T;1.0\n", NULL },
    { FILE_OF("{'testCode': 'T', 'result': '0.1', 'controlType': 'MB'}," ROW("S1", "1.0")),
      HEAD "B;T;0.1\nS1;T;1.0\n", NULL },
    { HELD("non_numeric"), HEAD "S1;T;x\nS2;T;y\n", NULL },
    { "{'content': 'x', 'reasons': ['non_numeric', 'missing_value']}", HEAD "S1;T;x\nS2;T;\n",
      NULL },
    { FILE_OF(ROW("S1", "1.0")), HEAD "S1;T;1.00\n",
      "goldenFiles[0].rows[0].result: is \"1.0\", but \"1.00\" is read in row 2" },
    { FILE_OF(ROW("S1", "1.0") "," ROW("S3", "<2")), HEAD "S1;T;1.0\nS2;T;<2\n",
      "goldenFiles[0].rows[1].trackingId: is \"S3\", but \"S2\" is read in row 3" },
    { FILE_OF("{'trackingId': 'S1', 'testCode': 'T', 'result': '1.0', 'unit': ''}"),
      HEAD "S1;T;1.0\n", "goldenFiles[0].rows[0].unit: is \"\", but \"mg/L\" is read in row 2" },
    { FILE_OF("{'trackingId': 'S1', 'testCode': 'T', 'result': '<1.0', 'qualifier': 'ND'}"),
      HEAD "S1;T;<1.0\n",
      "goldenFiles[0].rows[0].qualifier: is \"ND\", but \"<\" is read in row 2" },
    { FILE_OF(ROW("B", "0.1")), HEAD "B;T;0.1\n",
      "goldenFiles[0].rows[0].controlType: is none, but MB is read in row 2" },
    { FILE_OF(ROW("S1", "1.0")), HEAD "S1;T;1.0\nS2;T;2\n",
      "goldenFiles[0].rows: are 1, but 2 values are read" },
    { FILE_OF(ROW("S1", "1.0") "," ROW("S2", "2")), HEAD "S1;T;1.0\n",
      "goldenFiles[0].rows: are 2, but 1 values are read" },
    { FILE_OF(ROW("S1", "1.0")), HEAD "S1;T;x\n",
      "goldenFiles[0]: is held back by non_numeric in row 2" },
    { FILE_OF(ROW("S1", "1.0")), "Name;Test;Value\nS1;T;1.0\n",
      "goldenFiles[0]: is held back by unknown_profile in row 0" },
    { HELD("non_numeric"), HEAD "S1;T;1.0\n",
      "goldenFiles[0].reasons[0]: non_numeric does not hold the file back" },
    { HELD("non_numeric"), HEAD "S1;T;x\nS2;T;\n",
      "goldenFiles[0]: is held back by missing_value in row 3" },
};

static void test_differences(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const lims_profile_t *profile =
            profile_of(apr_psprintf(pool, PROFILE("%s"), cases[i].golden), pool);
        const lims_error_t *error =
            profile ? lims_golden_check(profile, 0, cases[i].file, strlen(cases[i].file), pool)
                    : NULL;

        if (cases[i].difference) {
            has(error ? error->message : "nothing", cases[i].difference, cases[i].difference);
        } else {
            is(error ? error->message : "nothing", "nothing", cases[i].golden);
        }
    }
}

static void test_members(void)
{
    static const struct {
        const char *golden, *refused;
    } wrong[] = {
        { "{'rows': [" ROW("S1", "1") "]}", "goldenFiles[0]: must have exactly one of content" },
        { "{'content': 'x', 'sha256': 'x', 'rows': [" ROW("S1", "1") "]}",
          "goldenFiles[0]: must have exactly one of content" },
        { "{'content': 'x'}", "goldenFiles[0]: must have either rows or reasons" },
        { "{'sha256': 'ab', 'reasons': 'non_numeric'}", "goldenFiles[0].sha256: must be 64" },
        { HELD("wrong"), "goldenFiles[0].reasons: must be codes of reasons" },
        { FILE_OF("{'testCode': 'T', 'result': '1'}"), "goldenFiles[0].rows[0].trackingId: is" },
        { FILE_OF("{'trackingId': 'S', 'testCode': 'T', 'result': '1', 'controlType': 'X'}"),
          "goldenFiles[0].rows[0].controlType: must be a type of control" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(wrong); i++) {
        char *json = apr_psprintf(pool, PROFILE("%s"), wrong[i].golden);
        const lims_profile_t *profile;
        const lims_error_t *error;

        for (char *p = json; *p; p++) {
            *p = *p == '\'' ? '"' : *p;
        }
        error = lims_profile_parse(&profile, json, strlen(json), pool);
        has(error ? error->message : "nothing", wrong[i].refused, wrong[i].refused);
    }
}

int main(void)
{
    pool = unit_pool();
    test_differences();
    test_members();
    apr_pool_destroy(pool);
    return tap_done();
}
