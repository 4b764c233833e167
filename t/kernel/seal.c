/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/seal.h"

#include <apr_strings.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

/* 32 bytes 00 … 1F, and 32 of FF, in base64. */
#define COUNTING "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define ONES "//////////////////////////////////////////8="

#define KNOWN "\\x01016b000102030405060708090a0b306aa57ea6baa379ee0e0373395e735d43c1e0b5ba9b3834a8"

static const lims_keyring_t *parsed(const char *text)
{
    const lims_keyring_t *ring = NULL;
    const char *problem = lims_keyring_parse(&ring, text, "keys", pool);

    if (problem) {
        printf("# %s\n", problem);
    }
    return problem ? NULL : ring;
}

static void test_parse(void)
{
    static const struct {
        const char *text, *problem;
    } bad[] = {
        { "", "keys holds no key" },
        { "# only a comment\n\n", "keys holds no key" },
        { "a\n", "keys, line 1: a line is an id, a space" },
        { "a " COUNTING "\nb\n", "keys, line 2: a line is" },
        { "a AAEC\n", "line 1: a line is" },
        { "a " COUNTING "A\n", "line 1: a line is" },
        { "a " COUNTING " b\n", "line 1: a line is" },
        { "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n", "line 1: a line is" },
        { "a AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==\n", "line 1: a line is" },
        { "a !AECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", "line 1: a line is" },
        { "a/b " COUNTING "\n", "line 1: the id of a key" },
        { "a2345678901234567890123456789012x " COUNTING "\n", "line 1: the id of a key" },
        { "a " COUNTING "\na " ONES "\n", "line 2: this id stands there twice" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(bad); i++) {
        const lims_keyring_t *ring = NULL;
        const char *problem = lims_keyring_parse(&ring, bad[i].text, "keys", pool);

        ok(problem && strstr(problem, bad[i].problem) && !strstr(problem, "AAEC"), "refused: %s",
           bad[i].text);
    }
    is(lims_keyring_first(parsed("# two\r\n\n  b\t" ONES "  \r\na " COUNTING)), "b",
       "the first key is the first line that has one");
}

static void test_many_keys(void)
{
    const char *text = "";
    const lims_keyring_t *ring = NULL;

    for (int i = 0; i < LIMS_SEAL_KEYS_MAX; i++) {
        text = apr_psprintf(pool, "%sk%d " COUNTING "\n", text, i);
    }
    ok(parsed(text), "sixteen keys");
    text = apr_pstrcat(pool, text, "more " COUNTING, NULL);
    ok(lims_keyring_parse(&ring, text, "keys", pool), "seventeen keys are refused");
}

static void test_round_trip(void)
{
    const lims_keyring_t *ring = parsed("new " COUNTING "\nold " ONES "\n");
    const lims_keyring_t *before = parsed("old " ONES "\n");
    const char *sealed = lims_seal(ring, "whsec_abc", "endpoint 7 of 1", pool);
    const char *secret = NULL;

    is(lims_unseal(&secret, ring, sealed, "endpoint 7 of 1", pool), NULL, "a sealed secret opens");
    is(secret, "whsec_abc", "the opened secret is what was sealed");
    ok(strcmp(sealed, lims_seal(ring, "whsec_abc", "endpoint 7 of 1", pool)) != 0,
       "no two are equal");
    ok(strncmp(sealed, lims_seal_prefix(ring, pool), strlen(lims_seal_prefix(ring, pool))) == 0,
       "a sealed secret names its key");
    ok(strncmp(sealed, lims_seal_prefix(before, pool), strlen(lims_seal_prefix(before, pool))) != 0,
       "a sealed secret does not name another key");
    ok(!strstr(sealed, "7768736563"), "the secret is not in it");

    secret = NULL;
    ok(lims_unseal(&secret, ring, sealed, "endpoint 8 of 1", pool),
       "it does not open for another row");
    ok(lims_unseal(&secret, ring, sealed, "", pool), "it does not open without a row");
    is(lims_unseal(&secret, before, sealed, "endpoint 7 of 1", pool),
       "the key file has no key \"new\"", "without its key it stays closed");
    ok(lims_unseal(&secret, parsed("new " ONES), sealed, "endpoint 7 of 1", pool),
       "another key of that id does not open it");
    is(secret, NULL, "a failure returns no secret");

    sealed = lims_seal(before, "whsec_def", "x", pool);
    is(lims_unseal(&secret, ring, sealed, "x", pool), NULL, "the second key opens what it sealed");
    is(secret, "whsec_def", "the secret is as it was");
    is(lims_unseal(&secret, ring, lims_seal(ring, "", "x", pool), "x", pool), NULL,
       "an empty secret is not sealed");
    is(secret, "", "an empty secret stays empty");
}

/* Every bit counts, and no shorter text is taken for a whole. */
static void test_changed(void)
{
    const lims_keyring_t *ring = parsed("k " COUNTING);
    const char *sealed = lims_seal(ring, "whsec_abc", "context", pool);
    apr_size_t length = strlen(sealed);
    const char *secret = NULL;
    int opened = 0;

    for (apr_size_t i = 2; i < length; i++) {
        char *changed = apr_pstrdup(pool, sealed);

        changed[i] = changed[i] == '0' ? '1' : '0';
        opened += !lims_unseal(&secret, ring, changed, "context", pool);
        opened += !lims_unseal(&secret, ring, apr_pstrndup(pool, sealed, i), "context", pool);
    }
    is_number(opened, 0, "changed or cut anywhere it does not open");
    ok(lims_unseal(&secret, ring, apr_pstrcat(pool, sealed, "00", NULL), "context", pool),
       "it does not open with bytes behind it");
    ok(lims_unseal(&secret, ring, "", "context", pool), "an empty text does not open");
}

/* AES-256-GCM by the Python package `cryptography`: key 00 … 1F, nonce 0 … B,
 * associated data 01 01 6b, the nonce and "context". */
static void test_known(void)
{
    const char *secret = NULL;

    is(lims_unseal(&secret, parsed("k " COUNTING), KNOWN, "context", pool), NULL,
       "a secret sealed by other code opens");
    is(secret, "whsec_abc", "the opened secret is what the other code sealed");
}

static void test_lengths(void)
{
    const lims_keyring_t *ring = parsed("k2345678901234567890123456789012 " COUNTING);
    char *longest = apr_pcalloc(pool, LIMS_SEAL_SECRET_MAX + 2);
    const char *secret = NULL;

    memset(longest, 'x', LIMS_SEAL_SECRET_MAX);
    is(lims_unseal(&secret, ring, lims_seal(ring, longest, "c", pool), "c", pool), NULL,
       "the longest secret under the longest id");
    is(secret, longest, "comes back whole");
    longest[LIMS_SEAL_SECRET_MAX] = 'x';
    is(lims_seal(ring, longest, "c", pool), NULL, "a longer one is refused");
}

/* Cleanups run last registered first: this one after the wiping, while the
 * memory is still there. */
static apr_status_t look(void *data)
{
    const unsigned char *const *bytes = data;

    is_number((*bytes)[0] | (*bytes)[63], 0, "memory of secrets is wiped with its pool");
    return APR_SUCCESS;
}

static void test_wiped(void)
{
    apr_pool_t *inner = NULL;
    unsigned char **bytes = apr_palloc(pool, sizeof(*bytes));

    apr_pool_create(&inner, pool);
    apr_pool_cleanup_register(inner, bytes, look, apr_pool_cleanup_null);
    *bytes = lims_wiped_alloc(64, inner);
    is_number((*bytes)[0] | (*bytes)[63], 0, "the guarded memory begins empty");
    memset(*bytes, 'x', 64);
    apr_pool_destroy(inner);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fchmod(fd, mode) == 0 &&
           close(fd) == 0,
       "a file of mode %o", (unsigned)mode);
}

static void refused(const char *file, const char *part)
{
    const lims_keyring_t *ring = NULL;
    const char *problem = lims_keyring_read(&ring, file, pool);

    ok(problem && strstr(problem, part) && strstr(problem, file), "refused: %s",
       problem ? problem : "not at all");
}

static void test_files(const char *folder)
{
    const char *file = apr_pstrcat(pool, folder, "/keys", NULL);
    const lims_keyring_t *ring = NULL;
    const lims_keyring_t *later = NULL;
    const char *secret = NULL;
    struct stat info;

    refused(file, "limsctl secret-key");
    is(lims_keyring_add(file, "first", pool), NULL, "a file is made");
    is_number(stat(file, &info) == 0 ? info.st_mode & 0777 : 0, 0600,
              "the key file is its owner's alone");
    is(lims_keyring_read(&ring, file, pool), NULL, "the key file is read");
    is(lims_keyring_first(ring), "first", "the first key has its name");
    is(lims_keyring_add(file, "second", pool), NULL, "a key is added");
    is(lims_keyring_read(&later, file, pool), NULL, "the changed key file is read");
    is(lims_keyring_first(later), "second", "the new key is the first");
    is(lims_unseal(&secret, later, lims_seal(ring, "s", "c", pool), "c", pool), NULL,
       "the older one is kept");
    ok(lims_keyring_add(file, "first", pool), "a second key with the same id is refused");
    ok(lims_keyring_add(file, "a b", pool), "a malformed id is refused");
    write_file(apr_pstrcat(pool, file, ".new", NULL), "", 0600);
    ok(lims_keyring_add(file, "third", pool), "a second run at the same time is refused");
    is(lims_keyring_read(&later, file, pool), NULL, "after a failure the file is unchanged");
    is(lims_keyring_first(later), "second", "after a failure the file has its keys");

    write_file(file, "k " COUNTING, 0640);
    refused(file, "chmod 600");
    write_file(file, "k " COUNTING, 0604);
    refused(file, "chmod 600");
    write_file(file, "k " COUNTING, 0400);
    is(lims_keyring_read(&ring, file, pool), NULL, "a read-only key file is read");
    refused(folder, "not a regular file");
    if (getuid() == 0 && chown(file, 12345, 0) == 0) {
        refused(file, "chown root");
    }
}

int main(void)
{
    char folder[] = "/tmp/lims-seal-XXXXXX";

    pool = unit_pool();
    test_parse();
    test_many_keys();
    test_round_trip();
    test_changed();
    test_known();
    test_lengths();
    test_wiped();
    if (ok(mkdtemp(folder), "a folder")) {
        test_files(folder);
        unlink(apr_pstrcat(pool, folder, "/keys", NULL));
        unlink(apr_pstrcat(pool, folder, "/keys.new", NULL));
        rmdir(folder);
    }
    return tap_done();
}
