/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directive.h - one row for each directive.
 *
 * A row stands in lims_config_directives[] (config.c), as the data of httpd's own
 * record of the directive: where in lims_config_t its value goes, its bounds and its
 * default. Values that nobody set, the merge of a virtual host with the main server,
 * and defaults follow from the rows alone.
 */
#ifndef LIMS_SERVER_DIRECTIVE_H
#define LIMS_SERVER_DIRECTIVE_H

#include <stddef.h>

#include "server/server.h"

/* The type of a directive's value, and what it is while nobody has set it. */
typedef enum {
    LIMS_SETS_NUMBER, /* apr_int64_t, -1 */
    LIMS_SETS_WORD,   /* int: the index of one of some words, or 0 and 1 for off and on; -1 */
    LIMS_SETS_TEXT,   /* const char *, NULL */
    LIMS_SETS_LIST,   /* apr_array_header_t *, NULL */
    LIMS_SETS_COUNT
} lims_sets_e;

typedef struct {
    lims_sets_e sets;
    apr_size_t offset;        /* in lims_config_t */
    apr_int64_t min, max;     /* of a number */
    apr_int64_t fallback;     /* of a number or a word */
    const char *unit;         /* of a number, in the plural */
    const char *const *words; /* of a word, ended by NULL; NULL: it is off or on */
    const char *text;         /* of a text: its fallback, or NULL */
    const char *owner;        /* the module whose directive it is; NULL: ours */
} lims_directive_t;

/* Rows, as the data of a command_rec. They do not compile for a member of another
 * type. */
#define LIMS_DIRECTIVE(kind, type, member, ...)                                                    \
    (void *)&(const lims_directive_t)                                                              \
    {                                                                                              \
        .sets = (kind),                                                                            \
        .offset = _Generic(((lims_config_t *)NULL)->member, type                                   \
                           : offsetof(lims_config_t, member)),                                     \
        __VA_ARGS__                                                                                \
    }
#define LIMS_NUMBER(member, ...) LIMS_DIRECTIVE(LIMS_SETS_NUMBER, apr_int64_t, member, __VA_ARGS__)
#define LIMS_WORD(member, ...) LIMS_DIRECTIVE(LIMS_SETS_WORD, int, member, __VA_ARGS__)
#define LIMS_TEXT(member, ...) LIMS_DIRECTIVE(LIMS_SETS_TEXT, const char *, member, __VA_ARGS__)
#define LIMS_LIST(member) LIMS_DIRECTIVE(LIMS_SETS_LIST, apr_array_header_t *, member, .text = NULL)

/* --- All directives of a table that ends with a NULL name ----------------------- */

/* Marks every value of a new configuration as set by nobody. */
void lims_directives_unset(lims_config_t *config, const command_rec *commands);

/* Takes from `outer` what `config` does not set. Lists are taken whole, not joined. */
void lims_directives_merge(lims_config_t *config, const lims_config_t *outer,
                           const command_rec *commands);

/* Gives what is still unset its fallback. */
void lims_directives_complete(lims_config_t *config, const command_rec *commands);

/* --- Setters -------------------------------------------------------------------- */

/* Setters store the value in the server that is being configured, by the row of the
 * directive. They return what is wrong in the form of httpd: a sentence, or NULL. */

/* An integer within the bounds, in decimal. */
const char *lims_directive_set_number(cmd_parms *cmd, void *unused, const char *text);

/* On or off. */
const char *lims_directive_set_flag(cmd_parms *cmd, void *unused, int on);

/* One of the words, in upper or lower case. */
const char *lims_directive_set_word(cmd_parms *cmd, void *unused, const char *word);

/* A text as it stands there. */
const char *lims_directive_set_text(cmd_parms *cmd, void *unused, const char *text);

/* A text more in a list of const char *. */
const char *lims_directive_add_text(cmd_parms *cmd, void *unused, const char *text);

/* A path, absolute or seen from ServerRoot. */
const char *lims_directive_set_file(cmd_parms *cmd, void *unused, const char *path);

#endif /* LIMS_SERVER_DIRECTIVE_H */
