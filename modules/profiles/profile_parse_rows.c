/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_rows.c - members about qualifiers, flags, controls, integrity and
 * writing.
 */
#include <stddef.h>

#include "profiles/profile_parse.h"

/* --- qualifiers ------------------------------------------------------------ */

static const char *const meanings[] = {
    [LIMS_TOKEN_NONDETECT] = "nondetect",
    [LIMS_TOKEN_OVER] = "over",
    [LIMS_TOKEN_UNDER] = "under",
    [LIMS_TOKEN_TEXT] = "text",
    [LIMS_TOKEN_MISSING] = "missing",
    [LIMS_TOKEN_INVALID] = "invalid",
    [LIMS_TOKEN_COUNT] = NULL,
};

static const char *const flag_actions[] = {
    [LIMS_FLAG_BLOCK] = "block",   [LIMS_FLAG_NOTE] = "note", [LIMS_FLAG_QUALIFIER] = "qualifier",
    [LIMS_FLAG_IGNORE] = "ignore", [LIMS_FLAG_COUNT] = NULL,
};

static const lims_member_t token_members[] = {
    { .name = "text",
      .type = LIMS_M_NAME,
      .flags = LIMS_M_REQUIRED | LIMS_M_BLANK,
      .offset = offsetof(lims_token_t, text),
      .doc = "Text of the whole cell. `\"\"` is a blank cell, where a blank has a meaning." },
    { .name = "meaning",
      .type = LIMS_M_ENUM,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_token_t, meaning),
      .values = meanings,
      .doc = "Meaning of the text. nondetect, over, under: a result without a number; text: any "
             "other result; missing: as a blank cell; invalid: `instrument_error_flag`." },
    { .name = "write",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_token_t, write),
      .doc = "Result that is written instead of the cell's own text; `<{limit}` has "
             "`columns.limit` in it." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_token = {
    .title = "qualifiers.tokens[]",
    .doc = "A text in place of a number: `ND`, `OVER` or `n.a.`, with its meaning.",
    .members = token_members,
    .size = sizeof(lims_token_t),
};

static const char *const code_meanings[] = {
    [LIMS_TOKEN_NONDETECT] = "nondetect",
    [LIMS_TOKEN_OVER] = "over",
    [LIMS_TOKEN_UNDER] = "under",
    [LIMS_TOKEN_TEXT] = "detected",
    [LIMS_TOKEN_MISSING] = "missing",
    [LIMS_TOKEN_INVALID] = "invalid",
    [LIMS_TOKEN_COUNT] = NULL,
};

static const lims_member_t code_members[] = {
    { .name = "text",
      .type = LIMS_M_NAME,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_token_t, text),
      .doc = "Text of the whole cell." },
    { .name = "meaning",
      .type = LIMS_M_ENUM,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_token_t, meaning),
      .values = code_meanings,
      .doc = "Meaning of the text. nondetect, over, under: of the result, which may lack a value; "
             "detected: the value has no qualifier; missing: as a blank value; invalid: "
             "`instrument_error_flag`." },
    { .name = "write",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_token_t, write),
      .doc = "Result that is written instead of the value itself: `<{limit}` has `columns.limit` "
             "in it, `<{value}` the value." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_code = {
    .title = "qualifiers.codes[]",
    .doc = "A text of `columns.qualifier` with its meaning: `U` with the reporting limit beside a "
           "blank value, `=`, a detection condition. Texts that are not listed have to be "
           "qualifiers of results: `<`, `>`, `ND`, `J` or `U`.",
    .members = code_members,
    .size = sizeof(lims_token_t),
};

static const lims_member_t flag_members[] = {
    { .name = "text",
      .type = LIMS_M_NAME,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_flag_t, text),
      .doc = "Text of the whole flag." },
    { .name = "action",
      .type = LIMS_M_ENUM,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_flag_t, action),
      .values = flag_actions,
      .doc = "Effect of the flag. block: `instrument_error_flag`; note: the same, without "
             "blocking; qualifier: it is the result's qualifier; ignore: none." },
    { .name = "write",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_flag_t, write),
      .max = 64,
      .doc = "Qualifier that is written instead of the flag's own text." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_flag = {
    .title = "qualifiers.flags[]",
    .doc = "A text of `columns.flag` with its effect.",
    .members = flag_members,
    .size = sizeof(lims_flag_t),
};

static const lims_member_t qualifier_members[] = {
    { .name = "operators",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_qualifiers_t, operators),
      .max = 20,
      .fallback = "< > <= >= ~ ≤ ≥",
      .doc = "Operators that may stand before a number; they become its qualifier." },
    { .name = "tokens",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_qualifiers_t, tokens),
      .min = 1,
      .max = 200,
      .shape = &shape_token,
      .doc = "Texts in place of a number; others are `non_numeric`." },
    { .name = "codes",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_qualifiers_t, codes),
      .min = 1,
      .max = 200,
      .shape = &shape_code,
      .doc = "Texts of `columns.qualifier` with their meanings." },
    { .name = "flags",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_qualifiers_t, flags),
      .min = 1,
      .max = 200,
      .shape = &shape_flag,
      .doc = "Texts of `columns.flag` with their effects." },
    { .name = "unknownFlag",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_qualifiers_t, unknown_flag),
      .values = flag_actions,
      .fallback = "block",
      .doc = "Effect of a flag that is neither listed nor blank." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_qualifiers = {
    .title = "qualifiers",
    .doc = "Texts beside a number or in its place, and their meanings.",
    .members = qualifier_members,
    .size = sizeof(lims_qualifiers_t),
    .check = lims_check_qualifiers,
};

/* --- rows ------------------------------------------------------------------ */

static const char *const routes[] = {
    [LIMS_ROUTE_QC_BATCH] = "qcBatch",
    [LIMS_ROUTE_SKIP] = "skip",
    [LIMS_ROUTE_COUNT] = NULL,
};

/* clang-format off */
#define WHEN(structure)                                                              \
    { .name = "when",                                                                \
      .type = LIMS_M_LIST,                                                           \
      .flags = LIMS_M_REQUIRED,                                                      \
      .offset = offsetof(structure, when),                                           \
      .min = 1,                                                                      \
      .max = 20,                                                                     \
      .shape = &lims_shape_condition,                                                \
      .doc = "Conditions, all of which have to hold." }
/* clang-format on */

static const lims_member_t control_members[] = {
    WHEN(lims_control_t),
    { .name = "controlType",
      .type = LIMS_M_ENUM,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_control_t, type),
      .values = lims_control_types,
      .doc = "Type of the control, as in QC batches." },
    { .name = "route",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_control_t, route),
      .values = routes,
      .fallback = "skip",
      .doc = "Destination of the control: a QC batch, or only the count of controls." },
    { .name = "tests",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_control_t, tests),
      .max = 500,
      .doc = "Test codes that the rule is for; for others the next rule is tried." },
    { .name = "criterion",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_control_t, criterion),
      .values = lims_criteria,
      .fallback = "none",
      .doc = "Acceptance criterion in the batch; needed for the route qcBatch. rpd is the relative "
             "percent difference of two values of the file." },
    { .name = "expectedValue",
      .type = LIMS_M_DECIMAL,
      .offset = offsetof(lims_control_t, expected_value),
      .doc = "True amount, for criterion recovery." },
    { .name = "lowerLimit",
      .type = LIMS_M_DECIMAL,
      .offset = offsetof(lims_control_t, lower_limit),
      .doc = "Lowest acceptable value, for criteria recovery (in percent) and range." },
    { .name = "upperLimit",
      .type = LIMS_M_DECIMAL,
      .offset = offsetof(lims_control_t, upper_limit),
      .doc = "Highest acceptable value, for criteria recovery and rpd (in percent), maximum and "
             "range." },
    { .name = "unit",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_control_t, unit),
      .max = 64,
      .doc = "Unit of expectedValue and of limits that are not in percent, for criteria recovery, "
             "maximum and range. The values are converted to the unit of the test as its results "
             "are, by powers of ten whatever `units.policy` is, and not rounded. Without it they "
             "are in the unit of the test." },
    { .name = "expectedText",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_control_t, expected_text),
      .doc = "Expected text, for criterion expected." },
    { .name = "against",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_control_t, against),
      .max = 8,
      .doc = "Type of the control that an rpd compares with, the one that stands before it: `LCS` "
             "for an `LCSD`. Without it, it is compared with the sample of the same tracking id." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_control = {
    .title = "rows.controls[]",
    .doc = "A rule for rows that are controls. The first rule that fits a row is applied.",
    .members = control_members,
    .size = sizeof(lims_control_t),
    .check = lims_check_control,
};

static const lims_member_t skip_members[] = {
    WHEN(lims_row_rule_t),
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_skip = {
    .title = "rows.skip[]",
    .doc = "A rule for rows that are no results: means, standard deviations.",
    .members = skip_members,
    .size = sizeof(lims_row_rule_t),
};

static const lims_member_t row_error_members[] = {
    WHEN(lims_row_rule_t),
    { .name = "message",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_row_rule_t, message),
      .doc = "Explanation of the error, for the person who reviews the quarantined file." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_row_error = {
    .title = "rows.errors[]",
    .doc = "A rule for rows in which the instrument reports an error: `instrument_error_flag`.",
    .members = row_error_members,
    .size = sizeof(lims_row_rule_t),
};

static const char *const not_final_names[] = {
    [LIMS_UNKNOWN_QUARANTINE] = "quarantine",
    [LIMS_UNKNOWN_IGNORE] = "skip",
    [LIMS_UNKNOWN_COUNT] = NULL,
};

static const lims_member_t row_members[] = {
    { .name = "only",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_rows_t, only),
      .min = 1,
      .max = 20,
      .shape = &lims_shape_condition,
      .doc = "Conditions that a row has to meet, such as the type of a record; rows that do not "
             "meet all of them are skipped." },
    { .name = "skip",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_rows_t, skip),
      .min = 1,
      .max = 100,
      .shape = &shape_skip,
      .doc = "Rules for rows to skip." },
    { .name = "controls",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_rows_t, controls),
      .min = 1,
      .max = 200,
      .shape = &shape_control,
      .doc = "Rules for controls: blanks, standards, spiked samples." },
    { .name = "errors",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_rows_t, errors),
      .min = 1,
      .max = 100,
      .shape = &shape_row_error,
      .doc = "Rules for rows that must not be imported and hold the file back." },
    { .name = "final",
      .type = LIMS_M_TEXTS,
      .flags = LIMS_M_BLANK,
      .offset = offsetof(lims_rows_t, final),
      .max = 20,
      .doc = "Texts of `columns.status` for final results. Layouts astm and hl7 take `F` and `C`. "
             "`\"\"` is a blank." },
    { .name = "notFinal",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_rows_t, not_final),
      .values = not_final_names,
      .fallback = "quarantine",
      .doc = "Effect of any other status." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_rows = {
    .title = "rows",
    .doc = "Rules for which rows are results of samples. They are applied in this order: `only`, "
           "`skip`, `controls`, `errors`, `final`.",
    .members = row_members,
    .size = sizeof(lims_rows_t),
};

/* --- integrity, write ------------------------------------------------------ */

static const char *const frames[] = {
    [LIMS_FRAMES_IF_PRESENT] = "ifPresent",
    [LIMS_FRAMES_REQUIRED] = "required",
    [LIMS_FRAMES_COUNT] = NULL,
};

static const char *const algorithms[] = {
    [LIMS_HASH_NONE] = "none", [LIMS_HASH_CRC16] = "crc16", [LIMS_HASH_CRC32] = "crc32",
    [LIMS_HASH_MD5] = "md5",   [LIMS_HASH_SHA1] = "sha1",   [LIMS_HASH_SHA256] = "sha256",
    [LIMS_HASH_COUNT] = NULL,
};

static const lims_member_t hash_members[] = {
    { .name = "regex",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED | LIMS_M_GROUP,
      .offset = offsetof(lims_integrity_t, hash.regex),
      .doc = "Expression for the line that has the checksum, capturing it." },
    { .name = "algorithm",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_integrity_t, hash.algorithm),
      .values = algorithms,
      .fallback = "none",
      .doc = "Algorithm of the checksum over all bytes before that line; none: the line only has "
             "to exist. crc16 is CRC-16/CCITT-FALSE." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_hash = {
    .title = "integrity.hash",
    .doc = "A checksum at the end of the file.",
    .members = hash_members,
    .size = sizeof(lims_integrity_t),
};

static const lims_member_t integrity_members[] = {
    { .name = "frames",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_integrity_t, frames),
      .values = frames,
      .fallback = "ifPresent",
      .doc = "Whether ASTM files have to have the frames of the line protocol. Where there are "
             "frames, their numbers and checksums are checked." },
    { .name = "end",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_integrity_t, end),
      .doc = "Expression for the last line that is not blank; otherwise the file is "
             "`truncated_file`." },
    { .name = "lineBreak",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_integrity_t, line_break),
      .fallback = "false",
      .doc = "Whether the last line of a text has to end with a line break, as every other; "
             "otherwise the file is `truncated_file`. With it, `end` cannot be cut either. In "
             "layout hl7 it is `true` unless `false` is declared: each segment has to be ended." },
    { .name = "count",
      .type = LIMS_M_OBJECT,
      .flags = LIMS_M_SOURCE,
      .offset = offsetof(lims_integrity_t, count),
      .shape = &lims_shape_source,
      .doc = "Source of the number of rows that the file states; if it has another number, it is "
             "`truncated_file`. Without `end` or `hash` beside it, the last line has to end with a "
             "line break too." },
    { .name = "hash",
      .type = LIMS_M_OBJECT,
      .shape = &shape_hash,
      .doc = "Checksum at the end of the file; if it is wrong, the file is `checksum_error`." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_integrity = {
    .title = "integrity",
    .doc = "Proof that a file is complete. Without it, a text that was cut looks like a shorter "
           "one, and the last value of one that was cut within its last line may lack digits.",
    .members = integrity_members,
    .size = sizeof(lims_integrity_t),
    .check = lims_check_integrity,
};

/* Names of the bits LIMS_SAMPLE_…, in their order. */
static const char *const sample_statuses[] = { "received", "processing", NULL };

static const char *const existing_names[] = {
    [LIMS_EXISTING_QUARANTINE] = "quarantine",
    [LIMS_EXISTING_SAME_VALUE] = "sameValueOk",
    [LIMS_EXISTING_OVERWRITE_UNVERIFIED] = "overwriteUnverified",
    [LIMS_EXISTING_COUNT] = NULL,
};

static const lims_member_t write_members[] = {
    { .name = "sampleStatuses",
      .type = LIMS_M_SET,
      .offset = offsetof(lims_write_t, sample_statuses),
      .values = sample_statuses,
      .fallback = "received processing",
      .doc = "Sample statuses that allow writing; a sample in another status is "
             "`sample_status_not_allowed`." },
    { .name = "existing",
      .type = LIMS_M_ENUM,
      .offset = offsetof(lims_write_t, existing),
      .values = existing_names,
      .fallback = "quarantine",
      .doc = "Treatment of a test that already has a result: `result_conflict`; or no conflict "
             "when the value is the same; or a result that is not verified is replaced." },
    { .name = "maxAgeDays",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_write_t, max_age_days),
      .min = 0,
      .max = 36500,
      .fallback = "0",
      .doc = "Largest age of `analysedAt`, in days; 0: any age." },
    { .name = "futureToleranceMinutes",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_write_t, future_tolerance_minutes),
      .min = 0,
      .max = 100000,
      .fallback = "15",
      .doc = "Minutes that `analysedAt` may be ahead of the server's clock; beyond it is "
             "`timestamp_in_future`." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_write = {
    .title = "write",
    .doc = "Conditions under which results are written.",
    .members = write_members,
    .size = sizeof(lims_write_t),
};

/* --- sample ---------------------------------------------------------------- */

static const lims_member_t sample_members[] = {
    { .name = "by",
      .type = LIMS_M_SET,
      .offset = offsetof(lims_profile_t, sample.by) - offsetof(lims_profile_t, sample),
      .values = lims_sample_ways,
      .fallback = "trackingId name",
      .doc = "Kinds of names that `columns.trackingId` may hold: the tracking id; the external id, "
             "which is the client's own; the sample identifier; a name that the laboratory lists "
             "(`limsctl sample-name list`). A text that could mean two samples means none: "
             "`ambiguous_tracking_id`." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_sample = {
    .title = "sample",
    .doc = "Ways in which samples are found, each by an exact match.",
    .members = sample_members,
    .size = sizeof(((lims_profile_t *)NULL)->sample),
};
