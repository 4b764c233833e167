/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - asking the model: one call for each look at the file, and one more
 * only when an answer was not of the form that was asked for.
 *
 * The calls are made by the thread of the request, one after another, which waits
 * for nothing else meanwhile and holds nothing. Neither what is sent nor what is
 * answered is ever logged.
 */
#ifndef LIMS_EXTRACTION_CLIENT_H
#define LIMS_EXTRACTION_CLIENT_H

#include "extraction/prompt.h"

/* What the configuration says of the service, lims_model_t. */
struct lims_model_t {
    const char *url;  /* of the endpoint, whole */
    const char *host; /* of it, kept with each result */
    const char *name; /* of the model or deployment; NULL: the URL says it */
    const char *key;  /* NULL: none is needed */
    lims_style_e style;
    lims_output_e output;
    const char *ca_file;         /* NULL: the system's certificates */
    const char *certificate;     /* ours, in PEM, with those that signed it; NULL: none */
    const char *certificate_key; /* its key, in PEM */
    const char *proxy;           /* NULL: none, whatever the environment says */
    apr_interval_time_t connect_timeout;
    apr_interval_time_t timeout; /* of all calls for a file, connecting included */
    int concurrency;             /* files at once, of this process */
    int looks;                   /* at a file: 1 or 2 */
    apr_size_t bytes_max;        /* of a file, as the next two */
    int rows_max;
    int cells_max;
    /* What became of a request, and how long its calls took. */
    void (*count)(const void *counted, lims_call_e outcome, apr_interval_time_t duration);
    const void *counted;
};

/* Most looks at a file. */
#define LIMS_LOOKS_MAX 2

/* Asks once for each of `count` looks (lims_prompt_data()), all of them within the
 * time-out. LIMS_CALL_ANSWERED and LIMS_CALL_REPAIRED set as many `pointers`
 * (lims_pointer_t); all others `*problem`, for the log. libcurl is initialised
 * (dispatch/dispatch.h). */
lims_call_e lims_model_ask(apr_array_header_t **pointers, const char **problem,
                           const lims_model_t *model, const char *const *looks, int count,
                           apr_pool_t *pool);

#endif /* LIMS_EXTRACTION_CLIENT_H */
