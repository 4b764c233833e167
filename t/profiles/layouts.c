/* SPDX-License-Identifier: Apache-2.0 */
/* Each layout finds its values, with their places and surroundings. */
#include "../lib/readings.h"

static apr_pool_t *pool;

#define MATCH " 'match': {'container': 'text', 'lines': [{'regex': '.'}]},"
#define HEAD "{'code': 'c', 'name': 'n',"

typedef struct {
    const char *name, *profile, *text, *readings, *reasons, *counts;
} case_t;

static const case_t cases[] = {
    { "long, by header",
      HEAD MATCH " 'layout': 'long', 'table': {'header': {'find': ['Sample', 'Test']}},"
                 " 'columns': {'trackingId': 'Sample', 'test': 'Test', 'value': 'Value',"
                 "  'unit': 'Units#2', 'analysedAt': {'header': 'When', 'format': 'd.M.yyyy'},"
                 "  'operator': 'Who', 'comment': 'Remark'},"
                 " 'tests': [{'name': ['GLC', 'Glucose'], 'testCode': 'GLU', 'unit': 'mmol/L'},"
                 "           {'name': 'ph', 'testCode': 'PH', 'unit': ''}]}",
      "Report 7\n\nSample,Units,Test,Value,Units,When,Who,Remark\n"
      "S1,x, GLC ,2.450,mmol/l,3.4.2026,me,fine\n\n S2 ,x,glucose,7,mM,4.4.2026,,\n"
      "S1,x,pH,7.10,,,,\n",
      "4:4 S1 GLU=2.450 mmol/L @2026-04-03 by me //fine|6:4 S2 GLU=7 mmol/L @2026-04-04|"
      "7:4 S1 PH=7.10",
      "", "3 3 0 0" },
    { "long, by numbers of columns",
      HEAD MATCH " 'layout': 'long', 'dialect': {'delimiter': 'tab', 'quote': 'none'},"
                 " 'columns': {'trackingId': {'index': 3}, 'test': {'index': 6},"
                 "  'value': {'index': 10}, 'unit': {'index': 8}, 'dilution': {'index': 7}},"
                 " 'rows': {'only': [{'index': 1, 'equals': '40'}]},"
                 " 'tests': [{'name': 'LDH2B', 'testCode': 'LDH', 'unit': 'U/L'}]}",
      "0\t2023\tfile\n40\t2023\tSMPL2\tSAM\t \tLDH2B\t1/5 \tU/L\tx\t< 20.00\t0.1\n",
      "2:10 SMPL2 LDH=< 20.00 U/L q< d1/5", "", "2 1 0 1" },
    { "wide",
      HEAD MATCH " 'layout': 'wide', 'table': {'header': {'find': ['id']}},"
                 " 'columns': {'trackingId': {'header': 'ID', 'regex': '^(\\\\S+)'}},"
                 " 'tests': [{'name': '\xc2\xb5g/mL', 'testCode': 'C', 'unit': 'mg/L',"
                 "            'fileUnit': 'ug/mL'},"
                 "           {'name': 'A260#2', 'testCode': 'A', 'unit': ''}]}",
      "ID,\xce\xbcg/mL,A260,A260\nS1 rep,1.50,1,2\nS2,0.10,3,4\n",
      "2:2 S1 C=1.50 mg/L|2:4 S1 A=2|3:2 S2 C=0.10 mg/L|3:4 S2 A=4", "", "2 4 0 0" },
    { "wide, with a row of units and another header between",
      HEAD MATCH " 'layout': 'wide', 'units': {'policy': 'convert'},"
                 " 'table': {'header': {'find': ['id'], 'repeats': true}, 'unitRow': 1},"
                 " 'columns': {'trackingId': 'ID'},"
                 " 'tests': [{'name': 'Fe', 'testCode': 'FE', 'unit': 'mg/L'},"
                 "           {'name': 'Pb', 'testCode': 'PB', 'unit': 'ug/L'}]}",
      "ID,Fe\n,mg/L\nS1,1.50\nPb,ID\nmg/L,\n0.25,S1\n", "3:2 S1 FE=1.50 mg/L|6:1 S1 PB=250 ug/L",
      "", "2 2 0 0" },
    { "headers of two rows",
      HEAD MATCH " 'layout': 'wide', 'table': {'header': {'find': ['cells /ml'], 'rows': 2}},"
                 " 'columns': {'trackingId': 'Sample ID'},"
                 " 'tests': [{'name': 'Cells /ml', 'testCode': 'C'}]}",
      "Results of today,\nSample,Cells\nID,/ml\nS1,5\n", "4:2 S1 C=5", "", "1 1 0 0" },
    { "blocks, each with a header",
      HEAD MATCH " 'layout': 'long', 'dialect': {'delimiter': 'tab', 'ragged': true},"
                 " 'table': {'header': {'find': ['Name', 'Conc']}, 'end': {'blank': true},"
                 "           'block': {'start': '^Compound \\\\d+: *(.*)$'}},"
                 " 'columns': {'trackingId': 'Name', 'test': {'from': 'block'}, 'value': 'Conc'},"
                 " 'tests': [{'name': 'CAT', 'testCode': 'CAT'}, {'name': 'B', 'testCode': 'B'}]}",
      "Report\n\nCompound 1:  CAT\n\n\tName\tConc\n1\tS1\t0.5\n2\tS2\t0.6\n\nfoot\t\t9\n"
      "Compound 2:  B\nConc\tName\n0.7\tS1\n",
      "6:3 S1 CAT=0.5|7:3 S2 CAT=0.6|12:1 S1 B=0.7", "", "3 3 0 0" },
    { "blocks of which some have no name: they are read, and what they lack is told",
      HEAD MATCH " 'layout': 'long', 'dialect': {'delimiter': 'tab'},"
                 " 'table': {'header': {'find': ['Name', 'Conc']}, 'end': {'blank': true},"
                 "           'block': {'start': '^Compound \\\\d+:(?: +(\\\\S+))?'}},"
                 " 'columns': {'trackingId': 'Name', 'test': {'from': 'block'}, 'value': 'Conc'},"
                 " 'tests': [{'name': 'CAT', 'testCode': 'CAT'}, {'name': 'B', 'testCode': 'B'}]}",
      "Compound 1: CAT\nName\tConc\nS1\t0.5\n\nCompound 2:\nName\tConc\nS1\t0.6\n\n"
      "Compound 3: B\nName\tConc\nS1\t0.7\n",
      "3:2 S1 CAT=0.5|11:2 S1 B=0.7", "unknown_test_code@5:0 [Compound 2:]", "3 2 0 0" },
    { "blocks of two kinds, of which one has a sample",
      HEAD MATCH
      " 'layout': 'keyvalue', 'table': {'block': {'start': '^(?:Sample (\\\\S+)|Summary)'}},"
      " 'columns': {'trackingId': {'from': 'block'}},"
      " 'rows': {'skip': [{'when': [{'from': 'block', 'equals': ''}]}]},"
      " 'tests': [{'name': 'Fe', 'testCode': 'FE'}]}",
      "Sample S1\nFe,0.5\nSummary\nFe,9\nSample S2\nFe,0.6\n", "2:2 S1 FE=0.5|6:2 S2 FE=0.6", "",
      "3 2 0 1" },
    { "a section with keys above",
      HEAD MATCH
      " 'layout': 'long', 'dialect': {'delimiter': 'tab'},"
      " 'table': {'section': '^\\\\[Results\\\\]', 'header': {'find': ['ID#']},"
      "           'end': {'blank': true}},"
      " 'integrity': {'count': {'key': '# of IDs'}},"
      " 'columns': {'trackingId': {'key': 'File', 'regex': '([^/]+)[.]qgd$'},"
      "  'test': 'Name', 'value': 'Conc.', 'operator': {'text': 'auto'}},"
      " 'tests': [{'name': 'Pyr', 'testCode': 'PYR'}, {'name': 'Gly', 'testCode': 'G'}]}",
      "[Header]\nFile\tC:/data/S7.qgd\n[Results]\n# of IDs\t2\nID#\tName\tConc.\n1\tPyr\t0.5\n"
      "2\tGly\t0.00598\n\n[Other]\nID#\tName\tConc.\n3\tGly\t7\n",
      "6:3 S7 PYR=0.5 by auto|7:3 S7 G=0.00598 by auto", "", "2 2 0 0" },
    { "grouped",
      HEAD MATCH
      " 'layout': 'grouped', 'table': {'header': {'find': ['Name', 'RT'], 'rows': 2}},"
      " 'numbers': {'decimal': ',', 'blank': 'skip'},"
      " 'columns': {'trackingId': 'Name', 'test': {'from': 'group', 'regex':"
      "  '^(.*) Results$'}, 'value': 'Conc.', 'flag': 'MI'},"
      " 'qualifiers': {'flags': [{'text': 'm', 'action': 'note'}]},"
      " 'tests': [{'name': 'Cer', 'testCode': 'CER'}, {'name': 'Sph', 'testCode': 'S'}]}",
      "Sample,,Cer Method,Cer Results,,,Sph Results,,,\n"
      "!,Name,Conc.,RT,Conc.,MI,RT,Conc.,,\n"
      ",S1,9,1,\"9,754\",m,2,\"0,5\",,\n,S2,9,1,,,2,\"0,60\",,\n",
      "3:5 S1 CER=9.754|3:8 S1 S=0.5|4:8 S2 S=0.60", "note:instrument_error_flag@3:6 [m]",
      "2 3 0 1" },
    { "transposed",
      HEAD MATCH " 'layout': 'transposed', 'table': {'header': {'find': ['Compound', 'Unit']}},"
                 " 'columns': {'unit': 'Unit', 'analysedAt': {'key': 'Date',"
                 "  'format': 'dd/MM/yyyy'}, 'sampleType': {'key': 'Type'}},"
                 " 'rows': {'controls': [{'when': [{'column': 'sampleType', 'equals': 'Blank'}],"
                 "  'controlType': 'MB'}]}, 'ignoreTests': ['Internal'],"
                 " 'tests': [{'name': 'Fe', 'testCode': 'FE', 'unit': 'mg/L'}]}",
      "Compound,Unit,S1,S2,B1\nDate,,01/02/2026,02/02/2026,02/02/2026\nType,,Sample,Sample,Blank\n"
      "Fe,mg/L,0.10,0.20,0.00\nInternal,,9,9,9\n",
      "4:3 S1 FE=0.10 mg/L @2026-02-01|4:4 S2 FE=0.20 mg/L @2026-02-02", "", "2 2 0 2" },
    { "transposed: a cell too many, a sample without a name, a test without one",
      HEAD MATCH
      " 'layout': 'transposed', 'table': {'header': {'find': ['Test']}},"
      " 'tests': [{'name': 'NO3', 'testCode': 'NO3'}, {'name': 'Fe', 'testCode': 'FE'}]}",
      "Test,A,,C\nNO3,1,5,2,3\nFe,1,2,3\n,4,5,6\nFe,7\n", "3:2 A FE=1|3:3 ? FE=2|3:4 C FE=3",
      "structure_mismatch@2:5 [3]|missing_tracking_id@1:3 []|unknown_test_code@4:1 []|"
      "structure_mismatch@5:0",
      "4 3 0 0" },
    { "keys and values",
      HEAD MATCH " 'layout': 'keyvalue', 'dialect': {'delimiter': 'none', 'quote': 'none'},"
                 " 'columns': {'trackingId': 'Sample ID', 'analysedAt': {'key': 'RunDate',"
                 "  'format': 'd MMM yyyy h:mm:ss a'}, 'dilution': 'Dilution'},"
                 " 'tests': [{'name': 'Viability (%)', 'testCode': 'V', 'unit': '%'},"
                 "           {'name': 'Total cells / ml (x 10^6)', 'testCode': 'T',"
                 "            'unit': 'x10^6 cells/mL'}]}",
      "Vi-CELL XR 2.06.3\n\nSample ID : CLB001\nTime :\nRunDate : 29 Sep 2023  5:21:32 "
      "AM\nResults:\n"
      "Viability (%) : 97.0\nTotal cells / ml (x 10^6) : 90.2\nDilution : 20.00\n",
      "7:1 CLB001 V=97.0 % d20.00 @2023-09-29T05:21:32|"
      "8:1 CLB001 T=90.2 x10^6 cells/mL d20.00 @2023-09-29T05:21:32",
      "", "1 2 0 0" },
    { "keys and values of several samples, in cells",
      HEAD MATCH " 'layout': 'keyvalue', 'table': {'block': {'start': '^Sample:'}},"
                 " 'columns': {'trackingId': 'Sample', 'operator': 'User'},"
                 " 'tests': [{'name': 'Fe', 'testCode': 'FE'}]}",
      "User:,me\nSample:,S1,Method:,M\nFe,:,0.5\nSample:,S2,Method:,M\nFe,,0.6\n",
      "3:3 S1 FE=0.5 by me|5:3 S2 FE=0.6 by me", "", "2 2 0 0" },
    { "keys and values, of which some stand before the first block or twice",
      HEAD MATCH " 'layout': 'keyvalue', 'table': {'block': {'start': '^Sample'}},"
                 " 'columns': {'trackingId': 'Sample'},"
                 " 'tests': [{'name': ['Fe', 'Iron'], 'testCode': 'FE'}]}",
      "x,Sample,S1\nFe,1\nSample,S2\nFe,2,3\nSample,S3\nFe,4,mg/L\nIron,5\n",
      "4:2 S2 FE=2|6:2 S3 FE=4",
      "structure_mismatch@2:2 [1]|structure_mismatch@4:3 [3]|structure_mismatch@7:2 [5]",
      "2 2 0 0" },
    { "a table before the first block",
      HEAD MATCH
      " 'layout': 'long', 'table': {'header': {'find': ['ID']}, 'block': {'start': '^B (.*)'}},"
      " 'columns': {'trackingId': 'ID', 'test': {'from': 'block'}, 'value': 'V'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "A T\nID,V\nS1,1\nB T\nID,V\nS2,2\n", "6:2 S2 T=2", "structure_mismatch@2:0", "1 1 0 0" },
    { "a plate with its map",
      HEAD MATCH " 'layout': 'matrix', 'dialect': {'delimiter': 'tab', 'ragged': true},"
                 " 'table': {'section': '^Results', 'header': {'find': ['1', '2']},"
                 "           'map': {'section': '^Layout'}},"
                 " 'columns': {'trackingId': {'from': 'map'}, 'test': {'text': 'OD'},"
                 "  'replicate': {'from': 'well'}},"
                 " 'qualifiers': {'tokens': [{'text': 'OVRFLW', 'meaning': 'over'}]},"
                 " 'rows': {'skip': [{'when': [{'from': 'map', 'equals': ''}]}]},"
                 " 'tests': [{'name': 'OD', 'testCode': 'OD450'}]}",
      "Layout\n\t1\t2\t3\nA\tS1\tS2\t\nB\tS3\t\tS4\n\nResults\n\n\t1\t2\t3\n"
      "A\t2.100\tOVRFLW\t9\t450\nB\t2.3\t9\t2.40\t450\n",
      "9:2 S1 OD450=2.100 rA1|9:3 S2 OD450=OVRFLW q> rA2|10:2 S3 OD450=2.3 rB1|"
      "10:4 S4 OD450=2.40 rB3",
      "", "2 4 0 2" },
    { "values in wells for which the map names no sample",
      HEAD MATCH " 'layout': 'matrix', 'table': {'section': '^Results', 'header': {'find': ['1']},"
                 "           'map': {'section': '^Layout'}},"
                 " 'columns': {'trackingId': {'from': 'map'}, 'test': {'text': 'OD'}},"
                 " 'rows': {'controls': [{'controlType': 'MB', 'when': [{'from': 'well',"
                 "  'equals': 'B3'}], 'route': 'qcBatch', 'criterion': 'maximum',"
                 "  'upperLimit': '1'}]},"
                 " 'qualifiers': {'tokens': [{'text': '-', 'meaning': 'missing'}]},"
                 " 'tests': [{'name': 'OD', 'testCode': 'OD'}]}",
      "Layout\n,1,2,3\nA,S1,,\nB,,,\n\nResults\n,1,2,3\nA,0.5,0.6,-\nB,,OVER,0.1\n",
      "8:2 S1 OD=0.5|9:4 ? OD=0.1 control MB",
      "missing_tracking_id@8:3 [0.6]|missing_tracking_id@9:3 [OVER]", "2 1 1 1" },
    { "another plate behind the end of the first",
      HEAD MATCH
      " 'layout': 'matrix', 'table': {'header': {'find': ['1', '2']}, 'block': {'start':"
      "  '^Read (\\\\S+)'}}, 'columns': {'trackingId': {'from': 'well'}, 'test': {'from':"
      "  'block'}}, 'tests': [{'name': 'Fe', 'testCode': 'FE'}, {'name': 'Pb', 'testCode':"
      "  'PB'}]}",
      "Read Fe\n,1,2\nA,1,2\n\nRaed Pb\n,1,2\nA,3,4\n", "3:2 A1 FE=1|3:3 A2 FE=2",
      "structure_mismatch@6:0", "1 2 0 0" },
    { "a plate whose labels leave open which well is which",
      HEAD MATCH " 'layout': 'matrix', 'table': {'section': '^Results', 'header': {'find': ['1']},"
                 "           'map': {'section': '^Layout'}},"
                 " 'columns': {'trackingId': {'from': 'map'}, 'test': {'text': 'OD'}},"
                 " 'tests': [{'name': 'OD', 'testCode': 'OD'}]}",
      "Layout\n,1,2,3,4\nA,S1,S2,S3,S4\nB,S5,,,\n\nResults\n,1,,3,4\nA,1,2,3,4\nB,1,,3,4,5\n"
      "C,1,,2,3\nC,1,,2,3\n",
      "",
      "structure_mismatch@11:1 [C]|structure_mismatch@10:1 [C]|structure_mismatch@11:1 [C]|"
      "structure_mismatch@8:3 [2]|structure_mismatch@9:6 [5]|missing_value@3:2 [S1]|"
      "missing_value@3:3 [S2]|missing_value@3:4 [S3]|missing_value@3:5 [S4]|missing_value@4:2 [S5]",
      "4 0 0 0" },
    { "a plate whose first row has no label",
      HEAD MATCH " 'layout': 'matrix', 'table': {'header': {'find': ['1']}},"
                 " 'columns': {'trackingId': {'from': 'well'}, 'test': {'text': 'OD'}},"
                 " 'tests': [{'name': 'OD', 'testCode': 'OD'}]}",
      ",1,2\n,1,2\nA,3,4\nB,5,6\n,7,8\n",
      "2:2 1 OD=1|2:3 2 OD=2|3:2 A1 OD=3|3:3 A2 OD=4|4:2 B1 OD=5|4:3 B2 OD=6|5:2 B1 OD=7|5:3 B2 "
      "OD=8",
      "structure_mismatch@2:1 []|structure_mismatch@4:1 [B]|duplicate_row@5:2 [7]|"
      "duplicate_row@5:3 [8]",
      "4 8 0 0" },
    { "a table without a header, whose rows are held against the first",
      HEAD MATCH " 'layout': 'long', 'columns': {'trackingId': {'index': 1}, 'test': {'index': 2},"
                 "  'value': {'index': 3}}, 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "S1,T,1\nS2,T,1,5\nS3,T\n", "1:3 S1 T=1", "structure_mismatch@2:0|structure_mismatch@3:0",
      "3 1 0 0" },
    { "ASTM",
      HEAD " 'match': {'container': 'astm', 'sender': '.'}, 'layout': 'astm',"
           " 'columns': {'flag': {'field': 'R-7'}, 'comment': 'C-4'},"
           " 'qualifiers': {'flags': [{'text': 'N', 'action': 'ignore'}]},"
           " 'rows': {'controls': [{'when': [{'field': 'O-12', 'equals': 'Q'}],"
           "   'controlType': 'LCS'}]},"
           " 'tests': [{'name': 'GLU', 'testCode': 'GLU', 'unit': 'mg/dL'},"
           "           {'name': '685/', 'testCode': 'X'}]}",
      "H|\\^&|||Dev|||||||P|1|20260101\rP|1\rO|1| S1 ||^^^GLU||||||||\r"
      "R|1|^^^GLU|5.60^^|mg/dL||N||F||||20260101103000\rC|1|I|hemolytic\r"
      "M|1|raw\rR|2|^^^685/|< 7|||||P\rO|2|QC1|||||||||Q\rR|1|^^^GLU|9|mg/dL||||F\rL|1|N\r",
      "4:4 S1 GLU=5.60 mg/dL @2026-01-01T10:30:00 //hemolytic|7:4 S1 X=< 7 q<",
      "instrument_error_flag@7:9 [P]", "3 2 0 1" },
    { "HL7 ORU, the specimen behind the results",
      HEAD " 'match': {'container': 'hl7', 'messages': ['ORU^R01']}, 'layout': 'hl7',"
           " 'columns': {'trackingId': 'SPM-2.1', 'analysedAt': 'OBX-14', 'comment': 'NTE-3'},"
           " 'tests': [{'name': 'TSH', 'testCode': 'TSH', 'unit': 'mIU/L'},"
           "           {'name': 'FLU', 'testCode': 'FLU', 'kind': 'text'}]}",
      "MSH|^~\\&|LAB|M|E|R|2026||ORU^R01^ORU_R01|1|P|2.5\rPID|1||P\rORC|RE|1\rOBR|1|P1|F1\r"
      "OBX|1|SN|TSH^T||>^90|mIU/L|||||F|||20260101\rNTE|1||high\rSPM|1|S1\rORC|RE|2\rOBR|2|P2|F2\r"
      "OBX|1|CWE|FLU||260^Not detected^SCT||||||C\rSPM|1|S2\r",
      "5:5 S1 TSH=>90 mIU/L q> @2026-01-01 //high|10:5 S2 FLU=Not detected", "", "2 2 0 0" },
    { "HL7, two results before the specimen, and an order without what the first has",
      HEAD " 'match': {'container': 'hl7', 'messages': ['ORU^R01']}, 'layout': 'hl7',"
           " 'columns': {'trackingId': 'SPM-2', 'operator': 'ORC-2'},"
           " 'tests': [{'name': 'A', 'testCode': 'A'}, {'name': 'B', 'testCode': 'B'}]}",
      "MSH|^~\\&|LAB|M|E|R|2026||ORU^R01|1|P|2.5\rORC|RE|me\rOBR|1\rOBX|1|NM|A||1||||||F\r"
      "OBX|2|NM|B||2||||||F\rSPM|1|S1\rOBR|2\rOBX|1|NM|A||3||||||F\rSPM|1|S2\r",
      "4:5 S1 A=1 by me|5:5 S1 B=2 by me|8:5 S2 A=3", "", "3 3 0 0" },
    { "ASTM and HL7, several values in a field, and several remarks",
      HEAD " 'match': {'container': 'astm', 'sender': '.'}, 'layout': 'astm',"
           " 'columns': {'comment': 'C-4'}, 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "H|\\^&|||D\rO|1|S1\rR|1|^^^T|9.34\\8.11|||||F\rC|1|I|one\rC|2|I|two\r"
      "R|2|^^^T\\^^^T|5\\5|||||F\rL|1|N\r",
      "3:4 S1 T=9.34 //one; two|6:4 S1 T=5",
      "structure_mismatch@3:4 [9.34\\8.11]|duplicate_row@6:4 [5\\5]", "2 2 0 0" },
    { "HL7, the same",
      HEAD " 'match': {'container': 'hl7', 'messages': ['ORU^R01']}, 'layout': 'hl7',"
           " 'columns': {'trackingId': 'SPM-2.1', 'comment': 'NTE-3'},"
           " 'tests': [{'name': 'T', 'testCode': 'T'}, {'name': 'U', 'testCode': 'U'}]}",
      "MSH|^~\\&|LAB|M|E|R|2026||ORU^R01^ORU_R01|1|P|2.5\rOBR|1|P1|F1\r"
      "OBX|1|NM|T||190~210||||||F\rNTE|1||a~b\rNTE|2||c\rOBX|2|NM|U||7~7||||||F\rSPM|1|S1~S1^x\r",
      "3:5 S1 T=190 //a; b; c|6:5 S1 U=7", "structure_mismatch@3:5 [190~210]", "2 2 0 0" },
    { "ASTM, a second value of several components, none of which was named",
      HEAD " 'match': {'container': 'astm', 'sender': '.'}, 'layout': 'astm',"
           " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "H|\\^&|||D\rO|1|S1\rR|1|^^^T|9.34\\8^11|||||F\rL|1|N\r", "3:4 S1 T=9.34",
      "structure_mismatch@3:4 [9.34\\8^11]", "1 1 0 0" },
    { "ASTM, a patient between an order and a result",
      HEAD " 'match': {'container': 'astm', 'sender': '.'}, 'layout': 'astm',"
           " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "H|\\^&|||D\rP|1\rO|1|S1\rR|1|^^^T|5|||||F\rP|2\rR|1|^^^T|6|||||F\rL|1|N\r",
      "4:4 S1 T=5|6:4 ? T=6", "missing_tracking_id@6:4 [6]", "2 2 0 0" },
    { "grouped, where every name is a test but that of the first group",
      HEAD MATCH " 'layout': 'grouped', 'table': {'header': {'find': ['ID'], 'rows': 2}},"
                 " 'columns': {'trackingId': 'ID', 'value': 'V'},"
                 " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "Sample,T,\nID,V,RT\nS1,5,1\n", "3:2 S1 T=5", "", "1 1 0 0" },
    { "HL7 OUL, the specimen before its orders",
      HEAD " 'match': {'container': 'hl7', 'messages': ['OUL^R22']}, 'layout': 'hl7',"
           " 'columns': {'trackingId': 'SPM-2', 'replicate': 'SAC-3'},"
           " 'rows': {'controls': [{'when': [{'field': 'SPM-11', 'equals': 'Q'}],"
           "   'controlType': 'CCV', 'route': 'qcBatch', 'criterion': 'maximum',"
           "   'upperLimit': '2'}]},"
           " 'tests': [{'name': 'CR', 'testCode': 'CR', 'unit': 'mg/dL'}]}",
      "MSH|^~\\&|A|M|E|R|2026||OUL^R22|1|P|2.5\rSPM|1|S1||SER\rSAC|||C1\rOBR|1||O1\rORC|OK\r"
      "OBX|1|NM|CR||1.20|mg/dL|||||F\rOBR|2||O2\rOBX|1|NM|CR||1.30|mg/dL|||||P\r"
      "SPM|2|QC1|||||||||Q\rOBR|1\rOBX|1|NM|CR||1|mg/dL|||||F\rOBR|1\rOBX|1|NM|CR||1|mg/dL|||||X\r",
      "6:5 S1 CR=1.20 mg/dL rC1|8:5 S1 CR=1.30 mg/dL rC1|11:5 QC1 CR=1 mg/dL control CCV|"
      "13:5 QC1 CR=1 mg/dL control CCV",
      "instrument_error_flag@8:11 [P]|instrument_error_flag@13:11 [X]|duplicate_row@8:5 [1.30]",
      "4 2 2 0" },
    { "XML",
      HEAD " 'match': {'container': 'xml', 'root': 'File'}, 'layout': 'xml',"
           " 'table': {'element': '/File/Samples/Sample'},"
           " 'columns': {'trackingId': '@id', 'unit': '/File/Units/Conc',"
           "  'operator': '../../Info/User', 'sampleType': 'Kind'},"
           " 'rows': {'skip': [{'when': [{'column': 'sampleType', 'equals': 'Ladder'}]}]},"
           " 'tests': [{'name': 'Conc', 'testCode': 'C', 'unit': 'ng/uL'},"
           "           {'name': 'Peaks/Peak/Size', 'testCode': 'P', 'fileUnit': 'bp',"
           "            'unit': 'bp', 'columns': {'unit': {'text': 'bp'}}}]}",
      "<?xml version='1.0'?>\n<File><Units><Conc>ng/\xc2\xb5l</Conc></Units>\n"
      "<Info><User>me</User></Info><Samples>\n<Sample id='L'><Kind>Ladder</Kind></Sample>\n"
      "<Sample id='S1'><Conc> 2.970 </Conc><Peaks><Peak/><Peak><Size>35</Size></Peak></Peaks>\n"
      "</Sample></Samples></File>",
      "5:0 S1 C=2.970 ng/uL by me|5:0 S1 P=35 bp by me", "", "2 2 0 1" },
    { "JSON",
      HEAD " 'match': {'container': 'json', 'root': 'results'}, 'layout': 'json',"
           " 'table': {'element': '/results'},"
           " 'columns': {'trackingId': 'sample/id', 'operator': '/run/user', 'test': 'analyte',"
           "  'value': '*/value', 'unit': '*/unit'},"
           " 'rows': {'skip': [{'when': [{'path': 'kind', 'equals': 'std'}]}]},"
           " 'tests': [{'name': 'Fe', 'testCode': 'FE', 'unit': 'mg/L'}]}",
      "{\"run\": {\"user\": \"me\"}, \"results\": [\n"
      "{\"sample\": {\"id\": \"S1\"}, \"analyte\": \"Fe\","
      " \"mass\": {\"value\": 1.50, \"unit\": \"mg/L\"}},\n"
      "{\"kind\": \"std\", \"analyte\": \"Fe\", \"mass\": {\"value\": 9}},\n"
      "{\"sample\": {\"id\": \"S2\"}, \"analyte\": \"fe\","
      " \"count\": 2, \"x\": {\"value\": null, \"unit\": \"mg/L\"}}]}",
      "2:0 S1 FE=1.50 mg/L by me|4:0 S2 FE=? by me", "missing_value@4:0 []", "3 2 0 1" },
    { "JSON, whose numbers have a decimal point, whatever the profile says of texts",
      HEAD " 'match': {'container': 'json', 'lines': [{'regex': '.'}]}, 'layout': 'json',"
           " 'table': {'element': '/item'}, 'columns': {'trackingId': 'id'},"
           " 'numbers': {'decimal': ',', 'group': ['.']},"
           " 'tests': [{'name': 'Fe', 'testCode': 'FE'}, {'name': 'Pb', 'testCode': 'PB'}]}",
      "[{\"id\": \"S1\", \"Fe\": 1.234, \"Pb\": \"1.234,5\"}]", "1:0 S1 FE=1.234|1:0 S1 PB=1234.5",
      "", "1 2 0 0" },
    { "JSON, an outermost array",
      HEAD " 'match': {'container': 'json', 'lines': [{'regex': '.'}]}, 'layout': 'json',"
           " 'table': {'element': '/item'}, 'columns': {'trackingId': 'id'},"
           " 'tests': [{'name': 'Fe', 'testCode': 'FE'}, {'name': 'm/Pb', 'testCode': 'PB'}]}",
      "[{\"id\": \"S1\", \"fe\": 1, \"m\": {\"pb\": [2, 2]}},\n{\"id\": \"S2\", \"Fe\": 4}]",
      "1:0 S1 FE=1|1:0 S1 PB=2|2:0 S2 FE=4|2:0 S2 PB=?", "missing_value@2:0 []", "2 4 0 0" },
    { "JSON, several values where one is due, and one of several that is meant",
      HEAD
      " 'match': {'container': 'json', 'lines': [{'regex': '.'}]}, 'layout': 'json',"
      " 'table': {'element': '/item'}, 'columns': {'trackingId': 'ids/id#2', 'operator': 'by'},"
      " 'tests': [{'name': 'Fe', 'testCode': 'FE'}, {'name': 'Pb#3', 'testCode': 'PB'}]}",
      "[{\"ids\": {\"id\": [\"x\", \"S1\"]}, \"by\": [\"me\", \"me\"], \"fe\": [1, 2],"
      " \"pb\": [3, 4, 5]}]",
      "1:0 S1 FE=1 by me|1:0 S1 PB=5 by me", "structure_mismatch@1:0 [2]", "1 2 0 0" },
    { "XML, an element that stands there twice",
      HEAD " 'match': {'container': 'xml', 'root': 'F'}, 'layout': 'xml',"
           " 'table': {'element': '/F/S'}, 'columns': {'trackingId': '@id', 'operator': '/F/by'},"
           " 'tests': [{'name': 'NO3', 'testCode': 'NO3'}]}",
      "<F><by>me</by><by>you</by>\n<S id='1'><NO3>1</NO3><NO3>7</NO3></S>\n"
      "<S id='2'><NO3>2</NO3><NO3>2</NO3></S></F>",
      "2:0 1 NO3=1 by me; you|3:0 2 NO3=2 by me; you", "structure_mismatch@2:0 [7]", "2 2 0 0" },
    { "wide, columns of one header and of a test's other name",
      HEAD MATCH
      " 'layout': 'wide', 'table': {'header': {'find': ['Sample']}},"
      " 'columns': {'trackingId': 'Sample', 'operator': 'By'},"
      " 'tests': [{'name': ['Pb', 'Lead'], 'testCode': 'PB'},"
      "           {'name': 'Fe', 'testCode': 'FE'}, {'name': 'Fe#2', 'testCode': 'FE2'}]}",
      "Sample,Pb,Pb,Lead,Fe,Fe,By,By\nS1,1,1,1,2,3,me,me\nS2,1,7,1,2,3,me,me\n"
      "S3,1,1,,2,3,me,you\n",
      "2:2 S1 PB=1 by me|2:5 S1 FE=2 by me|2:6 S1 FE2=3 by me|3:2 S2 PB=1 by me|"
      "3:5 S2 FE=2 by me|3:6 S2 FE2=3 by me|4:2 S3 PB=1 by me; you|4:5 S3 FE=2 by me; you|"
      "4:6 S3 FE2=3 by me; you",
      "structure_mismatch@3:3 [7]|structure_mismatch@4:4 []", "3 9 0 0" },
};

static void test_layouts(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const lims_readings_t *out = read_text(cases[i].profile, cases[i].text, pool);
        if (out) {
            is(readings_text(out, pool), cases[i].readings, cases[i].name);
            is(why_text(out, pool), cases[i].reasons, "the reasons are as expected");
            is(counts_text(out, pool), cases[i].counts, "the counts are as expected");
        }
    }
}

/* The same, whatever the separators: no value changes its text. */
static void test_literal(void)
{
    static const char *const values[] = { "2.45",  "2.450", "0",       "0.00", "1.60E6", "-3.10",
                                          "+3.10", ".50",   "< 20.00", "<20",  ">4900",  "~7.0" };
    static const char profile[] =
        HEAD MATCH " 'layout': 'wide', 'dialect': {'delimiter': 'tab'},"
                   " 'units': {'policy': 'convert'}, 'table': {'header': {'find': ['id']}},"
                   " 'columns': {'trackingId': 'id', 'dilution': 'dil'},"
                   " 'dilution': {'apply': 'multiply', 'notation': 'ratio'},"
                   " 'tests': [{'name': 'v', 'testCode': 'V', 'unit': 'mg/L'}]}";

    for (apr_size_t i = 0; i < LIMS_LENGTH(values); i++) {
        static const char *const dilutions[] = { "", "1/1", "1:1.0" };
        const char *text =
            apr_psprintf(pool, "id\tdil\tv\nS1\t%s\t  %s \n", dilutions[i % 3], values[i]);
        const lims_readings_t *out = read_text(profile, text, pool);
        const lims_reading_t *reading = out && out->readings->nelts == 1
                                            ? &APR_ARRAY_IDX(out->readings, 0, lims_reading_t)
                                            : NULL;

        is(reading ? reading->result : "none", values[i], values[i]);
        is(reading ? reading->raw : "none", apr_psprintf(pool, "  %s ", values[i]), "literally");
        is_number(reading ? (long long)reading->offset : 0,
                  (long long)(strrchr(text, '\t') + 1 - text), "the reading has its offset");
    }
}

int main(void)
{
    pool = unit_pool();
    test_layouts();
    test_literal();
    return tap_done();
}
