// SPDX-License-Identifier: Apache-2.0
//
// The tests of a row as people write them: codes or names of tests and panels. What begins
// with + or - is added to, or taken from, the tests of the whole order.
import type { Named, Panel, References } from './references.ts';
import { called } from './references.ts';
import { t } from '../../texts/texts.ts';

const { wrong, nouns } = t.orders;

export interface Ordered {
    readonly testDefinitionIds: readonly number[];
    readonly panelIds: readonly number[];
}

export type Tests = Ordered | { readonly mistake: string };

const NOTHING: Ordered = { testDefinitionIds: [], panelIds: [] };

type Known = Pick<References, 'panels' | 'definitions'>;

// A text names a test rather than a panel of the same code.
function one({ panels, definitions }: Known, text: string): Named | Panel | string {
    const [test, ...tests] = called(definitions, text);
    const [panel, ...others] = called(panels, text);
    const found = test ?? panel;
    if (!found || (test ? tests : others).length > 0) {
        return (found ? wrong.several : wrong.unknown)(nouns.test, text);
    }
    return found;
}

interface Word {
    readonly sign: string;
    readonly text: string;
}

const parted = ({ code, name }: Named): boolean => /[,;]/.test(code) || /[,;]/.test(name);

// Splits a text at commas and semicolons, except those within a name: the longest name counts.
function partsOf({ definitions, panels }: Known, text: string): string[] {
    const ends = [...text.matchAll(/[,;]/g)].map(({ index }) => index);
    const names = ends.length ? [...definitions.filter(parted), ...panels.filter(parted)] : [];
    const isName = (start: number, end: number): boolean =>
        called(names, text.slice(start, end).trim().replace(/^[+-]/, '')).length > 0;
    const parts: string[] = [];
    for (let start = 0; start <= text.length;) {
        const [next = text.length, ...farther] =
            [...ends.filter((end) => end >= start), text.length];
        const end = names.length ? farther.findLast((far) => isName(start, far)) ?? next : next;
        parts.push(text.slice(start, end).trim());
        start = end + 1;
    }
    return parts.filter(Boolean);
}

// Splits a text into its parts, and a part that is no name into its words.
function wordsOf(known: Known, text: string): Word[] {
    return partsOf(known, text).flatMap((part) => {
        const sign = /^[+-]/.exec(part)?.[0] ?? '';
        const bare = part.slice(sign.length).trim();
        return typeof one(known, bare) === 'string' && /\s/.test(part)
            ? part.split(/\s+/).map((word) => ({ sign: /^[+-]/.exec(word)?.[0] ?? '',
                text: word.replace(/^[+-]/, '') }))
            : [{ sign, text: bare }];
    });
}

const isPanel = (found: Named | Panel): found is Panel => 'testDefinitionIds' in found;

const testsOf = (found: Named | Panel): readonly number[] =>
    isPanel(found) ? found.testDefinitionIds : [found.id];

function added(ordered: Ordered, found: Named | Panel): Ordered {
    const ids = (list: readonly number[]): number[] => [...new Set([...list, found.id])];
    return isPanel(found) ? { ...ordered, panelIds: ids(ordered.panelIds) }
        : { ...ordered, testDefinitionIds: ids(ordered.testDefinitionIds) };
}

// A panel of which a test is taken is no longer ordered as such: its other tests are.
function taken({ panels }: Known, ordered: Ordered, found: Named | Panel): Ordered {
    const without = new Set(testsOf(found));
    const broken = panels.filter(({ id, testDefinitionIds }) => ordered.panelIds.includes(id)
        && testDefinitionIds.some((test) => without.has(test)));
    const all = [...ordered.testDefinitionIds,
        ...broken.flatMap(({ testDefinitionIds }) => testDefinitionIds)];
    return {
        panelIds: ordered.panelIds.filter((id) => !broken.some((panel) => panel.id === id)),
        testDefinitionIds: [...new Set(all)].filter((id) => !without.has(id)),
    };
}

// Reads the tests of a row, `base` those of the order.
export function orderedOf(known: Known, text: string, base: Ordered = NOTHING): Tests {
    const words = wordsOf(known, text);
    let ordered = words.some(({ sign }) => sign === '') ? NOTHING : base;
    for (const { sign, text: word } of words) {
        const found = one(known, word);
        if (typeof found === 'string') {
            return { mistake: found };
        }
        ordered = sign === '-' ? taken(known, ordered, found) : added(ordered, found);
    }
    return ordered;
}
