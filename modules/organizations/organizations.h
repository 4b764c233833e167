/* SPDX-License-Identifier: Apache-2.0 */
/*
 * organizations.h - organizations with their plan and policies, their users,
 * and their API keys. Only for the command line.
 */
#ifndef LIMS_ORGANIZATIONS_H
#define LIMS_ORGANIZATIONS_H

#include "lims.h"

extern const lims_resource_t lims_organization;
/* The layout of its certificates (certificate_layout.c). */
extern const lims_field_t lims_certificate_layout[];
extern const lims_resource_t lims_certificate_layout_preview;
/* The monthly allowance of samples: { limit, used, left }. */
extern const lims_field_t lims_allowance_fields[];
/* The samples and tests that policies affect now. */
extern const lims_resource_t lims_policy;
extern const lims_resource_t lims_user;
extern const lims_resource_t lims_permission_matrix;
/* The names of people, for everybody who reads. */
extern const lims_resource_t lims_person;
extern const lims_resource_t lims_saved_view;
extern const lims_resource_t lims_key;

#endif /* LIMS_ORGANIZATIONS_H */
