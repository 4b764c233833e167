/* SPDX-License-Identifier: Apache-2.0 */
#include "profiles/unit.h"

#include <apr_strings.h>

#include "../lib/unit.h"

#define MICRO "\xc2\xb5"
#define MU "\xce\xbc"
#define SQUARED "\xc2\xb2"
#define CUBED "\xc2\xb3"

static apr_pool_t *pool;

static const char *power_of(const char *from, const char *to)
{
    int power;

    return lims_unit_power(&power, from, to, pool) ? apr_psprintf(pool, "%d", power) : NULL;
}

static void test_powers(void)
{
    static const struct {
        const char *from, *to, *power;
    } cases[] = {
        { "mg/L", "ug/mL", "0" },
        { "mg/L", "g/L", "-3" },
        { "mg/L", "ng/uL", "0" },
        { "mg/ml", "mg/L", "3" },
        { MICRO "g/mL", MU "g/ml", "0" },
        { "ng/" MU "l", "mg/L", "0" },
        { "kg/m" CUBED, "g/L", "0" },
        { "mg / L", "[mg/l]", "0" },
        { "g/100mL", "g/dL", "0" },
        { "mmol/L", "mM", "0" },
        { "mmol/l", "mmol / L", "0" },
        { "uM", "mM", "-3" },
        { "M", "mol/L", "0" },
        { "mg/kg", "ug/g", "0" },
        { "CFU/100mL", "CFU/mL", "-2" },
        { "cfu/g", "CFU/g", "0" },
        { "10^6 cells/mL", "cells/mL", "6" },
        { "x10^6 cells/mL", "1e6 cells/mL", "0" },
        { "(x10^6) cells/mL", "cells/uL", "3" },
        { "10\xe2\x81\xb6 cells/mL", "10^6 cells/mL", "0" },
        { "10*3/uL", "10^9/L", "0" },
        { "/uL", "1/uL", "0" },
        { "copies/" MICRO "L", "cp/uL", "0" },
        { "mUI/ml", "mIU/mL", "0" },
        { MICRO "S/cm", "mS/m", "-1" },
        { "\xc2\xb0"
          "C",
          "degC", "0" },
        { "%", "percent", "0" },
        { "microns", "um", "0" },
        { "g/cm" CUBED, "kg/L", "0" },
        { "mgN/L", "mg N/L", "0" },
        { "furlong", "furlong", "0" },
        { "", "", "0" },
        /* Not the same quantity, or nobody can say. */
        { "mg/L", "mmol/L", NULL },
        { "mg/L", "mg/kg", NULL },
        { "mgN/L", "mg/L", NULL },
        { "cells/mL", "CFU/mL", NULL },
        { "copies/mL", "IU/mL", NULL },
        { "U/L", "IU/L", NULL },
        { "mM", "mm", NULL },
        { "M", "m", NULL },
        { "MG/L", "mg/L", NULL },
        { "ug/ML", "ug/mL", NULL },
        { "%", "g/L", NULL },
        { "ppm", "mg/L", NULL },
        { "10E9/L", "10^9/L", NULL },
        { "cells/mL", "/mL", NULL },
        { "mg/L/h", "mg/L", NULL },
        { "mg/", "mg", NULL },
        { "", "mg/L", NULL },
        { "m" SQUARED, "m", NULL },
        { "mol", "mL", NULL },
    };

    for (apr_size_t i = 0; i < LIMS_LENGTH(cases); i++) {
        const char *back = cases[i].power && *cases[i].power != '0'
                               ? apr_psprintf(pool, "%d", -atoi(cases[i].power))
                               : cases[i].power;
        is(power_of(cases[i].from, cases[i].to), cases[i].power,
           apr_psprintf(pool, "%s in %s", cases[i].from, cases[i].to));
        is(power_of(cases[i].to, cases[i].from), back, "the power back");
    }
}

static void test_same(void)
{
    char longest[200];

    ok(lims_unit_same("mM", "mmol/L", pool), "mM is mmol/L");
    ok(!lims_unit_same("mg/L", "g/L", pool), "mg/L is not g/L");
    is(lims_unit_fold(" ( " MU "g/m" CUBED " ) ", pool), "ug/m3", "folding");
    is(lims_unit_fold("(a)/(b)", pool), "(a)/(b)", "brackets that do not belong together");
    memset(longest, 'k', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    ok(!lims_unit_same(longest, "kg", pool), "a long one is not understood");
    ok(lims_unit_same(longest, longest, pool), "the longest unit equals itself");
}

int main(void)
{
    pool = unit_pool();
    test_powers();
    test_same();
    return tap_done();
}
