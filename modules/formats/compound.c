/* SPDX-License-Identifier: Apache-2.0 */
/* compound.c - sectors, chains and streams of compound files. */
#include "formats/compound.h"

#include <apr_lib.h>
#include <string.h>

#define HEADER_SIZE 512
#define HEADER_FATS 109 /* number of FAT sectors that the header lists */
#define MINI_SHIFT 6
#define ENTRY_SIZE 128
#define NAME_MAX_UNITS 31

enum { OBJECT_STREAM = 2, OBJECT_ROOT = 5 };

/* Larger numbers are markers (free, end of chain, FAT sector), not sectors. */
#define SECTOR_MAX 0xfffffffaU

typedef struct {
    const unsigned char *bytes;
    apr_size_t length;
    unsigned shift; /* log2 of the sector size in bytes */
} units_t;

struct lims_compound_t {
    units_t sectors;     /* the sectors, which follow the header */
    apr_uint32_t *fat;   /* file allocation table: for each sector the next of its chain */
    apr_size_t fat_size; /* number of entries */
    units_t mini;
    apr_uint32_t *mini_fat;
    apr_size_t mini_fat_size;
    apr_uint32_t mini_cutoff; /* streams below this size, in bytes, are stored in mini sectors */
    const unsigned char *directory;
    apr_size_t entries;
    lims_reasons_t *reasons;
    apr_pool_t *pool;
};

static apr_uint32_t u16(const unsigned char *p)
{
    return (apr_uint32_t)(p[0] | p[1] << 8);
}

static apr_uint32_t u32(const unsigned char *p)
{
    return u16(p) | u16(p + 2) << 16;
}

static bool refuse_damaged(lims_reasons_t *reasons)
{
    lims_reasons_block(reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "The workbook is damaged or cut off: a part of it lies beyond its end.");
    return false;
}

/* Returns a sector of which at least `size` bytes are in the file; NULL if fewer
 * are. */
static const unsigned char *sector_at(const units_t *units, apr_uint32_t index, apr_size_t size)
{
    apr_size_t offset = (apr_size_t)index << units->shift;

    return index < SECTOR_MAX && offset <= units->length && size <= units->length - offset
               ? units->bytes + offset
               : NULL;
}

/* Concatenates the sectors of a chain; `size` 0: up to its end, in whole sectors.
 * A chain that has more sectors than the file is a loop, and refused as damaged. */
static unsigned char *read_chain(apr_size_t *length, const units_t *units, const apr_uint32_t *fat,
                                 apr_size_t fat_size, apr_uint32_t first, apr_size_t size,
                                 apr_pool_t *pool)
{
    apr_size_t unit = (apr_size_t)1 << units->shift;
    apr_size_t count = 0, space;
    unsigned char *bytes;
    apr_uint32_t index;

    for (index = first; index < SECTOR_MAX && (!size || count * unit < size); count++) {
        if (index >= fat_size || count > units->length >> units->shift) {
            return NULL;
        }
        index = fat[index];
    }
    space = size ? size : count * unit;
    if (count * unit < space || space > units->length) {
        return NULL;
    }
    bytes = apr_palloc(pool, space + 1);
    index = first;
    for (apr_size_t done = 0; done < space; done += unit, index = fat[index]) {
        apr_size_t part = space - done < unit ? space - done : unit;
        const unsigned char *from = sector_at(units, index, part);
        if (!from) {
            return NULL;
        }
        memcpy(bytes + done, from, part);
    }
    *length = space;
    return bytes;
}

/* Decodes `count` FAT entries of four bytes, least byte first. */
static apr_uint32_t *decode_fat(const unsigned char *bytes, apr_size_t count, apr_pool_t *pool)
{
    apr_uint32_t *entries = apr_palloc(pool, (count + 1) * sizeof(*entries));

    for (apr_size_t i = 0; i < count; i++) {
        entries[i] = u32(bytes + 4 * i);
    }
    return entries;
}

/* Appends the entries of one FAT sector; false if it lies outside of the file. */
static bool add_fat_sector(lims_compound_t *c, apr_uint32_t index)
{
    apr_size_t count = ((apr_size_t)1 << c->sectors.shift) / 4;
    const unsigned char *sector = sector_at(&c->sectors, index, count * 4);

    if (!sector) {
        return false;
    }
    for (apr_size_t i = 0; i < count; i++) {
        c->fat[c->fat_size++] = u32(sector + 4 * i);
    }
    return true;
}

/* Reads the FAT: first the FAT sectors that the header lists, then those of the
 * DIFAT chain. */
static bool read_fat(lims_compound_t *c, const unsigned char *header)
{
    apr_size_t each = ((apr_size_t)1 << c->sectors.shift) / 4;
    apr_size_t declared = u32(header + 44);
    apr_size_t there = (c->sectors.length >> c->sectors.shift) + 1;
    apr_uint32_t list = u32(header + 68);
    apr_size_t done = 0;

    if (declared > there) {
        return false;
    }
    c->fat = apr_palloc(c->pool, (declared * each + 1) * sizeof(*c->fat));
    for (; done < declared && done < HEADER_FATS; done++) {
        if (!add_fat_sector(c, u32(header + 76 + 4 * done))) {
            return false;
        }
    }
    while (done < declared) {
        const unsigned char *sector = sector_at(&c->sectors, list, each * 4);
        if (!sector) {
            return false;
        }
        for (apr_size_t i = 0; i < each - 1 && done < declared; i++, done++) {
            if (!add_fat_sector(c, u32(sector + 4 * i))) {
                return false;
            }
        }
        list = u32(sector + 4 * (each - 1));
    }
    return true;
}

static const unsigned char *entry_at(const lims_compound_t *c, apr_uint32_t index)
{
    return index < c->entries ? c->directory + (apr_size_t)index * ENTRY_SIZE : NULL;
}

/* Returns the size of a stream; one beyond the file is refused by read_chain(). */
static apr_size_t size_of(const unsigned char *entry)
{
    return u32(entry + 120);
}

static bool read_directory(lims_compound_t *c, const unsigned char *header)
{
    apr_size_t length;

    c->directory =
        read_chain(&length, &c->sectors, c->fat, c->fat_size, u32(header + 48), 0, c->pool);
    if (!c->directory || length < ENTRY_SIZE || c->directory[66] != OBJECT_ROOT) {
        return false;
    }
    c->entries = length / ENTRY_SIZE;
    return true;
}

/* Reads the mini stream, which is the stream of the root entry, and its FAT. */
static bool read_mini(lims_compound_t *c, const unsigned char *header)
{
    apr_size_t length = 0, size = size_of(c->directory);
    const unsigned char *bytes;

    c->mini.shift = MINI_SHIFT;
    c->mini_cutoff = u32(header + 56);
    if (size == 0 || u32(header + 60) >= SECTOR_MAX) {
        return true;
    }
    c->mini.bytes = read_chain(&c->mini.length, &c->sectors, c->fat, c->fat_size,
                               u32(c->directory + 116), size, c->pool);
    bytes = read_chain(&length, &c->sectors, c->fat, c->fat_size, u32(header + 60), 0, c->pool);
    if (!c->mini.bytes || !bytes) {
        return false;
    }
    c->mini_fat_size = length / 4;
    c->mini_fat = decode_fat(bytes, c->mini_fat_size, c->pool);
    return true;
}

lims_compound_t *lims_compound_open(const char *bytes, apr_size_t length, lims_reasons_t *reasons,
                                    apr_pool_t *pool)
{
    lims_compound_t *c = apr_pcalloc(pool, sizeof(*c));
    const unsigned char *header = (const unsigned char *)bytes;

    c->reasons = reasons;
    c->pool = pool;
    if (length < HEADER_SIZE || (u16(header + 30) != 9 && u16(header + 30) != 12)) {
        refuse_damaged(reasons);
        return NULL;
    }
    c->sectors.shift = u16(header + 30);
    /* Sector 0 begins one sector size into the file. */
    if (length < (apr_size_t)1 << c->sectors.shift) {
        refuse_damaged(reasons);
        return NULL;
    }
    c->sectors.bytes = header + ((apr_size_t)1 << c->sectors.shift);
    c->sectors.length = length - ((apr_size_t)1 << c->sectors.shift);
    if (!read_fat(c, header) || !read_directory(c, header) || !read_mini(c, header)) {
        refuse_damaged(reasons);
        return NULL;
    }
    return c;
}

/* --- Streams --------------------------------------------------------------- */

static bool has_name(const unsigned char *entry, const char *name)
{
    apr_size_t length = strlen(name);

    if (length > NAME_MAX_UNITS || u16(entry + 64) != 2 * length + 2) {
        return false;
    }
    for (apr_size_t i = 0; i < length; i++) {
        if (u16(entry + 2 * i) >= 0x80 || apr_tolower(entry[2 * i]) != apr_tolower(name[i])) {
            return false;
        }
    }
    return true;
}

/* Finds a stream among the children of the root entry: a binary tree by left and
 * right, walked with a stack. A walk with more steps than entries is a loop, and
 * ends. */
static const unsigned char *find_stream(const lims_compound_t *c, const char *name)
{
    apr_array_header_t *open = apr_array_make(c->pool, 16, sizeof(apr_uint32_t));

    APR_ARRAY_PUSH(open, apr_uint32_t) = u32(c->directory + 76);
    for (apr_size_t steps = 0; open->nelts > 0 && steps <= 2 * c->entries; steps++) {
        const unsigned char *entry = entry_at(c, *(apr_uint32_t *)apr_array_pop(open));

        if (!entry) {
            continue;
        }
        if (entry[66] == OBJECT_STREAM && has_name(entry, name)) {
            return entry;
        }
        APR_ARRAY_PUSH(open, apr_uint32_t) = u32(entry + 68);
        APR_ARRAY_PUSH(open, apr_uint32_t) = u32(entry + 72);
    }
    return NULL;
}

bool lims_compound_has(const lims_compound_t *compound, const char *name)
{
    return find_stream(compound, name);
}

bool lims_compound_read(const unsigned char **bytes, apr_size_t *length,
                        const lims_compound_t *compound, const char *name, apr_pool_t *pool)
{
    const lims_compound_t *c = compound;
    const unsigned char *entry = find_stream(c, name);
    apr_size_t size = entry ? size_of(entry) : 0;

    if (!entry) {
        return false;
    }
    if (size == 0) {
        *bytes = (const unsigned char *)"";
        *length = 0;
        return true;
    }
    *bytes = size < c->mini_cutoff ? read_chain(length, &c->mini, c->mini_fat, c->mini_fat_size,
                                                u32(entry + 116), size, pool)
                                   : read_chain(length, &c->sectors, c->fat, c->fat_size,
                                                u32(entry + 116), size, pool);
    return *bytes || refuse_damaged(c->reasons);
}
