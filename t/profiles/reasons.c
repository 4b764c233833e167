/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each reason for which a value, a row or a file cannot be taken is raised, at its
 * place, with what stands there; and every reason of a file at once.
 */
#include "../lib/readings.h"

static apr_pool_t *pool;

/* A long table of tabs; `more` are further members of the profile. */
#define LONG(more)                                                                                 \
    "{'code': 'c', 'name': 'n', 'layout': 'long', 'dialect': {'delimiter': 'tab'},"                \
    " 'match': {'container': 'text', 'headers': ['ID', 'Test', 'Value']},"                         \
    " 'columns': {'trackingId': 'ID', 'test': 'Test', 'value': 'Value'" more "}"
#define TEST ", 'tests': [{'name': 'T', 'testCode': 'T', 'unit': 'mg/L'}]}"
#define KIND(kind) ", 'tests': [{'name': 'T', 'testCode': 'T', " kind "}]}"

typedef struct {
    const char *name, *profile, *text, *readings, *reasons;
} case_t;

static const case_t values[] = {
    { "missing_value", LONG("") TEST, "ID\tTest\tValue\nS1\tT\t \nS2\tT\t5\n",
      "2:3 S1 T=?|3:3 S2 T=5 mg/L", "missing_value@2:3 [ ]" },
    { "a blank that is passed over", LONG("") ", 'numbers': {'blank': 'skip'}" TEST,
      "ID\tTest\tValue\nS1\tT\t \nS2\tT\t5\n", "3:3 S2 T=5 mg/L", "" },
    { "a token that means a blank",
      LONG("") ", 'qualifiers': {'tokens': [{'text': 'n.a.', 'meaning': 'missing'}]}" TEST,
      "ID\tTest\tValue\nS1\tT\tN.A.\n", "2:3 S1 T=?", "missing_value@2:3 [N.A.]" },
    { "non_numeric", LONG("") TEST, "ID\tTest\tValue\nS1\tT\thigh\nS1\tT\t0.5 mg\n",
      "2:3 S1 T=?|3:3 S1 T=?",
      "non_numeric@2:3 [high]|non_numeric@3:3 [0.5 mg]|duplicate_row@3:3 [0.5 mg]" },
    { "ambiguous_number", LONG("") TEST, "ID\tTest\tValue\nS1\tT\t1,234\n", "2:3 S1 T=?",
      "ambiguous_number@2:3 [1,234]" },
    { "a comma that is declared", LONG("") ", 'numbers': {'decimal': ','}" TEST,
      "ID\tTest\tValue\nS1\tT\t1,234\n", "2:3 S1 T=1.234 mg/L", "" },
    { "unknown_qualifier before a number", LONG("") ", 'qualifiers': {'operators': ['<']}" TEST,
      "ID\tTest\tValue\nS1\tT\t>5\nS2\tT\t<5\n", "2:3 S1 T=?|3:3 S2 T=<5 mg/L q<",
      "unknown_qualifier@2:3 [>5]" },
    { "a qualifier in a column", LONG(", 'qualifier': 'Q'") TEST,
      "ID\tTest\tValue\tQ\nS1\tT\t5\t<\nS2\tT\t5\tj\nS3\tT\t5\tUJ\nS4\tT\t<5\t>\n",
      "2:3 S1 T=5 mg/L q<|3:3 S2 T=5 mg/L qJ|4:3 S3 T=5 mg/L|5:3 S4 T=<5 mg/L q<",
      "unknown_qualifier@4:4 [UJ]|unknown_qualifier@5:4 [>]" },
    { "operators that no qualifier is for", LONG("") TEST,
      "ID\tTest\tValue\nS1\tT\t<= 5\nS2\tT\t\xe2\x89\xa5"
      "5\nS3\tT\t~5\n",
      "2:3 S1 T=<= 5 mg/L|3:3 S2 T=\xe2\x89\xa5"
      "5 mg/L|4:3 S3 T=~5 mg/L",
      "" },
    { "tokens",
      LONG(", 'limit': 'RL'") ", 'qualifiers': {'tokens': ["
                              " {'text': 'ND', 'meaning': 'nondetect', 'write': '<{limit}'},"
                              " {'text': '-----', 'meaning': 'nondetect'}, {'text': 'OVER', "
                              "'meaning': 'over'},"
                              " {'text': 'Below RL', 'meaning': 'under', 'write': 'below'},"
                              " {'text': 'TNTC', 'meaning': 'text'}, {'text': 'MISSED', 'meaning': "
                              "'invalid'}]}" TEST,
      "ID\tTest\tValue\tRL\nS1\tT\tnd\t0.5\nS2\tT\tND\t\nS3\tT\t-----\t\nS4\tT\tOVER\t\n"
      "S5\tT\tbelow  RL\t\nS6\tT\tTNTC\t\nS7\tT\tMissed\t\n",
      "2:3 S1 T=<0.5 mg/L q<|3:3 S2 T=? mg/L|4:3 S3 T=----- mg/L qND|5:3 S4 T=OVER mg/L q>|"
      "6:3 S5 T=below mg/L q<|7:3 S6 T=TNTC mg/L|8:3 S7 T=?",
      "missing_value@3:4 []|instrument_error_flag@8:3 [Missed]" },
    { "a blank that says something",
      LONG(", 'limit': 'RL'") ", 'qualifiers': {'tokens': ["
                              " {'text': '', 'meaning': 'nondetect', 'write': '<{limit}'}]}" TEST,
      "ID\tTest\tValue\tRL\nS1\tT\t\t0.50\n", "2:3 S1 T=<0.50 mg/L q<", "" },
    { "codes in the column of qualifiers",
      LONG(", 'qualifier': 'Q', 'limit': 'RL', 'unit': 'Unit'") ", 'units': {'policy': 'convert'}, "
                                                                "'qualifiers': {'codes': ["
                                                                " {'text': 'U', 'meaning': "
                                                                "'nondetect', 'write': '<{limit}'},"
                                                                " {'text': 'BRL', 'meaning': "
                                                                "'nondetect', 'write': '<{value}'},"
                                                                " {'text': '=', 'meaning': "
                                                                "'detected'}, {'text': 'LT', "
                                                                "'meaning': 'under'},"
                                                                " {'text': 'E', 'meaning': "
                                                                "'over'}, {'text': 'R', 'meaning': "
                                                                "'invalid'},"
                                                                " {'text': 'N', 'meaning': "
                                                                "'missing'}, {'text': 'Not "
                                                                "Detected', 'meaning': "
                                                                "'nondetect'}]}" TEST,
      "ID\tTest\tValue\tQ\tRL\tUnit\nS1\tT\t\tU\t0.50\tmg/L\nS2\tT\t\tu\t500\tug/L\n"
      "S3\tT\t0.2\tBRL\t\tmg/L\nS4\tT\t7.0\t=\t\tmg/L\nS5\tT\t0.1\tLT\t\tmg/L\n"
      "S6\tT\t90\tE\t\tmg/L\nS7\tT\t5\tR\t\tmg/L\nS8\tT\t5\tN\t\tmg/L\n"
      "S9\tT\t0.01\tnot  detected\t\tmg/L\nSA\tT\t6\tJ\t\tmg/L\n",
      "2:3 S1 T=<0.50 mg/L q<|3:3 S2 T=<0.500 mg/L q<|4:3 S3 T=<0.2 mg/L q<|5:3 S4 T=7.0 mg/L|"
      "6:3 S5 T=0.1 mg/L q<|7:3 S6 T=90 mg/L q>|8:3 S7 T=?|9:3 S8 T=?|10:3 S9 T=0.01 mg/L qND|"
      "11:3 SA T=6 mg/L qJ",
      "instrument_error_flag@8:4 [R]|missing_value@9:3 [5]" },
    { "codes that the file contradicts, or that lack what they need",
      LONG(", 'qualifier': 'Q', 'limit': 'RL'") ", 'qualifiers': {'codes': [{'text': 'U', "
                                                "'meaning': 'nondetect', 'write': '<{limit}'},"
                                                " {'text': '=', 'meaning': 'detected'}, {'text': "
                                                "'LT', 'meaning': 'under'}]}" TEST,
      "ID\tTest\tValue\tQ\tRL\nS1\tT\t\tU\t\nS2\tT\t<5\t=\t\nS3\tT\t>5\tLT\t\nS4\tT\t<5\tLT\t\n"
      "S5\tT\t\tLT\t\nS6\tT\t\tU\tlow\nS7\tT\t5\tX\t\n",
      "2:3 S1 T=? mg/L|3:3 S2 T=<5 mg/L q<|4:3 S3 T=>5 mg/L q>|5:3 S4 T=<5 mg/L q<|6:3 S5 T=?|"
      "7:3 S6 T=? mg/L|8:3 S7 T=5 mg/L",
      "missing_value@2:5 []|unknown_qualifier@3:4 [=]|unknown_qualifier@4:4 [LT]|"
      "missing_value@6:3 []|missing_value@7:5 [low]|unknown_qualifier@8:4 [X]" },
    { "controls that are held against another value",
      LONG(
          ", 'sampleType': 'Kind'") ", 'rows': {'controls': ["
                                    " {'when': [{'column': 'sampleType', 'equals': 'DUP'}], "
                                    "'controlType': 'DUP',"
                                    "  'route': 'qcBatch', 'criterion': 'rpd', 'upperLimit': '20'},"
                                    " {'when': [{'column': 'sampleType', 'equals': 'LCS'}], "
                                    "'controlType': 'LCS',"
                                    "  'route': 'qcBatch', 'criterion': 'recovery', "
                                    "'expectedValue': '5', 'lowerLimit': '80',"
                                    "  'upperLimit': '120'},"
                                    " {'when': [{'column': 'sampleType', 'equals': 'LCSD'}], "
                                    "'controlType': 'LCSD',"
                                    "  'route': 'qcBatch', 'criterion': 'rpd', 'upperLimit': '20', "
                                    "'against': 'LCS'},"
                                    " {'when': [{'column': 'sampleType', 'equals': 'MS'}], "
                                    "'controlType': 'MS',"
                                    "  'route': 'qcBatch', 'criterion': 'recovery', "
                                    "'expectedValue': '5', 'lowerLimit': '80',"
                                    "  'upperLimit': '120'}]}" TEST,
      "ID\tTest\tValue\tKind\nS1\tT\t5.2\tDUP\nS1\tT\t5.1\tS\nL1\tT\t4.9\tLCS\nL2\tT\t4.7\tLCS\n"
      "L1\tT\t4.8\tLCSD\nLX\tT\t4.8\tLCSD\nS1\tT\t10\tMS\nS2\tT\t3\tDUP\n",
      "2:3 S1 T=5.2 mg/L control DUP against 5.1|3:3 S1 T=5.1 mg/L|4:3 L1 T=4.9 mg/L control LCS|"
      "5:3 L2 T=4.7 mg/L control LCS|6:3 L1 T=4.8 mg/L control LCSD against 4.9|"
      "7:3 LX T=4.8 mg/L control LCSD against 4.7|8:3 S1 T=10 mg/L control MS against 5.1|"
      "9:3 S2 T=3 mg/L control DUP",
      "missing_value@9:3 [3]" },
    { "unit_missing and unit_mismatch", LONG(", 'unit': 'Unit'") TEST,
      "ID\tTest\tValue\tUnit\nS1\tT\t5\t\nS2\tT\t5\tg/L\nS3\tT\t5\tug/ml\n",
      "2:3 S1 T=?|3:3 S2 T=? mg/L|4:3 S3 T=5 mg/L", "unit_missing@2:4 []|unit_mismatch@3:4 [g/L]" },
    { "units that have to be spelt alike",
      LONG(", 'unit': 'Unit'") ", 'units': {'policy': 'exact'}" TEST,
      "ID\tTest\tValue\tUnit\nS1\tT\t5\tmg / L\nS2\tT\t5\tmg/l\n",
      "2:3 S1 T=5 mg/L|3:3 S2 T=? mg/L", "unit_mismatch@3:4 [mg/l]" },
    { "a declared alias",
      LONG(", 'unit': 'Unit'") ", 'units': {'aliases': [{'text': 'mg N/L', 'means': 'mg/L'}]}" TEST,
      "ID\tTest\tValue\tUnit\nS1\tT\t5.0\tmgN/L\n", "2:3 S1 T=5.0 mg/L", "" },
    { "unit_not_convertible, and conversion exactly",
      LONG(", 'unit': 'Unit'") ", 'units': {'policy': 'convert', 'conversions': ["
                               " {'from': 'mmol/L', 'to': 'mg/L', 'factor': '180.156', 'decimals': "
                               "1}]}" TEST,
      "ID\tTest\tValue\tUnit\nS1\tT\t2.450\tg/L\nS2\tT\t5\tmg/kg\nS3\tT\t< 0.5\tmM\n"
      "S4\tT\t0.1\tug/L\n",
      "2:3 S1 T=2450 mg/L|3:3 S2 T=? mg/L|4:3 S3 T=< 90.1 mg/L q<|5:3 S4 T=0.0001 mg/L",
      "unit_not_convertible@3:4 [mg/kg]" },
    { "another unit than the file's, and no conversion",
      LONG("") ", 'tests': [{'name': 'T', 'testCode': 'T', 'unit': 'mg/L', 'fileUnit': 'ug/L'}]}",
      "ID\tTest\tValue\nS1\tT\t485\n", "2:3 S1 T=? mg/L", "unit_not_convertible@2:3 [485]" },
    { "a test's own conversion",
      LONG("") ", 'tests': [{'name': 'T', 'testCode': 'T', 'unit': '10^9/L', 'fileUnit': '10/uL',"
               "  'convert': {'factor': '0.01', 'decimals': 2}}]}",
      "ID\tTest\tValue\nS1\tT\t485\nS2\tT\t0.5\nS3\tT\t1.5\n",
      "2:3 S1 T=4.85 10^9/L|3:3 S2 T=0.00 10^9/L|4:3 S3 T=0.02 10^9/L", "" },
    { "percent", LONG("") ", 'numbers': {'percent': 'keep'}" TEST,
      "ID\tTest\tValue\nS1\tT\t10.00%\n", "2:3 S1 T=? mg/L", "unit_mismatch@2:3 [10.00%]" },
    { "percent that is meant", LONG("") ", 'numbers': {'percent': 'keep'}" KIND("'unit': '%'"),
      "ID\tTest\tValue\nS1\tT\t10.00 %\n", "2:3 S1 T=10.00 %", "" },
    { "a unit that is not looked at", LONG(", 'unit': 'Unit'") KIND("'kind': 'numeric'"),
      "ID\tTest\tValue\tUnit\nS1\tT\t5\tfurlong\n", "2:3 S1 T=5 furlong", "" },
    { "dilution_missing",
      LONG(", 'dilution': 'Dil'") ", 'dilution': {'apply': 'multiply', 'notation': 'ratio',"
                                  "  'required': true}" TEST,
      "ID\tTest\tValue\tDil\nS1\tT\t6.174\t1/5 \nS2\tT\t5\t\nS3\tT\t5\tmuch\nS4\tT\t5\t0/5\n"
      "S5\tT\t<0.20\t1:10\nS6\tT\t5.0\t1/1\nS7\tT\t1.0\t3/10\n",
      "2:3 S1 T=30.870 mg/L d1/5|3:3 S2 T=?|4:3 S3 T=? dmuch|5:3 S4 T=? d0/5|"
      "6:3 S5 T=<2.0 mg/L q< d1:10|7:3 S6 T=5.0 mg/L d1/1|8:3 S7 T=3.333 mg/L d3/10",
      "dilution_missing@3:4 []|dilution_missing@4:4 [much]|dilution_missing@5:4 [0/5]" },
    { "dilution as factor and share",
      LONG(", 'dilution': 'Dil'") ", 'dilution': {'apply': 'multiply', 'notation': 'share'}" TEST,
      "ID\tTest\tValue\tDil\nS1\tT\t5\t0.2\nS2\tT\t5\t\n", "2:3 S1 T=25 mg/L d0.2|3:3 S2 T=5 mg/L",
      "" },
    { "a dilution without end of a number with an exponent, and one below 1",
      LONG(", 'dilution': 'Dil'") ", 'dilution': {'apply': 'multiply', 'notation': 'share'}" TEST,
      "ID\tTest\tValue\tDil\nS1\tT\t1.0E-5\t0.3\nS2\tT\t1.0e-5\t0.2\nS3\tT\t2E+3\t0.3\n"
      "S4\tT\t1E-150\t0.3\nS5\tT\t5.0\t3000\n",
      "2:3 S1 T=0.00003333 mg/L d0.3|3:3 S2 T=0.000050 mg/L d0.2|4:3 S3 T=6666.67 mg/L d0.3|"
      "5:3 S4 T=3.33E-150 mg/L d0.3|6:3 S5 T=0.001667 mg/L d3000",
      "" },
    { "dilution that has been applied", LONG(", 'dilution': 'Dil'") TEST,
      "ID\tTest\tValue\tDil\nS1\tT\t5.00\tDILUENT\n", "2:3 S1 T=5.00 mg/L dDILUENT", "" },
    { "instrument_error_flag",
      LONG(
          ", 'flag': 'F', 'status': 'St', 'comment': 'Comment'") ", 'qualifiers': {'flags': "
                                                                 "[{'text': 'X', 'action': "
                                                                 "'block'},"
                                                                 "  {'text': 'v', 'action': "
                                                                 "'note'}, {'text': 'E', 'action': "
                                                                 "'qualifier', 'write': 'J'},"
                                                                 "  {'text': 'i', 'action': "
                                                                 "'ignore'}]},"
                                                                 " 'rows': {'errors': [{'when': "
                                                                 "[{'column': 'comment', "
                                                                 "'matches': 'clot'}], 'message':"
                                                                 "  'The needle was clogged.'}], "
                                                                 "'final': ['F']}" TEST,
      "ID\tTest\tValue\tF\tSt\tComment\nS1\tT\t5\tX\tF\t\nS2\tT\t5\tV\tF\t\nS3\tT\t5\te\tF\t\n"
      "S4\tT\t5\ti\tF\t\nS5\tT\t5\tz\tF\t\nS6\tT\t5\t\tP\t\nS7\tT\t5\t\tF\ta clot\n",
      "2:3 S1 T=5 mg/L|3:3 S2 T=5 mg/L|4:3 S3 T=5 mg/L qJ|5:3 S4 T=5 mg/L|6:3 S5 T=5 mg/L|"
      "7:3 S6 T=5 mg/L|8:3 S7 T=5 mg/L //a clot",
      "instrument_error_flag@2:4 [X]|note:instrument_error_flag@3:4 [V]|"
      "instrument_error_flag@6:4 [z]|instrument_error_flag@7:5 [P]|"
      "instrument_error_flag@8:6 [a clot]" },
    { "formula_error", LONG("") TEST, "ID\tTest\tValue\nS1\tT\t#DIV/0!\n", "2:3 S1 T=?",
      "formula_error@2:3 [#DIV/0!]" },
    { "timestamp_invalid",
      LONG(", 'analysedAt': {'header': 'When', 'format': 'dd/MM/yyyy HH:mm'}") TEST,
      "ID\tTest\tValue\tWhen\nS1\tT\t5\t31/02/2026 10:00\nS2\tT\t5\t\nS3\tT\t5\t2026-01-01\n",
      "2:3 S1 T=5 mg/L|3:3 S2 T=5 mg/L|4:3 S3 T=5 mg/L",
      "timestamp_invalid@2:4 [31/02/2026 10:00]|timestamp_invalid@4:4 [2026-01-01]" },
    { "date and time in two columns",
      LONG(", 'analysedAt': {'header': 'D', 'format': 'M/d/yyyy h:mm a'}, 'analysedTime': 'C'")
          TEST,
      "ID\tTest\tValue\tD\tC\nS1\tT\t5\t5/26/2020\t3:36 PM\n",
      "2:3 S1 T=5 mg/L @2020-05-26T15:36:00", "" },
    { "a choice",
      LONG("") KIND("'kind': 'choice', 'values': [{'text': 'POS', 'write': 'positive'},"
                    "  {'text': '', 'write': 'negative'}]"),
      "ID\tTest\tValue\nS1\tT\tpos\nS2\tT\t\nS3\tT\tmaybe\n",
      "2:3 S1 T=positive|3:3 S2 T=negative|4:3 S3 T=?", "unknown_qualifier@4:3 [maybe]" },
    { "a text", LONG("") KIND("'kind': 'text'"), "ID\tTest\tValue\nS1\tT\t 1:128  weak \n",
      "2:3 S1 T=1:128  weak", "" },
};

static const case_t rows[] = {
    { "missing_tracking_id", LONG("") TEST, "ID\tTest\tValue\n \tT\t5\nS2\tT\t6\n",
      "2:3 ? T=5 mg/L|3:3 S2 T=6 mg/L", "missing_tracking_id@2:1 [ ]" },
    { "a tracking id of another form",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': {'header': 'ID', 'regex': '^([A-Z]+-[0-9]+)\\\\b'}},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}, {'name': 'U', 'testCode': 'U'}]}",
      "ID,T,U\n A-1/2 ,5,6\nwater,5,6\n", "2:2 A-1 T=5|2:3 A-1 U=6|3:2 ? T=5|3:3 ? U=6",
      "missing_tracking_id@3:1 [water]" },
    { "unknown_test_code", LONG("") ", 'ignoreTests': ['Istd']" TEST,
      "ID\tTest\tValue\nS1\tT2\t5\nS1\tISTD\t5\nS1\tT\t5\n", "4:3 S1 T=5 mg/L",
      "unknown_test_code@2:2 [T2]" },
    { "a column that not every file has",
      LONG(", 'operator': {'header': 'Who', 'optional': true}") TEST, "ID\tTest\tValue\nS1\tT\t5\n",
      "2:3 S1 T=5 mg/L", "" },
    { "one that it has", LONG(", 'operator': {'header': 'Who', 'optional': true}") TEST,
      "ID\tTest\tValue\tWho\nS1\tT\t5\tMK\n", "2:3 S1 T=5 mg/L by MK", "" },
    { "a column that is not there", LONG(", 'operator': 'Who'") TEST, "ID\tTest\tValue\nS1\tT\t5\n",
      "", "structure_mismatch@1:0" },
    { "what names the test says nothing",
      "{'code': 'c', 'name': 'n', 'layout': 'long', 'dialect': {'delimiter': 'tab'},"
      " 'match': {'container': 'text', 'headers': ['ID', 'Test', 'Value']}, 'columns':"
      " {'trackingId': 'ID', 'test': {'header': 'Test', 'regex': ':([A-Z]+)'}, 'value': "
      "'Value'}" TEST,
      "ID\tTest\tValue\nS1\t[x]\t5\nS1\t\t5\nS1\ta:T\t5\n", "4:3 S1 T=5 mg/L",
      "unknown_test_code@2:2 [[x]]|unknown_test_code@3:2 []" },
    { "unknown tests that are ignored", LONG("") ", 'unknownTest': 'ignore'" TEST,
      "ID\tTest\tValue\nS1\tT2\t5\nS1\tT\t5\n", "3:3 S1 T=5 mg/L", "" },
    { "duplicate_row", LONG("") TEST, "ID\tTest\tValue\nS1\tT\t5\nS1\tT\t5\nS2\tT\t5\n",
      "2:3 S1 T=5 mg/L|3:3 S1 T=5 mg/L|4:3 S2 T=5 mg/L", "duplicate_row@3:3 [5]" },
    { "replicate_unresolved", LONG(", 'replicate': 'R'") TEST,
      "ID\tTest\tValue\tR\nS1\tT\t5\t1\nS1\tT\t6\t2\n", "2:3 S1 T=5 mg/L r1|3:3 S1 T=6 mg/L r2",
      "replicate_unresolved@3:3 [6]" },
    { "the first replicate", LONG("") ", 'replicates': {'policy': 'first'}" TEST,
      "ID\tTest\tValue\nS1\tT\t5\nS2\tT\t7\nS1\tT\t6\n", "2:3 S1 T=5 mg/L|3:3 S2 T=7 mg/L", "" },
    { "the last replicate", LONG("") ", 'replicates': {'policy': 'last'}" TEST,
      "ID\tTest\tValue\nS1\tT\t5\nS2\tT\t7\nS1\tT\t6\n", "3:3 S2 T=7 mg/L|4:3 S1 T=6 mg/L", "" },
    { "means", LONG("") ", 'replicates': {'policy': 'mean', 'count': 2}" TEST,
      "ID\tTest\tValue\nS1\tT\t5.1\nS2\tT\t7\nS1\tT\t6.25\nS3\tT\t<1\nS3\tT\t2\n",
      "2:3 S1 T=5.68 mg/L",
      "replicate_unresolved@3:3 [7]|replicate_unresolved@5:3 [<1]|replicate_unresolved@6:3 [2]" },
    { "means of numbers with an exponent, to the places of their numbers",
      LONG("") ", 'replicates': {'policy': 'mean', 'count': 2}" TEST,
      "ID\tTest\tValue\nS1\tT\t1.2E-5\nS1\tT\t1.4e-05\nS2\tT\t5E-6\nS2\tT\t7E-6\n"
      "S3\tT\t1.25E-2\nS3\tT\t1.35E-2\nS4\tT\t1.2E-41\nS4\tT\t1.4E-41\n"
      "S5\tT\t1.25E+1\nS5\tT\t1.30E1\nS6\tT\t0.5\nS6\tT\t1.25E6\n",
      "2:3 S1 T=0.000013 mg/L|4:3 S2 T=0.000006 mg/L|6:3 S3 T=0.0130 mg/L|8:3 S4 T=1.3E-41 mg/L|"
      "10:3 S5 T=12.8 mg/L|12:3 S6 T=625000.2 mg/L",
      "" },
    { "no mean with a value that is refused",
      LONG(", 'flag': 'F'") ", 'replicates': {'policy': 'mean', 'count': 2}, 'qualifiers': {"
                            "'flags': [{'text': 'FAIL', 'action': 'block'}]}" TEST,
      "ID\tTest\tValue\tF\nS1\tT\t5\t\nS1\tT\t6\tFAIL\n", "",
      "instrument_error_flag@3:4 [FAIL]|replicate_unresolved@2:3 [5]|"
      "replicate_unresolved@3:3 [6]" },
    { "a mean to declared decimals",
      LONG("") ", 'replicates': {'policy': 'mean', 'count': 3, 'decimals': 3}" TEST,
      "ID\tTest\tValue\nS1\tT\t1\nS1\tT\t1\nS1\tT\t2\n", "2:3 S1 T=1.333 mg/L", "" },
    { "a test for each replicate",
      LONG(", 'replicate': 'R'") ", 'replicates': {'policy': 'distinctTests'}, 'tests': ["
                                 "{'name': 'T', 'testCode': 'T1', 'replicate': '1'},"
                                 "{'name': 'T', 'testCode': 'T2', 'replicate': '2'}]}",
      "ID\tTest\tValue\tR\nS1\tT\t5\t1\nS1\tT\t6\t2\nS1\tT\t7\t3\nS1\tT\t8\t2\n",
      "2:3 S1 T1=5 r1|3:3 S1 T2=6 r2|5:3 S1 T2=8 r2",
      "replicate_unresolved@4:4 [3]|duplicate_row@5:3 [8]" },
    { "a test for each replicate, in columns",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': 'ID', 'replicate': 'R'},"
      " 'replicates': {'policy': 'distinctTests'}, 'tests': ["
      "{'name': 'T', 'testCode': 'T1', 'replicate': '1'},"
      "{'name': 'T', 'testCode': 'T2', 'replicate': '2'}]}",
      "ID,R,T\nS1,1,5\nS1,2,6\nS1,3,7\n", "2:3 S1 T1=5 r1|3:3 S1 T2=6 r2",
      "replicate_unresolved@4:2 [3]" },
    { "controls and rows to skip",
      LONG(", 'sampleType': 'Type'") ", 'rows': {"
                                     " 'skip': [{'when': [{'column': 'trackingId', 'matches': "
                                     "'^(Mean|%RSD)$'}]}],"
                                     " 'controls': [{'when': [{'column': 'sampleType', 'equals': "
                                     "['QC', 'CCV']}],"
                                     "   'controlType': 'CCV', 'route': 'qcBatch', 'criterion': "
                                     "'range', 'lowerLimit': '1',"
                                     "   'upperLimit': '9'},"
                                     "  {'when': [{'column': 'trackingId', 'matches': "
                                     "'(?i)blank'}], 'controlType': 'MB'}]}" TEST,
      "ID\tTest\tValue\tType\nS1\tT\t5\tSample\nQ1\tT\t5\tQC\nQ1\tT\t6\tQC\nBLANK "
      "1\tT2\t0\tSample\n"
      "Mean\tT\t5\t\n\tT\t5\tQC\n",
      "2:3 S1 T=5 mg/L|3:3 Q1 T=5 mg/L control CCV|4:3 Q1 T=6 mg/L control CCV|"
      "7:3 ? T=5 mg/L control CCV",
      "" },
    { "results that are not final",
      LONG(", 'status': 'St'") ", 'rows': {'final': ['F', ''], 'notFinal': 'skip'}" TEST,
      "ID\tTest\tValue\tSt\nS1\tT\t5\tP\nS1\tT\t6\tF\nS2\tT\t7\t\n",
      "3:3 S1 T=6 mg/L|4:3 S2 T=7 mg/L", "" },
    { "every reason at once", LONG(", 'unit': 'Unit'") TEST,
      "ID\tTest\tValue\tUnit\nS1\tT\tx\tmg/L\n\tT\t5\tg\nS1\tQ\t1\t\nS3\tT\t5,0\tmg/L\n",
      "2:3 S1 T=?|3:3 ? T=? mg/L|5:3 S3 T=?",
      "non_numeric@2:3 [x]|unit_mismatch@3:4 [g]|missing_tracking_id@3:1 []|"
      "unknown_test_code@4:2 [Q]|ambiguous_number@5:3 [5,0]" },
};

/* Tests that not every file has; near the names of two of them are others. */
#define OPTIONAL_WIDE                                                                              \
    "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"       \
    " ['ID']}, 'columns': {'trackingId': 'ID', 'operator': {'header': 'Cobald', 'optional': "      \
    "true}},"                                                                                      \
    " 'ignoreTests': ['Fructose'], 'tests': [{'name': 'Sodium', 'testCode': 'NA'},"                \
    " {'name': 'Lactate', 'testCode': 'LAC', 'optional': true},"                                   \
    " {'name': 'Glucose', 'testCode': 'GLU', 'optional': true},"                                   \
    " {'name': 'Fructosi', 'testCode': 'FRU', 'optional': true},"                                  \
    " {'name': 'Zn', 'testCode': 'ZN', 'optional': true},"                                         \
    " {'name': 'Abs A260', 'testCode': 'ABS', 'optional': true},"                                  \
    " {'name': 'Cobalt', 'testCode': 'CO', 'optional': true}]}"

static const case_t files[] = {
    { "a header that is not there", LONG("") TEST, "ID\tTest\tResult\nS1\tT\t5\n", "",
      "structure_mismatch@0:0" },
    { "a column that is not there", LONG(", 'unit': 'Unit'") TEST, "ID\tTest\tValue\nS1\tT\t5\n",
      "", "structure_mismatch@1:0" },
    { "a test's column that is not there",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': 'ID'}, 'tests': [{'name': 'T', 'testCode': 'T'},"
      " {'name': 'U', 'testCode': 'U', 'optional': true}, {'name': 'V', 'testCode': 'V'}]}",
      "ID,T\nS1,5\n", "", "structure_mismatch@1:0" },
    { "optional tests",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': 'ID'}, 'tests': [{'name': 'T', 'testCode': 'T',"
      " 'optional': true}, {'name': 'U', 'testCode': 'U', 'optional': true}]}",
      "ID,U\nS1,5\n", "2:2 S1 U=5", "" },
    { "optional tests of which none is there",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': 'ID'}, 'tests': [{'name': 'T', 'testCode': 'T',"
      " 'optional': true}, {'name': 'U', 'testCode': 'U', 'optional': true}]}",
      "ID,W\nS1,5\n", "", "structure_mismatch@1:0" },
    { "an optional test whose header lost a letter, swapped two, or has another", OPTIONAL_WIDE,
      "ID,Sodium,Lactte,Glucsoe,Cobalz\nS1,5,1,2,3\n", "2:2 S1 NA=5",
      "note:structure_mismatch@1:3 [Lactte]|note:structure_mismatch@1:4 [Glucsoe]|"
      "note:structure_mismatch@1:5 [Cobalz]" },
    { "names that are near and declared, or differ by more, by a digit, or are short",
      OPTIONAL_WIDE, "ID,Sodium,Lactases,Fructose,Cobald,Abs A280,Zo\nS1,5,1,2,3,4,6\n",
      "2:2 S1 NA=5 by 3", "" },
    { "a letter of two bytes",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': 'ID'}, 'tests': [{'name': 'T', 'testCode': 'T'},"
      " {'name': 'S\xc3\xa4ure', 'testCode': 'U', 'optional': true}]}",
      "ID,T,S\xc3\xb6ure,Saure,Sure,S\xc3\xa4\xc3\xa4\xc3\xa4ure\nS1,5,1,2,3,4\n", "2:2 S1 T=5",
      "note:structure_mismatch@1:3 [S\xc3\xb6ure]|note:structure_mismatch@1:4 [Saure]|"
      "note:structure_mismatch@1:5 [Sure]" },
    { "an optional group of columns with a near name",
      "{'code': 'c', 'name': 'n', 'layout': 'grouped', 'match': {'container': 'text', 'headers':"
      " ['Name']}, 'table': {'header': {'find': ['Name'], 'rows': 2}}, 'unknownTest': 'ignore',"
      " 'columns': {'trackingId': 'Name', 'value': 'Conc', 'test': {'from': 'group', 'regex':"
      " '^(.*) Results$'}}, 'tests': [{'name': 'Lead', 'testCode': 'PB'},"
      " {'name': 'Copper', 'testCode': 'CU', 'optional': true}]}",
      "Sample,Lead Results,Coper Results\nName,Conc,Conc\nS1,5,6\n", "3:2 S1 PB=5",
      "note:structure_mismatch@1:3 [Coper Results]" },
    { "an optional group of columns whose name columns.test takes for none",
      "{'code': 'c', 'name': 'n', 'layout': 'grouped', 'match': {'container': 'text', 'headers':"
      " ['Name']}, 'table': {'header': {'find': ['Name'], 'rows': 2}},"
      " 'columns': {'trackingId': 'Name', 'value': 'Conc', 'test': {'from': 'group', 'regex':"
      " '^(.*) Results$'}}, 'tests': [{'name': 'Lead', 'testCode': 'PB'},"
      " {'name': 'Copper', 'testCode': 'CU', 'optional': true},"
      " {'name': 'Zinc', 'testCode': 'ZN', 'optional': true}]}",
      "Sample,Lead Results,Copper Reslts,Zinc (ISTD),Notes\nName,Conc,Conc,Conc,Text\n"
      "S1,5,6,7,x\n",
      "3:2 S1 PB=5", "note:structure_mismatch@1:3 [Copper Reslts]" },
    { "an optional key with a near name",
      "{'code': 'c', 'name': 'n', 'layout': 'keyvalue', 'dialect': {'delimiter': 'none'},"
      " 'match': {'container': 'text', 'sections': ['Report']}, 'columns': {'trackingId': 'ID'},"
      " 'tests': [{'name': 'Lead', 'testCode': 'PB'},"
      " {'name': 'Copper', 'testCode': 'CU', 'optional': true}]}",
      "Report\nID: S1\nLead: 5\nCoqper: 6\n", "3:1 S1 PB=5",
      "note:structure_mismatch@4:1 [Coqper]" },
    { "an optional member with a near name, once for all rows",
      "{'code': 'c', 'name': 'n', 'layout': 'json', 'match': {'container': 'json', 'root': 'rows'},"
      " 'table': {'element': 'rows'}, 'columns': {'trackingId': 'id'},"
      " 'tests': [{'name': 'lead', 'testCode': 'PB'},"
      " {'name': 'metals/copper', 'testCode': 'CU', 'optional': true},"
      " {'name': 'zinc', 'testCode': 'ZN', 'optional': true}]}",
      "{\"rows\": [{\"id\": \"S1\", \"lead\": 5, \"metals\": {\"coper\": 6}},\n"
      "{\"id\": \"S2\", \"lead\": 7, \"metals\": {\"coper\": 6}}]}",
      "1:0 S1 PB=5|2:0 S2 PB=7", "note:structure_mismatch@1:0" },
    { "a row that is shorter than the header", LONG("") TEST, "ID\tTest\tValue\nS1\tT\nS2\tT\t5\n",
      "3:3 S2 T=5 mg/L", "structure_mismatch@2:0" },
    { "a row that is longer, as by an unquoted decimal comma",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'columns': {'trackingId': 'ID'}, 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "ID,T\nS1,5,5\nS2,5,\n", "3:2 S2 T=5", "structure_mismatch@2:3 [5]" },
    { "ragged rows",
      "{'code': 'c', 'name': 'n', 'layout': 'wide', 'match': {'container': 'text', 'headers':"
      " ['ID']}, 'dialect': {'ragged': true}, 'columns': {'trackingId': 'ID', 'comment': 'C'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "ID,T,C\nS1,5\nS2,5,x,9\nS3\n", "2:2 S1 T=5|3:2 S2 T=5 //x|4:2 S3 T=?",
      "missing_value@4:2 []" },
    { "a section that is not there", LONG("") ", 'table': {'section': '^.Data.'}" TEST,
      "ID\tTest\tValue\nS1\tT\t5\n", "", "structure_mismatch@0:0" },
    { "a group without its column, as where a header row was deleted",
      "{'code': 'c', 'name': 'n', 'layout': 'grouped', 'match': {'container': 'text', 'headers':"
      " ['Name']}, 'table': {'header': {'rows': 2}}, 'columns': {'trackingId': 'Name', 'value':"
      " 'Conc', 'test': {'from': 'group', 'regex': '^(.*) Results$'}},"
      " 'tests': [{'name': 'A', 'testCode': 'A'}]}",
      "x,,\nSample,Name,A Results\n,S1,5\n", "", "structure_mismatch@2:0" },
    { "a key that has two values",
      "{'code': 'c', 'name': 'n', 'layout': 'keyvalue', 'dialect': {'delimiter': 'none'},"
      " 'match': {'container': 'text', 'sections': ['Report']}, 'columns': {'trackingId': 'ID'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "Report\nID: S1\nT: 5\nID: S2\nT: 5\n", "3:1 S1 T=5", "structure_mismatch@4:1 [ S2]" },
    { "no_result_rows", LONG("") TEST, "ID\tTest\tValue\n", "", "no_result_rows@0:0" },
    { "truncated_file by the last line", LONG("") ", 'integrity': {'end': '^Total'}" TEST,
      "ID\tTest\tValue\nS1\tT\t5\n", "2:3 S1 T=5 mg/L", "truncated_file@0:0 [S1\tT\t5]" },
    { "truncated_file by the count",
      LONG("") ", 'table': {'header': {'find': ['ID']}}, 'integrity': {'count': {'key': "
               "'Rows'}}" TEST,
      "Rows\t2\nID\tTest\tValue\nS1\tT\t5\n", "3:3 S1 T=5 mg/L", "truncated_file@1:2 [2]" },
    { "frames that are not there",
      "{'code': 'c', 'name': 'n', 'layout': 'astm', 'match': {'container': 'astm', 'sender': '.'},"
      " 'integrity': {'frames': 'required'}, 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "H|\\^&|||D\rO|1|S1\rR|1|^^^T|^0.0|||||F||||20260101\rL|1|N\r", "3:4 S1 T=0.0 @2026-01-01",
      "structure_mismatch@0:0" },
    { "frames that are there",
      "{'code': 'c', 'name': 'n', 'layout': 'astm', 'match': {'container': 'astm', 'sender': '.'},"
      " 'integrity': {'frames': 'required'}, 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "\x05\x02"
      "1H|\\^&|||D\rO|1|S1\rR|1|^^^T|5|||||F\rL|1|N\r\x03"
      "CF\r\n\x04",
      "3:4 S1 T=5", "" },
    { "truncated_file by a count that is not there",
      LONG("") ", 'integrity': {'count': {'key': 'Rows'}}" TEST, "ID\tTest\tValue\nS1\tT\t5\n",
      "2:3 S1 T=5 mg/L", "truncated_file@0:0" },
};

static void run(const case_t *cases, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        const lims_readings_t *out = read_text(cases[i].profile, cases[i].text, pool);
        if (out) {
            is(readings_text(out, pool), cases[i].readings, cases[i].name);
            is(why_text(out, pool), cases[i].reasons, "the reasons are as expected");
        }
    }
}

int main(void)
{
    pool = unit_pool();
    run(values, LIMS_LENGTH(values));
    run(rows, LIMS_LENGTH(rows));
    run(files, LIMS_LENGTH(files));
    apr_pool_destroy(pool);
    return tap_done();
}
