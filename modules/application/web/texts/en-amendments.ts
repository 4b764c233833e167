// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of amendments, by which a reported sample is corrected.
export const amendments = {
    amend: (name: string) => `Amend the report of ${name}`,
    amendShort: 'Amend the report',
    amendWhat: 'The report stays as it is until its next version is issued. Facts that are '
        + 'corrected here change at once; a result is reopened afterwards, entered and verified '
        + 'anew. The approvals are asked for again.',
    corrected: 'Facts to correct',
    amended: (name: string) => `The amendment of ${name} is open; its approvals are asked for.`,
    issue: 'Issue the next version',
    issueOf: (name: string) => `Issue the next version for ${name}`,
    issueWhat: (reason: string) => `You approve the corrected certificate. It replaces the version `
        + `before, because: ${reason}`,
    issued: (number: string, version: number) => `${number} version ${version} is issued.`,
    withdraw: 'Withdraw the amendment',
    withdrawOf: (name: string) => `Withdraw the amendment of ${name}`,
    withdrawWhat: 'Only where facts, tests, values, limits and lots are again what they were.',
    withdrawn: 'The amendment is withdrawn; the certificate stands.',
    resubmit: 'Ask for approval again',
    resubmitOf: (name: string) => `Ask for approval of ${name} again`,
    resubmitWhat: 'After a rejection, where nothing has to be changed.',
    resubmitted: 'The approvals are asked for again.',
    open: (reason: string) => `Being amended: ${reason}`,
    same: 'Nothing differs from what was reported.',
    differs: (what: string, old: string, now: string) => `${what}: ${old} → ${now}`,
    next: 'Next version',
    draft: 'As it would be issued now',
    member: {
        trackingId: 'Tracking id', sampleIdentifier: 'Identifier', clientId: 'Client',
        clientName: 'Client', clientAddress: 'Address of the client', project: 'Project',
        projectId: 'Project', materialType: 'Material', materialTypeId: 'Material',
        plantLocation: 'Place', collectedAt: 'Collected', collectionDate: 'Day of collection',
        receivedAt: 'Received', externalId: 'External id', notes: 'Notes',
        noteOnReport: 'Notes on the report', remark: 'Remark',
        receiptCondition: 'Condition on receipt', receiptContainers: 'Containers on receipt',
        receiptTemperature: 'Temperature on receipt, °C',
        receiptDeviations: 'Deviations on receipt', result: 'result', qualifier: 'qualifier',
        unit: 'unit', specification: 'limit', reagentLot: 'reagent lot', mediaLot: 'media lot',
        outOfSpecification: 'out of specification', status: 'status', reported: 'reported',
        qcBatchIds: 'QC batches by id', testCode: 'test code', testName: 'test name',
        method: 'method', uncertainty: 'uncertainty', confirmation: 'confirmation',
        accredited: 'accredited', decisionRule: 'decision rule', analyzedAt: 'analysed',
        holdingTimeMet: 'holding time met', reportingLimit: 'reporting limit',
        methodDetectionLimit: 'method detection limit',
    } as Record<string, string>,
};
