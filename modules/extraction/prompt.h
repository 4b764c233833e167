/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.h - the requests to the model, in the API of each kind of service.
 *
 * The file, the hint and the names of tests are JSON strings between two delimiter lines
 * that are random, and are declared to be data. That makes prompt injection unlikely;
 * if it succeeds, the answer can still only point at cells (see pointer_check.h).
 */
#ifndef LIMS_EXTRACTION_PROMPT_H
#define LIMS_EXTRACTION_PROMPT_H

#include "extraction/answer.h"
#include "extraction/candidate.h"

/* Version of the instructions and the schema; stored with each result. */
#define LIMS_PROMPT_VERSION "2"

/* way in which the form of the answer is enforced */
typedef enum {
    LIMS_OUTPUT_JSON_SCHEMA, /* structured output by a JSON schema */
    LIMS_OUTPUT_TOOL,        /* a forced tool call with that schema */
    LIMS_OUTPUT_JSON_OBJECT, /* JSON mode */
    LIMS_OUTPUT_NONE,        /* by the instructions only */
    LIMS_OUTPUT_COUNT
} lims_output_e;

/* Returns the data of a look: grid and scheduled tests; NULL: no randomness. `shuffled`:
 * with the samples (each row that names one and the rows after it) and the tests in
 * random order under the same numbers, so that errors caused by the position in the
 * text are not repeated. */
const char *lims_prompt_data(const lims_grid_t *grid, const lims_candidates_t *candidates,
                             const char *hint, bool shuffled, apr_pool_t *pool);

/* Returns the body of a request. With `answer` it asks for a repair of that answer, which
 * has `problem`. */
const char *lims_prompt_body(lims_style_e style, lims_output_e output, const char *model,
                             const char *data, const char *answer, const char *problem,
                             apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_PROMPT_H */
