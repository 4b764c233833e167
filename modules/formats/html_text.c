/* SPDX-License-Identifier: Apache-2.0 */
/* html_text.c - charset and character references of web pages. */
#include "formats/html.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* Number of bytes in which the charset declaration is searched. The standard
 * requires it earlier, but some pages have it later. */
#define HEAD 4096

/* --- The character set ----------------------------------------------------------- */

/* Returns the charset that the HTML standard assigns to a label. */
static const char *charset_of_label(const char *name)
{
    static const char *const latin[] = { "iso-8859-1", "latin1", "us-ascii", "ascii" };

    for (apr_size_t i = 0; i < LIMS_LENGTH(latin); i++) {
        if (strcasecmp(name, latin[i]) == 0) {
            return "windows-1252";
        }
    }
    return name;
}

const char *lims_html_charset(const char *bytes, apr_size_t length, apr_pool_t *pool)
{
    static const char word[] = "charset=";
    apr_size_t size = sizeof(word) - 1;

    for (apr_size_t i = 0; i + size < length && i < HEAD; i++) {
        apr_size_t end = i + size;
        const char *name;

        if (strncasecmp(bytes + i, word, size) != 0) {
            continue;
        }
        end += bytes[end] == '"' || bytes[end] == '\'';
        i = end;
        while (end < length && (apr_isalnum(bytes[end]) || strchr("-_.:", bytes[end])) &&
               bytes[end] != '\0' && end - i < 40) {
            end++;
        }
        name = charset_of_label(apr_pstrmemdup(pool, bytes + i, end - i));
        return *name && lims_encoding_known(name) ? name : NULL;
    }
    return NULL;
}

/* --- References -------------------------------------------------------------------- */

/* Names of the characters U+00A0 to U+00FF, in order. */
static const char *const latin[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml",
};
_Static_assert(LIMS_LENGTH(latin) == 0x60, "a name for every character of Latin-1");

/* Names of other characters that occur in results, and of Greek letters. */
static const struct {
    const char *name;
    unsigned code;
} others[] = {
    { "amp", '&' },       { "lt", '<' },        { "gt", '>' },        { "quot", '"' },
    { "apos", '\'' },     { "ndash", 0x2013 },  { "mdash", 0x2014 },  { "lsquo", 0x2018 },
    { "rsquo", 0x2019 },  { "ldquo", 0x201c },  { "rdquo", 0x201d },  { "bull", 0x2022 },
    { "hellip", 0x2026 }, { "permil", 0x2030 }, { "prime", 0x2032 },  { "Prime", 0x2033 },
    { "euro", 0x20ac },   { "trade", 0x2122 },  { "minus", 0x2212 },  { "infin", 0x221e },
    { "asymp", 0x2248 },  { "ne", 0x2260 },     { "le", 0x2264 },     { "ge", 0x2265 },
    { "thinsp", 0x2009 }, { "ensp", 0x2002 },   { "emsp", 0x2003 },   { "larr", 0x2190 },
    { "uarr", 0x2191 },   { "rarr", 0x2192 },   { "darr", 0x2193 },   { "OElig", 0x152 },
    { "oelig", 0x153 },   { "Scaron", 0x160 },  { "scaron", 0x161 },  { "tilde", 0x2dc },
    { "circ", 0x2c6 },    { "num", '#' },       { "percnt", '%' },    { "Delta", 0x394 },
    { "Sigma", 0x3a3 },   { "Omega", 0x3a9 },   { "alpha", 0x3b1 },   { "beta", 0x3b2 },
    { "gamma", 0x3b3 },   { "delta", 0x3b4 },   { "epsilon", 0x3b5 }, { "zeta", 0x3b6 },
    { "eta", 0x3b7 },     { "theta", 0x3b8 },   { "kappa", 0x3ba },   { "lambda", 0x3bb },
    { "mu", 0x3bc },      { "nu", 0x3bd },      { "xi", 0x3be },      { "pi", 0x3c0 },
    { "rho", 0x3c1 },     { "sigma", 0x3c3 },   { "tau", 0x3c4 },     { "phi", 0x3c6 },
    { "chi", 0x3c7 },     { "psi", 0x3c8 },     { "omega", 0x3c9 },   { "sum", 0x2211 },
};

/* Characters that the references 128 to 159 mean, by windows-1252; 0: none. */
static const unsigned short windows[] = {
    0x20ac, 0,      0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0,      0x17d,  0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0,      0x17e,  0x178,
};
_Static_assert(LIMS_LENGTH(windows) == 32, "a character for each of them");

static unsigned named_character(const char *name, apr_size_t length)
{
    for (unsigned i = 0; i < LIMS_LENGTH(latin); i++) {
        if (strlen(latin[i]) == length && strncmp(latin[i], name, length) == 0) {
            return 0xa0 + i;
        }
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(others); i++) {
        if (strlen(others[i].name) == length && strncmp(others[i].name, name, length) == 0) {
            return others[i].code;
        }
    }
    return 0;
}

static unsigned numeric_character(const char *digits, apr_size_t length)
{
    bool hex = length > 0 && (*digits == 'x' || *digits == 'X');
    unsigned long code = 0;

    if (length == (hex ? 1U : 0U) || length > 9) {
        return 0;
    }
    for (apr_size_t i = hex; i < length; i++) {
        if (!(hex ? apr_isxdigit(digits[i]) : apr_isdigit(digits[i]))) {
            return 0;
        }
    }
    code = strtoul(digits + hex, NULL, hex ? 16 : 10);
    code = code >= 128 && code < 160 ? windows[code - 128] : code;
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
                   (code < ' ' && code != '\t' && code != '\n' && code != '\r') || code == 0x7f
               ? 0
               : (unsigned)code;
}

static void append_utf8(apr_array_header_t *to, unsigned code)
{
    char bytes[4];
    int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (int i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char)(first[length] | code);
    lims_text_append(to, bytes, length);
}

/* Whether a text begins with a known reference name that lacks its semicolon, such
 * as "&lt5". Browsers decode it, people read it literally, so it is refused. */
static bool lacks_semicolon(const char *name, apr_size_t length)
{
    for (apr_size_t i = 2; i <= length; i++) {
        if (named_character(name, i) > 0) {
            return true;
        }
    }
    return false;
}

int lims_html_character(apr_array_header_t *to, const char *text, apr_size_t length)
{
    bool number = length > 1 && text[1] == '#';
    apr_size_t begin = number ? 2 : 1, end = begin;
    unsigned code;

    while (end < length && apr_isalnum(text[end]) && end - begin < 32) {
        end++;
    }
    if (end >= length || text[end] != ';') {
        return number || lacks_semicolon(text + begin, end - begin) ? -1 : 0;
    }
    code = number ? numeric_character(text + begin, end - begin)
                  : named_character(text + begin, end - begin);
    if (code == 0) {
        return end == begin && !number ? 0 : -1;
    }
    append_utf8(to, code);
    return (int)(end + 1);
}
