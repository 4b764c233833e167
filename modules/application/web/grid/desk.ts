// SPDX-License-Identifier: Apache-2.0
//
// The desk at which a sheet is filled: what people did goes to the service to be judged, and
// to be entered when they save; what it answers comes back to the cells. It knows no page.
import { type Act, type State, begin, lackingReason, paste, press } from './acts.ts';
import * as answers from './answers.ts';
import { arrange, laidOut, widen } from './arrange.ts';
import type { Clock } from './clock.ts';
import { extended } from './extend.ts';
import { type Judgement, Judging } from './judging.ts';
import type { Command } from './keys.ts';
import { type Model, leave } from './model.ts';
import { type Outcome, type Progress, Saving } from './saving.ts';
import {
    type Cell, type Content, type Order, type Row, type Settings, type Sheet, type Version,
    isEdited, isNumeric, isOpen, kindOf, needsReason, opinionOf, question, settingsOf,
} from './sheet.ts';
import { type Store, storeOf } from './store.ts';

// Content of a cell as it is sent to be judged or to be entered.
export interface Entry {
    readonly id: string;
    readonly kind: Row['kind'];
    readonly numeric: boolean;
    readonly content: Content;
    readonly settings: Settings;
    readonly base: Version;
    readonly question: string;
}

export interface DeskPorts {
    readonly clock: Clock;
    // Makes an idempotency key.
    key(): string;
    judge(entries: ReadonlyMap<string, Entry>): Promise<Judgement>;
    send(entries: ReadonlyMap<string, Entry>, key: string): Promise<Outcome>;
}

// State of the connection to the service.
export interface Way {
    readonly progress: Progress | null;
    // Time of the next try; null: the service can be reached.
    readonly nextTry: number | null;
    readonly lastSaved: number | null;
}

// Interface between the grid and the desk that sends its cells.
export interface GridDesk {
    readonly store: Store<State>;
    readonly way: Store<Way>;
    readonly sheet: Sheet;
    readonly unsaved: boolean;
    do(act: Act): void;
    press(command: Command, page: number): boolean;
    paste(text: string): void;
    save(): void;
    retry(): void;
}

export class Desk implements GridDesk {
    readonly store: Store<State>;
    readonly way: Store<Way>;
    // The sheet as it was first laid out: samples as rows.
    #first: Sheet;
    readonly #clock: Clock;
    readonly #judging: Judging<Entry>;
    readonly #saving: Saving<Entry>;
    // When the service said that a record was saved.
    readonly #savedAt = new Map<string, number>();

    constructor(sheet: Sheet, ports: DeskPorts) {
        this.#first = sheet;
        this.store = storeOf(begin(sheet));
        this.way = storeOf<Way>({ progress: null, nextTry: null, lastSaved: null });
        this.#clock = ports.clock;
        this.#judging = new Judging({
            clock: ports.clock,
            ask: (entries) => ports.judge(entries),
            answer: (verdicts) => this.#answer((model) => answers.judged(model, verdicts)),
            reach: (nextTry) => this.#go({ nextTry }),
        });
        this.#saving = this.#savingBy(ports);
    }

    get sheet(): Sheet {
        return this.store.get().model.sheet;
    }

    // Carries out an act of a person, and has the service judge the cells that it changed.
    do(act: Act): void {
        const before = this.sheet;
        this.store.update(act);
        this.#judging.consider(this.#unjudged(before));
    }

    // Carries out a key command. False: the grid has no use for it.
    press(command: Command, page: number): boolean {
        if (command.do === 'save') {
            this.save();
            return true;
        }
        const next = press(this.store.get(), command, page);
        if (next) {
            this.do(() => next);
        }
        return next !== null;
    }

    // Takes a block of cells at the cursor.
    paste(text: string): void {
        this.do(paste(text));
    }

    // Sends every edited cell that can be saved. Those that need a reason ask for it.
    save(): void {
        this.#answer(leave);
        const { sheet } = this;
        const ready = this.#entries((cell) =>
            isEdited(cell) && isOpen(cell) && !cell.theirs && !needsReason(sheet, cell));
        this.store.update((state) =>
            ({ ...state, mode: 'ready', reasoning: lackingReason(state).length > 0 }));
        this.#saving.save(ready);
        this.#saving.retry();
    }

    // Lays the cells out in another order. What was typed, and can be undone, goes with them.
    arrange(order: Order): void {
        if (order !== (this.sheet.order ?? 'rows')) {
            this.store.update(arrange(laidOut(this.#first, order)));
        }
    }

    // Takes what the run has besides, as it was laid out when it was read again.
    extend(sheet: Sheet): void {
        this.#first = extended(this.#first, sheet);
        this.store.update(widen(laidOut(this.#first, this.sheet.order ?? 'rows')));
    }

    // Whether a record of the run is not here.
    lacks(ids: Iterable<string>): boolean {
        const places = answers.placesById(this.sheet);
        return [...ids].some((id) => !places.has(id));
    }

    // Takes records as the service had them when it was asked for them at `askedAt`; those on
    // their way, and those saved since, are left alone.
    refresh(versions: ReadonlyMap<string, Version>, askedAt: number): void {
        const busy = this.#entries((cell) => cell.phase === 'saving' || cell.phase === 'waiting');
        const idle = new Map([...versions].filter(([id]) =>
            !busy.has(id) && (this.#savedAt.get(id) ?? 0) <= askedAt));
        this.#answer((model) => answers.changedByOthers(model, idle));
    }

    // Retries at once: the network is back, or somebody does not want to wait.
    retry(): void {
        this.#judging.now();
        this.#saving.retry();
    }

    // Whether closing the page would lose something.
    get unsaved(): boolean {
        return this.#saving.busy || this.sheet.rows.some((row) => row.cells.some(isEdited));
    }

    close(): void {
        this.#judging.stop();
        this.#saving.stop();
    }

    #go(change: Partial<Way>): void {
        this.way.update((way) => ({ ...way, ...change }));
    }

    // Applies an answer of the service to the cells; it asks the service nothing new.
    #answer(change: (model: Model) => Model): void {
        this.store.update((state) => {
            const model = change(state.model);
            return model === state.model ? state : { ...state, model };
        });
    }

    #entry(row: Row, column: number, cell: Cell): Entry {
        return {
            id: cell.id,
            kind: kindOf(row, this.sheet.columns[column]),
            numeric: isNumeric(row, this.sheet.columns[column]),
            content: cell.content,
            settings: settingsOf(this.sheet, cell),
            base: cell.base,
            question: question(this.sheet, cell),
        };
    }

    #entries(holds: (cell: Cell) => boolean, before?: Sheet): Map<string, Entry> {
        const changed = this.sheet.rows.filter((row, index) => row !== before?.rows[index]);
        return new Map(changed.flatMap((row) => row.cells.flatMap((cell, column) =>
            (holds(cell) ? [[cell.id, this.#entry(row, column, cell)] as const] : []))));
    }

    #unjudged(before: Sheet): Map<string, Entry> {
        const { sheet } = this;
        const open = (cell: Cell): boolean => isOpen(cell) && isEdited(cell)
            && cell.content.typed !== '' && opinionOf(sheet, cell) === null;
        return this.#entries(open, sheet.settings === before.settings ? before : undefined);
    }

    #savingBy(ports: DeskPorts): Saving<Entry> {
        return new Saving({
            clock: ports.clock,
            key: () => ports.key(),
            // Sends the correction of a control by itself.
            alone: ({ kind }) => kind === 'control',
            send: (entries, key) => ports.send(entries, key),
            onTheirWay: (ids, phase) =>
                this.#answer((model) => answers.onTheirWay(model, ids, phase)),
            givenBack: (ids) => this.#answer((model) => answers.givenBack(model, ids)),
            refused: (refusals) => this.#answer((model) => answers.refused(model, refusals)),
            saved: (versions, sent) => this.#saved(versions, sent),
            conflict: (versions) => this.#meet(versions),
            progress: (progress) => this.#go({ progress }),
        });
    }

    #saved(versions: ReadonlyMap<string, Version>, sent: ReadonlyMap<string, Entry>): void {
        const contents = new Map([...sent].map(([id, entry]) => [id, entry.content]));
        const now = this.#clock.now();
        versions.forEach((_, id) => this.#savedAt.set(id, now));
        this.#answer((model) => answers.saved(model, versions, contents));
        this.#go({ lastSaved: now });
        this.store.update((state) =>
            ({ ...state, said: { code: 'saved', values: { cells: versions.size } } }));
    }

    // Takes the versions that others have entered; cells without a conflict are sent again on top
    // of them.
    #meet(versions: ReadonlyMap<string, Version>): void {
        this.#answer((model) => answers.changedByOthers(
            answers.givenBack(model, [...versions.keys()]), versions));
        this.#saving.save(this.#entries((cell) => isEdited(cell) && isOpen(cell) && !cell.theirs
            && cell.base.etag === versions.get(cell.id)?.etag));
    }
}
