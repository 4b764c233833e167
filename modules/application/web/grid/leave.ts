// SPDX-License-Identifier: Apache-2.0
//
// Leaves a grid by the keyboard: F6 goes to what stands behind it, Shift+F6 before it.

const FOCUSED = 'a[href], button, input, select, textarea, [tabindex="0"]';

// Moves the focus to the nearest control beside an element. False: there is none.
export function besideGrid(grid: HTMLElement, back: boolean): boolean {
    const side = back ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
    const beside = [...document.querySelectorAll<HTMLElement>(FOCUSED)].filter((one) =>
        (grid.compareDocumentPosition(one) & side) !== 0 && !grid.contains(one)
        && one.tabIndex >= 0 && !one.hasAttribute('disabled') && one.offsetParent !== null);
    const next = back ? beside.at(-1) : beside[0];
    next?.focus();
    return next !== undefined;
}

// Goes into the grid of the page, where its cursor stands.
export function enterGrid(): void {
    document.querySelector<HTMLElement>('[role=grid] .editing input')?.focus();
}
