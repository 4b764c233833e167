/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - reads files by profiles and writes down what came of it, for tests
 * in Perl (LIMS::Files::Reader).
 *
 * The arguments are profiles. Each request on standard input is a line "length
 * TAB file name" and so many bytes of the file; each answer is lines of cells
 * separated by tabs, up to the line "end".
 */
#include "kernel/vocabulary.h"
#include "profiles/readings.h"

#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *text)
{
    putchar('\t');
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '\t' || *c == '\n' || *c == '\r' || *c == '\\') {
            putchar('\\');
        }
        putchar(*c == '\t' ? 't' : *c == '\n' ? 'n' : *c == '\r' ? 'r' : *c);
    }
}

static void put_reading(const lims_reading_t *reading)
{
    const lims_control_t *control = reading->control;
    const char *const texts[] = {
        reading->tracking_id,   reading->test_code,
        reading->result,        reading->unit,
        reading->qualifier,     reading->dilution,
        reading->replicate,     reading->analysed_at,
        reading->operator_name, control ? lims_control_types[control->type] : NULL,
        reading->raw,           reading->sheet
    };

    printf("value\t%d\t%d", reading->row, reading->column);
    for (unsigned i = 0; i < LIMS_LENGTH(texts); i++) {
        put(texts[i]);
    }
    putchar('\n');
}

static void put_reason(const lims_reason_t *reason)
{
    printf("reason\t%s\t%s\t%d\t%d", lims_reason_name(reason->code),
           reason->blocking ? "blocking" : "note", reason->row, reason->column);
    put(reason->cell);
    put(reason->sheet);
    put(reason->message);
    putchar('\n');
}

static void put_outcome(const lims_readings_t *out)
{
    fputs("profile", stdout);
    put(out->profile ? out->profile->code : NULL);
    fputs("\ncandidates", stdout);
    for (int i = 0; out->candidates && i < out->candidates->nelts; i++) {
        put(APR_ARRAY_IDX(out->candidates, i, const lims_profile_t *)->code);
    }
    printf("\ncounts\t%d\t%d\t%d\t%d\t%d\t%d\n", out->counts.rows, out->counts.results,
           out->counts.controls, out->counts.skipped, out->reasons->count, out->reasons->blocking);
    for (int i = 0; out->readings && i < out->readings->nelts; i++) {
        put_reading(&APR_ARRAY_IDX(out->readings, i, lims_reading_t));
    }
    for (int i = 0; i < out->reasons->list->nelts; i++) {
        put_reason(&APR_ARRAY_IDX(out->reasons->list, i, lims_reason_t));
    }
    puts("end");
    fflush(stdout);
}

static void add_profile(apr_array_header_t *profiles, const char *path, apr_pool_t *pool)
{
    char *json = apr_palloc(pool, LIMS_PROFILE_MAX);
    FILE *file = fopen(path, "rb");
    const lims_profile_t *profile;
    const lims_error_t *error;
    size_t length;

    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    length = fread(json, 1, LIMS_PROFILE_MAX, file);
    fclose(file);
    error = lims_profile_parse(&profile, json, length, pool);
    if (!error) {
        error = lims_profile_check_new(profile, pool);
    }
    if (error) {
        fprintf(stderr, "%s: %s\n", path, error->message);
        exit(2);
    }
    APR_ARRAY_PUSH(profiles, const lims_profile_t *) = profile;
}

int main(int argc, char **argv)
{
    char line[4096], name[4096];
    apr_array_header_t *profiles;
    apr_pool_t *pool;

    apr_initialize();
    apr_pool_create(&pool, NULL);
    profiles = apr_array_make(pool, argc, sizeof(const lims_profile_t *));
    for (int i = 1; i < argc; i++) {
        add_profile(profiles, argv[i], pool);
    }
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        apr_pool_t *request;
        unsigned long length;
        char *bytes;

        if (sscanf(line, "%lu\t%4095[^\n]", &length, name) != 2) {
            return 2;
        }
        apr_pool_create(&request, pool);
        bytes = malloc(length + 1); /* of its own, so that a sanitizer sees its end */
        if (!bytes || fread(bytes, 1, length, stdin) != length) {
            return 2;
        }
        put_outcome(lims_file_read(bytes, length, name, profiles, NULL, request));
        apr_pool_destroy(request);
        free(bytes);
    }
    return 0;
}
