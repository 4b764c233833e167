/* SPDX-License-Identifier: Apache-2.0 */
/* number_format.c - parsing of numbers with declared decimal and grouping signs. */
#include "profiles/number_format.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Largest number of digit groups: 1 234 567,8 has four. */
#define RUNS_MAX 16

/* Longest text that is parsed as a number. */
#define LENGTH_MAX 100

/* --- Signs ----------------------------------------------------------------- */

/* Decimal and grouping signs. The first sign of a family, when declared, includes
 * the others. */
static const struct {
    const char *text;
    char family;
} signs[] = {
    { ".", '.' }, { ",", ',' },        { "'", '\'' },           { "\xe2\x80\x99", '\'' },
    { " ", ' ' }, { "\xc2\xa0", ' ' }, { "\xe2\x80\xaf", ' ' }, { "\xe2\x80\x89", ' ' },
    { "_", '_' },
};

static const apr_array_header_t no_group = { .nelts = 0 };
static const char minus[] = "\xe2\x88\x92";

/* Returns the index of the sign at the begin of a text, or -1. */
static int sign_at(const char *text)
{
    for (int i = 0; i < (int)LIMS_LENGTH(signs); i++) {
        if (strncmp(text, signs[i].text, strlen(signs[i].text)) == 0) {
            return i;
        }
    }
    return -1;
}

/* Returns the size in bytes of a blank at the begin of a text; 0: none. */
static int blank_at(const char *text)
{
    int sign = *text ? sign_at(text) : -1;

    if (sign >= 0 && signs[sign].family == ' ') {
        return (int)strlen(signs[sign].text);
    }
    return *text == '\t' || *text == '\r' || *text == '\n' ? 1 : 0;
}

static const char *skip_blanks(const char *text)
{
    for (int width; (width = blank_at(text)) > 0;) {
        text += width;
    }
    return text;
}

/* Returns the end of a text without trailing blanks. */
static const char *end_of(const char *text)
{
    const char *end = text;

    for (const char *p = text; *p;) {
        int width = blank_at(p);
        p += width > 0 ? width : 1;
        end = width > 0 ? end : p;
    }
    return end;
}

const char *lims_number_operator(const char **rest, const char *text)
{
    static const struct {
        const char *text, *sign;
    } operators[] = {
        { "<=", "<=" },
        { ">=", ">=" },
        { "=<", "<=" },
        { "=>", ">=" },
        { "\xe2\x89\xa4", "<=" },
        { "<", "<" },
        { "\xe2\x89\xa5", ">=" },
        { ">", ">" },
        { "~", "~" },
        { "\xe2\x89\x88", "~" },
    };

    text = skip_blanks(text);
    for (apr_size_t i = 0; i < LIMS_LENGTH(operators); i++) {
        apr_size_t length = strlen(operators[i].text);
        if (strncmp(text, operators[i].text, length) == 0) {
            *rest = skip_blanks(text + length);
            return operators[i].sign;
        }
    }
    return NULL;
}

/* --- The parts of a number --------------------------------------------------- */

typedef struct {
    char sign; /* leading sign: '+', '-' or '\0' */
    bool foreign_minus;
    int runs; /* number of digit groups, with a sign between each two */
    struct {
        const char *digits;
        int length;
    } run[RUNS_MAX];
    int between[RUNS_MAX]; /* the sign after each group, as an index of signs[] */
    const char *mantissa_end;
    bool has_exponent, power; /* .power: the exponent is written "x 10^" */
    int exponent_length;
    const char *exponent; /* exponent with its sign */
    bool percent;
    const char *end; /* end of the number, before a % */
} parts_t;

/* Splits digits and signs; returns the first other character. A blank is a sign
 * only before a digit. */
static const char *split_mantissa(parts_t *parts, const char *p)
{
    for (;;) {
        int sign;
        const char *behind;

        if (parts->runs == RUNS_MAX) {
            return NULL;
        }
        parts->run[parts->runs].digits = p;
        while (apr_isdigit(*p)) {
            p++;
        }
        parts->run[parts->runs].length = (int)(p - parts->run[parts->runs].digits);
        sign = *p ? sign_at(p) : -1;
        behind = sign >= 0 ? p + strlen(signs[sign].text) : p;
        if (sign < 0 || (signs[sign].family == ' ' && !apr_isdigit(*behind))) {
            parts->between[parts->runs++] = -1;
            return p;
        }
        parts->between[parts->runs++] = sign;
        p = behind;
    }
}

/* Splits an exponent: E6, or x 10^6. */
static const char *split_exponent(parts_t *parts, const char *p)
{
    const char *q = skip_blanks(p), *digits;

    if (*p == 'e' || *p == 'E') {
        q = p + 1;
    } else if (*q == 'x' || *q == 'X' || *q == '*' || strncmp(q, "\xc3\x97", 2) == 0) {
        q = skip_blanks(q + (*q == '\xc3' ? 2 : 1));
        if (strncmp(q, "10^", 3) != 0) {
            return p;
        }
        parts->power = true;
        q += 3;
    } else {
        return p;
    }
    parts->exponent = q;
    digits = q += *q == '+' || *q == '-';
    while (apr_isdigit(*q)) {
        q++;
    }
    if (q == digits || q - digits > 3) {
        return p;
    }
    parts->has_exponent = true;
    parts->exponent_length = (int)(q - parts->exponent);
    return q;
}

/* Splits a text into the parts of a number; false if it is not one with any signs. */
static bool split(parts_t *parts, const char *text)
{
    const char *p = text;

    if (*p == '+' || *p == '-') {
        parts->sign = *p++;
    } else if (strncmp(p, minus, sizeof(minus) - 1) == 0) {
        parts->sign = '-';
        parts->foreign_minus = true;
        p += sizeof(minus) - 1;
    }
    p = split_mantissa(parts, p);
    if (!p) {
        return false;
    }
    parts->mantissa_end = p;
    parts->end = p = split_exponent(parts, p);
    p = skip_blanks(p);
    if (*p == '%') {
        parts->percent = true;
        p++;
    }
    return *p == '\0';
}

/* --- Readings ---------------------------------------------------------------- */

/* Whether a sign is a grouping sign; `group` NULL: every sign except the decimal
 * one. */
static bool groups(int sign, char decimal, const apr_array_header_t *group)
{
    const char *text = signs[sign].text;

    if (text[0] == decimal) {
        return false;
    }
    for (int i = 0; group && i < group->nelts; i++) {
        const char *declared = APR_ARRAY_IDX(group, i, const char *);
        if (strcmp(declared, text) == 0 ||
            (declared[0] == signs[sign].family && declared[1] == '\0')) {
            return true;
        }
    }
    return !group;
}

/* Whether the parts are a number: groups of three digits after one to three
 * without leading zero, separated by the same sign; then at most one decimal sign. */
static bool fits(const parts_t *parts, char decimal, const apr_array_header_t *group)
{
    int last = parts->runs - 1, whole, digits = 0;

    for (int i = 0; i < parts->runs; i++) {
        digits += parts->run[i].length;
    }
    whole = last > 0 && signs[parts->between[last - 1]].text[0] == decimal ? last : last + 1;
    for (int i = 0; whole > 1 && i < whole; i++) {
        int length = parts->run[i].length;
        if (i == 0 ? length < 1 || length > 3 || *parts->run[0].digits == '0' : length != 3) {
            return false;
        }
        if (i < whole - 1 && (signs[parts->between[i]].family != signs[parts->between[0]].family ||
                              !groups(parts->between[i], decimal, group))) {
            return false;
        }
    }
    return digits > 0;
}

static char *copy(char *to, const char *from, int length)
{
    memcpy(to, from, (apr_size_t)length);
    return to + length;
}

/* Returns the number with a decimal point and without grouping. */
static const char *canonical(const parts_t *parts, char decimal, apr_pool_t *pool)
{
    char *text = apr_palloc(pool, LENGTH_MAX + 8), *p = text;

    if (parts->sign) {
        *p++ = parts->sign;
    }
    for (int i = 0; i < parts->runs; i++) {
        p = copy(p, parts->run[i].digits, parts->run[i].length);
        if (parts->between[i] >= 0 && signs[parts->between[i]].text[0] == decimal) {
            *p++ = '.';
        }
    }
    if (parts->has_exponent) {
        *p++ = 'E';
        p = copy(p, parts->exponent, parts->exponent_length);
    }
    *p = '\0';
    return text;
}

/* Whether the text is already in this form. */
static bool is_canonical(const parts_t *parts, char decimal)
{
    return !parts->foreign_minus && !parts->power &&
           (parts->runs == 1 ||
            (parts->runs == 2 && decimal == '.' && signs[parts->between[0]].text[0] == '.'));
}

/* Describes how a text could be read as a number with other signs. */
static const char *ambiguity(const parts_t *parts, char decimal, apr_pool_t *pool)
{
    const char *point = fits(parts, '.', NULL) ? canonical(parts, '.', pool) : NULL;
    const char *comma = fits(parts, ',', NULL) ? canonical(parts, ',', pool) : NULL;
    const char *declared = decimal == ',' ? "comma" : "point";

    if (point && comma && strcmp(point, comma) != 0) {
        return apr_psprintf(pool,
                            "It is %s with a decimal point and %s with a decimal comma; the "
                            "profile declares a decimal %s and no such grouping sign.",
                            point, comma, declared);
    }
    return apr_psprintf(pool,
                        "It would be %s if the profile declared its signs; it declares a decimal "
                        "%s and no such grouping sign.",
                        point ? point : comma, declared);
}

lims_number_e lims_number_read(lims_number_t *number, const char *text, const lims_numbers_t *form,
                               apr_pool_t *pool)
{
    parts_t parts = { .sign = '\0' };

    *number = (lims_number_t){ .why = "It is not a number." };
    text = skip_blanks(text);
    if (end_of(text) - text > LENGTH_MAX || !split(&parts, text)) {
        return LIMS_NUMBER_NONE;
    }
    if (parts.percent && form->percent != LIMS_PERCENT_KEEP) {
        number->why = "A percent sign is not declared by the profile.";
        return LIMS_NUMBER_NONE;
    }
    if (parts.has_exponent && !form->scientific) {
        number->why = "Scientific notation is not declared by the profile.";
        return LIMS_NUMBER_NONE;
    }
    if (!fits(&parts, form->decimal, form->group ? form->group : &no_group)) {
        if (!fits(&parts, '.', NULL) && !fits(&parts, ',', NULL)) {
            return LIMS_NUMBER_NONE;
        }
        number->why = ambiguity(&parts, form->decimal, pool);
        return LIMS_NUMBER_AMBIGUOUS;
    }
    number->percent = parts.percent;
    number->why = NULL;
    number->text = is_canonical(&parts, form->decimal)
                       ? apr_pstrmemdup(pool, text, (apr_size_t)(parts.end - text))
                       : canonical(&parts, form->decimal, pool);
    return LIMS_NUMBER_READ;
}
