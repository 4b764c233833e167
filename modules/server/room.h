/* SPDX-License-Identifier: Apache-2.0 */
/* room.h - whether the database has room for as many connections as may be asked for. */
#ifndef LIMS_ROOM_H
#define LIMS_ROOM_H

#include "server/server.h"

/* Warns where it has not. In the parent, at each start, on a connection of its own. */
void lims_room_check(lims_connection_t *connection, server_rec *s, apr_pool_t *pool);

#endif /* LIMS_ROOM_H */
