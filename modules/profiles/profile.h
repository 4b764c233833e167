/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.h - profiles: declarations of how the files of one instrument are
 * recognized and read.
 *
 * A profile is a JSON object that a laboratory writes by hand; the manual in
 * conf/profiles/README.md explains each member. lims_profile_parse() checks it
 * and makes this structure, which is never changed afterwards: threads share
 * it, and the same bytes read by it always give the same readings.
 *
 * Members have the names of the JSON, where C allows them; absent parts have
 * their defaults here. Names in files (headers, keys, tests, sections) are
 * stored folded, see fold.h, and are compared with folded cells.
 *
 * Nothing here knows httpd or the database.
 */
#ifndef LIMS_PROFILES_PROFILE_H
#define LIMS_PROFILES_PROFILE_H

#include <apr_hash.h>

#include "formats/container.h"
#include "kernel/vocabulary.h"
#include "lims.h"
#include "profiles/decimal.h"
#include "profiles/regex.h"

/* --- Where a text stands in a file ----------------------------------------- */

typedef enum {
    LIMS_SOURCE_NONE,   /* not declared */
    LIMS_SOURCE_HEADER, /* the column under a header */
    LIMS_SOURCE_INDEX,  /* the column of a number */
    LIMS_SOURCE_KEY,    /* the value of a "key: value" line or pair of cells */
    LIMS_SOURCE_BELOW,  /* the cell below a label, outside of the table */
    LIMS_SOURCE_FIELD,  /* a field of an ASTM record or HL7 segment */
    LIMS_SOURCE_PATH,   /* an XML element or attribute, a JSON member */
    LIMS_SOURCE_TEXT,   /* a constant in the profile */
    LIMS_SOURCE_JOIN,   /* several sources, concatenated */
    LIMS_SOURCE_FROM    /* a context of the layout: lims_from_e */
} lims_source_e;

typedef enum {
    LIMS_FROM_FILE_NAME,
    LIMS_FROM_SHEET_NAME,
    LIMS_FROM_BLOCK,        /* what table.block.start captured, of the block */
    LIMS_FROM_GROUP,        /* the header of the group of columns */
    LIMS_FROM_ROW_LABEL,    /* the first cell of the row (transposed, matrix) */
    LIMS_FROM_COLUMN_LABEL, /* the header of the column (transposed, matrix) */
    LIMS_FROM_WELL,         /* row label and column label together: "A1" */
    LIMS_FROM_MAP,          /* the same well of table.map */
    LIMS_FROM_COUNT
} lims_from_e;

/* Names of lims_from_e in profiles, NULL last; likewise the arrays below. */
extern const char *const lims_from_names[];

typedef struct {
    lims_source_e kind;
    const char *header; /* folded, without "#2"; .below likewise */
    int occurrence;     /* number among equal headers, from 1; for labels 0: it must be unique */
    bool numbered;      /* the number is written: "#1" */
    int index;          /* column number, from 1 */
    const char *key;    /* folded */
    const char *below;  /* the label */
    struct {
        const char *record; /* "R", "OBX" */
        int number;         /* field number of ASTM and HL7: R-4, OBX-5 */
        int component;      /* from 1; 0: the whole field */
    } field;
    const char *path; /* "Peaks/Peak/Area", "../@name", "/File/Assay/Units" */
    const char *text;
    lims_from_e from;
    const apr_array_header_t *join; /* array of lims_source_t, none of which is a join */
    const char *separator;          /* between them, or NULL */
    const lims_regex_t *regex;      /* extracts a part of the text; NULL: all of it */
    bool optional;                  /* of a header: the file may lack it */
    const apr_array_header_t
        *formats; /* formats of a timestamp: "dd/MM/yyyy HH:mm"; NULL: ISO 8601 */
} lims_source_t;

/* The columns that a reading is made of. */
typedef enum {
    LIMS_COLUMN_TRACKING_ID,
    LIMS_COLUMN_TEST, /* the instrument's name of the test */
    LIMS_COLUMN_VALUE,
    LIMS_COLUMN_UNIT,
    LIMS_COLUMN_QUALIFIER,
    LIMS_COLUMN_DILUTION,
    LIMS_COLUMN_REPLICATE,
    LIMS_COLUMN_SAMPLE_TYPE,
    LIMS_COLUMN_ANALYSED_AT,
    LIMS_COLUMN_ANALYSED_TIME, /* a time of day that stands apart from the date */
    LIMS_COLUMN_OPERATOR,
    LIMS_COLUMN_COMMENT,
    LIMS_COLUMN_FLAG,   /* an instrument's remark on the value */
    LIMS_COLUMN_STATUS, /* preliminary, final, … */
    LIMS_COLUMN_LIMIT,  /* the reporting limit, for "<{limit}" */
    LIMS_COLUMN_COUNT
} lims_column_e;

extern const char *const lims_column_names[];

/* A condition for a row: the text of a column or a source equals one of some
 * texts, or matches an expression, or is a number within bounds. Exactly one of
 * .column and .source is given. */
typedef struct {
    lims_column_e column; /* LIMS_COLUMN_COUNT: .source */
    lims_source_t source;
    const apr_array_header_t *equals; /* of const char *, or NULL; "" is a blank */
    const lims_regex_t *matches;      /* or NULL */
    /* Bounds: decimal numbers, or NULL. All given bounds have to hold. */
    const char *less, *at_most, *at_least, *more;
} lims_condition_t;

/* The sources that a source consists of: itself, or those that it joins. NULL
 * after the last, and for a source that is not declared or NULL. */
const lims_source_t *lims_source_place(const lims_source_t *source, int number);

/* Whether a condition compares numbers. */
bool lims_condition_compares(const lims_condition_t *condition);

/* --- Matching -------------------------------------------------------------- */

typedef struct {
    const lims_regex_t *regex;
    int within;  /* number of first lines that are searched */
    bool absent; /* no line may match */
} lims_line_match_t;

/* All given conditions have to hold. */
typedef struct {
    unsigned containers;                /* bits 1 << lims_container_e */
    const lims_regex_t *file_name;      /* or NULL */
    const apr_array_header_t *lines;    /* of lims_line_match_t, or NULL */
    const apr_array_header_t *headers;  /* of const char *, folded: all in one row */
    int headers_within;                 /* number of first rows that are searched */
    const char *sheet;                  /* folded; a sheet of that name exists */
    const apr_array_header_t *sections; /* of const char *, folded: each a first cell */
    const lims_regex_t *sender;         /* ASTM H-5, HL7 MSH-3 */
    const apr_array_header_t *messages; /* HL7 MSH-9: "ORU^R01" */
    const char *root; /* XML: name of the document's element; JSON: a member of its object */
    apr_hash_t
        *written; /* for messages: folded headers, sheet and sections -> as they were given */
} lims_match_t;

/* --- Splitting ------------------------------------------------------------- */

typedef struct {
    char delimiter;                    /* '\0': each line is one cell, or .columns split it */
    char quote;                        /* '\0': none */
    bool unwrap;                       /* each whole record stands in quotes */
    const apr_array_header_t *columns; /* of int: where columns begin, from 1; or NULL */
    const char *comment;               /* prefix of comment lines; or NULL */
    bool ragged;                       /* rows may lack cells at their end */
} lims_profile_dialect_t;

/* The location of the results' rows, in layouts long, wide, grouped,
 * transposed, keyvalue and matrix. */
typedef struct {
    const char *sheet;           /* folded; NULL: match's, else every visible one that fits */
    const lims_regex_t *section; /* a row that stands before the table, or NULL */
    struct {
        const apr_array_header_t *find; /* of const char *, folded; NULL: match.headers */
        int within;                     /* rows from the begin of sheet, section, block */
        int rows;                       /* 1, or 2 and 3 that are read together */
        bool repeats;                   /* may be repeated between the data, with other columns */
        const lims_regex_t *group; /* transposed: of a header the name of its sample; or NULL */
    } header;
    bool has_header; /* false: columns by index alone; data begin at once */
    int skip;        /* rows between header and data */
    int unit_row;    /* which row below the header has units; 0: none */
    struct {
        const lims_regex_t *start; /* the first row of each block, or NULL: no blocks */
    } block;
    struct {
        bool blank;              /* a blank row ends the data */
        const lims_regex_t *row; /* so does a row like this (its cells joined by tabs) */
    } end;
    struct {
        const lims_regex_t *section; /* before the second matrix, of tracking ids; or NULL */
    } map;
    const char *key_separator; /* between key and value in one cell */
    const char *element;       /* xml, json: path of the element that is a row */
} lims_profile_table_t;

typedef enum {
    LIMS_LAYOUT_LONG,
    LIMS_LAYOUT_WIDE,
    LIMS_LAYOUT_GROUPED,
    LIMS_LAYOUT_TRANSPOSED,
    LIMS_LAYOUT_KEYVALUE,
    LIMS_LAYOUT_MATRIX,
    LIMS_LAYOUT_ASTM,
    LIMS_LAYOUT_HL7,
    LIMS_LAYOUT_XML,
    LIMS_LAYOUT_JSON,
    LIMS_LAYOUT_COUNT
} lims_layout_e;

extern const char *const lims_layout_names[];

/* --- Values ---------------------------------------------------------------- */

/* value * factor + offset, exact, then rounded. */
typedef struct {
    const char *from, *to;       /* units as written; NULL in a test's own conversion */
    const char *factor, *offset; /* decimal numbers as text */
    int decimals;                /* after the point; -1: as many as are exact */
    lims_round_e rounding;
} lims_conversion_t;

typedef enum {
    LIMS_KIND_NUMERIC, /* a number, with or without qualifier */
    LIMS_KIND_TEXT,    /* any text */
    LIMS_KIND_CHOICE,  /* one of .values */
    LIMS_KIND_COUNT
} lims_kind_e;

typedef struct {
    const char *text;  /* in the file; compared as folded names are */
    const char *write; /* text of the result */
} lims_choice_t;

/* A test of the instrument, with the organization's test definition. */
typedef struct {
    const apr_array_header_t *names; /* of const char *, folded; a header may have "#2" */
    const char *test_code;
    const char *unit;      /* what results are written in; "" for none, NULL: not looked at */
    const char *file_unit; /* of the file's values where it does not say; NULL: .unit */
    lims_kind_e kind;
    const apr_array_header_t *values;                /* of lims_choice_t, or NULL */
    const lims_conversion_t *convert;                /* from .file_unit to .unit, or NULL */
    const char *replicate;                           /* the only replicate that it is, or NULL */
    bool optional;                                   /* the file may lack its column or key */
    const lims_source_t *columns[LIMS_COLUMN_COUNT]; /* instead of the profile's, or NULL */
} lims_test_t;

/* The instant that is meant by a time that occurs twice when clocks are set
 * back. */
typedef enum {
    LIMS_DOUBLED_QUARANTINE,
    LIMS_DOUBLED_FIRST,
    LIMS_DOUBLED_SECOND,
    LIMS_DOUBLED_COUNT
} lims_doubled_e;

extern const char *const lims_doubled_names[];

typedef enum { LIMS_UNKNOWN_QUARANTINE, LIMS_UNKNOWN_IGNORE, LIMS_UNKNOWN_COUNT } lims_unknown_e;

typedef enum {
    LIMS_PERCENT_REFUSE, /* "10 %" is no number */
    LIMS_PERCENT_KEEP,   /* it is 10 of the unit % */
    LIMS_PERCENT_COUNT
} lims_percent_e;

typedef enum { LIMS_BLANK_QUARANTINE, LIMS_BLANK_SKIP, LIMS_BLANK_COUNT } lims_blank_e;

typedef struct {
    char decimal;                    /* '.' or ',' */
    const apr_array_header_t *group; /* of const char *, one character each; or NULL */
    bool scientific;                 /* 1.6E6 */
    lims_percent_e percent;
    lims_blank_e blank; /* a cell that is blank, or a token that means missing */
} lims_numbers_t;

typedef enum {
    LIMS_TOKEN_NONDETECT,
    LIMS_TOKEN_OVER,
    LIMS_TOKEN_UNDER,
    LIMS_TOKEN_TEXT,    /* a non-numeric result; of a code: a plain value */
    LIMS_TOKEN_MISSING, /* like a blank cell */
    LIMS_TOKEN_INVALID, /* the value must not be taken */
    LIMS_TOKEN_COUNT
} lims_token_e;

typedef struct {
    const char *text; /* folded; the whole cell */
    lims_token_e meaning;
    const char *write; /* NULL: the value literally; "{limit}" in it is columns.limit */
} lims_token_t;

typedef enum {
    LIMS_FLAG_BLOCK,     /* instrument_error_flag */
    LIMS_FLAG_NOTE,      /* written down as a reason that does not block */
    LIMS_FLAG_QUALIFIER, /* is the reading's qualifier */
    LIMS_FLAG_IGNORE,
    LIMS_FLAG_COUNT
} lims_flag_e;

typedef struct {
    const char *text; /* folded; the whole flag */
    lims_flag_e action;
    const char *write; /* of a qualifier: text instead of the flag's own, or NULL */
} lims_flag_t;

typedef struct {
    const apr_array_header_t *operators; /* of const char *: what may precede a number */
    const apr_array_header_t *tokens;    /* of lims_token_t, or NULL */
    const apr_array_header_t *codes;     /* of lims_token_t: of columns.qualifier; or NULL */
    const apr_array_header_t *flags;     /* of lims_flag_t, or NULL */
    lims_flag_e unknown_flag;            /* action for a flag that is not listed and not blank */
} lims_qualifiers_t;

typedef enum {
    LIMS_UNITS_EXACT,   /* units have to be spelt alike */
    LIMS_UNITS_ALIAS,   /* or be other spellings of the same */
    LIMS_UNITS_CONVERT, /* or be convertible, as listed or built in */
    LIMS_UNITS_COUNT
} lims_units_e;

typedef struct {
    const char *text, *means; /* "mg N/L", "mg/L" */
} lims_unit_alias_t;

typedef struct {
    lims_units_e policy;
    const apr_array_header_t *aliases;     /* of lims_unit_alias_t, or NULL */
    const apr_array_header_t *conversions; /* of lims_conversion_t, or NULL */
} lims_units_t;

typedef enum {
    LIMS_DILUTION_APPLIED,  /* values are of the undiluted sample: only written down */
    LIMS_DILUTION_MULTIPLY, /* values are of the diluted one */
    LIMS_DILUTION_COUNT
} lims_dilution_e;

typedef enum {
    LIMS_NOTATION_FACTOR, /* 5 */
    LIMS_NOTATION_RATIO,  /* 1/5, 1:5 */
    LIMS_NOTATION_SHARE,  /* 0.2 */
    LIMS_NOTATION_COUNT
} lims_notation_e;

typedef struct {
    lims_dilution_e apply;
    lims_notation_e notation;
    bool required; /* a blank is dilution_missing; else it is 1 */
} lims_dilution_t;

typedef enum {
    LIMS_REPLICATES_QUARANTINE,
    LIMS_REPLICATES_FIRST,
    LIMS_REPLICATES_LAST,
    LIMS_REPLICATES_MEAN,           /* mean of .count values */
    LIMS_REPLICATES_DISTINCT_TESTS, /* a test of its own each: lims_test_t.replicate */
    LIMS_REPLICATES_COUNT
} lims_replicates_e;

typedef struct {
    lims_replicates_e policy;
    int count;    /* of a mean: required number of values */
    int decimals; /* of a mean: decimal places; -1: as many as its values have */
    lims_round_e rounding;
} lims_replicates_t;

/* --- Rows ------------------------------------------------------------------ */

typedef enum { LIMS_ROUTE_QC_BATCH, LIMS_ROUTE_SKIP, LIMS_ROUTE_COUNT } lims_route_e;

/* A rule for controls. The first rule applies whose conditions all hold. */
typedef struct {
    const apr_array_header_t *when;  /* of lims_condition_t */
    const apr_array_header_t *tests; /* of const char *: test codes; NULL: any */
    int type;                        /* index in lims_control_types (kernel/vocabulary.h) */
    lims_route_e route;
    lims_criterion_e
        criterion; /* acceptance criterion in the batch; required for LIMS_ROUTE_QC_BATCH */
    const char *expected_value, *lower_limit, *upper_limit; /* decimal numbers, or NULL */
    const char *unit; /* unit of these values unless they are percent; NULL: the test's */
    const char *expected_text;
    const char *against; /* of a difference: the type of the other control; NULL: the sample */
} lims_control_t;

typedef struct {
    const apr_array_header_t *when; /* of lims_condition_t: all of them */
    const char *message;            /* of an error: its meaning, or NULL */
} lims_row_rule_t;

typedef struct {
    const apr_array_header_t *only;     /* of lims_condition_t, all; NULL: every row */
    const apr_array_header_t *skip;     /* of lims_row_rule_t, or NULL */
    const apr_array_header_t *controls; /* of lims_control_t, or NULL */
    const apr_array_header_t *errors;   /* of lims_row_rule_t, or NULL: instrument_error_flag */
    const apr_array_header_t *final;    /* of const char *: statuses of final results, or NULL */
    lims_unknown_e not_final;           /* quarantine what is not, or skip (ignore) it */
} lims_rows_t;

typedef enum { LIMS_FRAMES_IF_PRESENT, LIMS_FRAMES_REQUIRED, LIMS_FRAMES_COUNT } lims_frames_e;

typedef enum {
    LIMS_HASH_NONE,
    LIMS_HASH_CRC16, /* CRC-16/CCITT-FALSE */
    LIMS_HASH_CRC32, /* of ISO 3309 */
    LIMS_HASH_MD5,
    LIMS_HASH_SHA1,
    LIMS_HASH_SHA256,
    LIMS_HASH_COUNT
} lims_hash_e;

typedef struct {
    lims_frames_e frames;    /* ASTM: of E1381, with their checksums */
    const lims_regex_t *end; /* pattern of the last line that is not blank, or NULL */
    bool line_break;         /* the last line must end like the others */
    lims_source_t count;     /* number of rows stated in the file */
    struct {
        const lims_regex_t *regex; /* of the line that has it, capturing it; or NULL */
        lims_hash_e algorithm; /* over all bytes before that line; NONE: the line must only exist */
    } hash;
} lims_integrity_t;

/* --- Writing --------------------------------------------------------------- */

enum { LIMS_SAMPLE_RECEIVED = 1 << 0, LIMS_SAMPLE_PROCESSING = 1 << 1 };

typedef enum {
    LIMS_EXISTING_QUARANTINE,           /* a test that has a result: result_conflict */
    LIMS_EXISTING_SAME_VALUE,           /* the same value again is no conflict */
    LIMS_EXISTING_OVERWRITE_UNVERIFIED, /* a result that is not verified is replaced */
    LIMS_EXISTING_COUNT
} lims_existing_e;

enum {
    LIMS_BY_TRACKING_ID = 1 << 0,
    LIMS_BY_EXTERNAL_ID = 1 << 1,
    LIMS_BY_SAMPLE_IDENTIFIER = 1 << 2,
    LIMS_BY_NAME = 1 << 3, /* that the laboratory lists: sample-name */
};

/* The ways as profiles write them, in the order of the bits, NULL last. */
extern const char *const lims_sample_ways[];

typedef struct {
    unsigned sample_statuses; /* statuses in which results are accepted */
    lims_existing_e existing;
    int max_age_days; /* greatest age of analysedAt, days; 0: any */
    int future_tolerance_minutes;
} lims_write_t;

/* --- Proof ----------------------------------------------------------------- */

/* An expected reading; members that are NULL are not compared, "" means
 * none. */
typedef struct {
    const char *tracking_id, *test_code, *result, *unit, *qualifier, *analysed_at;
    const char *control_type; /* "none": a sample's */
} lims_golden_row_t;

/* A golden file: a test file with the readings that are expected (golden.h). */
typedef struct {
    const char *file_name;
    const char *content, *content_base64,
        *sha256; /* exactly one: the file's bytes, or the digest of a stored file */
    const apr_array_header_t *rows;    /* of lims_golden_row_t, or NULL */
    const apr_array_header_t *reasons; /* of const char *: else these hold it back */
} lims_golden_t;

/* --- The profile ----------------------------------------------------------- */

typedef struct {
    /* Not in the JSON: set in a copy by the module that stores profiles. */
    const char *id; /* decimal text, or NULL */
    int version;

    const char *code, *name;
    const char *description; /* or NULL */
    const char *time_zone;   /* of timestamps without one: an IANA name; NULL: organization's */
    lims_doubled_e doubled_hour;
    lims_match_t match;
    struct {
        const char *charset; /* of bytes that are neither UTF-8 nor have a mark */
    } decode;
    lims_profile_dialect_t dialect;
    lims_profile_table_t table;
    lims_layout_e layout;
    lims_source_t columns[LIMS_COLUMN_COUNT];
    const apr_array_header_t *tests;        /* of lims_test_t */
    const apr_array_header_t *ignore_tests; /* of const char *, folded; or NULL */
    lims_unknown_e unknown_test;
    lims_numbers_t numbers;
    lims_qualifiers_t qualifiers;
    lims_units_t units;
    lims_dilution_t dilution;
    lims_replicates_t replicates;
    lims_rows_t rows;
    lims_integrity_t integrity;
    lims_write_t write;
    struct {
        unsigned by; /* what columns.trackingId can be: bits LIMS_BY_… */
    } sample;
    const apr_array_header_t *golden_files; /* of lims_golden_t, or NULL */
} lims_profile_t;

/* Whether the header has groups of columns, one row above the other: of tests in
 * layout grouped, of samples in layout transposed. */
bool lims_profile_groups(const lims_profile_t *profile);

/* Whether a rule for controls applies to this test (NULL: an unknown test). */
bool lims_control_is_for(const lims_control_t *control, const lims_test_t *test);

/* Converts expected value or limits from the control's unit to the test's
 * (rules_unit.c). False if there is no conversion, or the test has no unit. */
bool lims_control_convert(lims_control_t *control, const lims_profile_t *profile,
                          const lims_test_t *test, apr_pool_t *pool);

/* Largest profile, in bytes. */
#define LIMS_PROFILE_MAX 1000000

/* Parses a profile and checks it. An error (LIMS_E_INVALID_BODY) names the member
 * by its path, "tests[3].convert.factor", and says what would be right; then
 * `*profile` is NULL. Everything lives in `pool`, also compiled expressions. */
const lims_error_t *lims_profile_parse(const lims_profile_t **profile, const char *json,
                                       apr_size_t length, apr_pool_t *pool);

/* Refuses defects that are tolerated in profiles in use: a test whose file unit
 * differs from its result unit, without conversion. Returns an error like
 * lims_profile_parse(), or NULL. */
const lims_error_t *lims_profile_check_new(const lims_profile_t *profile, apr_pool_t *pool);

#endif /* LIMS_PROFILES_PROFILE_H */
