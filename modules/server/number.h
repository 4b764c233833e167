/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - directives that take a number: a row of a table says where it is
 * kept, its bounds and its default.
 */
#ifndef LIMS_NUMBER_H
#define LIMS_NUMBER_H

#include "server/server.h"

/* A number that nobody has set. */
#define LIMS_NUMBER_UNSET (-1)

typedef struct {
    const char *name;
    apr_size_t offset; /* in lims_config_t, of an apr_int64_t */
    apr_int64_t min;
    apr_int64_t max;
    apr_int64_t fallback;
    const char *unit;
} lims_directive_number_t;

void lims_numbers_unset(lims_config_t *config, const lims_directive_number_t *numbers, int count);

/* Takes from `outer` what is unset. */
void lims_numbers_merge(lims_config_t *config, const lims_config_t *outer,
                        const lims_directive_number_t *numbers, int count);

/* Fills what is still unset. */
void lims_numbers_complete(lims_config_t *config, const lims_directive_number_t *numbers,
                           int count);

/* Of a directive whose cmd_data is its row. */
const char *lims_number_set(cmd_parms *cmd, void *unused, const char *text);

#endif /* LIMS_NUMBER_H */
