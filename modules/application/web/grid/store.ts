// SPDX-License-Identifier: Apache-2.0
//
// Holds a value that several parts of a page look at and change.
export interface Store<T> {
    get(): T;
    update(change: (value: T) => T): void;
    // Calls back after each change, and returns a function that ends this.
    subscribe(call: () => void): () => void;
}

export function storeOf<T>(first: T): Store<T> {
    let value = first;
    const calls = new Set<() => void>();
    return {
        get: () => value,
        update: (change) => {
            const next = change(value);
            if (next !== value) {
                value = next;
                calls.forEach((call) => call());
            }
        },
        subscribe: (call) => {
            calls.add(call);
            return () => calls.delete(call);
        },
    };
}
