// SPDX-License-Identifier: Apache-2.0
//
// Key bindings of an entry grid, by the input mode of the cell with the cursor. Keys that are not
// named here are left to the input.

// `ready`: the text of the cell is selected, and typing replaces it. `typing`: it is being
// replaced, and arrows still go on to other cells. `editing`: the caret moves in the text.
export type Mode = 'ready' | 'typing' | 'editing';

export interface Press {
    readonly key: string;
    // Control, or Command on a Mac.
    readonly ctrl: boolean;
    readonly shift: boolean;
    readonly alt: boolean;
    // An input method is composing a character: every key belongs to it.
    readonly composing: boolean;
}

export type Direction = 'up' | 'down' | 'left' | 'right';

export type Command =
    | {
          readonly do: 'move'; readonly to: Direction; readonly extend: boolean;
          readonly far: boolean;
      }
    | { readonly do: 'page'; readonly down: boolean; readonly extend: boolean }
    | {
          readonly do: 'edge'; readonly end: boolean; readonly whole: boolean;
          readonly extend: boolean;
      }
    | { readonly do: 'next'; readonly by: 'row' | 'column'; readonly back: boolean }
    | { readonly do: 'problem'; readonly back: boolean }
    | { readonly do: 'leave'; readonly back: boolean }
    | {
          readonly do:
              | 'edit' | 'ready' | 'restore' | 'clear' | 'fill' | 'undo' | 'redo' | 'save'
              | 'selectAll' | 'reason' | 'confirm';
      };

const ARROWS: Readonly<Record<string, Direction>> = {
    ArrowUp: 'up',
    ArrowDown: 'down',
    ArrowLeft: 'left',
    ArrowRight: 'right',
};

function withControl(press: Press): Command | null {
    switch (press.key.toLowerCase()) {
        case 'z':
            return { do: press.shift ? 'redo' : 'undo' };
        case 'y':
            return { do: 'redo' };
        case 's':
            return { do: 'save' };
        case 'd':
            return { do: 'fill' };
        case 'enter':
            return { do: 'confirm' };
        default:
            return null;
    }
}

function always(press: Press): Command | null {
    switch (press.key) {
        case 'Enter':
            return { do: 'next', by: 'row', back: press.shift };
        case 'Tab':
            return { do: 'next', by: 'column', back: press.shift };
        case 'Escape':
            return { do: 'restore' };
        case 'F6':
            return { do: 'leave', back: press.shift };
        case 'F8':
            return { do: 'problem', back: press.shift };
        case 'F9':
            return { do: 'reason' };
        case 'PageDown':
        case 'PageUp':
            return { do: 'page', down: press.key === 'PageDown', extend: press.shift };
        default:
            return null;
    }
}

// Keys that go through cells, unless the caret moves in the text.
function betweenCells(press: Press, mode: Mode): Command | null {
    const to = ARROWS[press.key];
    if (to) {
        return { do: 'move', to, extend: press.shift, far: press.ctrl };
    }
    if (press.key === 'Home' || press.key === 'End') {
        return { do: 'edge', end: press.key === 'End', whole: press.ctrl, extend: press.shift };
    }
    if (mode === 'ready' && (press.key === 'Delete' || press.key === 'Backspace')) {
        return { do: 'clear' };
    }
    if (press.ctrl && press.key.toLowerCase() === 'a') {
        return { do: 'selectAll' };
    }
    return null;
}

// Returns what a key does; null: it is the input's.
export function commandOf(press: Press, mode: Mode): Command | null {
    if (press.composing || press.alt) {
        return null;
    }
    if (press.key === 'F2') {
        return { do: mode === 'editing' ? 'ready' : 'edit' };
    }
    const between = mode === 'editing' ? null : betweenCells(press, mode);
    return between ?? (press.ctrl ? withControl(press) : always(press));
}
