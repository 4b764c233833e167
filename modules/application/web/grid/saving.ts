// SPDX-License-Identifier: Apache-2.0
//
// Sends edited cells to the service in chunks, one after the other. A chunk is
// entered whole or not at all. Until its fate is known it is sent again as it was, under the
// same idempotency key, so that nothing is entered twice; a chunk that is refused for some of
// its cells is halved until those stand alone.
import type { Version } from './sheet.ts';
import { type Clock, pause } from './clock.ts';

export type Outcome =
    | { readonly kind: 'saved'; readonly versions: ReadonlyMap<string, Version> }
    // Refused: somebody else has entered some of these cells, and nothing of the chunk was entered.
    | { readonly kind: 'conflict'; readonly versions: ReadonlyMap<string, Version> }
    // whole: whatever was sent, as where the person may enter nothing.
    | { readonly kind: 'refused'; readonly message: string; readonly whole?: boolean }
    | { readonly kind: 'unreachable'; readonly retryAfter: number | null };

type Refused = Extract<Outcome, { kind: 'refused' }>;

export interface Progress {
    readonly saved: number;
    readonly of: number;
    // Time of the next try; null: the service can be reached.
    readonly nextTry: number | null;
}

export interface SavingPorts<E> {
    readonly clock: Clock;
    // Makes an idempotency key, one for each chunk.
    key(): string;
    // Whether the service takes each entry in a request of its own.
    alone?(entry: E): boolean;
    send(entries: ReadonlyMap<string, E>, key: string): Promise<Outcome>;
    onTheirWay(ids: readonly string[], phase: 'saving' | 'waiting'): void;
    saved(versions: ReadonlyMap<string, Version>, sent: ReadonlyMap<string, E>): void;
    conflict(versions: ReadonlyMap<string, Version>): void;
    refused(refusals: ReadonlyMap<string, string>): void;
    givenBack(ids: readonly string[]): void;
    progress(progress: Progress): void;
}

const LARGEST = 200;

// A chunk of entries, frozen with its key when it is first sent.
interface Chunk<E> {
    readonly entries: ReadonlyMap<string, E>;
    readonly key: string;
}

export class Saving<E> {
    readonly #ports: SavingPorts<E>;
    #chunks: Chunk<E>[] = [];
    #running = false;
    #stopped = false;
    #saved = 0;
    #of = 0;
    #wake: (() => void) | null = null;

    constructor(ports: SavingPorts<E>) {
        this.#ports = ports;
    }

    get busy(): boolean {
        return this.#running;
    }

    // Takes entries by record. One that is on its way is not taken: its fate comes first.
    save(entries: ReadonlyMap<string, E>): void {
        const queued = new Set(this.#queued());
        const fresh = [...entries].filter(([id]) => !queued.has(id));
        const alone = fresh.filter(([, entry]) => this.#ports.alone?.(entry));
        const together = fresh.filter(([, entry]) => !this.#ports.alone?.(entry));
        alone.forEach((entry) => this.#add([entry]));
        for (let at = 0; at < together.length; at += LARGEST) {
            this.#add(together.slice(at, at + LARGEST));
        }
        this.#of += fresh.length;
        if (!this.#running && this.#chunks.length > 0) {
            void this.#run();
        }
    }

    // Tries again at once, as when the network is back or somebody asks for it.
    retry(): void {
        this.#wake?.();
    }

    // Sends nothing more; answers that still come are dropped.
    stop(): void {
        this.#stopped = true;
        this.#chunks = [];
        this.#wake?.();
    }

    #queued(): string[] {
        return this.#chunks.flatMap((chunk) => [...chunk.entries.keys()]);
    }

    #tell(nextTry: number | null): void {
        this.#ports.progress({ saved: this.#saved, of: this.#of, nextTry });
    }

    #add(entries: readonly (readonly [string, E])[]): void {
        const chunk = { entries: new Map(entries), key: this.#ports.key() };
        this.#chunks.push(chunk);
        this.#ports.onTheirWay([...chunk.entries.keys()], 'saving');
    }

    async #run(): Promise<void> {
        this.#running = true;
        for (let chunk = this.#chunks[0]; chunk; chunk = this.#chunks[0]) {
            const outcome = await this.#fate(chunk);
            if (this.#stopped || !outcome) {
                return;
            }
            this.#chunks.shift();
            this.#take(chunk, outcome);
            this.#tell(null);
        }
        this.#running = false;
        this.#saved = 0;
        this.#of = 0;
    }

    // Sends a chunk until somebody answers; null: stopped.
    async #fate(chunk: Chunk<E>): Promise<Outcome | null> {
        for (let tries = 0; !this.#stopped; tries++) {
            const outcome = await this.#ports.send(chunk.entries, chunk.key);
            if (outcome.kind !== 'unreachable' || this.#stopped) {
                return outcome;
            }
            const wait = pause(tries, outcome.retryAfter);
            this.#ports.onTheirWay(this.#queued(), 'waiting');
            this.#tell(this.#ports.clock.now() + wait);
            await this.#sleep(wait);
            this.#ports.onTheirWay(this.#queued(), 'saving');
        }
        return null;
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

    #take(chunk: Chunk<E>, outcome: Outcome): void {
        switch (outcome.kind) {
            case 'saved':
                this.#saved += chunk.entries.size;
                this.#ports.saved(outcome.versions, chunk.entries);
                break;
            case 'conflict':
                this.#afterConflict(chunk, outcome.versions);
                break;
            case 'refused':
                this.#afterRefusal(chunk, outcome);
                break;
            case 'unreachable':
                break;
        }
    }

    // The rest was not entered because of others: it is sent again without them.
    #afterConflict(chunk: Chunk<E>, versions: ReadonlyMap<string, Version>): void {
        const rest = [...chunk.entries].filter(([id]) => !versions.has(id));
        this.#of -= chunk.entries.size - rest.length;
        this.#ports.conflict(versions);
        if (rest.length === chunk.entries.size) {
            this.#ports.givenBack(rest.map(([id]) => id));
        } else if (rest.length > 0) {
            this.#add(rest);
        }
    }

    #afterRefusal(chunk: Chunk<E>, { message, whole = false }: Refused): void {
        const entries = [...chunk.entries];
        if (whole || entries.length === 1) {
            this.#of -= entries.length;
            this.#ports.refused(new Map(entries.map(([id]) => [id, message])));
            return;
        }
        const half = Math.ceil(entries.length / 2);
        this.#add(entries.slice(0, half));
        this.#add(entries.slice(half));
    }
}
