/* SPDX-License-Identifier: Apache-2.0 */
/*
 * biff.h - writes BIFF workbooks and the compound files around them, for the
 * tests of what reads them: right ones, and wrong in one place.
 */
#ifndef LIMS_BIFF_H
#define LIMS_BIFF_H

#include <apr_strings.h>
#include <apr_tables.h>
#include <stdarg.h>
#include <string.h>

#define BIFF_SECTOR 512

static inline void biff_bytes(apr_array_header_t *out, const void *bytes, apr_size_t length)
{
    for (apr_size_t i = 0; i < length; i++) {
        APR_ARRAY_PUSH(out, char) = ((const char *)bytes)[i];
    }
}

static inline void biff_integer(apr_array_header_t *out, unsigned long long value, int size)
{
    for (int i = 0; i < size; i++) {
        APR_ARRAY_PUSH(out, char) = (char)(value >> (8 * i) & 0xff);
    }
}

/* A record; `layout` has a letter for each argument: b, h, w integers of one, two
 * and four bytes, d a double, s bytes up to a NUL, u the same as UTF-16. */
static inline void biff_record(apr_array_header_t *out, unsigned type, const char *layout, ...)
{
    int at = out->nelts;
    va_list arguments;
    double number;

    biff_integer(out, type, 2);
    biff_integer(out, 0, 2);
    va_start(arguments, layout);
    for (; *layout; layout++) {
        if (strchr("bhw", *layout)) {
            biff_integer(out, va_arg(arguments, unsigned),
                         *layout == 'b'   ? 1
                         : *layout == 'h' ? 2
                                          : 4);
        } else if (*layout == 'd') {
            number = va_arg(arguments, double);
            biff_bytes(out, &number, sizeof(number));
        } else {
            for (const char *s = va_arg(arguments, const char *); *s; s++) {
                biff_integer(out, (unsigned char)*s, *layout == 'u' ? 2 : 1);
            }
        }
    }
    va_end(arguments);
    out->elts[at + 2] = (char)((out->nelts - at - 4) & 0xff);
    out->elts[at + 3] = (char)((out->nelts - at - 4) >> 8);
}

/* An entry of the directory. */
static inline void biff_entry(char *entry, const char *name, int type, unsigned child,
                              unsigned start, apr_size_t size)
{
    apr_size_t length = strlen(name);
    const unsigned char links[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

    for (apr_size_t i = 0; i < length; i++) {
        entry[2 * i] = name[i];
    }
    entry[64] = (char)(2 * length + 2);
    entry[66] = (char)type;
    memcpy(entry + 68, links, sizeof(links));
    for (int i = 0; i < 4; i++) {
        entry[76 + i] = (char)(child >> (8 * i));
        entry[116 + i] = (char)(start >> (8 * i));
        entry[120 + i] = (char)(size >> (8 * i));
    }
}

static inline void biff_word(char *at, unsigned value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (char)(value >> (8 * i));
    }
}

/* A compound file with one stream, of at most 60 KB: FAT in sector 0, directory in
 * 1, the FAT of mini sectors in 2, the stream from 3 on; below 4096 bytes it stands
 * in mini sectors. */
static inline char *biff_file(apr_size_t *length, const char *name, const char *stream,
                              apr_size_t size, apr_pool_t *pool)
{
    static const unsigned char magic[] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };
    unsigned sectors = (unsigned)((size + BIFF_SECTOR - 1) / BIFF_SECTOR);
    unsigned minis = (unsigned)((size + 63) / 64);
    int mini = size < 4096;
    char *file, *fat, *directory, *mini_fat;

    *length = (4 + (apr_size_t)sectors) * BIFF_SECTOR;
    file = apr_pcalloc(pool, *length);
    fat = file + BIFF_SECTOR;
    directory = fat + BIFF_SECTOR;
    mini_fat = directory + BIFF_SECTOR;
    memcpy(file, magic, sizeof(magic));
    file[24] = 0x3e;
    file[26] = 3;
    file[28] = (char)0xfe;
    file[29] = (char)0xff;
    file[30] = 9;
    file[32] = 6;
    biff_word(file + 44, 1);
    biff_word(file + 48, 1);
    biff_word(file + 56, 4096);
    biff_word(file + 60, mini ? 2 : 0xfffffffe);
    biff_word(file + 64, (unsigned)mini);
    biff_word(file + 68, 0xfffffffe);
    memset(file + 76, 0xff, BIFF_SECTOR - 76);
    biff_word(file + 76, 0);
    memset(fat, 0xff, BIFF_SECTOR);
    memset(mini_fat, 0xff, BIFF_SECTOR);
    biff_word(fat, 0xfffffffd);
    biff_word(fat + 4, 0xfffffffe);
    biff_word(fat + 8, 0xfffffffe);
    for (unsigned i = 0; i < sectors; i++) {
        biff_word(fat + 4 * (3 + (apr_size_t)i), i + 1 < sectors ? i + 4 : 0xfffffffe);
    }
    for (unsigned i = 0; mini && i < minis; i++) {
        biff_word(mini_fat + 4 * (apr_size_t)i, i + 1 < minis ? i + 1 : 0xfffffffe);
    }
    biff_entry(directory, "Root Entry", 5, 1, mini ? 3 : 0xfffffffe, mini ? size : 0);
    biff_entry(directory + 128, name, 2, 0xffffffff, mini ? 0 : 3, size);
    memcpy(file + 4 * BIFF_SECTOR, stream, size);
    return file;
}

#endif /* LIMS_BIFF_H */
