/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_elements.h - reading of a JSON document (RFC 8259) as a tree of elements
 * like that of XML, so that the same paths work for both.
 *
 * A member of an object becomes an element with its name; a member that is an
 * array becomes an element for each of its values. The outermost value has the
 * name ""; the values of an outermost or nested array have the name "item".
 * Numbers and booleans keep their text, null is "". Depth and number of values
 * have the limits of XML.
 */
#ifndef LIMS_FORMATS_JSON_ELEMENTS_H
#define LIMS_FORMATS_JSON_ELEMENTS_H

#include "formats/encoding.h"
#include "formats/xml.h"

/* Parses a document into `pool`. NULL with a reason: malformed, truncated, over a
 * limit, a duplicate member of an object, an invalid escape. */
const lims_element_t *lims_json_read(const lims_text_t *text, lims_reasons_t *reasons,
                                     apr_pool_t *pool);

#endif /* LIMS_FORMATS_JSON_ELEMENTS_H */
