// SPDX-License-Identifier: Apache-2.0
//
// A cell that is entered: its value, the verdict in a place of its own at the right edge, and
// in the cell with the cursor the one live input of the grid.
import { useLayoutEffect, useRef } from 'react';
import type { ReactElement } from 'react';

import { Glyph } from '../parts/glyph.tsx';
import type { GlyphName, Tone } from '../parts/glyph.tsx';
import { type } from './acts.ts';
import type { GridDesk } from './desk.ts';
import type { Mode } from './keys.ts';
import type { Kind, Look } from './look.ts';
import { type Cell as CellOf, type Column, isOpen, isUnsaved } from './sheet.ts';
import { t } from '../texts/texts.ts';

const texts = t.grid;

const marks: Partial<Record<Kind, { tone?: Tone; glyph: GlyphName; edge: string }>> = {
    conflict: { tone: 'blocked', glyph: 'attention', edge: 'blocked' },
    refused: { tone: 'blocked', glyph: 'blocked', edge: 'blocked' },
    reason: { tone: 'attention', glyph: 'attention', edge: 'attention' },
    waiting: { tone: 'progress', glyph: 'progress', edge: 'progress' },
    saving: { glyph: 'progress', edge: 'quiet' },
    locked: { glyph: 'lock', edge: 'quiet' },
    returned: { tone: 'attention', glyph: 'attention', edge: 'attention' },
    outside: { tone: 'blocked', glyph: 'above', edge: 'blocked' },
    attention: { tone: 'attention', glyph: 'attention', edge: 'attention' },
    within: { glyph: 'within', edge: 'ready' },
};

export function Mark({ look }: { look: Look }): ReactElement | null {
    const mark = marks[look.kind];
    if (!mark) {
        return null;
    }
    return (
        <span className={`mark ${mark.edge}`}>
            {look.word || <Glyph name={mark.glyph} {...(mark.tone ? { tone: mark.tone } : {})} />}
            <span className="unseen">{texts.kinds[look.kind]}</span>
        </span>
    );
}

// A number stands at its decimal point; the text is the one that was typed.
function Value({ text, numeric, fallback }: {
    text: string; numeric: boolean; fallback: string | undefined;
}): ReactElement {
    if (text === '' && fallback) {
        return <span className="quiet">{fallback}</span>;
    }
    const point = numeric ? text.indexOf('.') : -1;
    return point < 0
        ? <>{text}{numeric && text !== '' ? <i /> : null}</>
        : <>{text.slice(0, point)}<i>{text.slice(point)}</i></>;
}

// The list of what a column offers, which stands beside the grid.
export const offersOf = ({ key }: Column): string => `offers of ${key}`.replace(/\s+/g, '-');

interface LiveProperties {
    desk: GridDesk;
    cell: CellOf;
    column: Column;
    name: string;
    numeric: boolean;
    mode: Mode;
    invalid: boolean;
    focus: boolean;
    reason: string;
}

// The input selects its text while the cell is ready, so that typing replaces it.
function Live(properties: LiveProperties): ReactElement {
    const { desk, cell, column, name, numeric, mode, invalid, focus, reason } = properties;
    const input = useRef<HTMLInputElement>(null);

    // The cursor came here: so does the focus, if the grid has it.
    useLayoutEffect(() => {
        if (focus) {
            input.current?.focus({ preventScroll: true });
            input.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        }
    }, [focus]);
    // The mode says where the caret is.
    useLayoutEffect(() => {
        if (mode === 'ready' && document.activeElement === input.current) {
            input.current?.select();
        }
        if (mode === 'editing') {
            const end = input.current?.value.length ?? 0;
            input.current?.setSelectionRange(end, end);
        }
    }, [mode, focus]);
    return (
        <input ref={input} type="text" value={cell.content.typed} readOnly={!isOpen(cell)}
            aria-label={name} aria-invalid={invalid}
            aria-describedby={reason} autoComplete="off" spellCheck={false}
            autoCapitalize="off" enterKeyHint="next" maxLength={column.length}
            inputMode={numeric ? 'decimal' : 'text'} placeholder={column.fallback}
            list={column.offers ? offersOf(column) : undefined}
            onFocus={(event) => mode === 'editing' || event.currentTarget.select()}
            onChange={(event) => desk.do(type(event.target.value))} />
    );
}

export interface CellProperties {
    desk: GridDesk;
    cell: CellOf;
    look: Look;
    column: Column;
    index: number;
    first: number;
    // Accessible name of the input: test and sample of the value.
    name: string;
    numeric: boolean;
    selected: boolean;
    // Input mode of the cell with the cursor; null: the cursor is elsewhere.
    mode: Mode | null;
    focus: boolean;
    reason: string;
}

export function Cell(properties: CellProperties): ReactElement {
    const { desk, cell, look, column, index, first, name, numeric, selected } = properties;
    const { mode, focus, reason } = properties;
    const invalid = look.kind === 'refused' || look.kind === 'conflict';
    const unsaved = isUnsaved(cell);
    const classes = [numeric ? 'dec' : '', 'v', column.kind === 'control' ? 'control' : '', isOpen(cell) ? 'open' : '',
        unsaved ? 'unsaved' : '', mode === null ? '' : 'editing cursor'].filter(Boolean).join(' ');

    return (
        <td role="gridcell" className={classes} aria-colindex={first + index} data-column={index}
            aria-selected={selected} {...(invalid ? { 'aria-invalid': true } : {})}
            {...(isOpen(cell) ? {} : { 'aria-readonly': true })} title={look.messages.join(' ')}>
            {mode === null
                ? <Value text={cell.content.typed} numeric={numeric}
                    fallback={column.fallback} />
                : <Live desk={desk} cell={cell} column={column} numeric={numeric}
                    name={unsaved ? texts.unsavedCell(name) : name} mode={mode} invalid={invalid}
                    focus={focus} reason={reason} />}
            <Mark look={look} />
            {unsaved && mode === null ? <span className="unseen">{texts.unsaved}</span> : null}
        </td>
    );
}
