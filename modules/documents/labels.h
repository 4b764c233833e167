/* SPDX-License-Identifier: Apache-2.0 */
/* labels.h - the resource that prints labels of records. */
#ifndef LIMS_DOCUMENTS_LABELS_H
#define LIMS_DOCUMENTS_LABELS_H

#include "lims.h"

extern const lims_resource_t lims_label;

#endif /* LIMS_DOCUMENTS_LABELS_H */
