/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extraction.h - the model service, from its directives.
 */
#ifndef LIMS_SERVER_EXTRACTION_H
#define LIMS_SERVER_EXTRACTION_H

#include "server/server.h"

/* Reads the files that the LimsExtraction... directives name and makes config->model,
 * if LimsExtractionUrl is set. Returns NULL, or what is wrong with the configuration;
 * `*remedy` then says what to do about it. Everything lives in `pool`. */
const char *lims_extraction_check(const char **remedy, lims_config_t *config, apr_pool_t *pool);

#endif /* LIMS_SERVER_EXTRACTION_H */
