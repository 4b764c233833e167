// SPDX-License-Identifier: Apache-2.0
//
// Settings that a person chose in this browser: theme, row height, single-key shortcuts, sound,
// and on what labels are printed.
// Nothing else of the application is kept in the browser's storage.

export interface Choice {
    theme?: 'light' | 'dark' | undefined;
    rows?: 'comfortable' | undefined;
    singleKeys?: 'off' | undefined;
    // The tones of a scan.
    sound?: 'off' | undefined;
    // Code of the label size, and kind of printer.
    labels?: { format: 'pdf' | 'zpl'; size: string };
}

const name = 'lims-choice';

export function chosen(): Choice {
    try {
        const kept: unknown = JSON.parse(localStorage.getItem(name) ?? '{}');
        return typeof kept === 'object' && kept !== null ? kept : {};
    } catch {
        return {};
    }
}

export function choose(change: Choice): void {
    const all = { ...chosen(), ...change };
    try {
        localStorage.setItem(name, JSON.stringify(all));
    } catch {
        // A browser without storage forgets the choice, and that is all.
    }
    apply(all);
}

function apply(choice: Choice): void {
    const { dataset } = document.documentElement;
    for (const key of ['theme', 'rows'] as const) {
        const value = choice[key];
        if (value === undefined) {
            delete dataset[key];
        } else {
            dataset[key] = value;
        }
    }
}
