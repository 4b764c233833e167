/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new password is not one of the commonest, not the address and not the laboratory's name;
 * otherwise people choose what they like.
 */
#include "kernel/password_rules.h"

#include "../lib/unit.h"

static apr_pool_t *pool;

static void test_common(void)
{
    static const char *const common[] = {
        "password1234", "PASSWORD1234", "P@ssw0rd1234", "passwordpassword", "qwertyuiop12",
        "1q2w3e4r5t6y", "123456789012", "aaaaaaaaaaaa", "abc123abc123", "iloveyou2024!",
        "letmeinletmein", "administrator", "Welcome12345", "zaq12wsxcde3", "asdfghjkl;'",
        "fedcbaqwerty", "summer2026!!", "trustno1trustno1", "lab2026lab2026", "0987654321!!",
        "christopher1", "Monkey!Dragon7", "1qaz2wsx3edc", "qwertyuiop[]",
    };
    static const char *const own[] = {
        "correct horse battery", "correct horse battery staple", "tidal ledger quince",
        "Xk3-vhq9-pLw2", "grey heron at nine", "v7#Rq!mZ0pTs", "einsame Brücke im Mai",
        "dragon gravel 88 tap", "the cat sat on my keyboard",
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(common); i++) {
        ok(lims_password_is_common(common[i], pool), "'%s' is common", common[i]);
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(own); i++) {
        ok(!lims_password_is_common(own[i], pool), "'%s' is not", own[i]);
    }
}

static void test_names(void)
{
    static const char *const names[] = { "ana.ruizgarcia@riverbend.example",
                                         "Riverbend Analytics", "riverbend", NULL };

    has(lims_password_fault("ana.ruizgarcia@riverbend.example", names, pool), "e-mail address",
        "the address");
    has(lims_password_fault("AnaRuizGarcia1", names, pool), "e-mail address",
        "its first part, whatever digits it has");
    has(lims_password_fault("riverbend analytics", names, pool), "laboratory", "the name");
    has(lims_password_fault("Riverbend2026", names, pool), "laboratory", "the code, with a year");
    ok(!lims_password_fault("riverbend in the fog", names, pool), "a phrase with it is another");
    has(lims_password_fault("Password1234", names, pool), "commonest", "a common one");
    ok(!lims_password_fault("tidal ledger quince", names, pool), "any other");
}

int main(void)
{
    pool = unit_pool();
    test_common();
    test_names();
    return tap_done();
}
