/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trail.h - the audit trail, as the auditor reads it.
 */
#ifndef LIMS_TRAIL_H
#define LIMS_TRAIL_H

#include "lims.h"

extern const lims_resource_t lims_audit_entry;
extern const lims_resource_t lims_electronic_signature;

#endif /* LIMS_TRAIL_H */
