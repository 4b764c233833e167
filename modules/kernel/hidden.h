/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - characters that hide, by their Unicode 15 properties. */
#ifndef LIMS_KERNEL_HIDDEN_H
#define LIMS_KERNEL_HIDDEN_H

#include "lims.h"

/* Whether a character is invisible, or has an effect on others, whatever stands beside it:
 * controls, bidirectional embeddings, overrides and isolates, spaces without width, fillers,
 * tags. */
bool lims_hidden_character(unsigned c);

/* Whether a character joins letters, directs them or selects their form, which some scripts
 * spell with, and which hides in all others. */
bool lims_hidden_joiner(unsigned c);

#endif /* LIMS_KERNEL_HIDDEN_H */
