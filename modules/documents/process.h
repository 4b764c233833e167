/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - starting and ending the printer's process. */
#ifndef LIMS_DOCUMENTS_PROCESS_H
#define LIMS_DOCUMENTS_PROCESS_H

#include "documents/printer.h"

/* Starts the process. Returns NULL, or why it could not be started. */
const char *lims_process_start(lims_printer_process_t *process, const lims_printer_t *printer,
                               apr_pool_t *pool);

/* Whether a running process waits for a job: it has neither ended nor written anything. */
bool lims_process_is_usable(const lims_printer_process_t *process);

/* Gives the process the processor time of one more document, so that one that hangs ends
 * even when nobody is left to kill it. */
void lims_process_renew(const lims_printer_process_t *process, const lims_printer_t *printer);

/* Ends the process and returns how it ended, in `pool`; `killed`: by our signal. */
const char *lims_process_end(lims_printer_process_t *process, bool killed, apr_pool_t *pool);

#endif /* LIMS_DOCUMENTS_PROCESS_H */
