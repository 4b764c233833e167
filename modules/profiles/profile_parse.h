/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse.h - the members of a profile as tables.
 *
 * One table of members drives everything that has to agree about them: parsing
 * into lims_profile_t, strictness, defaults, and the reference of the manual. A
 * member that is not in its table does not exist.
 */
#ifndef LIMS_PROFILES_PROFILE_PARSE_H
#define LIMS_PROFILES_PROFILE_PARSE_H

#include "kernel/json.h"
#include "profiles/profile.h"

/* Type of a member: in JSON, and the C type it is stored as. */
typedef enum {
    LIMS_M_TEXT,     /* string -> const char * */
    LIMS_M_NAME,     /* string, folded -> const char * */
    LIMS_M_TEXTS,    /* string or array of them -> array of const char * */
    LIMS_M_NAMES,    /* the same, folded */
    LIMS_M_SIGN,     /* one character of ASCII, "tab" or "none" -> char */
    LIMS_M_SIGNS,    /* array of strings of one character -> array of const char * */
    LIMS_M_REGEX,    /* string -> const lims_regex_t * */
    LIMS_M_DECIMAL,  /* string that is a decimal number -> const char * */
    LIMS_M_INTEGER,  /* number within min … max -> int */
    LIMS_M_INTEGERS, /* array of them, ascending -> array of int */
    LIMS_M_BOOLEAN,  /* -> bool */
    LIMS_M_ENUM,     /* one of the strings .values -> int-sized enum */
    LIMS_M_SET,      /* one or several of the strings .values -> unsigned, as bits */
    LIMS_M_OBJECT,   /* object of .shape, with its defaults if absent */
    LIMS_M_OPTIONAL, /* object of .shape -> pointer, NULL when absent */
    LIMS_M_LIST,     /* array of objects of .shape -> array, NULL when absent */
    LIMS_M_COUNT
} lims_member_e;

enum {
    LIMS_M_REQUIRED = 1 << 0,
    LIMS_M_BLANK = 1 << 1,  /* a text may be empty */
    LIMS_M_GROUP = 1 << 2,  /* the regular expression must have a capturing group */
    LIMS_M_SOURCE = 1 << 3, /* may be abbreviated by a string: lims_shape_source */
};

typedef struct lims_shape_t lims_shape_t;

typedef struct {
    const char *name;
    lims_member_e type;
    unsigned flags;
    apr_size_t offset; /* offset in the C structure */
    int min, max;      /* limits: characters of a text, elements of a list, value of an integer */
    const char *const *values;
    const lims_shape_t *shape;
    const char *fallback; /* default, in the notation of the reference; lists separated by blanks */
    const char *doc;
} lims_member_t;

/* clang-format off */
#define LIMS_MEMBER_END { .name = NULL }
/* clang-format on */

typedef struct lims_profile_parser_t lims_profile_parser_t;
typedef struct lims_profile_place_t lims_profile_place_t;

/* Checks an object after all of its members were read, and may complete it. */
typedef const lims_error_t *(lims_shape_check_fn)(lims_profile_parser_t *parser, void *object,
                                                  const lims_json_t *node,
                                                  const lims_profile_place_t *place);

struct lims_shape_t {
    const char *title;            /* title in the reference */
    const char *doc;              /* description in the reference, one line */
    const lims_member_t *members; /* ends with a NULL name */
    apr_size_t size;
    lims_shape_check_fn *check; /* or NULL */
};

struct lims_profile_parser_t {
    apr_pool_t *pool;
    lims_layout_e layout; /* layout, which decides what an abbreviated source means */
};

/* A position in the JSON: a chain up to the root, whose name is NULL. */
struct lims_profile_place_t {
    const lims_profile_place_t *parent;
    const char *name; /* member name; NULL: array element .index */
    int index;
};

extern const lims_shape_t lims_shape_profile;
extern const lims_shape_t lims_shape_source;
extern const lims_shape_t lims_shape_condition;
extern const lims_shape_t lims_shape_match, lims_shape_line_match, lims_shape_decode;
extern const lims_shape_t lims_shape_dialect, lims_shape_table;
extern const lims_shape_t lims_shape_columns, lims_shape_test;
extern const lims_shape_t lims_shape_numbers, lims_shape_qualifiers, lims_shape_units;
extern const lims_shape_t lims_shape_dilution, lims_shape_replicates, lims_shape_rows;
extern const lims_shape_t lims_shape_integrity, lims_shape_write, lims_shape_golden;
extern const lims_shape_t lims_shape_sample;

/* Check functions of the shapes (profile_parse_check.c). */
lims_shape_check_fn lims_check_profile, lims_check_source, lims_check_condition, lims_check_match;
lims_shape_check_fn lims_check_dialect, lims_check_table, lims_check_columns, lims_check_test;
lims_shape_check_fn lims_check_conversion, lims_check_numbers, lims_check_qualifiers;
lims_shape_check_fn lims_check_units, lims_check_replicates, lims_check_control;
lims_shape_check_fn lims_check_integrity;

/* Returns an error with a path: "tests[3].convert.factor must be …". `member` is a
 * member below `place`, or NULL. */
const lims_error_t *lims_profile_refuse(const lims_profile_parser_t *parser,
                                        const lims_profile_place_t *place, const char *member,
                                        const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the reference of all members as Markdown, for the manual; in `pool`. */
const char *lims_profile_reference(apr_pool_t *pool);

#endif /* LIMS_PROFILES_PROFILE_PARSE_H */
