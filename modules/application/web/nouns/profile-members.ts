// SPDX-License-Identifier: Apache-2.0
//
// The members of a profile as the manual describes them: a section for each object. Finds what is
// said about a place in a profile, and puts members into the manual's order. Pure.
import { blocksOf } from '../prose/blocks.ts';

export interface Described {
    name: string;
    text: string;
}

export interface Section {
    title: string;
    about: string[];
    members: Described[];
}

const nameOf = (item: string): string => /^`([^`]+)`/.exec(item)?.[1] ?? '';

export function sectionsOf(manual: string): Section[] {
    const sections: Section[] = [];
    for (const block of blocksOf(manual)) {
        const last = sections.at(-1);
        if (block.is === 'heading') {
            sections.push({ title: block.text, about: [], members: [] });
        } else if (block.is === 'paragraph') {
            last?.about.push(block.text);
        } else if (block.is === 'list') {
            last?.members.push(...block.items.map((text) => ({ name: nameOf(text), text })));
        }
    }
    return sections;
}

export interface Help {
    section: Section;
    // Name of the member; '': the object itself.
    member: string;
}

// The section of the object that a member holds: of its own path, else of its kind.
function within(sections: Section[], path: string, text: string): Section | undefined {
    const called = (title: string): Section | undefined =>
        sections.find((section) => section.title === title);
    const kind = text.slice(0, text.indexOf('):'));
    return called(path) ?? called(`${path}[]`) ?? (/\bsources?\b/.test(kind) ? called('A source')
        : kind.includes('objects') ? called('A condition') : undefined);
}

// The help for the member at a path of the definition; `open`: its value is an object or a list.
export function helpAt(sections: Section[], path: string, open: boolean): Help | undefined {
    const [first] = sections;
    let section = first;
    let member = '';
    const steps = path.replace(/\[\d*\]/g, '[]').split('.').filter((step) => step !== '');
    for (const [i, step] of steps.entries()) {
        const name = step.replace(/(\[\])+$/, '');
        const text = section?.members.find((one) => one.name === name)?.text ?? '';
        const next = section && text ? within(sections,
            steps.slice(0, i + 1).join('.').replace(/\[\]$/, ''), text) : undefined;
        member = name;
        if (next && (open || i + 1 < steps.length)) {
            section = next;
            member = '';
        } else if (i + 1 < steps.length) {
            break;
        }
    }
    return section && { section, member };
}

// Puts the members of a profile into the order of the manual: the service keeps none.
export function inOrder(sections: Section[], value: unknown, path = ''): unknown {
    if (Array.isArray(value)) {
        return value.map((one: unknown) => inOrder(sections, one, `${path}[]`));
    }
    if (typeof value !== 'object' || value === null) {
        return value;
    }
    const known = helpAt(sections, path, true)?.section.members.map(({ name }) => name) ?? [];
    const placeOf = (name: string): number => {
        const place = known.indexOf(name);
        return place < 0 ? known.length : place;
    };
    return Object.fromEntries(Object.entries(value)
        .sort(([a], [b]) => placeOf(a) - placeOf(b))
        .map(([name, one]) => [name,
            inOrder(sections, one, path ? `${path}.${name}` : name)]));
}

export const textOf = (sections: Section[], definition: unknown): string =>
    `${JSON.stringify(inOrder(sections, definition), null, 2)}\n`;
