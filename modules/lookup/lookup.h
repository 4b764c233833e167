/* SPDX-License-Identifier: Apache-2.0 */
/* lookup.h - the resource that finds records by what is written on them. */
#ifndef LIMS_LOOKUP_H
#define LIMS_LOOKUP_H

#include "lims.h"

extern const lims_resource_t lims_lookup;

#endif /* LIMS_LOOKUP_H */
