/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.c - characters that hide, as a table of ranges. */
#include "kernel/hidden.h"

typedef struct {
    unsigned first, last;
} range_t;

static const range_t hidden[] = {
    { 0x0000, 0x001F },   { 0x007F, 0x009F }, /* controls */
    { 0x00AD, 0x00AD },                       /* soft hyphen */
    { 0x034F, 0x034F },                       /* combining grapheme joiner */
    { 0x115F, 0x1160 },   { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },
    { 0x3164, 0x3164 },   { 0xFFA0, 0xFFA0 }, /* fillers and selectors of single scripts */
    { 0x200B, 0x200B },                       /* zero-width space */
    { 0x2028, 0x202E },                       /* separators, embeddings, overrides */
    { 0x2060, 0x206F },                       /* joiner, invisible operators, isolates */
    { 0x2800, 0x2800 },                       /* blank Braille pattern */
    { 0xFE00, 0xFE0D },                       /* variation selectors */
    { 0xFEFF, 0xFEFF },                       /* byte order mark */
    { 0xFFF0, 0xFFFB },   { 0xFFFE, 0xFFFF },   { 0xFDD0, 0xFDEF }, /* annotations, no characters */
    { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A },                     /* controls of notations */
    { 0xE0000, 0xE0FFF },                                           /* tags, selectors */
};

bool lims_hidden_character(unsigned c)
{
    for (size_t i = 0; i < LIMS_LENGTH(hidden); i++) {
        if (c >= hidden[i].first && c <= hidden[i].last) {
            return true;
        }
    }
    return (c & 0xFFFE) == 0xFFFE || c > 0x10FFFF;
}

bool lims_hidden_joiner(unsigned c)
{
    return (c >= 0x200C && c <= 0x200F) || c == 0x061C || c == 0xFE0E || c == 0xFE0F;
}
