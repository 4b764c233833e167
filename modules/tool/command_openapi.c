/* SPDX-License-Identifier: Apache-2.0 */
/* command_openapi.c - limsctl openapi: writes the OpenAPI document that the service
 * serves. */
#include "openapi/openapi.h"
#include "tool/tool.h"

const lims_field_t lims_openapi_options[] = {
    { .name = "server",
      .type = LIMS_T_STRING,
      .fallback = "",
      .doc = "URL or path that stands before " LIMS_API_PREFIX "." },
    LIMS_FIELD_END
};

lims_exit_e lims_command_openapi(lims_tool_t *tool)
{
    apr_size_t length = 0;

    puts(lims_openapi(&length, lims_resources, lims_values_get(tool->values, "server"),
                      LIMS_API_PREFIX, tool->pool));
    return LIMS_EXIT_OK;
}
