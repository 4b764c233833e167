// SPDX-License-Identifier: Apache-2.0
//
// Asks the service what it would say of cells that were typed, pasted or undone:
// a moment after the last of them, in calls of bounded size, two at a time. A cell that is
// asked about again before its answer came is asked about anew, and the former answer is
// dropped. While the service cannot be reached the questions wait, and are asked again.
import type { Verdict } from './sheet.ts';
import { type Clock, pause } from './clock.ts';

export type Judgement =
    | { readonly kind: 'judged'; readonly verdicts: ReadonlyMap<string, Verdict> }
    // No answer: the service is asked again after a pause, of as many milliseconds as it named.
    | { readonly kind: 'unreachable'; readonly retryAfter: number | null }
    // Refused: asking again would be answered alike, and the cells stay without a verdict.
    | { readonly kind: 'refused'; readonly message: string };

export interface JudgingPorts<Q> {
    readonly clock: Clock;
    ask(questions: ReadonlyMap<string, Q>): Promise<Judgement>;
    answer(verdicts: ReadonlyMap<string, Verdict>): void;
    // Is called when the connection changes: with the time of the next try, or null when the
    // service can be reached.
    reach(nextTry: number | null, message: string): void;
}

const SETTLE = 250;
const LARGEST = 200;
const AT_ONCE = 2;

export class Judging<Q> {
    readonly #ports: JudgingPorts<Q>;
    readonly #waiting = new Map<string, Q>();
    // The last question about each record that is awaiting an answer.
    readonly #asked = new Map<string, Q>();
    #calls = 0;
    #tries = 0;
    #callOff: (() => void) | null = null;

    constructor(ports: JudgingPorts<Q>) {
        this.#ports = ports;
    }

    // Takes questions by record; a later one about the same record replaces the former.
    consider(questions: Iterable<readonly [string, Q]>): void {
        let any = false;
        for (const [id, question] of questions) {
            this.#waiting.set(id, question);
            this.#asked.delete(id);
            any = true;
        }
        if (any && this.#tries === 0) {
            this.#plan(SETTLE);
        }
    }

    // Asks at once, as after a paste or when the network is back.
    now(): void {
        this.#plan(0);
    }

    // Whether something has no answer yet.
    get busy(): boolean {
        return this.#waiting.size > 0 || this.#asked.size > 0;
    }

    // Forgets all questions; answers that still come are dropped.
    stop(): void {
        this.#callOff?.();
        this.#callOff = null;
        this.#waiting.clear();
        this.#asked.clear();
    }

    #plan(milliseconds: number): void {
        this.#callOff?.();
        this.#callOff = this.#ports.clock.after(milliseconds, () => {
            this.#callOff = null;
            this.#send();
        });
    }

    #send(): void {
        while (this.#calls < AT_ONCE && this.#waiting.size > 0) {
            const batch = new Map([...this.#waiting].slice(0, LARGEST));
            for (const [id, question] of batch) {
                this.#waiting.delete(id);
                this.#asked.set(id, question);
            }
            void this.#call(batch);
        }
    }

    async #call(batch: ReadonlyMap<string, Q>): Promise<void> {
        this.#calls++;
        const judgement = await this.#ports.ask(batch);
        this.#calls--;
        const current = [...batch].filter(([id, question]) => this.#asked.get(id) === question);
        for (const [id] of current) {
            this.#asked.delete(id);
        }
        if (judgement.kind === 'unreachable') {
            this.#again(current, judgement.retryAfter);
            return;
        }
        this.#tries = 0;
        this.#ports.reach(null, judgement.kind === 'refused' ? judgement.message : '');
        if (judgement.kind === 'judged') {
            const ids = new Set(current.map(([id]) => id));
            this.#ports.answer(new Map([...judgement.verdicts].filter(([id]) => ids.has(id))));
        }
        if (this.#callOff === null) {
            this.#send();
        }
    }

    #again(questions: readonly (readonly [string, Q])[], retryAfter: number | null): void {
        for (const [id, question] of questions) {
            this.#waiting.set(id, question);
        }
        const wait = pause(this.#tries++, retryAfter);
        this.#ports.reach(this.#ports.clock.now() + wait, '');
        this.#plan(wait);
    }
}
