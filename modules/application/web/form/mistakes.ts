// SPDX-License-Identifier: Apache-2.0
//
// What the service said of each member, by its path: of several all, of one the path with
// which the sentence begins ("name is missing: …", "controls[0].type must be …").

interface Refusal {
    message: string;
    mistakes: { path: string; message: string }[];
}

const path = /^([A-Za-z]\w*)(?:\[\d+\]|\.[A-Za-z]\w*)*(?= )/;

export function mistakesOf(problem: Refusal | null, members: string[]): Map<string, string> {
    if (!problem) {
        return new Map();
    }
    if (problem.mistakes.length) {
        return new Map(problem.mistakes.map((one) => [one.path, one.message]));
    }
    const [found, first] = path.exec(problem.message) ?? [];
    return found && first && members.includes(first)
        ? new Map([[found, problem.message]]) : new Map();
}
