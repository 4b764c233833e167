/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extraction.h - the directives of the model service, and what is made of them.
 */
#ifndef LIMS_SERVER_EXTRACTION_H
#define LIMS_SERVER_EXTRACTION_H

#include "server/number.h"

enum {
    LIMS_EXTRACTION_CONNECT_TIMEOUT,
    LIMS_EXTRACTION_TIMEOUT,
    LIMS_EXTRACTION_CONCURRENCY,
    LIMS_EXTRACTION_LOOKS,
    LIMS_EXTRACTION_MAX_BYTES,
    LIMS_EXTRACTION_MAX_ROWS,
    LIMS_EXTRACTION_MAX_CELLS,
    LIMS_EXTRACTION_NUMBERS
};

extern const lims_directive_number_t lims_extraction_numbers[LIMS_EXTRACTION_NUMBERS];

void lims_extraction_create(lims_config_t *config);
void lims_extraction_merge(lims_config_t *config, const lims_config_t *outer);
void lims_extraction_complete(lims_config_t *config);

/* Reads the key file and makes config->model, if a URL is configured. NULL, or
 * what is wrong with the configuration; `*remedy` says what to do about it. */
const char *lims_extraction_check(const char **remedy, lims_config_t *config, apr_pool_t *pool);

/* Setters of directives that take a text or a name. */
const char *lims_extraction_set_text(cmd_parms *cmd, void *unused, const char *text);
const char *lims_extraction_set_file(cmd_parms *cmd, void *unused, const char *path);
const char *lims_extraction_set_style(cmd_parms *cmd, void *unused, const char *name);
const char *lims_extraction_set_output(cmd_parms *cmd, void *unused, const char *name);

#define LIMS_EXTRACTION_AT(member)                                                                 \
    (void *)(apr_uintptr_t)APR_OFFSETOF(lims_config_t, extraction.member)
#define LIMS_EXTRACTION_NUMBER(index) (void *)(apr_uintptr_t)&lims_extraction_numbers[index]

/* clang-format off */
#define LIMS_EXTRACTION_DIRECTIVES                                                                 \
    AP_INIT_TAKE1("LimsExtractionUrl", lims_extraction_set_text, LIMS_EXTRACTION_AT(url),          \
                  RSRC_CONF, "URL of the model service's endpoint"),                               \
    AP_INIT_TAKE1("LimsExtractionStyle", lims_extraction_set_style, NULL, RSRC_CONF,               \
                  "form of its requests: openai, azure or anthropic"),                             \
    AP_INIT_TAKE1("LimsExtractionModel", lims_extraction_set_text, LIMS_EXTRACTION_AT(name),       \
                  RSRC_CONF, "name of the model"),                                                 \
    AP_INIT_TAKE1("LimsExtractionKeyFile", lims_extraction_set_file,                               \
                  LIMS_EXTRACTION_AT(key_file), RSRC_CONF, "file of the service's key"),           \
    AP_INIT_TAKE1("LimsExtractionCAFile", lims_extraction_set_file, LIMS_EXTRACTION_AT(ca_file),   \
                  RSRC_CONF, "file of the certificates that the service is checked with"),         \
    AP_INIT_TAKE1("LimsExtractionClientCertificate", lims_extraction_set_file,                     \
                  LIMS_EXTRACTION_AT(certificate), RSRC_CONF, "file of our own certificate"),      \
    AP_INIT_TAKE1("LimsExtractionClientKey", lims_extraction_set_file,                             \
                  LIMS_EXTRACTION_AT(certificate_key), RSRC_CONF, "file of its key"),              \
    AP_INIT_TAKE1("LimsExtractionProxy", lims_extraction_set_text, LIMS_EXTRACTION_AT(proxy),      \
                  RSRC_CONF, "URL of the proxy to the service"),                                   \
    AP_INIT_TAKE1("LimsExtractionStructuredOutput", lims_extraction_set_output, NULL, RSRC_CONF,   \
                  "how its answers are held to a form: json_schema, tool, json_object or none"),   \
    AP_INIT_TAKE1("LimsExtractionConnectTimeout", lims_number_set,                                 \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_CONNECT_TIMEOUT), RSRC_CONF,              \
                  "milliseconds until connecting to it has failed"),                               \
    AP_INIT_TAKE1("LimsExtractionTimeout", lims_number_set,                                        \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_TIMEOUT), RSRC_CONF,                      \
                  "milliseconds for all calls of a file"),                                         \
    AP_INIT_TAKE1("LimsExtractionConcurrency", lims_number_set,                                    \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_CONCURRENCY), RSRC_CONF,                  \
                  "files looked at at once in a child process"),                                   \
    AP_INIT_TAKE1("LimsExtractionLooks", lims_number_set,                                          \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_LOOKS), RSRC_CONF,                        \
                  "how often a file is looked at, independently: 1 or 2"),                         \
    AP_INIT_TAKE1("LimsExtractionMaxBytes", lims_number_set,                                       \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_MAX_BYTES), RSRC_CONF,                    \
                  "largest file in bytes"),                                                        \
    AP_INIT_TAKE1("LimsExtractionMaxRows", lims_number_set,                                        \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_MAX_ROWS), RSRC_CONF,                     \
                  "most rows of a file"),                                                          \
    AP_INIT_TAKE1("LimsExtractionMaxCells", lims_number_set,                                       \
                  LIMS_EXTRACTION_NUMBER(LIMS_EXTRACTION_MAX_CELLS), RSRC_CONF,                    \
                  "most cells of a file")
/* clang-format on */

#endif /* LIMS_SERVER_EXTRACTION_H */
