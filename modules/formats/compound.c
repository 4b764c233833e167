/* SPDX-License-Identifier: Apache-2.0 */
/* compound.c - sectors, chains and streams of compound files. */
#include "formats/compound.h"

#include <apr_lib.h>
#include <string.h>

#define HEADER_SIZE 512
#define HEADER_FATS 109 /* sectors of the FAT that the header itself lists */
#define MINI_SHIFT 6
#define ENTRY_SIZE 128
#define NAME_MAX_UNITS 31

enum { OBJECT_STREAM = 2, OBJECT_ROOT = 5 };

/* Larger is no sector: free, end of a chain, a part of the FAT. */
#define SECTOR_MAX 0xfffffffaU

typedef struct {
    const unsigned char *bytes;
    apr_size_t length;
    unsigned shift; /* a unit has 1 << shift bytes */
} units_t;

struct lims_compound_t {
    units_t sectors;     /* behind the header */
    apr_uint32_t *fat;   /* the next sector of each */
    apr_size_t fat_size; /* entries */
    units_t mini;
    apr_uint32_t *mini_fat;
    apr_size_t mini_fat_size;
    apr_uint32_t mini_cutoff; /* smaller streams stand in mini sectors */
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

static bool damaged(lims_reasons_t *reasons)
{
    lims_reasons_block(reasons, LIMS_REASON_TRUNCATED_FILE, 0, 0,
                       "The workbook is damaged or cut off: a part of it lies beyond its end.");
    return false;
}

/* The bytes of a unit, of which `size` have to be there; NULL if they are not. */
static const unsigned char *unit_at(const units_t *units, apr_uint32_t index, apr_size_t size)
{
    apr_size_t offset = (apr_size_t)index << units->shift;

    return index < SECTOR_MAX && offset <= units->length && size <= units->length - offset
               ? units->bytes + offset
               : NULL;
}

/* Gathers a chain. `size` 0: up to its end, whole units. A chain that comes back to
 * itself has more units than there are, and is damaged. */
static unsigned char *gather(apr_size_t *length, const units_t *units, const apr_uint32_t *fat,
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
        const unsigned char *from = unit_at(units, index, part);
        if (!from) {
            return NULL;
        }
        memcpy(bytes + done, from, part);
    }
    *length = space;
    return bytes;
}

/* Entries of a FAT, four bytes each. */
static apr_uint32_t *entries_of(const unsigned char *bytes, apr_size_t count, apr_pool_t *pool)
{
    apr_uint32_t *entries = apr_palloc(pool, (count + 1) * sizeof(*entries));

    for (apr_size_t i = 0; i < count; i++) {
        entries[i] = u32(bytes + 4 * i);
    }
    return entries;
}

/* Appends the entries of one sector of the FAT; false when it lies outside. */
static bool add_fat_sector(lims_compound_t *c, apr_uint32_t index)
{
    apr_size_t count = ((apr_size_t)1 << c->sectors.shift) / 4;
    const unsigned char *sector = unit_at(&c->sectors, index, count * 4);

    if (!sector) {
        return false;
    }
    for (apr_size_t i = 0; i < count; i++) {
        c->fat[c->fat_size++] = u32(sector + 4 * i);
    }
    return true;
}

/* The FAT: of the sectors that the header lists, then of those in the chain of
 * sectors that list more. */
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
        const unsigned char *sector = unit_at(&c->sectors, list, each * 4);
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

/* The size of a stream; beyond the file is refused where it is gathered. */
static apr_size_t size_of(const unsigned char *entry)
{
    return u32(entry + 120);
}

static bool read_directory(lims_compound_t *c, const unsigned char *header)
{
    apr_size_t length;

    c->directory = gather(&length, &c->sectors, c->fat, c->fat_size, u32(header + 48), 0, c->pool);
    if (!c->directory || length < ENTRY_SIZE || c->directory[66] != OBJECT_ROOT) {
        return false;
    }
    c->entries = length / ENTRY_SIZE;
    return true;
}

/* Mini sectors stand in the stream of the root entry. */
static bool read_mini(lims_compound_t *c, const unsigned char *header)
{
    apr_size_t length = 0, size = size_of(c->directory);
    const unsigned char *bytes;

    c->mini.shift = MINI_SHIFT;
    c->mini_cutoff = u32(header + 56);
    if (size == 0 || u32(header + 60) >= SECTOR_MAX) {
        return true;
    }
    c->mini.bytes = gather(&c->mini.length, &c->sectors, c->fat, c->fat_size,
                           u32(c->directory + 116), size, c->pool);
    bytes = gather(&length, &c->sectors, c->fat, c->fat_size, u32(header + 60), 0, c->pool);
    if (!c->mini.bytes || !bytes) {
        return false;
    }
    c->mini_fat_size = length / 4;
    c->mini_fat = entries_of(bytes, c->mini_fat_size, c->pool);
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
        damaged(reasons);
        return NULL;
    }
    c->sectors.shift = u16(header + 30);
    /* Sector 0 begins one sector into the file. */
    if (length < (apr_size_t)1 << c->sectors.shift) {
        damaged(reasons);
        return NULL;
    }
    c->sectors.bytes = header + ((apr_size_t)1 << c->sectors.shift);
    c->sectors.length = length - ((apr_size_t)1 << c->sectors.shift);
    if (!read_fat(c, header) || !read_directory(c, header) || !read_mini(c, header)) {
        damaged(reasons);
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

/* Among the entries of the root: a tree by left and right, walked with a stack. Each
 * entry has one place in it; a tree that has more steps than entries is none. */
static const unsigned char *find(const lims_compound_t *c, const char *name)
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
    return find(compound, name);
}

bool lims_compound_read(const unsigned char **bytes, apr_size_t *length,
                        const lims_compound_t *compound, const char *name, apr_pool_t *pool)
{
    const lims_compound_t *c = compound;
    const unsigned char *entry = find(c, name);
    apr_size_t size = entry ? size_of(entry) : 0;

    if (!entry) {
        return false;
    }
    if (size == 0) {
        *bytes = (const unsigned char *)"";
        *length = 0;
        return true;
    }
    *bytes =
        size < c->mini_cutoff
            ? gather(length, &c->mini, c->mini_fat, c->mini_fat_size, u32(entry + 116), size, pool)
            : gather(length, &c->sectors, c->fat, c->fat_size, u32(entry + 116), size, pool);
    return *bytes || damaged(c->reasons);
}
