/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - the resource of release readiness. */
#ifndef LIMS_RELEASE_H
#define LIMS_RELEASE_H

#include "lims.h"

extern const lims_resource_t lims_release;

#endif /* LIMS_RELEASE_H */
