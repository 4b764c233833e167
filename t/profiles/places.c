/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places that are not the cell beside or under a name: what is joined of several,
 * what stands below a label, columns of a sample, rows of a web page; and conditions
 * that compare numbers.
 */
#include "../lib/readings.h"

static apr_pool_t *pool;

#define MATCH " 'match': {'container': 'text', 'lines': [{'regex': '.'}]},"
#define HEAD "{'code': 'c', 'name': 'n',"
#define TESTS " 'tests': [{'name': 'Fe', 'testCode': 'FE'}, {'name': 'Pb', 'testCode': 'PB'}]}"

typedef struct {
    const char *name, *profile, *text, *readings, *reasons, *counts;
} case_t;

/* --- What is joined ------------------------------------------------------------------ */

#define JOINED(join)                                                                               \
    HEAD MATCH " 'layout': 'long', 'table': {'header': {'find': ['Well']}},"                       \
               " 'columns': {'trackingId': {" join "}, 'test': 'Test', 'value': 'Value'}," TESTS

static const case_t joined[] = {
    { "plate and well", JOINED("'join': [{'key': 'Plate'}, 'Well'], 'separator': '-'"),
      "Plate:,P7\nWell,Test,Value\nA1,Fe,0.5\nA2,Fe,0.6\n", "3:3 P7-A1 FE=0.5|4:3 P7-A2 FE=0.6", "",
      "2 2 0 0" },
    { "with expressions of the parts and of the whole",
      JOINED("'join': [{'from': 'fileName', 'regex': '([0-9]+)'}, {'text': 'x'},"
             " {'header': 'Well', 'regex': '^([A-H])'}], 'regex': '^(.*)A$'"),
      "Well,Test,Value\nA1,Fe,0.5\n", "2:3 42x FE=0.5", "", "1 1 0 0" },
    { "one without the other is none",
      JOINED("'join': [{'key': 'Plate'}, 'Well'], 'separator': '-'"),
      "Well,Test,Value\nA1,Fe,0.5\n", "2:3 ? FE=0.5", "missing_tracking_id@2:0 []", "1 1 0 0" },
    { "the other without the one is none", JOINED("'join': ['Well', 'Position'], 'separator': '-'"),
      "Well,Position,Test,Value\nA1, ,Fe,0.5\n", "2:4 ? FE=0.5", "missing_tracking_id@2:1 []",
      "1 1 0 0" },
    { "a column that is joined has to be there", JOINED("'join': ['Well', 'Position']"),
      "Well,Test,Value\nA1,Fe,0.5\n", "", "structure_mismatch@1:0", "0 0 0 0" },
};

/* --- What stands below ---------------------------------------------------------------- */

#define BELOW(label)                                                                               \
    HEAD MATCH                                                                                     \
        " 'layout': 'long', 'table': {'header': {'find': ['Well']}, 'end': {'blank': true},"       \
        " 'block': {'start': '^Plate information'}},"                                              \
        " 'columns': {'trackingId': {'join': [{'below': '" label "'}, 'Well'], 'separator': '/'}," \
        " 'test': {'text': 'Fe'}, 'value': 'Value'}," TESTS
static const case_t below[] = {
    { "the cell below a label, of each block", BELOW("Barcode"),
      "Plate information\nPlate,Repeat,Barcode\n1,1,B77\n\nWell,Value\nA1,0.5\n\n"
      "Plate information\nPlate,Repeat,Barcode\n2,1,B78\n\nWell,Value\nA1,0.6\n",
      "6:2 B77/A1 FE=0.5|13:2 B78/A1 FE=0.6", "", "2 2 0 0" },
    { "the same below another such label", BELOW("Barcode"),
      "Plate information\nPlate,Barcode\n1,B77\n\nWell,Value\nA1,0.5\n\nLabel,Barcode\nx, B77\n",
      "6:2 B77/A1 FE=0.5", "", "1 1 0 0" },
    { "something else below it", BELOW("Barcode"),
      "Plate information\nPlate,Barcode\n1,B77\n\nWell,Value\nA1,0.5\nA2,0.6\n\n"
      "Label,Barcode\nx,B9\n",
      "6:2 B77/A1 FE=0.5|7:2 B77/A2 FE=0.6", "structure_mismatch@10:2 [B9]", "2 2 0 0" },
    { "the second of them", BELOW("Barcode#2"),
      "Plate information\nPlate,Barcode\n1,B77\n\nWell,Value\nA1,0.5\n\nLabel,Barcode\nx,B9\n",
      "6:2 B9/A1 FE=0.5", "", "1 1 0 0" },
    { "nothing below it", BELOW("Barcode"),
      "Plate information\nPlate,Barcode\n1\n\nWell,Value\nA1,0.5\n", "6:2 ? FE=0.5",
      "missing_tracking_id@3:2 []", "1 1 0 0" },
    { "no such label", BELOW("Barcode"), "Plate information\n\nWell,Value\nA1,0.5\n",
      "4:2 ? FE=0.5", "missing_tracking_id@4:0 []", "1 1 0 0" },
    { "a label in the table is none", BELOW("Barcode"),
      "Plate information\n\nWell,Value,Barcode\nA1,0.5,B1\n", "4:2 ? FE=0.5",
      "missing_tracking_id@4:0 []", "1 1 0 0" },
    { "the headers below a label are none", BELOW("Barcode"),
      "Plate information\nBarcode\nWell,Value\nA1,0.5\n", "4:2 ? FE=0.5",
      "missing_tracking_id@4:0 []", "1 1 0 0" },
};

/* --- Columns of a sample --------------------------------------------------------------- */

#define ABOVE(more)                                                                                \
    HEAD MATCH " 'layout': 'transposed', 'table': {'header': {'find': ['Name', 'Conc']}},"         \
               " 'columns': {'test': 'Name', 'value': 'Conc', 'flag': 'MI', 'trackingId':"         \
               "  {'from': 'group', 'regex': '^(.*)[.]d Results$'}" more "},"                      \
               " 'qualifiers': {'unknownFlag': 'note'}, 'ignoreTests': ['IS']," TESTS
#define WITHIN                                                                                     \
    HEAD MATCH " 'layout': 'transposed', 'table': {'header': {'find': ['Molecule'],"               \
               "  'group': '^(.+) (?:Area|RT)$'}}, 'numbers': {'blank': 'skip'},"                  \
               " 'columns': {'test': 'Molecule', 'value': 'Area', 'comment': {'header': 'Note',"   \
               "  'optional': true}}," TESTS

static const case_t groups[] = {
    { "samples above their columns", ABOVE(", 'unit': 'Units', 'analysedAt': {'key': 'Acq'}"),
      "Compound Method,,,S1.d Results,,,S2.d Results,,\n,Name,Units,RT,Conc,MI,Conc,RT,MI\n"
      "Acq,,,2026-01-01,,,2026-01-02,,\n1,Fe,mg/L,2.1,0.50,,0.60,2.2,m\n2,IS,,3,1,,1,3,\n"
      "3,Pb,mg/L,4,7,,8,4,\n",
      "4:5 S1 FE=0.50 mg/L @2026-01-01|4:7 S2 FE=0.60 mg/L @2026-01-02|"
      "6:5 S1 PB=7 mg/L @2026-01-01|6:7 S2 PB=8 mg/L @2026-01-02",
      "note:instrument_error_flag@4:9 [m]", "3 4 0 1" },
    { "a group of another kind is passed over", ABOVE(""),
      "M,,S1.d Results,,Qualifier Results,\n,Name,Conc,MI,Ratio,MI\n,Fe,0.5,,9,x\n",
      "3:3 S1 FE=0.5", "", "1 1 0 0" },
    { "but not one with values", ABOVE(""),
      "M,,S1.d Results,,S2 Results,\n,Name,Conc,MI,Conc,MI\n,Fe,0.5,,0.6,\n", "",
      "structure_mismatch@1:5 [S2 Results]", "0 0 0 0" },
    { "a sample without the column", ABOVE(""),
      "M,,S1.d Results,,S2.d Results,\n,Name,Conc,MI,RT,MI\n,Fe,0.5,,0.6,\n", "",
      "structure_mismatch@1:5 [S2.d Results]", "0 0 0 0" },
    { "a sample with the column twice", ABOVE(""),
      "M,,S1.d Results,,\n,Name,Conc,Conc,MI\n,Fe,0.5,0.6,\n", "", "structure_mismatch@2:4 [Conc]",
      "0 0 0 0" },
    { "no sample", ABOVE(""), "M,,Results,\n,Name,Conc,MI\n,Fe,0.5,\n", "",
      "structure_mismatch@1:3 [Results]|structure_mismatch@1:1 [M]", "0 0 0 0" },
    { "a cell too many", ABOVE(""), "M,,S1.d Results,\n,Name,Conc,MI\n,Pb,1,,2\n", "",
      "structure_mismatch@3:5 [2]", "" },
    { "a blank cell of one sample", ABOVE(""),
      "M,,S1.d Results,,S2.d Results,\n,Name,Conc,MI,Conc,MI\n,Fe,0.5,,,\n",
      "3:3 S1 FE=0.5|3:5 S2 FE=?", "missing_value@3:5 []", "" },
    { "a test without a name", ABOVE(""), "M,,S1.d Results,\n,Name,Conc,MI\n,,0.5,\n", "",
      "unknown_test_code@3:2 []", "" },
    { "sample and column in one header", WITHIN,
      "Molecule,Mass,S 1 Area,S2 Area,S 1 RT,S2 RT\nFe,55.9,0.50,0.60,1,1\nPb,207,,8,2,2\n",
      "2:3 S 1 FE=0.50|2:4 S2 FE=0.60|3:4 S2 PB=8", "", "2 3 0 1" },
    { "a column of the profile behind them", WITHIN, "Molecule,S1 Area,Note\nFe,0.50,fine\n",
      "2:2 S1 FE=0.50 //fine", "", "1 1 0 0" },
    { "a column that belongs to nothing", WITHIN, "Molecule,S1 Area,S2Area\nFe,0.50,0.6\n", "",
      "structure_mismatch@1:3 [S2Area]", "0 0 0 0" },
    { "a column of values before the first sample whose header is damaged", WITHIN,
      "Molecule,S1 Arrea,S2 Area\nFe,0.50,0.6\n", "", "structure_mismatch@1:2 [S1 Arrea]",
      "0 0 0 0" },
    { "one of all that ends nearly so", WITHIN,
      "Molecule,Areas,Mean area of all,S2 Area\nFe,1,2,0.6\n", "2:4 S2 FE=0.6", "", "1 1 0 0" },
    { "the same sample twice", WITHIN, "Molecule,S1 Area,S1 Area\nFe,0.50,0.6\n", "",
      "structure_mismatch@1:3 [S1 Area]", "0 0 0 0" },
};

/* --- Numbers in conditions --------------------------------------------------------------- */

#define BOUNDS(rules)                                                                              \
    HEAD MATCH " 'layout': 'wide', 'table': {'header': {'find': ['id']}},"                         \
               " 'dialect': {'delimiter': ';'}, 'numbers': {'decimal': ','},"                      \
               " 'qualifiers': {'tokens': [{'text': 'Undetermined', 'meaning': 'nondetect'}]},"    \
               " 'columns': {'trackingId': 'id'}, 'rows': {" rules "},"                            \
               " 'tests': [{'name': 'Ct', 'testCode': 'CT'}]}"

static const case_t bounds[] = {
    { "less than a number of beads",
      BOUNDS("'errors': [{'when': [{'header': 'Beads', 'less': '25'}], 'message': 'few'}]"),
      "id;Ct;Beads\nS1;20,5;24,9\nS2;20,5;25\nS3;20,5;2,5E1\nS4;20,5;-30\nS5;20,5;100\n",
      "2:2 S1 CT=20.5|3:2 S2 CT=20.5|4:2 S3 CT=20.5|5:2 S4 CT=20.5|6:2 S5 CT=20.5",
      "instrument_error_flag@2:2 [20,5]|instrument_error_flag@5:2 [20,5]", "5 5 0 0" },
    { "the other bounds, and two together",
      BOUNDS("'skip': [{'when': [{'header': 'Ct', 'more': '40'}]},"
             " {'when': [{'header': 'Ct', 'atLeast': '10', 'atMost': '20.0'}]}]"),
      "id;Ct\nS1;40\nS2;40,0001\nS3;10\nS4;9,99\nS5;20\nS6;20,1\n",
      "2:2 S1 CT=40|5:2 S4 CT=9.99|7:2 S6 CT=20.1", "", "6 3 0 3" },
    { "a token and a blank are no number",
      BOUNDS("'skip': [{'when': [{'header': 'Ct', 'more': '40'}]}]"), "id;Ct\nS1;Undetermined\n",
      "2:2 S1 CT=Undetermined qND", "", "1 1 0 0" },
    { "another text is not passed by",
      BOUNDS("'skip': [{'when': [{'header': 'Conf', 'less': '0.9'}]},"
             " {'when': [{'header': 'Conf', 'less': '0.5'}]}]"),
      "id;Ct;Conf\nS1;20;n.a.\nS2;20;0.95\nS3;20;0,95\nS4;20;\n",
      "2:2 S1 CT=20|3:2 S2 CT=20|4:2 S3 CT=20|5:2 S4 CT=20",
      "non_numeric@2:3 [n.a.]|ambiguous_number@3:3 [0.95]", "4 4 0 0" },
};

/* --- Web pages ----------------------------------------------------------------------------- */

#define PAGE                                                                                       \
    "{'code': 'c', 'name': 'n', 'match': {'container': 'html', 'headers': ['Sample', 'Fe'],"       \
    " 'lines': [{'regex': '^Counter 3'}], 'sections': ['Results']},"                               \
    " 'layout': 'wide', 'table': {'end': {'blank': true}},"                                        \
    " 'columns': {'trackingId': 'Sample', 'operator': {'key': 'Operator'}},"                       \
    " 'tests': [{'name': 'Fe', 'testCode': 'FE'}]}"

static const case_t pages[] = {
    { "a web page", PAGE,
      "<html><h1>Counter 3</h1><p>Operator: me</p><h2>Results</h2><table><tr><th>Sample<th>Fe"
      "<tr><td>S1<td>&lt;&nbsp;0.5<tr><td>S2<td>0.60</table><p>printed</p></html>",
      "5:2 S1 FE=< 0.5 q< by me|6:2 S2 FE=0.60 by me", "", "2 2 0 0" },
    { "that is cut", PAGE, "<html><h1>Counter 3</h1><table><tr><th>Sample<th>Fe<tr><td>S1<td>0.",
      "", "truncated_file@0:0", "0 0 0 0" },
};

static void run(const case_t *cases, apr_size_t count)
{
    for (apr_size_t i = 0; i < count; i++) {
        lims_readings_t *out = read_text(cases[i].profile, cases[i].text, pool);

        if (!out) {
            continue;
        }
        is(readings_text(out, pool), cases[i].readings, cases[i].name);
        is(why_text(out, pool), cases[i].reasons, "  its reasons");
        if (*cases[i].counts) {
            is(counts_text(out, pool), cases[i].counts, "  its counts");
        }
    }
}

/* The profile of the web page recognizes it, whatever its name ends in. */
static void test_match(void)
{
    apr_array_header_t *profiles = apr_array_make(pool, 1, sizeof(const lims_profile_t *));
    const char *text = pages[0].text;

    APR_ARRAY_PUSH(profiles, const lims_profile_t *) = profile_of(PAGE, pool);
    is(readings_text(lims_file_read(text, strlen(text), "a.xls", profiles, NULL, pool), pool),
       pages[0].readings, "a web page named .xls is matched by lines, headers and sections");
}

int main(void)
{
    pool = unit_pool();
    run(joined, LIMS_LENGTH(joined));
    run(below, LIMS_LENGTH(below));
    run(groups, LIMS_LENGTH(groups));
    run(bounds, LIMS_LENGTH(bounds));
    run(pages, LIMS_LENGTH(pages));
    test_match();
    return tap_done();
}
