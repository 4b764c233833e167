/* SPDX-License-Identifier: Apache-2.0 */
/* letterhead_logo.h - steps of the routes of the logo in the letterhead (organizations.c). */
#ifndef LIMS_ORGANIZATIONS_LETTERHEAD_LOGO_H
#define LIMS_ORGANIZATIONS_LETTERHEAD_LOGO_H

#include "lims.h"

extern const lims_field_t lims_logo_input[];
/* Makes the printer's job of an upload. */
lims_handler_fn lims_logo_prepare;
/* Keeps the PNG that the printer made of it, or refuses what it could not read. */
lims_handler_fn lims_logo_keep;
/* Has certificates issued without a logo from now on; the older ones keep theirs. */
lims_handler_fn lims_logo_remove;
lims_handler_fn lims_logo_show;

#endif /* LIMS_ORGANIZATIONS_LETTERHEAD_LOGO_H */
