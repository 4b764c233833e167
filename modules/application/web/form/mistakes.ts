// SPDX-License-Identifier: Apache-2.0
//
// Messages of the service by the path of the member. An answer with several mistakes names each
// path; one with a single mistake begins its sentence with it ("name is missing: …",
// "controls[0].type must be …").

import { capital } from '../texts/capital.ts';
import type { Member } from './definition.ts';

interface Refusal {
    message: string;
    mistakes: { path: string; message: string }[];
}

const path = /^[A-Za-z]\w*(?:\[\d+\]|\.[A-Za-z]\w*)*(?=:? )/;

// `memberOf` says where a member of the body stands in the form, if elsewhere.
export function mistakesOf(
    problem: Refusal | null, members: string[],
    memberOf: (path: string) => string = (same) => same,
): Map<string, string> {
    if (!problem) {
        return new Map();
    }
    if (problem.mistakes.length) {
        return new Map(problem.mistakes.map((one) => [memberOf(one.path), one.message]));
    }
    const [found] = path.exec(problem.message) ?? [];
    const at = found === undefined ? '' : memberOf(found);
    return members.some((member) => at === member || at.startsWith(`${member}.`)
        || at.startsWith(`${member}[`)) ? new Map([[at, problem.message]]) : new Map();
}

// Returns the labels of the members by their names without the path.
export function labelsOf(members: Record<string, Member>): Map<string, string> {
    return new Map(Object.entries(members).flatMap(([name, { label, members: inner }]) =>
        [[name.slice(name.lastIndexOf('.') + 1), label] as const, ...labelsOf(inner ?? {})]));
}

// A sentence of the service as one reads it in the form: without the path with which it
// begins, for it stands there, and with the labels of the members that it names.
export function inLabels(message: string, labels: ReadonlyMap<string, string>): string {
    const text = message.replace(/^[a-z]\w*(?:\[\d+\]|\.[A-Za-z]\w*)*: /, '')
        .replace(/\b[a-z]+[A-Z]\w*/g, (name) => labels.has(name) ? `“${labels.get(name)}”` : name);
    return capital(text);
}
