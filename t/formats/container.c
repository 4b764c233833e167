/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/container.h"

#include "../lib/sheet.h"
#include "../lib/unit.h"

static apr_pool_t *pool;

static const char *detected(const char *bytes, apr_size_t length)
{
    lims_reasons_t *reasons = lims_reasons_create(pool);
    lims_container_e container = LIMS_CONTAINER_COUNT;

    return lims_container_detect(&container, bytes, length, reasons)
               ? lims_container_name(container)
               : reasons_text(reasons, pool);
}

#define REFUSED(what)                                                                              \
    "unsupported_container@0 The file is " what ", which holds no rows that could be read."

int main(void)
{
    static const struct {
        const char *bytes;
        apr_size_t length;
        const char *outcome;
    } cases[] = {
        { "", 0, "empty_file@0 The file is empty." },
        { " \r\n\t", 4, "empty_file@0 The file holds nothing but white space." },
        { "\xef\xbb\xbf\n", 4, "empty_file@0 The file holds nothing but white space." },
        { "a,b\n", 4, "text" },
        { "H", 1, "text" },
        { "Hour,Value\n", 11, "text" },
        { "PK\x03\x04", 4, "xlsx" },
        { "PK", 2, "text" },
        { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, "xls" },
        { "<?xml version", 13, "xml" },
        { "\xff\xfe<\0?\0x\0m\0l\0", 12, "xml" },
        { "\xef\xbb\xbf<?XML", 8, "xml" },
        { " <html>", 7, "html" },
        { "<!DOCTYPE html>", 15, "html" },
        { "<TABLE border=1>", 16, "html" },
        { "<!-- x --> <html>", 17, "html" },
        { "<tables>", 8, "xml" },
        { "<!-- x --><a>", 13, "xml" },
        { "%PDF-1.7", 8, REFUSED("a PDF document") },
        { "\x1f\x8b\x08", 3, REFUSED("a compressed file") },
        { "<Run>", 5, "xml" },
        { "<5 mg/L,S1", 10, "text" },
        { "MSH,count\n", 10, "text" },
        { "{\"a\": 1}", 8, "json" },
        { "[ {", 3, "json" },
        { "[Header]\n", 9, "text" },
        { "{x}", 3, "text" },
        { "\x09\x04\x06\x00", 4, REFUSED("a workbook of Excel 4") },
        { "MSH|^~\\&|", 9, "hl7" },
        { "\x0bMSH|^~\\&|", 10, "hl7" },
        { "BHS|^~\\&|", 9, "hl7" },
        { "H|\\^&|||", 8, "astm" },
        { "H|@^\\|", 6, "astm" },
        { "# saved by hand\nH|\\^&|||", 24, "astm" },
        { "# a, b\n1,2\n", 11, "text" },
        { "\x05\x02"
          "1H|\\^&\r\x03",
          10, "astm" },
        { "\x02"
          "1H|\\^&\r\x03",
          9, "astm" },
        { "\x02xyz", 4, "text" },
    };

    pool = unit_pool();
    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(detected(cases[i].bytes, cases[i].length), cases[i].outcome, cases[i].outcome);
    }
    return tap_done();
}
