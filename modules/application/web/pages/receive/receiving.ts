// SPDX-License-Identifier: Apache-2.0
//
// Receiving by scans, without a page: each scan is a line, and is sent at once, one after the
// other and in their order. While the service cannot be reached the lines wait, and are sent
// again under their idempotency key.
import { type Clock, pause } from '../../grid/clock.ts';
import { type Store, storeOf } from '../../grid/store.ts';
import { scannedText } from '../../keys/scan.ts';

// Sample of the bottle that was scanned.
export interface Bottle {
    readonly id: number;
    readonly trackingId: string;
    readonly name: string;
    readonly orderId: number | null;
}

// Findings about all bottles of a cooler; an empty one is not recorded.
export interface Findings {
    readonly temperature: string;
    readonly condition: string;
    readonly storageLocationId: number | null;
}

export interface Scan {
    readonly text: string;
    readonly findings: Findings;
    readonly deviation: string;
}

export type Answer =
    | { readonly kind: 'received'; readonly bottle: Bottle }
    | { readonly kind: 'already'; readonly bottle: Bottle | null; readonly said: string }
    | { readonly kind: 'refused'; readonly said: string }
    | { readonly kind: 'unreachable'; readonly retryAfter: number | null };

export type Verdict = 'sending' | 'waiting' | 'received' | 'already' | 'refused' | 'undone';

export interface Line {
    readonly key: number;
    readonly text: string;
    readonly at: number;
    readonly verdict: Verdict;
    readonly bottle: Bottle | null;
    // Reason, in the service's words.
    readonly said: string;
    // Findings that held when it was scanned.
    readonly findings: Findings;
    readonly deviation: string;
}

export interface State {
    // The latest first.
    readonly lines: readonly Line[];
    readonly findings: Findings;
    readonly nextTry: number | null;
    readonly lastSaved: number | null;
}

export interface ReceivingPorts {
    readonly clock: Clock;
    // Makes an idempotency key.
    key(): string;
    receive(scan: Scan, key: string): Promise<Answer>;
}

// Milliseconds after a scan within which its undoing needs no reason.
export const UNDO = 60_000;

const TEMPERATURE = /^-?\d+(\.\d+)?$/;

// As the service takes it, between absolute zero and 1000 degrees Celsius.
export const isTemperature = (text: string): boolean => text.trim() === ''
    || (TEMPERATURE.test(text.trim()) && Number(text) >= -273.15 && Number(text) <= 1000);

const first: State = {
    lines: [],
    findings: { temperature: '', condition: '', storageLocationId: null },
    nextTry: null,
    lastSaved: null,
};

export class Receiving {
    readonly store: Store<State> = storeOf(first);
    readonly #ports: ReceivingPorts;
    #keys = 0;
    #sending = false;
    #stopped = false;
    #wake: (() => void) | null = null;

    constructor(ports: ReceivingPorts) {
        this.#ports = ports;
    }

    // Takes what was read or keyed in. Returns false for what is no text at all.
    scan(read: string): boolean {
        const text = scannedText(read);
        if (text === '') {
            return false;
        }
        this.#keys++;
        const line: Line = { key: this.#keys, text, at: this.#ports.clock.now(),
            verdict: 'sending', bottle: null, said: '', findings: this.store.get().findings,
            deviation: '' };
        this.store.update((state) => ({ ...state, lines: [line, ...state.lines] }));
        if (!this.#sending) {
            void this.#send();
        }
        return true;
    }

    find(findings: Partial<Findings>): void {
        this.store.update((state) =>
            ({ ...state, findings: { ...state.findings, ...findings } }));
    }

    // Sets the outcome of a line that was decided otherwise than by its scan.
    mend(key: number, change: Partial<Line>): void {
        this.store.update((state) => ({ ...state, lines: state.lines.map((line) =>
            (line.key === key ? { ...line, ...change } : line)) }));
    }

    // The network is back, or somebody does not want to wait.
    retry(): void {
        this.#wake?.();
    }

    // Begins anew; what is on its way goes on.
    clear(): void {
        this.store.update((state) => ({ ...state, findings: first.findings,
            lines: state.lines.filter(({ verdict }) => isOnItsWay(verdict)) }));
    }

    stop(): void {
        this.#stopped = true;
        this.#wake?.();
    }

    // Whether closing the page would lose a scan.
    get unsaved(): boolean {
        return this.store.get().lines.some(({ verdict }) => isOnItsWay(verdict));
    }

    async #send(): Promise<void> {
        this.#sending = true;
        for (let line = this.#oldest(); line && !this.#stopped; line = this.#oldest()) {
            await this.#fate(line);
        }
        this.#sending = false;
    }

    #oldest(): Line | undefined {
        return this.store.get().lines.findLast(({ verdict }) => isOnItsWay(verdict));
    }

    // Sends a line until somebody answers.
    async #fate({ key, text, findings, deviation }: Line): Promise<void> {
        const scan = { text, findings, deviation };
        const idempotency = this.#ports.key();
        for (let tries = 0; !this.#stopped; tries++) {
            const answer = await this.#ports.receive(scan, idempotency);
            if (answer.kind !== 'unreachable') {
                this.#take(key, answer);
                return;
            }
            const wait = pause(tries, answer.retryAfter);
            this.#wait(this.#ports.clock.now() + wait);
            await this.#sleep(wait);
        }
    }

    #take(key: number, answer: Exclude<Answer, { kind: 'unreachable' }>): void {
        const now = this.#ports.clock.now();
        this.mend(key, {
            verdict: answer.kind,
            bottle: 'bottle' in answer ? answer.bottle : null,
            said: 'said' in answer ? answer.said : '',
        });
        this.store.update((state) => ({ ...state, nextTry: null,
            lastSaved: answer.kind === 'received' ? now : state.lastSaved }));
    }

    #wait(nextTry: number): void {
        this.store.update((state) => ({ ...state, nextTry, lines: state.lines.map((line) =>
            (isOnItsWay(line.verdict) ? { ...line, verdict: 'waiting' } : line)) }));
    }

    #sleep(milliseconds: number): Promise<void> {
        return new Promise((done) => {
            const callOff = this.#ports.clock.after(milliseconds, () => this.#wake?.());
            this.#wake = () => {
                callOff();
                this.#wake = null;
                done();
            };
        });
    }
}

export function isOnItsWay(verdict: Verdict): boolean {
    return verdict === 'sending' || verdict === 'waiting';
}

// Returns the line whose scan can be undone without a reason: the last one, for a minute.
export function undoable({ lines }: State, now: number): Line | null {
    const [last] = lines;
    return last?.verdict === 'received' && now - last.at < UNDO ? last : null;
}

export interface Sum {
    readonly received: number;
    readonly already: number;
    readonly refused: number;
    readonly waiting: number;
}

export function sumOf(lines: readonly Line[]): Sum {
    const of = (...verdicts: Verdict[]): number =>
        lines.filter(({ verdict }) => verdicts.includes(verdict)).length;
    return {
        received: of('received'), already: of('already'), refused: of('refused'),
        waiting: of('sending', 'waiting'),
    };
}

// The samples that were received here and are not undone, each once, in the order of their
// first scans.
export function receivedIn(lines: readonly Line[]): { id: number; name: string }[] {
    const received = new Map<number, string | null>();
    for (const { bottle, verdict } of [...lines].reverse()) {
        if (bottle && (verdict === 'received' || verdict === 'undone')) {
            received.set(bottle.id, verdict === 'received' ? bottle.trackingId : null);
        }
    }
    return [...received].flatMap(([id, name]) => name === null ? [] : [{ id, name }]);
}

interface Expected {
    readonly id: number;
    readonly receivedAt: string | null;
}

// The bottles of an order, those that are missing first. What was scanned here counts before
// the order is read again.
export function expectedOf<Sample extends Expected>(
    samples: readonly Sample[], lines: readonly Line[],
): { missing: Sample[]; here: Sample[] } {
    const scanned = new Map<number, boolean>();
    for (const { bottle, verdict } of [...lines].reverse()) {
        if (bottle && (verdict === 'received' || verdict === 'undone')) {
            scanned.set(bottle.id, verdict === 'received');
        }
    }
    const isHere = ({ id, receivedAt }: Sample): boolean =>
        scanned.get(id) ?? receivedAt !== null;
    return {
        missing: samples.filter((sample) => !isHere(sample)),
        here: samples.filter(isHere),
    };
}
