/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - what the model answered, taken apart and believed in nothing.
 *
 * First the envelope, which is the provider's; then the text in it, which is the
 * model's: an object of pointers and of nothing else. Both are somebody else's
 * bytes, and may be anything.
 */
#ifndef LIMS_EXTRACTION_ANSWER_H
#define LIMS_EXTRACTION_ANSWER_H

#include <apr_tables.h>

#include "lims.h"

/* Most pointers of an answer. */
#define LIMS_POINTERS_MAX 5000

/* Whose form a request and its answer have. */
typedef enum {
    LIMS_STYLE_OPENAI,    /* chat completions; vLLM, llama.cpp, Ollama and others too */
    LIMS_STYLE_AZURE,     /* the same, with its own URL and header field */
    LIMS_STYLE_ANTHROPIC, /* messages */
    LIMS_STYLE_COUNT
} lims_style_e;

/* What became of a call. */
typedef enum {
    LIMS_CALL_ANSWERED,
    LIMS_CALL_REPAIRED,    /* at the second time of asking */
    LIMS_CALL_NONSENSE,    /* no answer of the form that was asked for */
    LIMS_CALL_REFUSED,     /* the model would not */
    LIMS_CALL_FAILED,      /* the service answered an error, or no JSON */
    LIMS_CALL_UNREACHABLE, /* or nothing, or not in time */
    LIMS_CALL_BUSY,        /* too many at once: nothing was asked */
    LIMS_CALL_COUNT
} lims_call_e;

typedef enum {
    LIMS_POINTED_SAMPLE,
    LIMS_POINTED_QC,
    LIMS_POINTED_STANDARD,
    LIMS_POINTED_BLANK,
    LIMS_POINTED_SUMMARY,
    LIMS_POINTED_OTHER,
    LIMS_POINTED_COUNT
} lims_pointed_e;

extern const char *const lims_pointed_names[];

/* A cell, counted from 1; row 0: none. */
typedef struct {
    int row, column;
} lims_at_t;

/* What the model says of one result. */
typedef struct {
    int sheet;
    lims_at_t id, value, unit, qualifier;
    int candidate; /* counted from 1; 0: none fits */
    lims_pointed_e kind;
} lims_pointer_t;

/* The model's text out of a provider's answer. LIMS_CALL_ANSWERED, or what else
 * it says: `*problem` is then in words, without anything that was sent. */
lims_call_e lims_answer_open(const char **text, const char **problem, lims_style_e style,
                             const char *bytes, apr_size_t length, apr_pool_t *pool);

/* The pointers (lims_pointer_t) of that text. False for anything but exactly the
 * form that was asked for; `*problem` says what is wrong with it, in words that
 * hold none of its strings. */
bool lims_answer_read(apr_array_header_t **pointers, const char **problem, const char *text,
                      apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_ANSWER_H */
