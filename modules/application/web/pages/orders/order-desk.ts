// SPDX-License-Identifier: Apache-2.0
//
// The desk at which an order is written: form and sheet, checked and registered as one, all or
// none. What is not registered stays when its page is left.
import type { Mistake } from '../../api/problem.ts';
import { type Act, type State, begin, paste, point, press, selection } from '../../grid/acts.ts';
import * as answers from '../../grid/answers.ts';
import type { GridDesk, Way } from '../../grid/desk.ts';
import type { Command } from '../../grid/keys.ts';
import { problems } from '../../grid/look.ts';
import { type Change, write } from '../../grid/model.ts';
import { type Sheet, withRows } from '../../grid/sheet.ts';
import { type Store, storeOf } from '../../grid/store.ts';
import { type Block, chosenOf, readBlock } from './pasting.ts';
import {
    EMPTY_FORM, type Form, type FormField, type Reader, type Reading, type Wrong, filledRows,
    joined, readOrder, wrongOf,
} from './reading.ts';
import { columnsOf, emptySheet, membersOf } from './sheet.ts';
import { t } from '../../texts/texts.ts';

export interface Allowance {
    readonly left: number | null;
}

export type Answer =
    // Answer of a check, or of a refused registration.
    | { readonly kind: 'judged'; readonly mistakes: readonly Mistake[];
        readonly allowance: Allowance | null }
    | { readonly kind: 'registered'; readonly orderId: number }
    | { readonly kind: 'refused'; readonly message: string }
    | { readonly kind: 'unreachable' };

export interface OrderPorts {
    now(): number;
    key(): string;
    reader(): Reader;
    // Reads the names that the reader does not know yet; null: it knows all.
    names(): Promise<unknown> | null;
    check(reading: Reading): Promise<Answer>;
    // Registers under an idempotency key, and receives what was registered where it is asked.
    register(reading: Reading, key: string, receipt: Form | null): Promise<Answer>;
}

export interface Status {
    readonly busy: boolean;
    // The last check, as long as nothing was changed since.
    readonly checked: { readonly at: number; readonly rows: number; readonly refused: number } | null;
    readonly fields: Readonly<Partial<Record<FormField, string>>>;
    // Mistakes of the order as a whole, and the reason why it could not be sent.
    readonly messages: readonly string[];
    readonly allowance: Allowance | null;
    // The block that was pasted last, as long as nothing was changed since.
    readonly pasted: Block | null;
    // A block that waits for what its columns are.
    readonly asking: Block | null;
}

const FRESH: Status = { busy: false, checked: null, fields: {}, messages: [], allowance: null,
    pasted: null, asking: null };

export class OrderDesk implements GridDesk {
    readonly store: Store<State>;
    readonly way: Store<Way> = storeOf<Way>({ progress: null, nextTry: null, lastSaved: null });
    readonly form: Store<Form> = storeOf(EMPTY_FORM);
    readonly status: Store<Status> = storeOf(FRESH);
    readonly #ports: OrderPorts;
    readonly #receives: boolean;
    // The registration whose outcome is unknown: it is sent again as it was, under its key, also
    // where it is received now and was not before.
    #sent: { readonly body: string; readonly key: string } | null = null;
    // While this holds nothing is changed: a registered order leaves the desk.
    #registering = false;

    constructor(ports: OrderPorts, receives: boolean) {
        this.#ports = ports;
        this.#receives = receives;
        this.store = storeOf(begin(this.#fresh(EMPTY_FORM)));
    }

    get sheet(): Sheet {
        return this.store.get().model.sheet;
    }

    get unsaved(): boolean {
        const form = this.form.get();
        return filledRows(this.sheet).length > 0
            || Object.entries(EMPTY_FORM).some(([field, empty]) => form[field as FormField] !== empty);
    }

    // The typed parts of the receipt, in words: an order that is registered alone has no place for
    // them.
    get forReceipt(): string[] {
        const { temperature, condition } = this.form.get();
        const { containers } = this.#read();
        const { fields, bottlesOf } = t.orders;
        const bottles = containers.filter((number) => number !== null).length;
        return [
            ...temperature.trim() ? [`${fields.temperature}: ${temperature.trim()}`] : [],
            ...condition.trim() ? [`${fields.condition}: ${condition.trim()}`] : [],
            ...bottles ? [bottlesOf(bottles)] : [],
        ];
    }

    do(act: Act): void {
        const next = act(this.store.get());
        const changes = next.model.sheet.rows !== this.sheet.rows;
        if (changes && this.#isHeld()) {
            return;
        }
        this.store.update(() => next);
        if (changes) {
            this.#go({ checked: null, pasted: null, messages: [] });
        }
    }

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

    // Changes a member of the whole order.
    fill(fields: Partial<Form>): void {
        if (this.#isHeld()) {
            return;
        }
        this.form.update((form) => ({ ...form, ...fields }));
        const { [Object.keys(fields)[0] as FormField]: _, ...rest } = this.status.get().fields;
        this.#go({ checked: null, fields: rest, messages: [] });
        this.know();
    }

    // Names that were read since, or another form: the columns offer and show them.
    know(): void {
        const columns = columnsOf(this.form.get(), this.#ports.reader().references, this.#receives);
        this.store.update((state) =>
            ({ ...state, model: { ...state.model, sheet: { ...state.model.sheet, columns } } }));
    }

    paste(text: string): void {
        const read = readBlock(this.sheet, text, selection(this.store.get()).left);
        if (read.kind === 'cell') {
            this.do(paste(text));
        } else if (read.kind === 'known') {
            this.pasteAs(read.block);
        } else {
            this.ask(read.block);
        }
    }

    // Pastes a block whose columns are known.
    pasteAs(block: Block): void {
        if (this.#isHeld()) {
            return;
        }
        this.do(paste(block.text, chosenOf(block)));
        this.#go({ asking: null, pasted: this.store.get().asking ? null : block });
    }

    // Asks what the columns of a block are, or (null) pastes nothing.
    ask(block: Block | null): void {
        this.#go({ asking: block });
    }

    // Takes the last paste back, to be read otherwise.
    askAgain(): void {
        const { pasted } = this.status.get();
        this.press({ do: 'undo' }, 1);
        this.ask(pasted);
    }

    addRows(count: number): void {
        this.do((state) => ({ ...state, model: { ...state.model,
            sheet: withRows(state.model.sheet, state.model.sheet.rows.length + count) } }));
    }

    // Repeats the selected rows below the last one that is filled, but for what is unique.
    copyRows(): void {
        this.do((state) => {
            const { sheet } = state.model;
            const members = membersOf(sheet);
            const { top, bottom } = selection(state);
            const below = (filledRows(sheet).at(-1) ?? bottom) + 1;
            const changes = sheet.rows.slice(top, bottom + 1).flatMap((row, r): Change[] =>
                row.cells.flatMap(({ content: { typed } }, column) =>
                    typed === '' || members[column] === 'externalId' ? []
                        : [{ place: { row: below + r, column }, content: { typed } }]));
            return { ...state, model: write(state.model, changes) };
        });
    }

    // Checks the order: the service names every mistake in it.
    save(): void {
        void this.check();
    }

    async check(): Promise<void> {
        if (this.status.get().busy) {
            return;
        }
        const names = this.#ports.names();
        if (names && !await this.#know(names)) {
            return;
        }
        const reading = this.#read();
        // Without a client or a sample the service could name no further mistakes.
        const answer: Answer = reading.body.clientId === null || reading.rows.length === 0
            ? { kind: 'judged', mistakes: [], allowance: this.status.get().allowance }
            : await this.#ask(() => this.#ports.check(reading));
        // A change that was made meanwhile has not been checked.
        if (JSON.stringify(this.#read().body) !== JSON.stringify(reading.body)) {
            await this.check();
            return;
        }
        this.#take(reading, answer);
    }

    // Registers all or none; returns the id of the order that was made, or null.
    async register(receive: boolean): Promise<number | null> {
        if (this.status.get().busy) {
            return null;
        }
        const names = this.#ports.names();
        if (names && !await this.#know(names)) {
            return null;
        }
        const reading = this.#read();
        if (reading.wrong.length > 0) {
            await this.check();
            this.#lookAtFirst();
            return null;
        }
        const body = JSON.stringify(reading.body);
        this.#sent = this.#sent?.body === body ? this.#sent : { body, key: this.#ports.key() };
        const { key } = this.#sent;
        this.#registering = true;
        const answer = await this.#ask(() =>
            this.#ports.register(reading, key, receive ? this.form.get() : null));
        this.#registering = false;
        if (answer.kind === 'registered') {
            this.clear();
            return answer.orderId;
        }
        if (answer.kind !== 'unreachable') {
            this.#sent = null;
        }
        this.#take(reading, answer);
        this.#lookAtFirst();
        return null;
    }

    retry(): void {
        // Nothing is retried: a registration that failed is repeated by hand.
    }

    // Begins another order.
    clear(): void {
        if (this.#isHeld()) {
            return;
        }
        this.#sent = null;
        this.form.update(() => EMPTY_FORM);
        this.store.update(() => begin(this.#fresh(EMPTY_FORM)));
        this.status.update(() => FRESH);
        this.know();
    }

    #fresh(form: Form): Sheet {
        return emptySheet(columnsOf(form, this.#ports.reader().references, this.#receives));
    }

    // Waits for names: as long as they are on their way, nobody and nothing would have one.
    async #know(names: Promise<unknown>): Promise<boolean> {
        this.#go({ busy: true, messages: [] });
        await names;
        const known = this.#ports.names() === null;
        this.#go({ busy: false, messages: known ? [] : [t.orders.notReached] });
        return known;
    }

    // Whether a change has to wait until a registration has ended; the person is told.
    #isHeld(): boolean {
        if (this.#registering) {
            this.#go({ messages: [t.orders.registering] });
        }
        return this.#registering;
    }

    #read(): Reading {
        return readOrder(this.sheet, this.form.get(), this.#ports.reader());
    }

    #go(change: Partial<Status>): void {
        this.status.update((status) => ({ ...status, ...change }));
    }

    async #ask(send: () => Promise<Answer>): Promise<Answer> {
        this.#go({ busy: true, messages: [] });
        const answer = await send();
        this.#go({ busy: false });
        return answer;
    }

    #take(reading: Reading, answer: Answer): void {
        if (answer.kind === 'judged') {
            const theirs = wrongOf(answer.mistakes, reading, this.sheet);
            this.#mark(joined(reading.wrong, theirs), reading.rows.length);
            this.#go({ allowance: answer.allowance ?? this.status.get().allowance });
        } else if (answer.kind !== 'registered') {
            this.#mark(reading.wrong, reading.rows.length);
            this.#go({ checked: null,
                messages: [answer.kind === 'refused' ? answer.message : t.orders.notReached] });
        }
    }

    // Shows the mistakes at their places, and none of former checks.
    #mark(wrong: readonly Wrong[], rows: number): void {
        const cells = new Map<string, string>();
        for (const { place, message } of wrong) {
            const id = place ? this.sheet.rows[place.row]?.cells[place.column]?.id : undefined;
            if (id !== undefined) {
                cells.set(id, [cells.get(id), message].filter(Boolean).join(' '));
            }
        }
        const refused = new Set(wrong.flatMap(({ place }) => place ? [place.row] : []));
        this.store.update((state) => {
            const all = [...answers.placesById(state.model.sheet).keys()];
            const model = answers.refused(answers.givenBack(state.model, all), cells);
            return { ...state, model };
        });
        this.#go({
            checked: { at: this.#ports.now(), rows, refused: refused.size },
            fields: Object.fromEntries(wrong.flatMap(({ field, message }) =>
                field ? [[field, message]] : [])),
            messages: wrong.filter(({ place, field }) => !place && !field)
                .map(({ message }) => message),
        });
    }

    #lookAtFirst(): void {
        const [first] = problems(this.sheet);
        if (first) {
            this.store.update(point(first.place, false));
        }
    }
}
