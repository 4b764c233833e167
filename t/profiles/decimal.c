/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles/decimal.h"

#include <apr_strings.h>

#include "../lib/unit.h"

static apr_pool_t *pool;

static void test_texts(void)
{
    static const struct {
        const char *text, *again;
    } cases[] = {
        { "7.10", "7.10" },
        { "0.00", "0.00" },
        { "-0.5", "-0.5" },
        { "+3", "3" },
        { ".5", "0.5" },
        { "5.", "5" },
        { "007", "7" },
        { "1.60E6", "1600000" },
        { "1E-3", "0.001" },
        { "-1.25e+60", "-1.25E+60" },
        { "3E-99", "3E-99" },
        { "0E-99", "0" },
        { "0E2", "0" },
        { "-0E5", "0" },
        { "0E99", "0" },
        { "12345678901234567890.12345678901234567890",
          "12345678901234567890.12345678901234567890" },
        { "", NULL },
        { "-", NULL },
        { ".", NULL },
        { "1e", NULL },
        { "1e1000", NULL },
        { "1,5", NULL },
        { "1.2.3", NULL },
        { " 1", NULL },
        { "0x10", NULL },
        { "NaN", NULL },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        lims_decimal_t number;
        bool read = lims_decimal_parse(&number, cases[i].text, pool);
        is(read ? lims_decimal_text(&number, pool) : NULL, cases[i].again, cases[i].text);
    }
}

static void test_rounding(void)
{
    static const struct {
        const char *text;
        int places;
        const char *even, *up;
    } cases[] = {
        { "2.345", 2, "2.34", "2.35" },
        { "2.355", 2, "2.36", "2.36" },
        { "2.3450", 2, "2.34", "2.35" },
        { "2.34501", 2, "2.35", "2.35" },
        { "-2.345", 2, "-2.34", "-2.35" },
        { "0.5", 0, "0", "1" },
        { "1.5", 0, "2", "2" },
        { "0.49", 0, "0", "0" },
        { "9.995", 2, "10.00", "10.00" },
        { "7", 2, "7.00", "7.00" },
        { "0", 1, "0.0", "0.0" },
        { "0.0004", 2, "0.00", "0.00" },
        { "0.05", 1, "0.0", "0.1" },
        { "1E-50", 3, "0.000", "0.000" },
        { "-0.004", 2, "0.00", "0.00" },
        { "99.5", 0, "100", "100" },
        { "12E3", 1, "12000.0", "12000.0" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(lims_decimal_convert(cases[i].text, NULL, NULL, cases[i].places, LIMS_ROUND_HALF_EVEN,
                                pool),
           cases[i].even, apr_psprintf(pool, "%s, half to even", cases[i].text));
        is(lims_decimal_convert(cases[i].text, NULL, NULL, cases[i].places, LIMS_ROUND_HALF_UP,
                                pool),
           cases[i].up, apr_psprintf(pool, "%s, half up", cases[i].text));
    }
}

static void test_conversion(void)
{
    static const struct {
        const char *number, *factor, *offset;
        int places;
        const char *result;
    } cases[] = {
        { "2.450", "0.001", NULL, -1, "0.002450" },
        { "2.45", "1000", NULL, -1, "2450" },
        { "0.1", "3", NULL, -1, "0.3" },
        { "212", "5/9", "-17.777777777777777777777777777", 2, "100.00" },
        { "98.6", "1", "-32", -1, "66.6" },
        { "25.0", "1.8", "32", 1, "77.0" },
        { "1", "1/3", NULL, 4, "0.3333" },
        { "2", "1/3", NULL, 4, "0.6667" },
        { "1", "1/3", NULL, -1, NULL },
        { "1", "1/8", NULL, -1, "0.125" },
        { "10.0", "1/4", NULL, -1, "2.5" },
        { "5.0", "1/0.2", NULL, -1, "25.0" },
        { "-3", "2", "10", -1, "4" },
        { "3", "2", "-10", -1, "-4" },
        { "3", "2", "-6", -1, "0" },
        { "0", "7", NULL, -1, "0" },
        { "0", "100", NULL, -1, "0" },
        { "0", "1E3", NULL, -1, "0" },
        { "0.0", "1000", NULL, -1, "0" },
        { "0.00", "10", NULL, -1, "0.0" },
        { "0", "100", NULL, 2, "0.00" },
        { "0.00", "7", NULL, 2, "0.00" },
        { "1", "1/0", NULL, 2, NULL },
        { "x", "1", NULL, 2, NULL },
        { "1", "x", NULL, 2, NULL },
        { "1", "1", "x", 2, NULL },
        { "99999999999999999999", "99999999999999999999", NULL, -1,
          "9999999999999999999800000000000000000001" },
        { "1.0000000000000000000000000001", "1", NULL, -1, "1.0000000000000000000000000001" },
        { "0.25", "1/2", NULL, 2, "0.12" },
        { "0.250000000000000000000000000000000001", "1/2", NULL, 2, "0.13" },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        is(lims_decimal_convert(cases[i].number, cases[i].factor, cases[i].offset, cases[i].places,
                                LIMS_ROUND_HALF_EVEN, pool),
           cases[i].result,
           apr_psprintf(pool, "%s * %s + %s", cases[i].number,
                        cases[i].factor ? cases[i].factor : "1",
                        cases[i].offset ? cases[i].offset : "0"));
    }
}

/* Results equal those of 64-bit integers. */
static void test_against_integers(void)
{
    unsigned seed = 20261121;
    int wrong = 0;

    for (int i = 0; i < 20000; i++) {
        apr_int64_t a, b;
        lims_decimal_t x, y, sum, product, quotient;

        seed = seed * 1103515245 + 12345;
        a = (int)(seed >> 4) % 1000000 - 500000;
        seed = seed * 1103515245 + 12345;
        b = (int)(seed >> 4) % 10000 - 5000;
        lims_decimal_parse(&x, apr_psprintf(pool, "%" APR_INT64_T_FMT, a), pool);
        lims_decimal_parse(&y, apr_psprintf(pool, "%" APR_INT64_T_FMT, b), pool);
        sum = lims_decimal_add(&x, &y, pool);
        product = lims_decimal_multiply(&x, &y, pool);
        wrong += strcmp(lims_decimal_text(&sum, pool),
                        apr_psprintf(pool, "%" APR_INT64_T_FMT, a + b)) != 0;
        wrong += strcmp(lims_decimal_text(&product, pool),
                        apr_psprintf(pool, "%" APR_INT64_T_FMT, a * b)) != 0;
        if (b == 0) {
            wrong += lims_decimal_divide(&quotient, &x, &y, 0, LIMS_ROUND_HALF_UP, pool);
            continue;
        }
        lims_decimal_divide(&quotient, &x, &y, 0, LIMS_ROUND_HALF_UP, pool);
        a = (a < 0) == (b < 0) ? (2 * a + b) / (2 * b) : (2 * a - b) / (2 * b);
        wrong += strcmp(lims_decimal_text(&quotient, pool),
                        apr_psprintf(pool, "%" APR_INT64_T_FMT, a)) != 0;
        if (i % 1000 == 0) {
            apr_pool_clear(pool);
        }
    }
    is_number(wrong, 0, "sums, products and quotients of 20,000 pairs");
}

int main(void)
{
    pool = unit_pool();
    test_texts();
    test_rounding();
    test_conversion();
    test_against_integers();
    return tap_done();
}
