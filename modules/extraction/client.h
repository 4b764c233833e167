/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - the client of the model service. A look at a file is one call, and one more
 * to repair an answer of the wrong form.
 *
 * The request's own thread makes the calls, one after another, and holds no other
 * resource meanwhile. Neither requests nor answers are ever logged.
 */
#ifndef LIMS_EXTRACTION_CLIENT_H
#define LIMS_EXTRACTION_CLIENT_H

#include "extraction/prompt.h"

/* Configuration of the model service, lims_model_t. */
struct lims_model_t {
    const char *url;  /* of the endpoint */
    const char *host; /* its host, stored with each result */
    const char *name; /* of the model or deployment; NULL: contained in the URL */
    const char *key;  /* API key; NULL: none */
    lims_style_e style;
    lims_output_e output;
    const char *ca_file;         /* NULL: the system's certificates */
    const char *certificate;     /* client certificate with its chain, PEM; NULL: none */
    const char *certificate_key; /* its private key, PEM */
    const char *proxy;           /* NULL: none; the environment is ignored */
    apr_interval_time_t connect_timeout;
    apr_interval_time_t timeout; /* of all calls for a file, connecting included */
    int concurrency;             /* files processed at once by this process */
    int looks;                   /* independent looks at a file: 1 or 2 */
    apr_size_t bytes_max;        /* of a file, as the next two */
    int rows_max;
    int cells_max;
    /* Counts the outcome of a file and the duration of its calls. */
    void (*count)(const void *counted, lims_call_e outcome, apr_interval_time_t duration);
    const void *counted;
};

/* Upper bound of looks at a file. */
#define LIMS_LOOKS_MAX 2

/* Makes `count` looks with the data of lims_prompt_data(), all within the time-out.
 * LIMS_CALL_ANSWERED and LIMS_CALL_REPAIRED set an array of `pointers` (lims_pointer_t)
 * for each; other outcomes set `*problem`, for the log. libcurl must be initialised
 * (dispatch/dispatch.h). */
lims_call_e lims_model_ask(apr_array_header_t **pointers, const char **problem,
                           const lims_model_t *model, const char *const *looks, int count,
                           apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_CLIENT_H */
