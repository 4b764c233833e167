// SPDX-License-Identifier: Apache-2.0
//
// Default focus of a page: an element such as the cursor's row of a list gets the focus whenever
// nothing else has it, for instance after a dialog whose button is gone, or after an act that
// removed its row.
const places: (() => HTMLElement | null | undefined)[] = [];

// Registers the element that has the default focus, the newest before the others, until it is
// withdrawn.
export function keepFocus(place: () => HTMLElement | null | undefined): () => void {
    places.push(place);
    return () => {
        places.splice(places.indexOf(place), 1);
    };
}

const isLost = (): boolean =>
    document.activeElement === null || document.activeElement === document.body;

export function focusAgain(): void {
    if (isLost()) {
        places.at(-1)?.()?.focus({ preventScroll: true });
    }
}

// A dialog that closes gives the focus back in the next frame, if what had it is still there.
export function focusAfterDialog(): void {
    requestAnimationFrame(() => requestAnimationFrame(focusAgain));
}
