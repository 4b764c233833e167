// SPDX-License-Identifier: Apache-2.0
//
// English: reference data, by noun.
import { capital } from './capital.ts';

const count = (n: number, one: string, many = `${one}s`): string =>
    `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

const noun = (one: string, many: string, none: string) => ({
    title: capital(many),
    create: `Create ${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`,
    change: (name: string) => `Change ${name}`,
    created: (name: string) => `${name} is created.`,
    changed: (name: string) => `${name} is changed.`,
    none: `There is no ${one} yet.`,
    noneWhat: none,
});

interface Counts {
    created: number;
    changed: number;
    unchanged: number;
}

export const reference = {
    title: 'Reference data',
    nouns: {
        'test-definitions': noun('test definition', 'test definitions',
            'A test definition says what is measured, by which method and within which limits.'),
        'material-types': noun('material', 'materials', 'Samples are of a material.'),
        projects: noun('project', 'projects', 'Samples can belong to a project of a client.'),
        clients: noun('client', 'clients', 'Samples and orders are of a client.'),
        'storage-locations': noun('storage place', 'storage places',
            'A place, or a place within another: a room, a refrigerator, its shelf.'),
        instruments: noun('instrument', 'instruments',
            'QC batches are run on an instrument, and files are read from it.'),
        panels: noun('panel', 'panels', 'A panel schedules several tests at once.'),
        'label-sizes': noun('label size', 'label sizes',
            'A sheet or roll on which labels are printed; a roll is a page of one label.'),
        'qc-templates': noun('QC template', 'QC templates',
            'The controls that a batch of a method has.'),
        'worksheet-templates': noun('worksheet template', 'worksheet templates',
            'What is written down with a test, and who signs it.'),
    },
    specifications: {
        title: 'Specifications',
        none: 'There are no tests and materials to set limits for.',
        test: 'Test',
        project: 'Samples of',
        anyProject: 'any project',
        unlimited: 'no limit',
        nothing: '–',
        limits: (low: number | null, high: number | null) => low === null
            ? high === null ? '' : `at most ${high}`
            : high === null ? `at least ${low}` : `${low} to ${high}`,
        from: { definition: 'from the test definition', material: 'from any project',
            project: 'from the project' },
        cell: (test: string, material: string, limits: string, from: string) =>
            [`${test} in ${material}: ${limits || 'no limit'}`, from].filter(Boolean).join(', '),
        of: (test: string, material: string, project: string | undefined) =>
            `${test} in ${material}${project ? `, project ${project}` : ''}`,
        set: (name: string) => `Set the limits of ${name}`,
        change: (name: string) => `Change the limits of ${name}`,
        saved: (name: string) => `The limits of ${name} hold for results from now on.`,
        inherit: 'Inherit the limits again',
        inheritOf: (name: string) => `Inherit the limits of ${name} again`,
        inheritWhat: 'The limits of this cell end; the more general ones apply to results from now on.',
        inherited: (name: string) => `The limits of ${name} are inherited again.`,
        members: { low: 'Lower limit', high: 'Upper limit', expectedText: 'Required result',
            decisionRule: 'Decision rule' },
    },
    file: {
        import: (title: string) => `Import ${title.toLowerCase()} from a file`,
        choose: 'Choose a CSV file',
        hint: 'or drop it here, or paste rows of a spreadsheet with their headings',
        rule: 'Download the CSV for the columns. A row whose code is known changes that record,'
            + ' any other makes one; what the file does not have stays as it is.',
        pasted: 'The pasted rows',
        line: 'Line', record: 'Record', what: 'What becomes different', column: 'Column',
        wrong: 'What is wrong',
        isNew: 'new', empty: 'nothing',
        differences: 'Differences',
        mistakes: (n: number) => count(n, 'mistake'),
        refused: (name: string, n: number) => `Nothing of ${name} can be imported: it has`
            + ` ${count(n, 'mistake')}. Mend the file and choose it again.`,
        would: (name: string, { created, changed, unchanged }: Counts) =>
            `In ${name}: ${created} new, ${changed} different, ${unchanged} the same.`,
        same: (name: string, n: number) => `In ${name}: ${count(n, 'record')}, all the same.`,
        more: (n: number) => `and ${count(n, 'more row', 'more rows')}`,
        apply: (created: number, changed: number) => capital([created ? `make ${count(created, 'record')}` : '',
            changed ? `change ${count(changed, 'record')}` : ''].filter(Boolean).join(' and ')),
        imported: (created: number, changed: number) =>
            `${count(created, 'record')} made, ${changed.toLocaleString('en-US')} changed.`,
    },
    show: 'Show',
    search: 'Search code or name',
    shown: { active: 'Active', inactive: 'Not active', all: 'All' },
    newest: (what: string) => `${what}, newest first`,
    active: 'Active',
    inactive: 'Not active',
    deactivate: (n: number) => `Deactivate ${count(n, 'record')}`,
    deactivateWhat: 'What is there keeps referring to it; nothing new can.',
    deactivated: (n: number) => `${count(n, 'record')} deactivated.`,
    activate: (n: number) => `Activate ${count(n, 'record')}`,
    activated: (n: number) => `${count(n, 'record')} activated.`,
    edit: (name: string) => `Change ${name}`,
    usedBy: 'Used by',
    notUsed: 'Nothing refers to it.',
    users: {
        samples: (n: string) => `${n} ${n === '1' ? 'sample' : 'samples'}`,
        more: (n: number) => `and ${n} more`,
        all: 'and older ones',
        count: (n: string, more: boolean) => more ? `more than ${n}` : n,
        nouns: {
            'sample-tests': 'Tests', samples: 'Samples', orders: 'Orders',
            specifications: 'Specifications', 'qc-controls': 'QC controls',
            'qc-batches': 'QC batches', 'qc-series': 'Control charts', profiles: 'Instrument profiles',
        },
    },
    state: 'Status',
    tests: (n: number) => count(n, 'test'),
    controls: (n: number) => count(n, 'control'),
    fields: (n: number) => count(n, 'field'),
    members: {
        code: 'Code', name: 'Name', active: 'Active', method: 'Method', unit: 'Unit',
        resultType: 'Kind of result', decimals: 'Decimals', specificationLow: 'Lower limit',
        specificationHigh: 'Upper limit', specificationText: 'Required result',
        decisionRule: 'Decision rule', reportingLimit: 'Reporting limit',
        methodDetectionLimit: 'Method detection limit', uncertainty: 'Measurement uncertainty',
        accredited: 'Accredited', holdingTimeHours: 'Holding time, hours',
        preservation: 'Preservation of samples',
        requiresWorksheet: 'Needs a worksheet', requiresConfirmation: 'Needs confirmation',
        presumptiveMinimum: 'Presumptive from', turnaroundDays: 'Turnaround, days',
        confirmationPlan: 'Steps of confirmation', step: 'Step', medium: 'Medium',
        afterHours: 'Read after, hours', clientId: 'Client',
        compositeSampleIdentifier: 'Composite identifiers', contactName: 'Contact',
        email: 'E-mail', phone: 'Telephone', address: 'Address', parentId: 'Within', kind: 'Kind',
        minTemperature: 'Coldest, °C', maxTemperature: 'Warmest, °C', testDefinitionIds: 'Tests',
        required: 'Required', perSamples: 'Once per samples', controls: 'Controls', type: 'Type',
        level: 'Level', testDefinitionId: 'Test', criterion: 'Criterion',
        expectedValue: 'Expected value', expectedText: 'Expected outcome',
        lowerLimit: 'Lower limit', upperLimit: 'Upper limit', count: 'Number', version: 'Version',
        manufacturer: 'Manufacturer', model: 'Model', serialNumber: 'Serial number',
        storageLocationId: 'Where it stands', calibrationDue: 'Calibration due',
        pageWidth: 'Page width, mm', pageHeight: 'Page height, mm', labelWidth: 'Label width, mm',
        labelHeight: 'Label height, mm', columns: 'Labels across', rows: 'Labels down',
        marginLeft: 'Left margin, mm', marginTop: 'Top margin, mm', gapX: 'Gap across, mm',
        gapY: 'Gap down, mm', dpi: 'Label printer, dots per inch',
        fields: 'Fields', label: 'Label', formula: 'Formula', signoffSteps: 'Sign-off steps', role: 'Role',
    },
    words: {
        resultType: { numeric: 'a number', text: 'a text', presence: 'present or absent' },
        criterion: { recovery: 'recovery, %', rpd: 'relative difference, %',
            maximum: 'at most', range: 'between', expected: 'as expected' },
        kind: { text: 'text', number: 'number', date: 'date', timestamp: 'date and time',
            boolean: 'yes or no', computed: 'computed', reagent_lot: 'reagent lot',
            media_lot: 'media lot', instrument: 'instrument' },
    },
    roles: {
        system_administrator: 'System administrator', administrator: 'Administrator',
        lab_manager: 'Laboratory manager', qa_officer: 'QA officer', analyst: 'Analyst',
        microbiologist: 'Microbiologist', receiving_clerk: 'Receiving clerk',
        client_services: 'Client services', auditor: 'Auditor', client_viewer: 'Client viewer',
    },
};
