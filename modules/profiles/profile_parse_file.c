/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_file.c - the members by which a profile recognizes a file and
 * finds its way in it.
 */
#include <stddef.h>

#include "formats/encoding.h"
#include "profiles/profile_parse.h"

/* As lims_container_name() has them. */
static const char *const containers[] = {
    [LIMS_CONTAINER_TEXT] = "text", [LIMS_CONTAINER_XLSX] = "xlsx", [LIMS_CONTAINER_XLS] = "xls",
    [LIMS_CONTAINER_ASTM] = "astm", [LIMS_CONTAINER_HL7] = "hl7",   [LIMS_CONTAINER_XML] = "xml",
    [LIMS_CONTAINER_JSON] = "json", [LIMS_CONTAINER_HTML] = "html", [LIMS_CONTAINER_COUNT] = NULL,
};

/* --- match, decode, dialect ------------------------------------------------ */

static const lims_member_t line_match_members[] = {
    { .name = "regex",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_line_match_t, regex),
      .doc = "What a line looks like." },
    { .name = "within",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_line_match_t, within),
      .min = 1,
      .max = 1000,
      .fallback = "20",
      .doc = "Among the first so many lines; in a workbook rows, cells joined by tabs." },
    { .name = "absent",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_line_match_t, absent),
      .fallback = "false",
      .doc = "None of them may look so: what tells a file of this kind from one of another, which "
             "has all that this one has, and more." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_line_match = {
    .title = "match.lines",
    .doc = "Lines that files of this kind have, and others have not.",
    .members = line_match_members,
    .size = sizeof(lims_line_match_t),
};

static const lims_member_t match_members[] = {
    { .name = "container",
      .type = LIMS_M_SET,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_match_t, containers),
      .values = containers,
      .doc = "What the file is by its content, whatever its name ends in; one or several. html is "
             "a web page with tables, which much software saves as `.xls`." },
    { .name = "fileName",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_match_t, file_name),
      .doc = "What the file's name looks like. Names can be changed by anybody: the content has to "
             "match as well." },
    { .name = "lines",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_match_t, lines),
      .min = 1,
      .max = 20,
      .shape = &lims_shape_line_match,
      .doc = "Each of these is found, but for those that have to be absent." },
    { .name = "headers",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_match_t, headers),
      .max = 200,
      .doc = "One row has all of these cells." },
    { .name = "headersWithin",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_match_t, headers_within),
      .min = 1,
      .max = 1000,
      .fallback = "50",
      .doc = "It is among the first so many rows." },
    { .name = "sheet",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_match_t, sheet),
      .doc = "The workbook has a sheet of this name, and the headers are there." },
    { .name = "sections",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_match_t, sections),
      .max = 20,
      .doc = "Each of these begins a row somewhere: `[Header]`." },
    { .name = "sender",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_match_t, sender),
      .doc = "Of each message: ASTM H-5, HL7 MSH-3." },
    { .name = "messages",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_match_t, messages),
      .max = 20,
      .doc = "HL7: the type of each message is one of these: `ORU^R01`." },
    { .name = "root",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_match_t, root),
      .doc = "XML: the name of the outermost element. JSON: a member of the outermost object." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_match = {
    .title = "match",
    .doc = "Which files the profile is for. All that is given has to hold; at least one member "
           "beside `container` and `fileName` is needed. A file that several active profiles match "
           "is read by none of them.",
    .members = match_members,
    .size = sizeof(lims_match_t),
    .check = lims_check_match,
};

static const lims_member_t decode_members[] = {
    { .name = "charset",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_t, decode.charset) - offsetof(lims_profile_t, decode),
      .max = 40,
      .fallback = LIMS_ENCODING_DEFAULT,
      .doc = "Of a file that has no byte order mark and is not UTF-8." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_decode = {
    .title = "decode",
    .doc = "Which characters the bytes of a text file are.",
    .members = decode_members,
    .size = sizeof(((lims_profile_t *)NULL)->decode),
};

static const lims_member_t dialect_members[] = {
    { .name = "delimiter",
      .type = LIMS_M_SIGN,
      .offset = offsetof(lims_profile_dialect_t, delimiter),
      .fallback = ",",
      .doc = "Between cells: `,`, `;`, `tab`. With `none` each line is one cell." },
    { .name = "quote",
      .type = LIMS_M_SIGN,
      .offset = offsetof(lims_profile_dialect_t, quote),
      .fallback = "\"",
      .doc = "Around cells that hold a delimiter or a line break, or `none`." },
    { .name = "unwrap",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_dialect_t, unwrap),
      .fallback = "false",
      .doc = "Each whole line stands in a pair of quotes, which are taken off first." },
    { .name = "columns",
      .type = LIMS_M_INTEGERS,
      .offset = offsetof(lims_profile_dialect_t, columns),
      .min = 1,
      .max = 10000,
      .doc = "Reports with fixed columns: at which character each column begins, from 1. Needs "
             "`delimiter` `none`." },
    { .name = "comment",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_dialect_t, comment),
      .max = 8,
      .doc = "Lines that begin with this are passed over." },
    { .name = "ragged",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_dialect_t, ragged),
      .fallback = "false",
      .doc = "A row may have fewer cells than the header, and those that it lacks count as blank; "
             "or more. Otherwise either is `structure_mismatch`, since nobody can tell which cell "
             "is missing." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_dialect = {
    .title = "dialect",
    .doc = "How the lines of a text file are split into cells. A first line `sep=;` is obeyed and "
           "is no row.",
    .members = dialect_members,
    .size = sizeof(lims_profile_dialect_t),
    .check = lims_check_dialect,
};

/* --- table ----------------------------------------------------------------- */

static const lims_member_t header_members[] = {
    { .name = "find",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_profile_table_t, header.find),
      .max = 200,
      .doc = "The header is the first row that has all of these cells; without it, those of "
             "`match.headers`." },
    { .name = "within",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, header.within),
      .min = 1,
      .max = 1000,
      .fallback = "50",
      .doc = "Among so many rows from the begin of the sheet, section or block." },
    { .name = "rows",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, header.rows),
      .min = 1,
      .max = 3,
      .fallback = "1",
      .doc = "Headers of several rows are read together, with a blank between: the row found is "
             "the last of them. In layout grouped there are two, of groups and of columns; so are "
             "there in layout transposed with `columns.value`, without `group`." },
    { .name = "repeats",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_table_t, header.repeats),
      .fallback = "false",
      .doc =
          "It may stand again between the data, also with other columns, and holds from there." },
    { .name = "group",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_GROUP,
      .offset = offsetof(lims_profile_table_t, header.group),
      .doc = "Layout transposed, where sample and column stand in one cell, `S1 Area`: captures "
             "the sample, and what is left is the column, `^(.*) (?:Area|RT)$`. Columns that it "
             "does not fit stand before the first sample, or are named by a source." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_header = {
    .title = "table.header",
    .doc = "The row that names the columns.",
    .members = header_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t block_members[] = {
    { .name = "start",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_table_t, block.start),
      .doc = "What the first row of each block looks like, its cells joined by tabs; what it "
             "captures is the source `{\"from\": \"block\"}`." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_block = {
    .title = "table.block",
    .doc = "A table that comes several times, for each sample or each substance, with a header of "
           "its own.",
    .members = block_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t end_members[] = {
    { .name = "blank",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_table_t, end.blank),
      .fallback = "false",
      .doc = "A blank row ends the data; otherwise blank rows are passed over." },
    { .name = "row",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_profile_table_t, end.row),
      .doc = "So does a row that looks like this, its cells joined by tabs." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_end = {
    .title = "table.end",
    .doc = "Where the data end before the sheet, section or block does.",
    .members = end_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t map_members[] = {
    { .name = "section",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_table_t, map.section),
      .doc = "A row before it, as `table.section`." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_map = {
    .title = "table.map",
    .doc = "Layout matrix: a second matrix of the same shape that says which sample is in which "
           "well; the source `{\"from\": \"map\"}`.",
    .members = map_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t table_members[] = {
    { .name = "sheet",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_profile_table_t, sheet),
      .doc = "Of a workbook; without it `match.sheet`, else every visible sheet with the header." },
    { .name = "section",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_profile_table_t, section),
      .doc = "A row that stands before the table looks like this, its cells joined by tabs." },
    { .name = "header",
      .type = LIMS_M_OBJECT,
      .shape = &shape_header,
      .doc = "The row that names the columns." },
    { .name = "skip",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, skip),
      .min = 0,
      .max = 100,
      .fallback = "0",
      .doc = "So many rows between the header and the data are no data." },
    { .name = "unitRow",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, unit_row),
      .min = 0,
      .max = 100,
      .fallback = "0",
      .doc = "The row so many below the header has the units of the columns; 0: none has." },
    { .name = "block",
      .type = LIMS_M_OBJECT,
      .shape = &shape_block,
      .doc = "A table that comes several times." },
    { .name = "end", .type = LIMS_M_OBJECT, .shape = &shape_end, .doc = "Where the data end." },
    { .name = "map",
      .type = LIMS_M_OBJECT,
      .shape = &shape_map,
      .doc = "Layout matrix: which sample is in which well." },
    { .name = "keySeparator",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_table_t, key_separator),
      .max = 8,
      .fallback = ":",
      .doc = "Between key and value where both stand in one cell, and what may end a key's cell." },
    { .name = "element",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_table_t, element),
      .doc = "Layouts xml and json: the path of the element that is a row: "
             "`/File/Samples/Sample`. In JSON each value of an array is one, `item` is what an "
             "outermost or an inner array holds, and `/` the whole document." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_table = {
    .title = "table",
    .doc = "Where in the file the results are.",
    .members = table_members,
    .size = sizeof(lims_profile_table_t),
    .check = lims_check_table,
};
