/* SPDX-License-Identifier: Apache-2.0 */
/* reason_field.c - the body of actions that ask for a reason alone. */
#include "lims.h"

const lims_field_t lims_reason_input[] = { LIMS_REASON_FIELD, LIMS_FIELD_END };
