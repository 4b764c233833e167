/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_parts.c - functions that the files of the OpenAPI document share. */
#include "openapi/openapi_parts.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

void lims_openapi_member(lims_openapi_t *doc, const char *name, const char *text)
{
    lims_writer_key(doc->w, name);
    lims_writer_string(doc->w, text);
}

void lims_openapi_reference(lims_openapi_t *doc, const char *section, const char *name)
{
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "$ref",
                        apr_pstrcat(doc->pool, "#/components/", section, "/", name, NULL));
    lims_writer_object_end(doc->w);
}

void lims_openapi_content_of(lims_openapi_t *doc, const char *media_type)
{
    lims_writer_key(doc->w, "content");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, media_type);
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "schema");
}

void lims_openapi_content_next(lims_openapi_t *doc, const char *media_type)
{
    lims_writer_object_end(doc->w);
    lims_writer_key(doc->w, media_type);
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "schema");
}

void lims_openapi_content_begin(lims_openapi_t *doc)
{
    lims_openapi_content_of(doc, "application/json");
}

void lims_openapi_content_end(lims_openapi_t *doc)
{
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}

const char *lims_openapi_name(const char *words, apr_pool_t *pool)
{
    char *name = apr_palloc(pool, strlen(words) + 1);
    char *end = name;
    bool first = true;

    for (; *words != '\0'; words++) {
        if (apr_isalnum(*words)) {
            *end++ = first ? (char)apr_toupper(*words) : *words;
            first = false;
        } else {
            first = true;
        }
    }
    *end = '\0';
    return name;
}
