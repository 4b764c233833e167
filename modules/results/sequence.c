/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.c - the worklist as the sequence of an instrument. */
#include "results/sequence.h"

#include "kernel/field.h"
#include "service/csv.h"
#include "service/service.h"

const lims_field_t lims_sequence_fields[] = {
    { .name = "position",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Place in the sequence, from 1." },
    { .name = "sampleName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Tracking id of the sample, or type and level of the control." },
    { .name = "sampleType",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Type of the control, or sample." },
    LIMS_FIELD_END,
};

const lims_error_t *lims_worklist_sequence(lims_request_t *rq)
{
    lims_csv_t *csv = NULL;
    lims_result_t *rest = NULL;
    const lims_error_t *error =
        lims_csv_begin(&csv, rq, lims_sequence_fields, LIMS_CSV_ROWS_MAX, "sequence.csv");

    lims_csv_page(rq);
    if (!error) {
        const char *tests = lims_values_get(rq->values, "sampleTestIds");
        const lims_call_t call = { .statement = tests ? LIMS_STMT_SAMPLE_TESTS_SEQUENCE
                                                      : LIMS_STMT_WORKLIST_SEQUENCE,
                                   .each = lims_csv_row,
                                   .taker = csv };

        error = lims_service_read(&rest, rq, &call, 1);
    }
    return error ? error : lims_csv_end(csv, rest);
}
