/* SPDX-License-Identifier: Apache-2.0 */
/* command_openapi.c - limsctl openapi: writes the OpenAPI document that the service
 * serves. */
#include <string.h>

#include "openapi/openapi.h"
#include "tool/tool.h"

static const char *const surfaces[] = { "api", "application", NULL };

const lims_field_t lims_openapi_options[] = {
    { .name = "server",
      .type = LIMS_T_STRING,
      .fallback = "",
      .doc = "URL or path that stands before " LIMS_API_PREFIX "." },
    { .name = "surface",
      .type = LIMS_T_ENUM,
      .values = surfaces,
      .fallback = "api",
      .doc = "The REST API's document, or the application's." },
    LIMS_FIELD_END
};

lims_exit_e lims_command_openapi(lims_tool_t *tool)
{
    apr_size_t length = 0;

    bool people = strcmp(lims_values_get(tool->values, "surface"), "application") == 0;

    puts(lims_openapi(&length, lims_resources,
                      people ? LIMS_SURFACE_APPLICATION : LIMS_SURFACE_API,
                      lims_values_get(tool->values, "server"),
                      people ? LIMS_APPLICATION_PREFIX : LIMS_API_PREFIX, tool->pool));
    return LIMS_EXIT_OK;
}
