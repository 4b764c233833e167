// SPDX-License-Identifier: Apache-2.0
//
// What the service said of each member, by its path: of several all, of one the path with
// which the sentence begins ("name is missing: …", "controls[0].type must be …").

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
