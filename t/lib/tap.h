/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap.h - the Test Anything Protocol, version 12, for the C unit tests.
 *
 * A test program calls these in main() and returns tap_done(). The plan comes
 * last: a program that dies half-way has none, and so fails.
 */
#ifndef LIMS_TAP_H
#define LIMS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_run;
static int tap_failed;

static inline bool ok(bool passed, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool ok(bool passed, const char *format, ...)
{
    va_list arguments;
    char name[512];

    va_start(arguments, format);
    vsnprintf(name, sizeof(name), format, arguments);
    va_end(arguments);
    /* A '#' in a name would begin a directive. */
    for (char *p = name; *p != '\0'; p++) {
        *p = *p == '#' ? '%' : *p == '\n' ? ' ' : *p;
    }
    printf("%sok %d - %s\n", passed ? "" : "not ", ++tap_run, name);
    tap_failed += passed ? 0 : 1;
    fflush(stdout);
    return passed;
}

static inline void tap_text(const char *label, const char *text)
{
    if (!text) {
        printf("# %s NULL\n", label);
    } else {
        printf("# %s '%s'\n", label, text);
    }
}

/* Equal texts; NULL equals NULL alone. */
static inline bool is(const char *got, const char *expected, const char *name)
{
    bool equal = !got || !expected ? got == expected : strcmp(got, expected) == 0;

    if (!ok(equal, "%s", name)) {
        tap_text("     got", got);
        tap_text("expected", expected);
    }
    return equal;
}

static inline bool is_number(long long got, long long expected, const char *name)
{
    if (!ok(got == expected, "%s", name)) {
        printf("#      got %lld\n# expected %lld\n", got, expected);
    }
    return got == expected;
}

/* Does the text contain the part? */
static inline bool has(const char *text, const char *part, const char *name)
{
    bool found = text && strstr(text, part);

    if (!ok(found, "%s", name)) {
        tap_text("    text", text);
        tap_text(" without", part);
    }
    return found;
}

static inline int tap_done(void)
{
    printf("1..%d\n", tap_run);
    return tap_failed == 0 && tap_run > 0 ? 0 : 1;
}

#endif /* LIMS_TAP_H */
