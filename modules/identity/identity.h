/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - discovery, the OpenAPI document, and the caller's identity. */
#ifndef LIMS_IDENTITY_H
#define LIMS_IDENTITY_H

#include "lims.h"

extern const lims_resource_t lims_identity;

#endif /* LIMS_IDENTITY_H */
