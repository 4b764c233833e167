/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/multipart.h"

#include <apr_strings.h>

#include "../lib/unit.h"
#include "kernel/form.h"

static apr_pool_t *pool;

#define TYPE "multipart/form-data; boundary=x"
#define FILE_MAX 20

/* Feeds in pieces of so many bytes. */
static const lims_error_t *read_pieces(const apr_array_header_t **parts, const char *type,
                                       const char *bytes, apr_size_t length, apr_size_t piece)
{
    lims_multipart_t *form = NULL;
    const lims_error_t *error = lims_multipart_create(&form, type, "file", FILE_MAX, pool);

    for (apr_size_t at = 0; at < length && !error; at += piece) {
        error = lims_multipart_feed(form, bytes + at, at + piece > length ? length - at : piece);
    }
    return error ? error : lims_multipart_finish(parts, form);
}

static const lims_error_t *read_form(const apr_array_header_t **parts, const char *text)
{
    return read_pieces(parts, TYPE, text, strlen(text), strlen(text) + 1);
}

/* --- What is taken --------------------------------------------------------- */

static const char whole[] = "--x\r\n"
                            "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n"
                            "Content-Type: text/csv\r\n"
                            "\r\n"
                            "a\r\n--\r\n--y\r\0\r\n\r\n"
                            "--x \t\r\n"
                            "content-disposition:form-data;name=hint\r\n"
                            "\r\n"
                            "\r\n"
                            "--x--\r\n";

static void test_pieces(void)
{
    for (apr_size_t piece = 1; piece < sizeof(whole); piece++) {
        const apr_array_header_t *parts = NULL;
        const lims_error_t *error = read_pieces(&parts, TYPE, whole, sizeof(whole) - 1, piece);
        const lims_part_t *file = parts ? lims_multipart_find(parts, "file") : NULL;
        const lims_part_t *hint = parts ? lims_multipart_find(parts, "hint") : NULL;

        ok(!error && parts->nelts == 2 && file && hint && file->length == 14 &&
               memcmp(file->bytes, "a\r\n--\r\n--y\r\0\r\n", 14) == 0 && file->bytes[14] == '\0' &&
               strcmp(file->file_name, "a.csv") == 0 && hint->length == 0 &&
               hint->bytes[0] == '\0' && !hint->file_name,
           "in pieces of %d: to the byte", (int)piece);
    }
}

static void test_truncated(void)
{
    bool all = true;

    /* The last two bytes are the line end behind the last boundary. */
    for (apr_size_t length = 0; length < sizeof(whole) - 3; length++) {
        const apr_array_header_t *parts = NULL;

        all = all && read_pieces(&parts, TYPE, whole, length, 7);
    }
    ok(all, "no beginning of a form is a form");
}

/* --- The boundary ---------------------------------------------------------- */

static void test_boundary(void)
{
    static const char *const types[] = {
        "multipart/form-data; boundary=x",
        "Multipart/Form-Data;boundary=\"x\"",
        "multipart/form-data ; charset=utf-8; Boundary=x;",
    };
    static const char *const wrong[] = {
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"x",
        "multipart/form-data; boundary=x; boundary=x",
        "multipart/form-data; boundary=\"x \"",
        "multipart/form-data; boundary=\"\xC3\xA4\"",
        "multipart/form-data; boundary=\"x\\y\"",
        "multipart/form-data boundary=x",
        "multipart/form-data; boundary x",
        "multipart/form-data; boundary="
        "01234567890123456789012345678901234567890123456789012345678901234567890",
        "multipart/mixed; boundary=x",
        "multipart/form-datax; boundary=x",
        NULL,
    };
    const apr_array_header_t *parts = NULL;

    for (apr_size_t i = 0; i < LIMS_LENGTH(types); i++) {
        passes(read_pieces(&parts, types[i], whole, sizeof(whole) - 1, 100), types[i]);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(wrong); i++) {
        refuses(read_pieces(&parts, wrong[i], whole, sizeof(whole) - 1, 100), LIMS_E_INVALID_BODY,
                "boundary", wrong[i] ? wrong[i] : "no Content-Type");
    }
    ok(lims_multipart_is("multipart/form-data; charset=x") && !lims_multipart_is(NULL) &&
           !lims_multipart_is("application/json") && !lims_multipart_is("multipart/form-dataset"),
       "only multipart/form-data is a form");
}

/* --- What is refused ------------------------------------------------------- */

#define HEAD "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n"
#define TAIL "\r\n--x--"

static const struct {
    const char *text, *part;
} refused[] = {
    { "", "ends before" },
    { "--x--", NULL },
    { "preamble\r\n" HEAD "\r\n1" TAIL, "does not begin with its boundary" },
    { "\r\n" HEAD "\r\n1" TAIL, "does not begin with its boundary" },
    { HEAD "\r\n1" TAIL, NULL },
    { HEAD "\r\n1" TAIL "\r\n \t\r\n", NULL },
    { HEAD "\r\n1" TAIL "epilogue", "behind the last boundary" },
    { HEAD "\r\n1\r\n--x-", "ends before" },
    { HEAD "\r\n1\r\n--x-y", "a boundary goes on" },
    { HEAD "\r\n1\r\n--xy\r\n", "a boundary goes on" },
    { HEAD "\r\n1\r\n--x\n", "a boundary goes on" },
    { HEAD "\r\n1\r\n--x\r\r", "CR LF" },
    { HEAD "\r\n1\n--x--", "ends before" },
    { HEAD "\r\n1\r\n" HEAD "\r\n2" TAIL, "a is there twice" },
    { "--x\r\n\r\n1" TAIL, "no Content-Disposition" },
    { "--x\r\nContent-Type: text/plain\r\n\r\n1" TAIL, "no Content-Disposition" },
    { HEAD "Content-Disposition: form-data; name=b\r\n\r\n1" TAIL, "two Content-Dispositions" },
    { "--x\r\nContent-Disposition: attachment; name=a\r\n\r\n1" TAIL, "not of the form" },
    { "--x\r\nContent-Disposition: form-data\r\n\r\n1" TAIL, "no name" },
    { "--x\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n1" TAIL, "no name" },
    { "--x\r\nContent-Disposition: form-data; name=\"a\r\n\r\n1" TAIL, "not of the form" },
    { "--x\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n1" TAIL, "not of the form" },
    { "--x\r\nContent-Disposition: form-data; name=\"\xFF\"\r\n\r\n1" TAIL, "no name" },
    { "--x\r\nContent-Disposition : form-data; name=a\r\n\r\n1" TAIL, "name: value" },
    { HEAD " folded: 1\r\n\r\n1" TAIL, "name: value" },
    { "--x\r\nnonsense\r\n\r\n1" TAIL, "name: value" },
    { "--x\r\n: nonsense\r\n\r\n1" TAIL, "name: value" },
    { "--x\r\nContent-Disposition: form-data; name=a\nX: y\r\n\r\n1" TAIL, "CR LF" },
    { HEAD "Content-Transfer-Encoding: base64\r\n\r\n1" TAIL, "Content-Transfer-Encoding" },
    { HEAD "Content-Transfer-Encoding: binary\r\nX-Other: 1\r\n\r\n1" TAIL, NULL },
    { "--x\r\nContent-Disposition: form-data; name=a; filename=\"\x01\"\r\n\r\n1" TAIL,
      "file name" },
};

static void test_refused(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(refused); i++) {
        const apr_array_header_t *parts = NULL;
        const lims_error_t *error = read_form(&parts, refused[i].text);

        if (!refused[i].part) {
            passes(error, refused[i].text);
        } else {
            refuses(error, LIMS_E_INVALID_BODY, refused[i].part, refused[i].text);
        }
    }
}

static void test_nul_in_header(void)
{
    static const char text[] = HEAD "X: \0\r\n\r\n1" TAIL;
    const apr_array_header_t *parts = NULL;

    refuses(read_pieces(&parts, TYPE, text, sizeof(text) - 1, 100), LIMS_E_INVALID_BODY, "NUL",
            "a NUL in a header");
}

/* --- Bounds ---------------------------------------------------------------- */

static char *repeated(char c, apr_size_t count)
{
    char *text = apr_palloc(pool, count + 1);

    memset(text, c, count);
    text[count] = '\0';
    return text;
}

static void test_bounds(void)
{
    static const char file[] = "--x\r\nContent-Disposition: form-data; name=file\r\n\r\n";
    const apr_array_header_t *parts = NULL;
    const char *text = "";

    passes(read_form(&parts, apr_pstrcat(pool, file, repeated('a', FILE_MAX), TAIL, NULL)),
           "a file as large as it may be");
    refuses(read_form(&parts, apr_pstrcat(pool, file, repeated('a', FILE_MAX + 1), TAIL, NULL)),
            LIMS_E_PAYLOAD_TOO_LARGE, "at most 20 bytes", "a byte more");
    refuses(read_form(&parts, apr_pstrcat(pool, file, repeated('\r', FILE_MAX + 1), TAIL, NULL)),
            LIMS_E_PAYLOAD_TOO_LARGE, "at most 20 bytes",
            "the limit counts bytes that could begin a boundary");
    passes(read_form(&parts, apr_pstrcat(pool, HEAD "\r\n", repeated('a', LIMS_MULTIPART_FIELD_MAX),
                                         TAIL, NULL)),
           "a text as long as it may be");
    refuses(read_form(&parts, apr_pstrcat(pool, HEAD "\r\n",
                                          repeated('a', LIMS_MULTIPART_FIELD_MAX + 1), TAIL, NULL)),
            LIMS_E_INVALID_BODY, "a is too long", "a character more");
    refuses(read_form(&parts, apr_pstrcat(pool, HEAD "X: ",
                                          repeated('a', LIMS_MULTIPART_HEADER_MAX), NULL)),
            LIMS_E_INVALID_BODY, "header of a part is too long", "a long header");
    for (int i = 0; i <= LIMS_MULTIPART_PARTS_MAX; i++) {
        text = apr_psprintf(pool, "%s--x\r\nContent-Disposition: form-data; name=n%d\r\n\r\n1\r\n",
                            text, i);
    }
    refuses(read_form(&parts, apr_pstrcat(pool, text, "--x--", NULL)), LIMS_E_INVALID_BODY,
            "too many parts", "many parts");
}

/* --- Names ----------------------------------------------------------------- */

static const struct {
    const char *sent, *name;
} names[] = {
    { "filename=run.csv", "run.csv" },
    { "filename=\"run 1.csv\"", "run 1.csv" },
    { "filename=\"C:\\\\lab\\run.csv\"", "run.csv" },
    { "filename=\"../../etc/passwd\"", "passwd" },
    { "filename=\"a\\\"b\"", "a\"b" },
    { "filename=\"M\xC3\xA4rz.csv\"", "M\xC3\xA4rz.csv" },
    { "filename=\"\"", NULL },
    { "filename=\"lab/\"", NULL },
    { "filename*=utf-8''x.csv", NULL },
};

static void test_names(void)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(names); i++) {
        const apr_array_header_t *parts = NULL;
        const char *text = apr_pstrcat(pool, "--x\r\nContent-Disposition: form-data; name=file; ",
                                       names[i].sent, "\r\n\r\n1" TAIL, NULL);
        const lims_error_t *error = read_form(&parts, text);
        const char *name = !error ? lims_multipart_find(parts, "file")->file_name : "";

        ok(!error && (!names[i].name ? !name : name && !strcmp(name, names[i].name)), "%s",
           names[i].sent);
    }
}

/* --- Digest and fields ----------------------------------------------------- */

static const char *digest_of(const char *text)
{
    const apr_array_header_t *parts = NULL;

    return !read_form(&parts, text) ? lims_multipart_digest(parts, pool) : "";
}

static void test_digest(void)
{
    static const char other[] = "--yy\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--yy--";
    const apr_array_header_t *parts = NULL;
    const char *first = digest_of(HEAD "\r\n1" TAIL);

    ok(*first != '\0' && strcmp(first, digest_of(HEAD "\r\n2" TAIL)) != 0,
       "another value has another digest");
    passes(read_pieces(&parts, "multipart/form-data; boundary=yy", other, sizeof(other) - 1, 9),
           "another boundary");
    ok(strcmp(first, lims_multipart_digest(parts, pool)) == 0,
       "the same parts have the same digest");
}

static const lims_field_t fields[] = {
    { .name = "file", .type = LIMS_T_FILE, .flags = LIMS_F_REQUIRED },
    { .name = "a", .type = LIMS_T_BOOLEAN, .fallback = "false" },
    { .name = "n", .type = LIMS_T_DECIMAL, .min = 0, .max = 1 },
    LIMS_FIELD_END,
};

static const lims_error_t *take(const lims_upload_t **file, lims_values_t *values, const char *text)
{
    const apr_array_header_t *parts = NULL;
    const lims_error_t *error = read_form(&parts, text);

    return error ? error : lims_form_take(file, values, fields, parts, pool);
}

#define FIELD(name) "--x\r\nContent-Disposition: form-data; name=" name "\r\n\r\n"

static void test_fields(void)
{
    lims_values_t *values = lims_values_create(pool);
    const lims_upload_t *file = NULL;

    passes(take(&file, values, FIELD("n") "0.90\r\n" FIELD("file") "b" TAIL), "a form of fields");
    ok(file && file->length == 1 && strcmp(file->name, "unnamed") == 0,
       "a form with a file without a name");
    ok(strcmp(lims_values_get(values, "n"), "0.90") == 0 &&
           strcmp(lims_values_get(values, "a"), "f") == 0,
       "given fields and defaults");
    values = lims_values_create(pool);
    refuses(take(&file, values, FIELD("n") "0.9" TAIL), LIMS_E_INVALID_BODY, "file",
            "without its file");
    refuses(take(&file, values, FIELD("b") "1\r\n" FIELD("file") "b" TAIL), LIMS_E_INVALID_BODY,
            "b is not a field", "a form with an unknown part");
    refuses(take(&file, values, FIELD("a") "yes\r\n" FIELD("file") "b" TAIL), LIMS_E_INVALID_BODY,
            "a must be true or false", "a form with a wrong value");
    refuses(take(&file, values, FIELD("a; filename=b") "true\r\n" FIELD("file") "b" TAIL),
            LIMS_E_INVALID_BODY, "a must be a text", "a form with a file where a text belongs");
}

int main(void)
{
    pool = unit_pool();
    test_pieces();
    test_truncated();
    test_boundary();
    test_refused();
    test_nul_in_header();
    test_bounds();
    test_names();
    test_digest();
    test_fields();
    return tap_done();
}
