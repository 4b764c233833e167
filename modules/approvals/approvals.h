/* SPDX-License-Identifier: Apache-2.0 */
/* approvals.h - the resource of approval records. */
#ifndef LIMS_APPROVALS_H
#define LIMS_APPROVALS_H

#include "lims.h"

extern const lims_resource_t lims_approval;

#endif /* LIMS_APPROVALS_H */
