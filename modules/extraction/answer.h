/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - parsing of the model's answer, as untrusted input.
 *
 * The answer is the provider's JSON envelope with the model's text in it, which must be
 * an object of pointers and nothing else.
 */
#ifndef LIMS_EXTRACTION_ANSWER_H
#define LIMS_EXTRACTION_ANSWER_H

#include <apr_tables.h>

#include "lims.h"

/* Upper bound of pointers in an answer. */
#define LIMS_POINTERS_MAX 5000

/* API of the model service. */
typedef enum {
    LIMS_STYLE_OPENAI,    /* chat completions; also vLLM, llama.cpp, Ollama and others */
    LIMS_STYLE_AZURE,     /* the same with another URL and header field */
    LIMS_STYLE_ANTHROPIC, /* messages */
    LIMS_STYLE_COUNT
} lims_style_e;

/* Outcome of a call. */
typedef enum {
    LIMS_CALL_ANSWERED,
    LIMS_CALL_REPAIRED,    /* answered after one repair */
    LIMS_CALL_NONSENSE,    /* the answer has the wrong form */
    LIMS_CALL_REFUSED,     /* the model refused */
    LIMS_CALL_FAILED,      /* the service answered with an error, or no JSON */
    LIMS_CALL_UNREACHABLE, /* no answer in time */
    LIMS_CALL_BUSY,        /* too many files at once: no call was made */
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

/* A pointer: the cells that the model names for one result. */
typedef struct {
    int sheet;
    lims_at_t id, value, unit, qualifier;
    int candidate; /* number of the scheduled test from 1; 0: none fits */
    lims_pointed_e kind;
} lims_pointer_t;

/* Extracts the model's text from a provider's answer. Unless it returns
 * LIMS_CALL_ANSWERED, `*problem` describes the failure, without any data of the file. */
lims_call_e lims_answer_open(const char **text, const char **problem, lims_style_e style,
                             const char *bytes, apr_size_t length, apr_pool_t *pool);

/* Parses the pointers (lims_pointer_t) of that text. False if it has not exactly the
 * required form; `*problem` says why, without quoting the text. */
bool lims_answer_read(apr_array_header_t **pointers, const char **problem, const char *text,
                      apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_ANSWER_H */
