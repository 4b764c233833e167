// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of entering values in a grid.
const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

type Values = Readonly<Record<string, string | number>>;

const remarks: Record<string, (values: Values) => string> = {
    pasted: ({ cells, left }) => `${count(Number(cells), 'cell')} pasted`
        + (left ? `, ${left} left out` : ''),
    saved: ({ cells }) => `${count(Number(cells), 'result')} saved`,
    too_large: ({ cells }) => `Too large to paste: at most ${Number(cells).toLocaleString('en-US')}`
        + ' cells. Import it as a file.',
    nothing_to_paste: () => 'The clipboard has no text',
    locked: ({ why }) => `Not pasted: ${why}`,
    not_ordered: () => 'Not pasted: this test is not ordered for the sample',
    beyond_last_row: () => 'Not pasted: below the last row',
    beyond_last_column: () => 'Not pasted: beyond the last column',
    no_such_row: ({ label }) => `Not pasted: ${label} is not in this run`,
    no_such_column: ({ name }) => `Not pasted: no column is called ${name}`,
    no_label: () => 'Not pasted: the line does not say which sample or test it is',
    several_rows: ({ label }) => `Not pasted: several rows are called ${label}`,
    several_columns: ({ name }) => `Not pasted: several columns are called ${name}`,
    no_heading: () => 'Not pasted: no heading says which column it is',
    given_twice: () => 'Not pasted: the block has different values for this cell',
    several_lines: () => 'Not pasted: it has several lines',
    unseen_characters: () => 'Not pasted: it has characters that cannot be seen',
    too_long: ({ length }) => `Not pasted: longer than ${length} characters`,
};

export const grid = {
    row: 'Row',
    rowName: (row: number) => `row ${row}`,
    at: (row: number, column: string) => `Row ${row}, ${column}`,
    cell: (column: string, label: string) => `${column} of ${label}`,
    remark: (code: string, values: Values) => remarks[code]?.(values) ?? code,
    kinds: {
        conflict: 'Somebody else changed it',
        refused: 'Refused',
        reason: 'A reason is needed to replace the entered value',
        waiting: 'Waits for the service: kept in this tab, not saved',
        saving: 'Being saved',
        locked: 'Locked',
        returned: 'Sent back: to be entered again',
        outside: 'Outside its limit',
        attention: 'Needs a look',
        within: 'Within its limit',
        plain: '',
    },
    unsaved: 'Not saved',
    unsavedCell: (name: string) => `${name}, not saved`,
    was: (value: string) => value === '' ? 'was empty' : `was ${value}`,
    order: { heads: { test: 'Test', name: 'Name', limit: 'Limit', result: 'Result' } },
    // Headings under which other programs name a sample or a test, without punctuation.
    headings: {
        sample: ['TRACKING ID', 'TRACKING NO', 'TRACKING NUMBER', 'SAMPLE', 'SAMPLE ID', 'SAMPLE NO',
            'SAMPLE NUMBER', 'SAMPLE NAME', 'LAB ID', 'LAB NO', 'LAB NUMBER', 'LABORATORY ID',
            'LIMS ID', 'BARCODE', 'ID'],
        test: ['TEST', 'TEST CODE', 'TEST NAME', 'ANALYTE', 'PARAMETER', 'CODE'],
    },
    foot: 'Cell and problems',
    problems: (n: number) => count(n, 'problem'),
    noProblems: 'Nothing to look at.',
    more: (n: number) => `and ${count(n, 'more', 'more')}`,
    enterHint: 'down',
    tabHint: 'right',
    escapeHint: 'as it was',
    sum: (problems: number, entered: number, empty: number) =>
        `${problems === 0 ? '' : `${problems.toLocaleString('en-US')} to look at of `}`
        + `${entered.toLocaleString('en-US')} entered, ${empty.toLocaleString('en-US')} empty`,
    selected: (n: number) => `${count(n, 'cell')} selected`,
    next: 'Next problem',
    save: (n: number) => n === 0 ? 'All is saved' : `Save ${count(n, 'cell')}`,
    progress: (saved: number, of: number) => `${saved.toLocaleString('en-US')} of `
        + `${of.toLocaleString('en-US')} results saved`,
    lost: (seconds: number) => `The service cannot be reached, next try in ${seconds} s`,
    tryNow: 'Try now',
    lastSaved: (at: string) => `Last saved ${at}`,
    comma: {
        question: (examples: string) => `Pasted numbers have a comma, such as ${examples}.`
            + ' What does it mean?',
        point: 'A decimal point',
        keep: 'Paste as it is',
        none: 'Paste nothing',
    },
    why: {
        question: (n: number) => `${count(n, 'entered value is', 'entered values are')} replaced.`
            + ' Why?',
        label: 'Reason',
        save: 'Save with this reason',
        usual: ['Typing error', 'Read again', 'Wrong sample', 'Dilution not considered'],
    },
    again: {
        what: 'It has to be entered again: type another value, or confirm this one.',
        confirm: 'Confirm this value',
        confirmed: 'the same value again',
    },
    conflict: {
        value: 'Result',
        empty: 'empty',
        keep: 'Keep mine',
        take: 'Take theirs',
        excepted: 'What you set for this cell alone, such as another lot, is not entered yet.',
    },
};
