/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that instruments wrote, where they are at hand: each is read, or refused
 * with a reason.
 */
#include <apr_file_info.h>
#include <apr_file_io.h>

#include "../lib/sheet.h"
#include "../lib/unit.h"
#include "formats/read.h"

#define FOLDER "../shared/data/instrument-files"

static apr_pool_t *pool;

static const char *contents(apr_size_t *length, const char *path, apr_pool_t *p)
{
    apr_file_t *file;
    apr_finfo_t info;
    char *bytes;

    if (apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, p) != APR_SUCCESS ||
        apr_file_info_get(&info, APR_FINFO_SIZE, file) != APR_SUCCESS) {
        return NULL;
    }
    *length = (apr_size_t)info.size;
    bytes = apr_palloc(p, *length + 1);
    return apr_file_read_full(file, bytes, *length, NULL) == APR_SUCCESS ? bytes : NULL;
}

static const char *summary(const char *bytes, apr_size_t length, apr_pool_t *p)
{
    lims_reasons_t *reasons = lims_reasons_create(p);
    const lims_document_t *d = lims_document_read(bytes, length, NULL, reasons, p);
    const char *text;

    if (!d) {
        return reasons_text(reasons, p);
    }
    text = apr_psprintf(p, "%s %s", lims_container_name(d->container),
                        d->encoding ? d->encoding : "-");
    if (d->container == LIMS_CONTAINER_TEXT) {
        text = apr_psprintf(p, "%s '%c'", text, d->dialect.delimiter ? d->dialect.delimiter : '0');
    }
    for (int i = 0; i < d->count; i++) {
        int most = 0;
        for (int j = 0; j < d->sheets[i].count; j++) {
            most = d->sheets[i].rows[j].count > most ? d->sheets[i].rows[j].count : most;
        }
        text = apr_psprintf(p, "%s [%s %dx%d]", text, d->sheets[i].name, d->sheets[i].count, most);
    }
    return text;
}

static const struct {
    const char *name, *summary; /* sheets by rows and most columns */
} files[] = {
    { "13CPROT1.txt", "text UTF-8 '\t' [ 268x56]" },
    { "14_Testdata_MHQuant_Corrupt_RowAreaDeleted.csv", "text UTF-8 ',' [ 66x23]" },
    { "17_Testdata_Lipidomics_GermanSystem.csv", "text UTF-8 ',' [ 12x883]" },
    { "240411_172731_BNCH2345883_abs450_96well_non_numeric_values.txt",
      "text UTF-8 '\t' [ 39x14]" },
    { "Appbio_AbsoluteQ_example01.csv", "text UTF-8 ',' [ 19x15]" },
    { "Beckman_Vi-Cell-BLU_different_mu_character.csv", "text UTF-8 ',' [ 2x33]" },
    { "Beckman_Vi-Cell-BLU_example01.csv", "text UTF-8 ',' [ 11x33]" },
    { "Beckman_Vi-Cell-BLU_example01_utf16.csv", "text UTF-16BE ',' [ 11x33]" },
    { "Beckman_Vi-Cell-XR_example03_instrumentOutput.xls", "xls - [Vi-CELL Results 38x27]" },
    { "Beckman_Vi-Cell-XR_example07_instrumentOutput.txt", "text UTF-8 '0' [ 66x1]" },
    { "Exemple_resultat.xlsx", "xlsx - [Feuil1 2x38]" },
    { "MessageFormatsMSG-1.txt", "astm UTF-8 [ 6x26]" },
    { "ORU_deidentified.hl7", "hl7 UTF-8 [ 13x30]" },
    { "PHLIP_FLU_2.5.1_DUPLICATE_OBX1.txt", "hl7 UTF-8 [ 10x26]" },
    { "QuantLCMS_Example_MassHunter_CalcConc.csv", "text UTF-8 ',' [ 27x169]" },
    { "Report_Ex1.txt", "text UTF-8 '0' [ 53x1]" },
    { "SampleResultsDEVICE1232021-02-18_104838.csv", "text UTF-8 ',' [ 7x47]" },
    { "Skyline_MoleculeTransitionResults.csv", "text UTF-8 ',' [ 110x16]" },
    { "SortieMassLynxCompoundToutesColonnes.txt", "text windows-1252 '\t' [ 36x210]" },
    { "Thermo_NanoDrop_8000_example01.txt", "text UTF-8 '\t' [ 9x15]" },
    { "Thermo_VISIONlite_example_quant.csv", "text UTF-8 ',' [ 3x5]" },
    { "Vision.txt", "astm UTF-8 [ 11x35]" },
    { "WQXMeasureQualifierCodeRef.csv", "text UTF-8 ',' [ 251x6]" },
    { "WQXResultDetectionConditionRef.csv", "text UTF-8 ',' [ 27x6]" },
    { "WQXunitRef.csv", "text UTF-8 ',' [ 513x8]" },
    { "Weyland_Yutani_checksum_correct.csv", "text UTF-8 ',' [ 10x5]" },
    { "agilent_tapestation_analysis_example_03.xml", "xml - [ 383x3]" },
    { "chememotec_nc_view_example.csv", "text UTF-8 ',' [ 33x18]" },
    { "count-mismatch.hl7",
      "truncated_file@10 The trailer of line 10 counts 3 messages, but there are 2." },
    { "example01.csv", "text UTF-8 ',' [ 49x16]" },
    { "garbage_error.txt", "text UTF-8 '0' [ 4x1]" },
    { "hiac_example_1.xlsx", "xlsx - [User-Defined_Biologics_v2.0 202 35x7]" },
    { "invalid-encoding-characters.hl7", "hl7 UTF-8 [ 1x13]" },
    { "methodical_test_data_in_filename.txt", "text UTF-8 '\t' [ 26x5]" },
    { "mixed-line-endings.hl7", "hl7 UTF-8 [ 4x13]" },
    { "msd_workbench_test_1.csv", "text UTF-8 ',' [ 6x17]" },
    { "oru-r01-sn-results.hl7", "hl7 UTF-8 [ 6x13]" },
    { "qiacuity_dpcr_example02.csv", "text UTF-8 ',' [ 7x14]" },
    { "roche_cedex_bioht_example01.json", "json UTF-8 [ 236x3]" },
    { "roche_cedex_bioht_example01.txt", "text UTF-8 '\t' [ 27x13]" },
    { "roche_cedex_bioht_v7_dilution_and_replicates.txt", "text UTF-8 '\t' [ 17x26]" },
    { "roche_cedex_hires_example_1.csv", "text UTF-8 ',' [ 9x34]" },
    { "style_fill_incorrect.xlsx", "xlsx - [Run data summary 8x26]" },
    { "thermo_fisher_qubit4_example_2.xlsx", "xlsx - [QubitData_13-12-2023_03-15-30 3x17]" },
    { "thermo_fisher_qubit_flex_example_sep_header.csv", "text UTF-8 ',' [ 7x27]" },
    { "thermo_nanodrop_eight_RNA.txt", "text UTF-8 '\t' [ 6x11]" },
};

static bool found[LIMS_LENGTH(files)];

static void test_file(const char *name, const char *path, apr_pool_t *p)
{
    apr_size_t length = 0;
    const char *bytes = contents(&length, path, p);
    const char *got = summary(bytes, length, p);

    for (apr_size_t i = 0; i < LIMS_LENGTH(files); i++) {
        if (strcmp(files[i].name, name) == 0) {
            found[i] = true;
            is(got, files[i].summary, name);
            return;
        }
    }
    ok(*got != '\0', "%s is read, or refused with a reason", name);
}

static void walk(const char *folder)
{
    apr_dir_t *dir;
    apr_finfo_t entry;

    if (apr_dir_open(&dir, folder, pool) != APR_SUCCESS) {
        return;
    }
    while (apr_dir_read(&entry, APR_FINFO_NAME | APR_FINFO_TYPE, dir) == APR_SUCCESS) {
        const char *path = apr_pstrcat(pool, folder, "/", entry.name, NULL);
        if (entry.filetype == APR_DIR && *entry.name != '.') {
            walk(path);
        } else if (entry.filetype == APR_REG) {
            test_file(apr_pstrdup(pool, entry.name), path, pool);
        }
    }
    apr_dir_close(dir);
}

int main(void)
{
    apr_finfo_t folder;

    pool = unit_pool();
    if (apr_stat(&folder, FOLDER, APR_FINFO_TYPE, pool) != APR_SUCCESS) {
        ok(true, "no files of instruments are at hand");
        return tap_done();
    }
    walk(FOLDER);
    for (apr_size_t i = 0; i < LIMS_LENGTH(files); i++) {
        ok(found[i], "%s is among them", files[i].name);
    }
    return tap_done();
}
