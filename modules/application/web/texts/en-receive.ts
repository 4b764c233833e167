// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of receiving bottles.
export const receive = {
    title: 'Receive',
    tabTitle: (missing: number) => missing ? `(${missing} missing) Receive` : 'Receive',
    ofOrder: (client: string) => client ? `, ${client}` : '',
    order: 'order',
    end: (missing: number) => missing ? `End with ${missing} missing` : 'End',
    scanNext: 'Scan the next bottle',
    scanned: 'Scanned, latest first',
    none: 'Each bottle is received when its label is scanned, or its number keyed in.',
    verdicts: {
        sending: 'Sending', waiting: 'Waits', received: 'Received', already: 'Already',
        refused: 'Refused', undone: 'Undone',
    },
    waits: 'Not sent yet: the service cannot be reached',
    checkCharacter: 'Check character wrong, nothing was received: scan or key it in again.',
    alreadyBy: (at: string, by: string) => `Received ${at} by ${by}`,
    program: 'a program',
    otherOrder: 'of another order',
    noTemperature: 'The temperature of the cooler is no number up to 1000: correct it, then scan'
        + ' again.',
    undo: (seconds: number) => `Undo, ${seconds} s left`,
    undoReason: 'Scanned by mistake, undone at the scan',
    undone: (id: string) => `${id} waits to be received again.`,
    deviation: 'Deviation',
    deviationOf: (id: string) => `Note a deviation of ${id}`,
    deviationWhat: 'What was found that was not agreed: it is recorded with the receipt, and'
        + ' stands on the certificate.',
    noted: (deviation: string) => `Noted already: ${deviation}. What stands in the field replaces it.`,
    deviationReason: 'A deviation was noted at receipt',
    forAll: 'For all of this cooler',
    temperature: 'Cooler, °C',
    condition: 'Condition',
    usual: ['Intact, ice present', 'Intact, ice melted', 'Intact, no ice', 'Leaking', 'Broken'],
    stored: 'Stored',
    storedAsIs: 'where it is',
    of: (received: number, all: number) => `${received} of ${all}`,
    counted: (missing: number, names: string) => missing === 0 ? 'received, all are here'
        : `received, ${missing} missing${names ? `: ${names}` : ''}`,
    noOrder: 'The first bottle says which order is counted.',
    expected: 'Bottles of the order, missing first',
    missing: 'missing',
    here: 'received',
    sum: (received: number) => `${received} received`,
    rest: (already: number, refused: number, waiting: number) => [
        `, ${already} already, ${refused} refused`, waiting ? `, ${waiting} not sent yet` : '',
        '. Each bottle is received when it is scanned',
    ].join(''),
    sound: 'Sound',
    left: (waiting: number, refused: number) => [
        waiting ? `${waiting} ${waiting === 1 ? 'scan' : 'scans'} not sent yet` : '',
        refused ? `${refused} ${refused === 1 ? 'scan' : 'scans'} refused` : '',
    ].filter(Boolean).join(', '),
    lastSaved: (at: string) => `Last saved ${at}`,
};
