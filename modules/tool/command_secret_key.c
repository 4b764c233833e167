/* SPDX-License-Identifier: Apache-2.0 */
/* command_secret_key.c - limsctl secret-key: adds a new key at the head of the key file. */
#include <apr_strings.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <time.h>

#include "kernel/error.h"
#include "kernel/seal.h"
#include "kernel/writer.h"
#include "tool/tool.h"

const lims_field_t lims_secret_key_options[] = {
    { .name = "keyId",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = LIMS_SEAL_ID_MAX,
      .pattern = "^[A-Za-z0-9._-]+$",
      .doc = "Name of the key, in the file and in the secrets that it encrypts; by default the "
             "present time and a random number.",
      .example = "2026-11" },
    LIMS_FIELD_END,
};

/* Returns an id for the key: the current time and a random number, so that keys of two
 * files keep distinct ids if the files are merged one day. */
static const char *make_id(apr_pool_t *pool)
{
    time_t now = time(NULL);
    struct tm utc;
    char text[LIMS_SEAL_ID_MAX];
    unsigned char chance[3];

    gmtime_r(&now, &utc);
    strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc);
    if (RAND_bytes(chance, sizeof(chance)) != 1) {
        return apr_pstrdup(pool, text);
    }
    return apr_psprintf(pool, "%s-%02x%02x%02x", text, chance[0], chance[1], chance[2]);
}

static void print_done(const lims_tool_t *tool, const char *id, const char *file)
{
    lims_writer_t *w = lims_writer_create(tool->pool);
    apr_size_t length = 0;

    if (!tool->json) {
        printf(
            "Key %s is now the first in %s.\nReload httpd, then run \"limsctl webhook rekey\" "
            "to encrypt the existing secrets with it.\nA key that closed blocks of the audit trail "
            "stays in the file: \"limsctl check\" names them.\n",
            id, lims_printable(file, tool->pool));
        return;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "keyId");
    lims_writer_string(w, id);
    lims_writer_key(w, "file");
    lims_writer_string(w, file);
    lims_writer_object_end(w);
    printf("%s\n", lims_writer_finish(&length, w));
}

lims_exit_e lims_command_secret_key(lims_tool_t *tool)
{
    const char *id = lims_values_get(tool->values, "keyId");
    const char *problem;

    if (!tool->secret_key_file) {
        return lims_print_error(
            tool, lims_client_error(tool->pool, LIMS_E_INVALID_QUERY,
                                    "No key file is named: give --secret-key-file FILE, or "
                                    "LIMS_SECRET_KEY_FILE in the environment."));
    }
    id = id ? id : make_id(tool->pool);
    problem = lims_keyring_add(tool->secret_key_file, id, tool->pool);
    if (problem) {
        return lims_print_error(tool,
                                lims_client_error(tool->pool, LIMS_E_BAD_REQUEST, "%s.", problem));
    }
    print_done(tool, id, tool->secret_key_file);
    return LIMS_EXIT_OK;
}
