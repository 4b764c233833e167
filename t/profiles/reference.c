/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manual's reference is what the tables of members say: neither lacks one.
 * `build/out/t/profiles/reference --print` prints what has to stand there.
 */
#include <apr_file_io.h>
#include <apr_strings.h>

#include "profiles/profile_parse.h"
#include "unit.h"

#define BEGIN "<!-- reference: begin -->\n"
#define END "<!-- reference: end -->\n"

static const char *read_manual(apr_pool_t *pool)
{
    const char *file = __FILE__;
    const char *folder = strstr(file, "t/profiles/");
    const char *path =
        apr_psprintf(pool, "%.*sconf/profiles/README.md", (int)(folder ? folder - file : 0), file);
    apr_file_t *manual;
    apr_finfo_t about;
    char *text;

    if (apr_file_open(&manual, path, APR_READ, 0, pool) != APR_SUCCESS ||
        apr_file_info_get(&about, APR_FINFO_SIZE, manual) != APR_SUCCESS) {
        return NULL;
    }
    text = apr_pcalloc(pool, (apr_size_t)about.size + 1);
    apr_file_read_full(manual, text, (apr_size_t)about.size, NULL);
    return text;
}

/* The first line in which two texts differ. */
static void tell_difference(const char *got, const char *expected)
{
    int line = 1;
    apr_size_t begin = 0;
    apr_size_t i = 0;

    while (got[i] != '\0' && got[i] == expected[i]) {
        if (got[i++] == '\n') {
            line++;
            begin = i;
        }
    }
    printf("# line %d of the reference\n# has  %.*s\n# lacks %.*s\n", line,
           (int)strcspn(got + begin, "\n"), got + begin, (int)strcspn(expected + begin, "\n"),
           expected + begin);
}

int main(int count, char **arguments)
{
    apr_pool_t *pool = unit_pool();
    const char *reference = lims_profile_reference(pool);
    const char *manual;
    const char *begin;
    const char *end;

    if (count > 1 && strcmp(arguments[1], "--print") == 0) {
        fputs(reference, stdout);
        return 0;
    }
    manual = read_manual(pool);
    begin = manual ? strstr(manual, BEGIN) : NULL;
    end = begin ? strstr(begin, END) : NULL;
    ok(manual, "there is a manual");
    if (ok(end, "it has a reference")) {
        const char *there =
            apr_pstrmemdup(pool, begin + strlen(BEGIN), (apr_size_t)(end - begin) - strlen(BEGIN));

        if (!ok(strcmp(there, reference) == 0, "the reference says what the tables say")) {
            tell_difference(there, reference);
        }
    }
    return tap_done();
}
