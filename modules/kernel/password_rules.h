/* SPDX-License-Identifier: Apache-2.0 */
/*
 * password_rules.h - what a new password must not be (NIST SP 800-63B 5.1.1.2): short, the
 * address, the laboratory's name, or one of those that everybody tries first. There are no
 * rules of composition.
 */
#ifndef LIMS_KERNEL_PASSWORD_RULES_H
#define LIMS_KERNEL_PASSWORD_RULES_H

#include "lims.h"

/* Characters of a new password. */
#define LIMS_PASSWORD_MIN 12
#define LIMS_PASSWORD_MAX 255

/* Returns what is wrong with a password, as the end of a sentence that begins with its
 * name ("is …"), without the password; NULL: nothing. `names` are texts that it must not be,
 * NULL at the end: the person's address, name and code of the organization. Its length is
 * checked by its field. */
const char *lims_password_fault(const char *password, const char *const *names, apr_pool_t *pool);

/* Whether a password is one of the commonest: made of nothing but a few of the words, rows
 * of keys, sequences and repetitions that lists of stolen passwords begin with, with
 * digits and signs in between ("Password1234", "qwertyuiop12", "abc123abc123"). Case does
 * not count, nor digits in the place of letters ("P4ssw0rd!"). Such a rule refuses more than
 * the 10,000 commonest, and no list has to be kept. */
bool lims_password_is_common(const char *password, apr_pool_t *pool);

#endif /* LIMS_KERNEL_PASSWORD_RULES_H */
