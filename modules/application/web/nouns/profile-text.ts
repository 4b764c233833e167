// SPDX-License-Identifier: Apache-2.0
//
// Places in the text of a profile, which is JSON while somebody writes it, and so not always
// whole: the path of the cursor, and the place of the path that a refusal names. Pure.
export interface Spot {
    // As the service names it: tests[0].convert.factor.
    path: string;
    from: number;
    to: number;
    // Whether its value is an object or a list.
    open: boolean;
}

interface Frame {
    list: boolean;
    path: string;
    index: number;
    // Name of the member that is read; null: none yet.
    name: string | null;
    spot: Spot | null;
}

// The end of the string that begins at a quote.
function endOf(text: string, quote: number): number {
    for (let i = quote + 1; i < text.length; i++) {
        if (text[i] === '\\') {
            i++;
        } else if (text[i] === '"') {
            return i + 1;
        }
    }
    return text.length;
}

const pathIn = ({ list, path, index, name }: Frame): string =>
    list ? `${path}[${index}]` : [path, name ?? ''].filter(Boolean).join('.');

class Reader {
    readonly spots: Spot[] = [];
    private readonly frames: Frame[] = [];

    private begin(frame: Frame, at: number): void {
        frame.spot = { path: pathIn(frame), from: at, to: at, open: false };
        this.spots.push(frame.spot);
    }

    private end(frame: Frame | undefined, at: number): void {
        if (frame?.spot) {
            frame.spot.to = at;
            frame.spot = null;
        }
    }

    // A member's name, or a value.
    word(text: string, from: number, to: number): void {
        const frame = this.frames.at(-1);
        if (frame && !frame.list && frame.name === null) {
            frame.name = text.slice(from + 1, to).replace(/"$/, '');
            this.begin(frame, from);
        } else if (frame?.list && !frame.spot) {
            this.begin(frame, from);
        }
    }

    open(list: boolean, at: number): void {
        const frame = this.frames.at(-1);
        if (frame?.list && !frame.spot) {
            this.begin(frame, at);
        }
        if (frame?.spot) {
            frame.spot.open = true;
        }
        this.frames.push({ list, path: frame ? pathIn(frame) : '', index: 0, name: null,
            spot: null });
    }

    close(at: number): void {
        this.end(this.frames.pop(), at);
        const frame = this.frames.at(-1);
        if (frame?.spot) {
            frame.spot.to = at + 1;
        }
    }

    next(at: number): void {
        const frame = this.frames.at(-1);
        this.end(frame, at);
        if (frame) {
            frame.index++;
            frame.name = null;
        }
    }

    finish(at: number): void {
        this.frames.forEach((frame) => this.end(frame, at));
    }
}

// Every member and element, in the order in which they begin.
export function spotsOf(text: string): Spot[] {
    const reader = new Reader();
    for (let i = 0; i < text.length; i++) {
        const sign = text[i] ?? '';
        if (sign === '"') {
            const to = endOf(text, i);
            reader.word(text, i, to);
            i = to - 1;
        } else if (sign === '{' || sign === '[') {
            reader.open(sign === '[', i);
        } else if (sign === '}' || sign === ']') {
            reader.close(i);
        } else if (sign === ',') {
            reader.next(i);
        } else if (/[-\w]/.test(sign)) {
            const [word = sign] = /^[-+.\w]+/.exec(text.slice(i)) ?? [];
            reader.word(text, i, i + word.length);
            i += word.length - 1;
        }
    }
    reader.finish(text.length);
    return reader.spots;
}

// The innermost member or element at the cursor.
export const spotAt = (text: string, cursor: number): Spot | undefined =>
    spotsOf(text).filter(({ from, to }) => from <= cursor && cursor <= to).at(-1);

// The member that a refusal of the service begins with: "tests[0].convert.factor: must be …".
// What is missing has no place, so that of the object around it is named.
export function spotOf(text: string, refusal: string): Spot | undefined {
    const [, path = ''] = /^(?:definition\.)?([\w.[\]]+): /.exec(refusal) ?? [];
    const spots = spotsOf(text);
    for (let at = path; at !== ''; at = at.replace(/(?:\.?\w+|\[\d+\]|.)$/, '')) {
        const found = spots.find((one) => one.path === at);
        if (found) {
            return { ...found, to: found.from
                + text.slice(found.from, found.to).trimEnd().length };
        }
    }
    return undefined;
}
