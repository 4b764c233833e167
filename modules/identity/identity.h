/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - discovery, the OpenAPI document, and who the caller is. */
#ifndef LIMS_IDENTITY_H
#define LIMS_IDENTITY_H

#include "lims.h"

extern const lims_resource_t lims_identity;

#endif /* LIMS_IDENTITY_H */
