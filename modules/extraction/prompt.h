/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.h - what is sent to the model, in the form of each kind of service.
 *
 * The file, the hint and the names of tests stand between two lines that nobody
 * can guess, as JSON strings, and are called data there. That keeps an honest
 * model from taking them for instructions; what protects the laboratory from one
 * that does is that its answer can only point (see pointer_check.h).
 */
#ifndef LIMS_EXTRACTION_PROMPT_H
#define LIMS_EXTRACTION_PROMPT_H

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* Of the words and the form below; kept with each result. */
#define LIMS_PROMPT_VERSION "2"

/* How the service is held to the form of the answer. */
typedef enum {
    LIMS_OUTPUT_JSON_SCHEMA, /* a schema that it enforces */
    LIMS_OUTPUT_TOOL,        /* a tool that it has to call, with that schema */
    LIMS_OUTPUT_JSON_OBJECT, /* some JSON object */
    LIMS_OUTPUT_NONE,        /* not at all, but for the words */
    LIMS_OUTPUT_COUNT
} lims_output_e;

/* What the model is to look at; NULL when there is no randomness. `shuffled`: with
 * the samples, each row that names one and those that follow it, and the scheduled
 * tests in random order, under the same numbers. What a model says because of where
 * in the text something stands, it does not say twice. */
const char *lims_prompt_data(const lims_grid_t *grid, const lims_candidates_t *candidates,
                             const char *hint, bool shuffled, apr_pool_t *pool);

/* The body of a request. With `answer` it is the second one: that was answered to
 * the first, and `problem` is wrong with it. */
const char *lims_prompt_body(lims_style_e style, lims_output_e output, const char *model,
                             const char *data, const char *answer, const char *problem,
                             apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_PROMPT_H */
