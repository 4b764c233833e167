/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_elements.h - a JSON document (RFC 8259) as the tree that XML makes, so that paths
 * lead through both alike.
 *
 * A member of an object is an element of its name; a member that is an array is an
 * element for each of its values. The outermost value has the name "", what an
 * outermost or an inner array holds the name "item". Numbers and truth values are
 * the text that stands there, null is "". Depth and number of values are bounded
 * as those of XML.
 */
#ifndef LIMS_FORMATS_JSON_ELEMENTS_H
#define LIMS_FORMATS_JSON_ELEMENTS_H

#include "formats/encoding.h"
#include "formats/xml.h"

/* Parses a document. NULL with a reason: malformed, cut off, beyond a bound, a
 * member that an object has twice, an escape that is no character. */
const lims_element_t *lims_json_read(const lims_text_t *text, lims_reasons_t *reasons,
                                     apr_pool_t *pool);

#endif /* LIMS_FORMATS_JSON_ELEMENTS_H */
