/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.c - the slots, which bound the dispatchers active at once on a machine.
 *
 * A slot is a byte range of a file that all child processes have open, locked with
 * fcntl(): the kernel releases the lock when the process ends, also by kill -9. The
 * range contains the holder's name. If a free slot contains a name, that holder died,
 * and its leases can be taken over before they expire. These locks belong to the
 * process, so that children may inherit the descriptor from the parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/dispatch_private.h"

static bool set_lock(int file, int slot, short type)
{
    struct flock lock = { .l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)slot * LIMS_HOLDER_LENGTH,
                          .l_len = LIMS_HOLDER_LENGTH };
    int result;

    do {
        result = fcntl(file, F_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/* Writes the holder's name. If that fails, a successor only has to wait for the leases
 * to expire. */
static void write_name(int file, int slot, const char *name)
{
    ssize_t written = pwrite(file, name, LIMS_HOLDER_LENGTH, (off_t)slot * LIMS_HOLDER_LENGTH);

    (void)written;
}

int lims_dispatch_slot_take(const lims_dispatch_settings_t *settings, const char *holder,
                            char previous[LIMS_HOLDER_LENGTH + 1])
{
    for (int slot = 0; slot < settings->slots; slot++) {
        if (!set_lock(settings->slot_file, slot, F_WRLCK)) {
            continue;
        }
        memset(previous, 0, LIMS_HOLDER_LENGTH + 1);
        if (pread(settings->slot_file, previous, LIMS_HOLDER_LENGTH,
                  (off_t)slot * LIMS_HOLDER_LENGTH) != LIMS_HOLDER_LENGTH ||
            strlen(previous) != LIMS_HOLDER_LENGTH) {
            previous[0] = '\0';
        }
        write_name(settings->slot_file, slot, holder);
        return slot;
    }
    return -1;
}

void lims_dispatch_slot_give_back(const lims_dispatch_settings_t *settings, int slot)
{
    static const char nobody[LIMS_HOLDER_LENGTH] = { 0 };

    write_name(settings->slot_file, slot, nobody);
    set_lock(settings->slot_file, slot, F_UNLCK);
}
