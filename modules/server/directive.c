/* SPDX-License-Identifier: Apache-2.0 */
/* directive.c - setting, merging and completing values by the rows of directives. */
#include "server/directive.h"

#include <apr_strings.h>
#include <errno.h>
#include <string.h>

#define UNSET (-1)

static const apr_size_t sizes[] = {
    [LIMS_SETS_NUMBER] = sizeof(apr_int64_t),
    [LIMS_SETS_WORD] = sizeof(int),
    [LIMS_SETS_TEXT] = sizeof(const char *),
    [LIMS_SETS_LIST] = sizeof(apr_array_header_t *),
};

_Static_assert(LIMS_LENGTH(sizes) == LIMS_SETS_COUNT, "a size for each type");

lims_config_t *lims_config_of(const server_rec *s)
{
    return ap_get_module_config(s->module_config, &lims_module);
}

/* --- All of them ---------------------------------------------------------------- */

static void *value_of(lims_config_t *config, const lims_directive_t *directive)
{
    return (char *)config + directive->offset;
}

static bool is_set(lims_config_t *config, const lims_directive_t *directive)
{
    const void *value = value_of(config, directive);
    const void *pointer = NULL;

    switch (directive->sets) {
    case LIMS_SETS_NUMBER:
        return *(const apr_int64_t *)value != UNSET;
    case LIMS_SETS_WORD:
        return *(const int *)value != UNSET;
    default:
        memcpy(&pointer, value, sizeof(pointer));
        return pointer;
    }
}

static void put(lims_config_t *config, const lims_directive_t *directive, apr_int64_t number,
                const char *text)
{
    void *value = value_of(config, directive);

    switch (directive->sets) {
    case LIMS_SETS_NUMBER:
        *(apr_int64_t *)value = number;
        break;
    case LIMS_SETS_WORD:
        *(int *)value = (int)number;
        break;
    case LIMS_SETS_TEXT:
        *(const char **)value = text;
        break;
    default:
        *(apr_array_header_t **)value = NULL;
    }
}

void lims_directives_unset(lims_config_t *config, const command_rec *commands)
{
    for (; commands->name; commands++) {
        put(config, commands->cmd_data, UNSET, NULL);
    }
}

void lims_directives_merge(lims_config_t *config, const lims_config_t *outer,
                           const command_rec *commands)
{
    for (; commands->name; commands++) {
        const lims_directive_t *directive = commands->cmd_data;
        if (!is_set(config, directive)) {
            memcpy(value_of(config, directive), (const char *)outer + directive->offset,
                   sizes[directive->sets]);
        }
    }
}

void lims_directives_complete(lims_config_t *config, const command_rec *commands)
{
    for (; commands->name; commands++) {
        const lims_directive_t *directive = commands->cmd_data;
        if (!is_set(config, directive)) {
            put(config, directive, directive->fallback, directive->text);
        }
    }
}

/* --- Setters -------------------------------------------------------------------- */

static const char *set(cmd_parms *cmd, apr_int64_t number, const char *text)
{
    put(lims_config_of(cmd->server), cmd->info, number, text);
    return NULL;
}

const char *lims_directive_set_number(cmd_parms *cmd, void *unused, const char *text)
{
    const lims_directive_t *directive = cmd->info;
    char *end = NULL;
    apr_int64_t number;

    (void)unused;
    errno = 0;
    number = apr_strtoi64(text, &end, 10);
    if (errno || end == text || *end || number < directive->min || number > directive->max) {
        return apr_psprintf(cmd->pool, "%s: %s from %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT,
                            cmd->cmd->name, directive->unit, directive->min, directive->max);
    }
    return set(cmd, number, NULL);
}

const char *lims_directive_set_flag(cmd_parms *cmd, void *unused, int on)
{
    (void)unused;
    return set(cmd, on, NULL);
}

const char *lims_directive_set_word(cmd_parms *cmd, void *unused, const char *word)
{
    const lims_directive_t *directive = cmd->info;
    const char *list = "";

    (void)unused;
    for (int i = 0; directive->words[i]; i++) {
        if (strcasecmp(word, directive->words[i]) == 0) {
            return set(cmd, i, NULL);
        }
        list = apr_pstrcat(cmd->pool, list, *list ? ", " : "", directive->words[i], NULL);
    }
    return apr_pstrcat(cmd->pool, cmd->cmd->name, ": one of ", list, NULL);
}

const char *lims_directive_set_text(cmd_parms *cmd, void *unused, const char *text)
{
    (void)unused;
    return set(cmd, 0, text);
}

const char *lims_directive_add_text(cmd_parms *cmd, void *unused, const char *text)
{
    apr_array_header_t **list = value_of(lims_config_of(cmd->server), cmd->info);

    (void)unused;
    if (!*list) {
        *list = apr_array_make(cmd->pool, 4, sizeof(const char *));
    }
    APR_ARRAY_PUSH(*list, const char *) = text;
    return NULL;
}

const char *lims_directive_set_file(cmd_parms *cmd, void *unused, const char *path)
{
    const char *file = ap_server_root_relative(cmd->pool, path);

    (void)unused;
    return file ? set(cmd, 0, file)
                : apr_pstrcat(cmd->pool, cmd->cmd->name, ": no such path", NULL);
}
