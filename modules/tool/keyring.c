/* SPDX-License-Identifier: Apache-2.0 */
/* keyring.c - the key file that the command line names. */
#include "kernel/error.h"
#include "kernel/seal.h"
#include "tool/tool.h"

const lims_error_t *lims_tool_keyring(const lims_keyring_t **ring, const lims_tool_t *tool)
{
    const char *problem;

    if (!tool->secret_key_file) {
        return lims_client_error(
            tool->pool, LIMS_E_INVALID_QUERY,
            "This command needs the key file that LimsSecretKeyFile names: give --secret-key-file "
            "FILE, or LIMS_SECRET_KEY_FILE in the environment.");
    }
    problem = lims_keyring_read(ring, tool->secret_key_file, tool->pool);
    return problem ? lims_client_error(tool->pool, LIMS_E_BAD_REQUEST, "%s.", problem) : NULL;
}
