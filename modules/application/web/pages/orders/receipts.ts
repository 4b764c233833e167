// SPDX-License-Identifier: Apache-2.0
//
// Receipts of orders that were just registered. One that failed is kept in this tab, with all that
// was typed for it, until the service has answered it or the person gives it up.
import type { paths } from '#api';

import { Problem, asProblem } from '../../api/problem.ts';
import { type Store, storeOf } from '../../grid/store.ts';

export type Receipt =
    paths['/samples/receive']['post']['requestBody']['content']['application/json'];

export interface Received {
    readonly count: number;
    // Reasons why samples were not received.
    readonly skipped: readonly string[];
}

export interface Kept {
    readonly owner: string;
    readonly orderId: number;
    readonly receipt: Receipt;
    readonly key: string;
    readonly why: string;
}

export interface ReceiptPorts {
    key(): string;
    send(receipt: Receipt, key: string): Promise<Received>;
    // Says why a receipt failed.
    say(problem: Problem): string;
}

export class Receipts {
    readonly kept: Store<readonly Kept[]> = storeOf<readonly Kept[]>([]);
    readonly #ports: ReceiptPorts;

    constructor(ports: ReceiptPorts) {
        this.#ports = ports;
    }

    // Receives the samples of an order; of a receipt that fails the reason is returned.
    receive(owner: string, orderId: number, receipt: Receipt): Promise<Received | string> {
        return this.#send({ owner, orderId, receipt, key: this.#ports.key(), why: '' });
    }

    again(one: Kept): Promise<Received | string> {
        return this.#send(one);
    }

    drop(orderId: number): void {
        this.kept.update((all) => all.filter((one) => one.orderId !== orderId));
    }

    // A receipt whose fate is unknown keeps its key, so that nothing is received twice.
    async #send(one: Kept): Promise<Received | string> {
        try {
            const received = await this.#ports.send(one.receipt, one.key);
            this.drop(one.orderId);
            return received;
        } catch (error) {
            const problem = error instanceof Problem ? error : asProblem(error);
            const why = this.#ports.say(problem);
            const key = problem.passing ? one.key : this.#ports.key();
            this.kept.update((all) => [...all.filter(({ orderId }) => orderId !== one.orderId),
                { ...one, key, why }]);
            return why;
        }
    }
}
