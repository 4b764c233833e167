/* SPDX-License-Identifier: Apache-2.0 */
/* profile_parse_golden.c - members of golden files. */
#include <stddef.h>
#include <string.h>

#include "kernel/vocabulary.h"
#include "profiles/profile_parse.h"

/* --- Rows ------------------------------------------------------------------ */

/* clang-format off */
#define PART(member, part, its_flags, words)                                         \
    { .name = member,                                                                \
      .type = LIMS_M_TEXT,                                                           \
      .flags = its_flags,                                                            \
      .offset = offsetof(lims_golden_row_t, part),                                   \
      .max = 1000,                                                                   \
      .doc = words }
/* clang-format on */

static const lims_member_t row_members[] = {
    PART("trackingId", tracking_id, LIMS_M_BLANK, "Tracking id of the sample."),
    PART("testCode", test_code, LIMS_M_REQUIRED, "Code of the test definition."),
    PART("result", result, LIMS_M_REQUIRED, "Result, exactly as it is read."),
    PART("unit", unit, LIMS_M_BLANK, "Unit of the result; `\"\"` is none."),
    PART("qualifier", qualifier, LIMS_M_BLANK, "Qualifier of the result; `\"\"` is none."),
    PART("analysedAt", analysed_at, LIMS_M_BLANK,
         "Time of the analysis, ISO 8601; `\"\"` is none."),
    { .name = "controlType",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_golden_row_t, control_type),
      .max = 8,
      .fallback = "none",
      .doc = "Type of a control that becomes one of a QC batch; `none` for a sample." },
    LIMS_MEMBER_END,
};

static const lims_error_t *check_row(lims_profile_parser_t *parser, void *object,
                                     const lims_json_t *node, const lims_profile_place_t *place)
{
    const lims_golden_row_t *row = object;
    bool known = strcmp(row->control_type, "none") == 0;

    (void)node;
    if (known && (!row->tracking_id || *row->tracking_id == '\0')) {
        return lims_profile_refuse(parser, place, "trackingId", "is missing: whose result is it?");
    }
    for (int i = 0; lims_control_types[i] && !known; i++) {
        known = strcmp(lims_control_types[i], row->control_type) == 0;
    }
    return known ? NULL
                 : lims_profile_refuse(parser, place, "controlType", "must be a type of control");
}

static const lims_shape_t shape_row = {
    .title = "goldenFiles[].rows[]",
    .doc = "Readings in the order of the file. Members that a row does not name are not compared.",
    .members = row_members,
    .size = sizeof(lims_golden_row_t),
    .check = check_row,
};

/* --- Files ----------------------------------------------------------------- */

static const lims_member_t golden_members[] = {
    { .name = "fileName",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_golden_t, file_name),
      .fallback = "file",
      .doc = "Name of the file." },
    { .name = "content",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_golden_t, content),
      .max = LIMS_PROFILE_MAX,
      .doc = "Content of the file, if it is a text." },
    { .name = "contentBase64",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_golden_t, content_base64),
      .max = LIMS_PROFILE_MAX,
      .doc = "Content of the file in base64, instead of `content`." },
    { .name = "sha256",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_golden_t, sha256),
      .max = 64,
      .doc = "SHA-256 of a file that was sent before, as `instrument-file show` has it, instead of "
             "its content." },
    { .name = "rows",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_golden_t, rows),
      .min = 1,
      .max = 10000,
      .shape = &shape_row,
      .doc = "Rows that have to be read from the file." },
    { .name = "reasons",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_golden_t, reasons),
      .max = 20,
      .doc = "Codes of all reasons that have to hold the file back, instead of `rows`." },
    LIMS_MEMBER_END,
};

static bool is_hash(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static bool is_reason(const char *name)
{
    for (int i = 0; i < LIMS_REASON_COUNT; i++) {
        if (strcmp(lims_reason_name((lims_reason_e)i), name) == 0) {
            return true;
        }
    }
    return false;
}

static const lims_error_t *check_golden(lims_profile_parser_t *parser, void *object,
                                        const lims_json_t *node, const lims_profile_place_t *place)
{
    const lims_golden_t *golden = object;

    (void)node;
    if (!!golden->content + !!golden->content_base64 + !!golden->sha256 != 1) {
        return lims_profile_refuse(parser, place, NULL,
                                   "must have exactly one of content, contentBase64, sha256");
    }
    if (!golden->rows == !golden->reasons) {
        return lims_profile_refuse(parser, place, NULL, "must have either rows or reasons");
    }
    if (golden->sha256 && !is_hash(golden->sha256)) {
        return lims_profile_refuse(parser, place, "sha256", "must be 64 hexadecimal digits, small");
    }
    for (int i = 0; golden->reasons && i < golden->reasons->nelts; i++) {
        if (!is_reason(APR_ARRAY_IDX(golden->reasons, i, const char *))) {
            return lims_profile_refuse(parser, place, "reasons", "must be codes of reasons");
        }
    }
    return NULL;
}

const lims_shape_t lims_shape_golden = {
    .title = "goldenFiles[]",
    .doc = "A test file of the profile. The profile can be activated only if it matches each of "
           "its golden files and reads what is declared here; a service that reads otherwise "
           "refuses it too.",
    .members = golden_members,
    .size = sizeof(lims_golden_t),
    .check = check_golden,
};
