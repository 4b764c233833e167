/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/scope.h"

#include "../lib/unit.h"

static void test_table(void)
{
    int count = 0;

    for (; lims_scopes[count].name; count++) {
        ok(lims_scope_valid(lims_scopes[count].name) && lims_scopes[count].doc, "%s",
           lims_scopes[count].name);
    }
    is_number(count, 13, "thirteen scopes");
    ok(!lims_scope_valid(""), "no name is no scope");
    ok(!lims_scope_valid("samples"), "half a name is no scope");
    ok(!lims_scope_valid("samples:read "), "a scope with a blank is no scope");
}

static void test_lists(void)
{
    ok(lims_scope_in(NULL, "samples:read"), "no list has all");
    ok(lims_scope_in("", "samples:read"), "an empty text allows everything");
    ok(lims_scope_in("{}", "samples:read"), "an empty list has all");
    ok(lims_scope_in("{samples:read}", "samples:read"), "the only one");
    ok(lims_scope_in("{results:read,samples:read}", "samples:read"), "the last of two");
    ok(lims_scope_in("{\"samples:read\",\"results:read\"}", "samples:read"), "a list with quotes");
    ok(lims_scope_in("{results:read}", NULL), "a route without a scope");
    ok(!lims_scope_in("{results:read}", "samples:read"), "another");
    ok(!lims_scope_in("{samples:readx}", "samples:read"), "a longer one");
    ok(!lims_scope_in("{xsamples:read}", "samples:read"), "a scope with a longer beginning");
    ok(!lims_scope_in("{samples:read}", "samples:rea"), "a shorter one");
    ok(!lims_scope_in("{samples:write,results:read}", "samples:read"), "halves of two");
}

int main(void)
{
    test_table();
    test_lists();
    return tap_done();
}
