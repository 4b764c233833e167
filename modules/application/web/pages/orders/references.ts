// SPDX-License-Identifier: Apache-2.0
//
// Looks up clients, projects, materials, tests and panels by code, by name, or by the text of a
// suggestion, in any case.

export interface Named {
    readonly id: number;
    readonly code: string;
    readonly name: string;
    readonly active: boolean;
}

export interface Project extends Named {
    readonly clientId: number | null;
}

export interface Panel extends Named {
    readonly testDefinitionIds: readonly number[];
}

export interface References {
    readonly clients: readonly Named[];
    readonly projects: readonly Project[];
    readonly materials: readonly Named[];
    readonly panels: readonly Panel[];
    readonly definitions: readonly Named[];
}

export const nameOf = ({ code, name }: Named): string => `${code}, ${name}`;

const folded = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

// Returns the records of this name. A typed code names one record, whatever else has that name.
export function called<One extends Named>(ones: readonly One[], text: string): One[] {
    const wanted = folded(text);
    const by = (words: (one: One) => string): One[] =>
        ones.filter((one) => folded(words(one)) === wanted);
    const byCode = by(({ code }) => code);
    return byCode.length > 0 ? byCode
        : [...new Set([...by(({ name }) => name), ...by(nameOf)])];
}
