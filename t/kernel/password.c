/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/password.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

/* The encoding of "correct horse" under the salt 00 … 0F, made with Python's
 * hashlib.scrypt(n=2**15, r=8, p=1, dklen=32). */
static const char foreign[] =
    "scrypt$32768$8$1$AAECAwQFBgcICQoLDA0ODw==$XGYmKKxOsQaKKH4qoqICriSOmNsE1h0zJ+c0LbbscJc=";

static void test_round_trip(void)
{
    const char *encoded = lims_password_hash("correct horse", pool);

    has(encoded, "scrypt$32768$8$1$", "the cost is written down");
    ok(lims_password_verify(encoded, "correct horse", pool), "the password is right");
    ok(!lims_password_verify(encoded, "correct Horse", pool), "another password is wrong");
    ok(!lims_password_verify(encoded, "", pool), "an empty password is refused");
    ok(strcmp(encoded, lims_password_hash("correct horse", pool)) != 0, "every salt is new");
}

static void test_foreign(void)
{
    ok(lims_password_verify(foreign, "correct horse", pool), "another implementation agrees");
    ok(!lims_password_verify(foreign, "correct horsf", pool), "another password is refused");
}

static void test_malformed(void)
{
    static const char *const bad[] = {
        "",
        "correct horse",
        "scrypt",
        "scrypt$32768$8$1$AAECAwQFBgcICQoLDA0ODw==",
        "bcrypt$32768$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$x$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$-1$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$1048576$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$32768$64$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$32768$8$99$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$32767$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$32768$8$1$AAECAwQFBgcICQoLDA0OD===$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$32768$8$1$AAECAwQFBgcI*QoLDA0ODw==$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "scrypt$32768$8$1$AAECAwQFBgcICQoLDA0ODw==$AAECAwQF",
        "scrypt$32768$8$1$AAECAwQFBgcICQoLDA0ODw==$",
    };

    ok(!lims_password_verify(NULL, "x", pool), "no encoding");
    for (apr_size_t i = 0; i < LIMS_LENGTH(bad); i++) {
        ok(!lims_password_verify(bad[i], "correct horse", pool), "'%s'", bad[i]);
    }
    ok(!lims_password_verify(apr_pstrcat(pool, foreign, "$", NULL), "correct horse", pool),
       "an encoding with a part too many");
    ok(!lims_password_verify(apr_pstrndup(pool, foreign, strlen(foreign) - 1), "correct horse",
                             pool),
       "an encoding cut off");
}

static void test_cheap(void)
{
    ok(lims_password_is_cheap("scrypt$16384$8$1$AAECAwQFBgcICQoLDA0ODw==$"
                              "XGYmKKxOsQaKKH4qoqICriSOmNsE1h0zJ+c0LbbscJc=",
                              pool),
       "a lower cost is to be raised");
    ok(!lims_password_is_cheap(foreign, pool), "the cost of now is not");
    ok(!lims_password_is_cheap(NULL, pool), "the absence of a hash is not cheap");
}

int main(void)
{
    pool = unit_pool();
    test_round_trip();
    test_foreign();
    test_malformed();
    test_cheap();
    return tap_done();
}
