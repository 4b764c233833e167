/* SPDX-License-Identifier: Apache-2.0 */
/* application.h - the interactive application: people who sign in. */
#ifndef LIMS_APPLICATION_H
#define LIMS_APPLICATION_H

#include "lims.h"

/* The session of the person who asks: signing in, who is signed in, signing out. */
extern const lims_resource_t lims_own_session;

/* Sessions of people, as they see their own and whoever manages users sees anybody's. */
extern const lims_resource_t lims_session;

#endif /* LIMS_APPLICATION_H */
