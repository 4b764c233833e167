/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - directives that take a number. */
#include "server/number.h"

#include <apr_strings.h>

static apr_int64_t *number_of(lims_config_t *config, const lims_directive_number_t *number)
{
    return (apr_int64_t *)(void *)((char *)config + number->offset);
}

static apr_int64_t value_of(const lims_config_t *config, const lims_directive_number_t *number)
{
    return *(const apr_int64_t *)(const void *)((const char *)config + number->offset);
}

void lims_numbers_unset(lims_config_t *config, const lims_directive_number_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        *number_of(config, &numbers[i]) = LIMS_NUMBER_UNSET;
    }
}

void lims_numbers_merge(lims_config_t *config, const lims_config_t *outer,
                        const lims_directive_number_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        apr_int64_t *number = number_of(config, &numbers[i]);
        if (*number == LIMS_NUMBER_UNSET) {
            *number = value_of(outer, &numbers[i]);
        }
    }
}

void lims_numbers_complete(lims_config_t *config, const lims_directive_number_t *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        apr_int64_t *number = number_of(config, &numbers[i]);
        if (*number == LIMS_NUMBER_UNSET) {
            *number = numbers[i].fallback;
        }
    }
}

const char *lims_number_set(cmd_parms *cmd, void *unused, const char *text)
{
    const lims_directive_number_t *number = cmd->info;
    char *end = NULL;
    apr_int64_t value;

    (void)unused;
    errno = 0;
    value = apr_strtoi64(text, &end, 10);
    if (errno || end == text || *end || value < number->min || value > number->max) {
        return apr_psprintf(cmd->pool, "%s: %s from %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT,
                            number->name, number->unit, number->min, number->max);
    }
    *number_of(lims_config_of(cmd->server), number) = value;
    return NULL;
}
