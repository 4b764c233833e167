/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parse_file.c - members for matching a file and for finding its tables.
 */
#include <stddef.h>

#include "formats/encoding.h"
#include "profiles/profile_parse.h"

/* --- match, decode, dialect ------------------------------------------------ */

static const lims_member_t line_match_members[] = {
    { .name = "regex",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_line_match_t, regex),
      .doc = "Expression that a line of the file matches." },
    { .name = "within",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_line_match_t, within),
      .min = 1,
      .max = 1000,
      .fallback = "20",
      .doc = "Number of first lines that are searched; in a workbook of first rows, with their "
             "cells joined by tabs." },
    { .name = "absent",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_line_match_t, absent),
      .fallback = "false",
      .doc = "Whether no line may match: it tells files of this kind from those of another, which "
             "have all of these lines and one more." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_line_match = {
    .title = "match.lines",
    .doc = "A line that files of this kind have, and other files have not.",
    .members = line_match_members,
    .size = sizeof(lims_line_match_t),
};

static const lims_member_t match_members[] = {
    { .name = "container",
      .type = LIMS_M_SET,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_match_t, containers),
      .values = lims_container_names,
      .doc = "Format of the file by its content, not by its extension; one or several. html is a "
             "web page with tables, which much software saves as `.xls`." },
    { .name = "fileName",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_match_t, file_name),
      .doc = "Expression that the file's name matches. Names can be changed by anybody, so the "
             "content has to match as well." },
    { .name = "lines",
      .type = LIMS_M_LIST,
      .offset = offsetof(lims_match_t, lines),
      .min = 1,
      .max = 20,
      .shape = &lims_shape_line_match,
      .doc = "Lines that the file has to have, or with `absent` must not have." },
    { .name = "headers",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_match_t, headers),
      .max = 200,
      .doc = "Header cells, all of them in one row." },
    { .name = "headersWithin",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_match_t, headers_within),
      .min = 1,
      .max = 1000,
      .fallback = "50",
      .doc = "Number of first rows that are searched for the headers." },
    { .name = "sheet",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_match_t, sheet),
      .doc = "Name of the workbook's sheet, which has to exist and to have the headers." },
    { .name = "sections",
      .type = LIMS_M_NAMES,
      .offset = offsetof(lims_match_t, sections),
      .max = 20,
      .doc = "Section headings, each of which begins some row: `[Header]`." },
    { .name = "sender",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_match_t, sender),
      .doc = "Sender of each message: ASTM H-5, HL7 MSH-3." },
    { .name = "messages",
      .type = LIMS_M_TEXTS,
      .offset = offsetof(lims_match_t, messages),
      .max = 20,
      .doc = "Message types of HL7; each message has one of these: `ORU^R01`." },
    { .name = "root",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_match_t, root),
      .doc =
          "Name of the outermost element in XML, or of a member of the outermost object in JSON." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_match = {
    .title = "match",
    .doc = "Conditions for the files that the profile is for. All that are given have to hold; at "
           "least one member beside `container` and `fileName` is needed. A file that matches "
           "several active profiles is read by none of them.",
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
      .doc = "Character set of a file that has no byte order mark and is not UTF-8." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_decode = {
    .title = "decode",
    .doc = "Character encoding of a text file.",
    .members = decode_members,
    .size = sizeof(((lims_profile_t *)NULL)->decode),
};

static const lims_member_t dialect_members[] = {
    { .name = "delimiter",
      .type = LIMS_M_SIGN,
      .offset = offsetof(lims_profile_dialect_t, delimiter),
      .fallback = ",",
      .doc = "Delimiter between cells: `,`, `;`, `tab`. With `none` each line is one cell." },
    { .name = "quote",
      .type = LIMS_M_SIGN,
      .offset = offsetof(lims_profile_dialect_t, quote),
      .fallback = "\"",
      .doc = "Quotation mark around cells that hold a delimiter or a line break, or `none`." },
    { .name = "unwrap",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_dialect_t, unwrap),
      .fallback = "false",
      .doc = "Whether each whole line stands in quotation marks, which are removed first." },
    { .name = "columns",
      .type = LIMS_M_INTEGERS,
      .offset = offsetof(lims_profile_dialect_t, columns),
      .min = 1,
      .max = 10000,
      .doc = "First characters of the columns, counted from 1, for reports with fixed columns. "
             "Needs `delimiter` `none`." },
    { .name = "comment",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_dialect_t, comment),
      .max = 8,
      .doc = "First characters of comment lines, which are skipped." },
    { .name = "ragged",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_dialect_t, ragged),
      .fallback = "false",
      .doc = "Whether a row may have more or fewer cells than the header; missing ones count as "
             "blank. Otherwise such a row is `structure_mismatch`, since nobody can tell which "
             "cell is missing." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_dialect = {
    .title = "dialect",
    .doc = "Rules by which the lines of a text file are split into cells. A first line `sep=;` "
           "sets the delimiter and is no row.",
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
      .doc = "Cells of the header: it is the first row that has all of them. Without it, the cells "
             "of `match.headers`." },
    { .name = "within",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, header.within),
      .min = 1,
      .max = 1000,
      .fallback = "50",
      .doc =
          "Number of first rows of the sheet, section or block that are searched for the header." },
    { .name = "rows",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, header.rows),
      .min = 1,
      .max = 3,
      .fallback = "1",
      .doc = "Number of header rows, which are read together, joined by a blank; the row found is "
             "the last of them. Layout grouped has two, of groups and of columns; so has layout "
             "transposed with `columns.value` and without `group`." },
    { .name = "repeats",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_table_t, header.repeats),
      .fallback = "false",
      .doc = "Whether the header may be repeated between the data, also with other columns, and "
             "applies from there." },
    { .name = "group",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_GROUP,
      .offset = offsetof(lims_profile_table_t, header.group),
      .doc = "Expression for layout transposed where sample and column stand in one cell, `S1 "
             "Area`: it captures the sample, and the rest is the column, `^(.*) (?:Area|RT)$`. "
             "Columns that do not match stand before the first sample, or are named by a source." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_header = {
    .title = "table.header",
    .doc = "The row with the names of the columns.",
    .members = header_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t block_members[] = {
    { .name = "start",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_table_t, block.start),
      .doc = "Expression that the first row of each block matches, its cells joined by tabs. The "
             "text that it captures is the source `{\"from\": \"block\"}`." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_block = {
    .title = "table.block",
    .doc = "A table that is repeated, for each sample or each substance, with a header of its own.",
    .members = block_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t end_members[] = {
    { .name = "blank",
      .type = LIMS_M_BOOLEAN,
      .offset = offsetof(lims_profile_table_t, end.blank),
      .fallback = "false",
      .doc = "Whether a blank row ends the data; otherwise blank rows are skipped." },
    { .name = "row",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_profile_table_t, end.row),
      .doc = "Expression for a row that ends the data, its cells joined by tabs." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_end = {
    .title = "table.end",
    .doc = "End of the data, where they end before the sheet, section or block.",
    .members = end_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t map_members[] = {
    { .name = "section",
      .type = LIMS_M_REGEX,
      .flags = LIMS_M_REQUIRED,
      .offset = offsetof(lims_profile_table_t, map.section),
      .doc = "Expression for a row before the map, as `table.section`." },
    LIMS_MEMBER_END,
};

static const lims_shape_t shape_map = {
    .title = "table.map",
    .doc = "Plate map of layout matrix: a second matrix of the same shape with the sample of each "
           "well; the source `{\"from\": \"map\"}`. A value in a well for which it names no sample "
           "holds the file back (`missing_tracking_id`): the name may be lost. Where plates are "
           "read whole, `rows.skip` passes such wells over: "
           "`{\"when\": [{\"from\": \"map\", \"equals\": \"\"}]}`.",
    .members = map_members,
    .size = sizeof(lims_profile_table_t),
};

static const lims_member_t table_members[] = {
    { .name = "sheet",
      .type = LIMS_M_NAME,
      .offset = offsetof(lims_profile_table_t, sheet),
      .doc = "Name of the workbook's sheet; without it `match.sheet`, or else every visible sheet "
             "with the header." },
    { .name = "section",
      .type = LIMS_M_REGEX,
      .offset = offsetof(lims_profile_table_t, section),
      .doc = "Expression for a row that stands before the table, its cells joined by tabs." },
    { .name = "header",
      .type = LIMS_M_OBJECT,
      .shape = &shape_header,
      .doc = "The row with the names of the columns." },
    { .name = "skip",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, skip),
      .min = 0,
      .max = 100,
      .fallback = "0",
      .doc = "Number of rows between the header and the data that are skipped." },
    { .name = "unitRow",
      .type = LIMS_M_INTEGER,
      .offset = offsetof(lims_profile_table_t, unit_row),
      .min = 0,
      .max = 100,
      .fallback = "0",
      .doc = "Number of rows from the header down to the row with the columns' units; 0: there is "
             "none." },
    { .name = "block",
      .type = LIMS_M_OBJECT,
      .shape = &shape_block,
      .doc = "A table that is repeated within the file." },
    { .name = "end",
      .type = LIMS_M_OBJECT,
      .shape = &shape_end,
      .doc = "End of the data in the table." },
    { .name = "map",
      .type = LIMS_M_OBJECT,
      .shape = &shape_map,
      .doc = "Plate map of layout matrix: the sample of each well." },
    { .name = "keySeparator",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_table_t, key_separator),
      .max = 8,
      .fallback = ":",
      .doc = "Separator between key and value where both stand in one cell; a key's cell may end "
             "with it." },
    { .name = "element",
      .type = LIMS_M_TEXT,
      .offset = offsetof(lims_profile_table_t, element),
      .doc = "Path of the element that is a row, in layouts xml and json: `/File/Samples/Sample`. "
             "In JSON each value of an array is a row, `item` stands for the elements of an "
             "outermost or an inner array, and `/` for the whole document." },
    LIMS_MEMBER_END,
};

const lims_shape_t lims_shape_table = {
    .title = "table",
    .doc = "Location of the results in the file.",
    .members = table_members,
    .size = sizeof(lims_profile_table_t),
    .check = lims_check_table,
};
