/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that says how it ends is never taken when it was cut, wherever that was;
 * and reading takes time by the length of the file, not more.
 */
#include <apr_time.h>
#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "../lib/readings.h"

static apr_pool_t *pool;

#define LONG(more)                                                                                 \
    "{'code': 'c', 'name': 'n', 'layout': 'long', 'dialect': {'delimiter': 'tab'},"                \
    " 'match': {'container': 'text', 'headers': ['ID', 'Test', 'Value']},"                         \
    " 'columns': {'trackingId': 'ID', 'test': 'Test', 'value': 'Value'},"                          \
    " 'tests': [{'name': 'T', 'testCode': 'T'}]" more "}"
#define ROWS "ID\tTest\tValue\nS1\tT\t5.10\nS2\tT\t6.20\n"

static const struct {
    const char *name, *profile, *text;
    int least; /* bytes at the end that say nothing: of a message's end but its name */
} whole[] = {
    { "a last line", LONG(", 'table': {'end': {'row': '^END'}}, 'integrity': {'end': '^END$'}"),
      ROWS "END", 0 },
    { "a count before the rows", LONG(", 'integrity': {'count': {'key': 'Rows'}}"),
      "Rows\t2\n" ROWS, 0 },
    { "a count behind the rows",
      LONG(", 'table': {'end': {'row': '^Number'}}, 'integrity': {'count': {'key': 'Number'}}"),
      ROWS "Number\t2\n", 0 },
    { "a line with a checksum that is only to be there",
      LONG(", 'table': {'end': {'row': '^Sum'}}, 'integrity': {'hash': {'regex': '^Sum (.{4})$'}}"),
      ROWS "Sum b855", 0 },
    { "CRC-16",
      LONG(", 'table': {'end': {'row': '^Sum'}}, 'integrity': {'hash': {'regex': '^Sum (.*)$',"
           " 'algorithm': 'crc16'}}"),
      ROWS "Sum 18a2", 0 },
    { "CRC-32",
      LONG(", 'table': {'end': {'row': '^Sum'}}, 'integrity': {'hash': {'regex': '^Sum (.*)$',"
           " 'algorithm': 'crc32'}}"),
      ROWS "Sum 00000000", 0 },
    { "MD5",
      LONG(", 'table': {'end': {'row': '^Sum'}}, 'integrity': {'hash': {'regex': '^Sum (.*)$',"
           " 'algorithm': 'md5'}}"),
      ROWS "Sum 0", 0 },
    { "SHA-1",
      LONG(", 'table': {'end': {'row': '^Sum'}}, 'integrity': {'hash': {'regex': '^Sum (.*)$',"
           " 'algorithm': 'sha1'}}"),
      ROWS "Sum 0", 0 },
    { "SHA-256",
      LONG(", 'table': {'end': {'row': '^Sum'}}, 'integrity': {'hash': {'regex': '^Sum (.*)$',"
           " 'algorithm': 'sha256'}}"),
      ROWS "Sum 0", 0 },
    { "keys and values",
      "{'code': 'c', 'name': 'n', 'layout': 'keyvalue', 'dialect': {'delimiter': 'none'},"
      " 'match': {'container': 'text', 'sections': ['Report']}, 'columns': {'trackingId': 'ID'},"
      " 'integrity': {'end': '^\\\\*\\\\*\\\\* End of Report \\\\*\\\\*\\\\*$'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "Report\nID: S1\nT: 5\n*** End of Report ***", 0 },
    { "ASTM",
      "{'code': 'c', 'name': 'n', 'layout': 'astm', 'match': {'container': 'astm', 'sender': '.'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "H|\\^&|||D\rP|1\rO|1|S1\rR|1|^^^T|5.10|||||F\rL|1|N\r", 5 },
    { "an HL7 batch",
      "{'code': 'c', 'name': 'n', 'layout': 'hl7', 'match': {'container': 'hl7', 'messages':"
      " ['ORU^R01']}, 'columns': {'trackingId': 'OBR-3'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "BHS|^~\\&|A\rMSH|^~\\&|A|B|C|D|2026||ORU^R01|1|P|2.5\rOBR|1||S1\r"
      "OBX|1|NM|T||5.10||||||F\rBTS|1\r",
      3 },
    { "XML",
      "{'code': 'c', 'name': 'n', 'layout': 'xml', 'match': {'container': 'xml', 'root': 'F'},"
      " 'table': {'element': '/F/S'}, 'columns': {'trackingId': '@id'},"
      " 'tests': [{'name': 'T', 'testCode': 'T'}]}",
      "<F><S id='1'><T>5.10</T></S><S id='2'><T>6.20</T></S></F>", 0 },
};

static const lims_readings_t *read_part(const lims_profile_t *profile, const char *text,
                                        apr_size_t length, apr_pool_t *scratch)
{
    return lims_file_read_with(apr_pstrmemdup(scratch, text, length), length, "f", profile,
                               scratch);
}

/* The text with the checksum that the reader itself expects: the known values of
 * the algorithms are tested below. */
static const char *completed(const lims_profile_t *profile, const char *text)
{
    const lims_readings_t *out = read_part(profile, text, strlen(text), pool);
    const lims_reason_t *reason =
        out->reasons->list->nelts > 0 ? &APR_ARRAY_IDX(out->reasons->list, 0, lims_reason_t) : NULL;
    const char *last = strrchr(text, ' ');

    if (!reason || reason->code != LIMS_REASON_CHECKSUM_ERROR || !last) {
        return text;
    }
    return apr_pstrcat(pool, apr_pstrmemdup(pool, text, (apr_size_t)(last - text) + 1),
                       reason->expected, NULL);
}

static void test_truncation(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(whole); i++) {
        const lims_profile_t *profile = profile_of(whole[i].profile, pool);
        apr_pool_t *scratch;
        const char *text;
        int taken = -1;

        if (!profile) {
            continue;
        }
        text = completed(profile, whole[i].text);
        is(why_text(read_part(profile, text, strlen(text), pool), pool), "",
           apr_psprintf(pool, "%s: the whole is taken", whole[i].name));
        apr_pool_create(&scratch, pool);
        for (apr_size_t length = 0; length + (apr_size_t)whole[i].least < strlen(text); length++) {
            if (read_part(profile, text, length, scratch)->reasons->blocking == 0) {
                taken = (int)length;
            }
            apr_pool_clear(scratch);
        }
        is_number(taken, -1, "no part of the file is taken");
    }
}

/* A message ends each of its segments, also the last: a cut within it is seen, one
 * between two segments is not. A profile can say that its files lack the last end. */
static void test_segments(void)
{
    static const char profile[] =
        "{'code': 'c', 'name': 'n', 'layout': 'hl7', 'match': {'container': 'hl7', 'messages':"
        " ['ORU^R01']}, 'columns': {'trackingId': 'OBR-3'}, %s"
        " 'tests': [{'name': 'T', 'testCode': 'T'}]}";
    static const char text[] = "MSH|^~\\&|A|B|C|D|2026||ORU^R01|1|P|2.5\rOBR|1||S1\r"
                               "OBX|1|NM|T||5.10||||||F\rOBR|2||S2\rOBX|2|NM|T||6.20||||||F||\r";
    const char *last = strstr(text, "OBR|2");
    const char *strict = apr_psprintf(pool, profile, "");
    const char *lax = apr_psprintf(pool, profile, "'integrity': {'lineBreak': false},");

    is(why_text(read_text(strict, text, pool), pool), "", "ended segments are taken");
    for (const char *cut = last + 1; *cut; cut++) {
        const char *part = apr_pstrmemdup(pool, text, (apr_size_t)(cut - text));

        if (cut[-1] != '\r') {
            ok(read_text(strict, part, pool)->reasons->blocking > 0, "cut at byte %d",
               (int)(cut - text));
        } else {
            is(why_text(read_text(strict, part, pool), pool), "",
               "between segments it is not seen");
        }
    }
    is(why_text(read_text(lax, apr_pstrmemdup(pool, text, strlen(text) - 1), pool), pool), "",
       "a profile can say that the last segment is not ended");
    has(why_text(read_text(strict, apr_pstrmemdup(pool, text, strlen(text) - 1), pool), pool),
        "truncated_file@5:0", "without the last character the reason names the place");
    is(why_text(read_text(strict, apr_pstrcat(pool, text, "\n  ", NULL), pool), pool), "",
       "blanks behind the last segment are nothing");
}

/* Checksums of "123456789" and a line feed, as other programs calculate them. */
static void test_checksums(void)
{
    static const struct {
        const char *algorithm, *sum;
    } sums[] = {
        { "crc16", "a501" },
        { "crc32", "e0117757" },
        { "md5", "b2cfa4183267af678ea06c7407d4d6d8" },
        { "sha1", "179c94cf45c6e383baf52621687305204cef16f9" },
        { "sha256", "6d78392a5886177fe5b86e585a0b695a2bcd01a05504b3c4e38bc8eeb21e8326" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(sums); i++) {
        const char *profile = apr_psprintf(
            pool,
            "{'code': 'c', 'name': 'n', 'layout': 'keyvalue', 'dialect': {'delimiter': 'none'},"
            " 'match': {'container': 'text', 'sections': ['1']}, 'columns': {'trackingId':"
            " {'text': 'S'}}, 'tests': [{'name': 'T', 'testCode': 'T', 'kind': 'text'}],"
            " 'integrity': {'hash': {'regex': '^T: ([0-9a-fA-F]+)$', 'algorithm': '%s'}}}",
            sums[i].algorithm);
        char *upper = apr_pstrdup(pool, sums[i].sum);

        for (char *p = upper; *p; p++) {
            *p = (char)toupper(*p);
        }
        is(why_text(read_text(profile, apr_pstrcat(pool, "123456789\nT: ", upper, NULL), pool),
                    pool),
           "", sums[i].algorithm);
        has(why_text(read_text(profile, apr_pstrcat(pool, "123456780\nT: ", upper, NULL), pool),
                     pool),
            "checksum_error", "the checksum of another text is refused");
    }
}

/* A table of so many results; the CPU time that reading it takes. */
static apr_time_t time_of(const lims_profile_t *profile, int results, apr_pool_t *scratch)
{
    char *text = apr_palloc(scratch, (apr_size_t)results * 40 + 100), *end = text;
    const lims_readings_t *out;
    clock_t begin;

    end += sprintf(end, "ID\tTest\tValue\n");
    for (int i = 0; i < results; i++) {
        end += sprintf(end, "SAMPLE-%07d\tT\t%d.%02d\n", i, i % 1000, i % 100);
    }
    begin = clock();
    out = lims_file_read_with(text, (apr_size_t)(end - text), "f", profile, scratch);
    if (out->readings->nelts != results || out->reasons->count != 0) {
        ok(false, "%d results are read: %s", results, why_text(out, scratch));
    }
    return (apr_time_t)(clock() - begin);
}

static void test_time(void)
{
    const lims_profile_t *profile = profile_of(LONG(""), pool);
    apr_time_t small = 0, large = 0;
    apr_pool_t *scratch;

    apr_pool_create(&scratch, pool);
    for (int i = 0; profile && i < 5; i++) {
        apr_time_t once = time_of(profile, 5000, scratch);
        small = i == 0 || once < small ? once : small;
        apr_pool_clear(scratch);
        once = time_of(profile, 50000, scratch);
        large = i == 0 || once < large ? once : large;
        apr_pool_clear(scratch);
    }
    printf("# 5,000 results: %.1f ms, 50,000: %.1f ms\n", (double)small * 1000 / CLOCKS_PER_SEC,
           (double)large * 1000 / CLOCKS_PER_SEC);
    ok(large < 40 * small, "ten times as many results take no more than forty times the time");
}

int main(void)
{
    pool = unit_pool();
    test_truncation();
    test_segments();
    test_checksums();
    test_time();
    apr_pool_destroy(pool);
    return tap_done();
}
