// SPDX-License-Identifier: Apache-2.0
//
// Where the keyboard is on a page, such as the cursor's row of a list, has the focus whenever
// nothing else has it: after a dialog whose button is gone, or an act that took its row away.
const places: (() => HTMLElement | null | undefined)[] = [];

// Says where that is, the newest before the others, until it is taken back.
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
