/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.c - how a workbook displays a number by its format code: as it is, in
 * percent, or as something that reads as another number; and superscripts.
 *
 * Source: ECMA-376 part 1, 18.8.31 (numFmts).
 */
#include "formats/workbook.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_MAX 4

bool lims_is_exponent(char before, const char *superscript, apr_size_t length)
{
    static const char minus[] = "\xe2\x88\x92";

    return apr_isdigit(before) && length > 0 &&
           (apr_isdigit(*superscript) || *superscript == '+' || *superscript == '-' ||
            (length >= sizeof(minus) - 1 && memcmp(superscript, minus, sizeof(minus) - 1) == 0));
}

/* A section of a format code. */
typedef struct {
    const char *begin, *end;
    char comparison; /* '<', '>', 'l' (<=), 'g' (>=), '=', '!' or '\0': no condition */
    double bound;
    int percent;
    bool digits;  /* it has digit placeholders */
    bool another; /* it displays another number, or a comparison sign */
    bool minus;   /* it has a minus in front of the number */
    bool marked;  /* it has a bracket or a colour, by which numbers below zero are known */
    bool text;    /* it is for texts, if it is not the only one */
} section_t;

/* Skips a quoted or escaped literal, or else one character. */
static const char *skip_literal(const char *at, const char *end)
{
    const char *close = NULL;

    if (*at == '"' || *at == '[') {
        close = memchr(at + 1, *at == '"' ? '"' : ']', (apr_size_t)(end - at - 1));
        return close ? close + 1 : end;
    }
    return (*at == '\\' || *at == '_' || *at == '*') && at + 1 < end ? at + 2 : at + 1;
}

static const char *section_end(const char *at, const char *end)
{
    while (at < end && *at != ';') {
        at = skip_literal(at, end);
    }
    return at < end ? at : end;
}

/* Reads brackets: a condition such as "[<0.5]", or a colour; languages are ignored. */
static void read_bracket(section_t *section, const char *at)
{
    static const char signs[] = "<>=";

    section->marked = section->marked || apr_isalpha(at[1]);
    if (at[1] == '\0' || !strchr(signs, at[1])) {
        return;
    }
    section->comparison = at[1] == '<' && at[2] == '>' ? '!'
                          : at[1] == '<'               ? (at[2] == '=' ? 'l' : '<')
                          : at[1] == '>'               ? (at[2] == '=' ? 'g' : '>')
                                                       : '=';
    section->bound = strtod(at + 1 + strspn(at + 1, signs), NULL);
}

/* Whether a comma after digits divides by a thousand: no digit placeholder
 * follows. */
static bool is_thousands_divisor(const char *at, const char *end)
{
    while (at < end && *at == ',') {
        at++;
    }
    return at >= end || !strchr("0#?", *at);
}

/* Whether a literal behind digits goes on with the number: "000", ".", " x 10^3", "E3". */
static bool continues_number(const char *at, const char *end)
{
    const char *sign = at + strspn(at, " "), *power;
    apr_size_t width = strspn(sign, "xX*") > 0 ? 1 : strncmp(sign, "\xc3\x97", 2) == 0 ? 2 : 0;

    if (width > 0) {
        power = sign + width + strspn(sign + width, " ");
        return power < end && apr_isdigit(*power);
    }
    if (end - at > 1 && (*at == 'e' || *at == 'E')) {
        return apr_isdigit(at[1]) || at[1] == '+' || at[1] == '-';
    }
    return at < end && (apr_isdigit(*at) || *at == '.' || *at == ',');
}

/* Reads literal words. Before the number or instead of it they change its meaning;
 * behind it they are its unit, unless they go on with it. */
static void read_words(section_t *section, const char *at, const char *end)
{
    section->another = section->another || (section->digits && continues_number(at, end));
    for (; at < end; at++) {
        bool word = apr_isalnum(*at) || strchr("<>~=", *at) || (*at & 0x80);
        section->another = section->another || (word && (!section->digits || strchr("<>", *at)));
    }
}

/* Reads signs, which mean the same in a literal and outside of one. */
static void read_signs(section_t *section, const char *at, const char *end)
{
    for (; at < end; at++) {
        section->minus = section->minus || (*at == '-' && !section->digits);
        section->marked = section->marked || *at == '(';
    }
}

static void read_section(section_t *section)
{
    const char *end = section->end;

    for (const char *at = section->begin, *next; at < end; at = next) {
        next = skip_literal(at, end);
        if (!strchr("[_*", *at)) {
            read_signs(section, at, next);
        }
        if (*at == '[') {
            read_bracket(section, at);
        } else if (*at == '"' || *at == '\\') {
            read_words(section, at + 1, next);
        } else if (strchr("0#?@", *at)) {
            section->digits = true;
            section->text = section->text || *at == '@';
        } else if (strncasecmp(at, "General", 7) == 0 && end - at >= 7) {
            section->digits = true;
            next = at + 7;
        } else if (*at == '%') {
            section->percent++;
        } else if (*at == ',') {
            section->another =
                section->another || (section->digits && is_thousands_divisor(at, end));
        } else if (*at == '<' || *at == '>' || *at == '~') {
            section->another = true;
        }
    }
}

static bool condition_holds(const section_t *section, double number)
{
    switch (section->comparison) {
    case '<':
        return number < section->bound;
    case '>':
        return number > section->bound;
    case 'l':
        return number <= section->bound;
    case 'g':
        return number >= section->bound;
    case '=':
        return number == section->bound;
    case '!':
        return number != section->bound;
    default:
        return true;
    }
}

/* Returns the section for a number: the first whose condition holds; without
 * conditions those for positive and negative numbers and zero. */
static const section_t *section_of(const section_t *sections, int count, double number)
{
    bool conditions = false;

    for (int i = 0; i < count; i++) {
        conditions = conditions || sections[i].comparison != '\0';
    }
    for (int i = 0; conditions && i < count; i++) {
        if (condition_holds(&sections[i], number)) {
            return &sections[i];
        }
    }
    if (number < 0 && count > 1) {
        return &sections[1];
    }
    return &sections[number == 0 && count > 2 ? 2 : 0];
}

/* Whether a section displays numbers with another sign: those below zero have a section of
 * their own for it, and others have no minus. With conditions the sign is added. */
static bool has_other_sign(const section_t *sections, const section_t *section)
{
    if (sections->comparison != '\0') {
        return false;
    }
    return section == sections + 1 ? !section->minus && !section->marked : section->minus;
}

/* Multiplies by 100: moves the decimal point two digits to the right. */
static const char *to_percent(const char *number, apr_pool_t *pool)
{
    const char *sign = *number == '-' ? "-" : "", *digits = number + (*number == '-');
    apr_size_t whole = strcspn(digits, ".");
    const char *part = digits[whole] ? digits + whole + 1 : "";
    apr_size_t size = strlen(part);
    const char *all = apr_pstrcat(pool, apr_pstrmemdup(pool, digits, whole), part,
                                  size == 0   ? "00"
                                  : size == 1 ? "0"
                                              : "",
                                  NULL);
    const char *rest = size > 2 ? apr_pstrcat(pool, ".", part + 2, NULL) : "";
    const char *front = apr_pstrmemdup(pool, all, whole + 2);

    while (*front == '0' && front[1]) {
        front++;
    }
    return apr_pstrcat(pool, sign, front, rest, NULL);
}

const char *lims_format_shown(lims_cell_e *kind, const char *number, const char *code,
                              apr_pool_t *pool)
{
    section_t sections[SECTIONS_MAX] = { { .begin = NULL } };
    const char *end = code ? code + strlen(code) : NULL;
    const double value = strtod(number, NULL);
    const section_t *section;
    int count = 0;

    if (!code) {
        return number;
    }
    for (const char *at = code; at <= end && count < SECTIONS_MAX; count++) {
        sections[count].begin = at;
        sections[count].end = section_end(at, end);
        at = sections[count].end + 1;
        read_section(&sections[count]);
    }
    count = count < SECTIONS_MAX ? count : SECTIONS_MAX - 1;
    count -= count > 1 && sections[count - 1].text;
    section = section_of(sections, count, value);
    if (!section->digits || section->another || section->percent > 1 ||
        (section->percent && strpbrk(number, "eE")) || has_other_sign(sections, section)) {
        *kind = LIMS_CELL_SHOWN;
        return number;
    }
    return section->percent ? apr_pstrcat(pool, to_percent(number, pool), "%", NULL) : number;
}

const char *lims_number_shown(lims_cell_e *kind, const char *number, const lims_format_t *format,
                              bool since_1904, apr_pool_t *pool)
{
    const char *time;

    *kind = LIMS_CELL_NUMBER;
    if (format->serial == LIMS_SERIAL_NUMBER) {
        return lims_format_shown(kind, number, format->code, pool);
    }
    time = lims_serial_time(number, format->serial, since_1904, pool);
    *kind = time ? LIMS_CELL_DATE : LIMS_CELL_SHOWN;
    return time ? time : number;
}
