// SPDX-License-Identifier: Apache-2.0
//
// Questions of a grid, shown in its foot instead of a dialog: what a comma means, why an entered
// value is replaced, and whose value is kept after two people have entered one cell.
import { useId } from 'react';
import type { FormEvent, KeyboardEvent, ReactElement } from 'react';

import { visibleText } from '../api/visible.ts';
import { Button } from '../parts/button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Versions } from '../parts/versions.tsx';
import { t } from '../texts/texts.ts';
import { answerComma, confirm, dismissReason, keepMine, lackingReason, reason, takeTheirs } from './acts.ts';
import type { State } from './acts.ts';
import type { GridDesk } from './desk.ts';
import { type Cell, cellAt, isExcepted, isReturned } from './sheet.ts';

const texts = t.grid;

const onEscape = (act: () => void) => (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        act();
    }
};

interface CommaProperties {
    desk: GridDesk;
    examples: readonly string[];
}

function CommaQuestion({ desk, examples }: CommaProperties): ReactElement {
    const { comma } = texts;
    const nothing = (): void => desk.do(answerComma(null));
    return (
        <div className="reason" role="group" aria-label={comma.question(examples.join(', '))}
            onKeyDown={onEscape(nothing)}>
            <Glyph name="attention" tone="attention" />
            <span>{comma.question(examples.join(', '))}</span>
            <Button kind="row" autoFocus onPress={() => desk.do(answerComma('point'))}>
                {comma.point}
            </Button>
            <Button kind="row" onPress={() => desk.do(answerComma('keep'))}>{comma.keep}</Button>
            <Button kind="row plain" keys="Esc" onPress={nothing}>{comma.none}</Button>
        </div>
    );
}

function ReasonQuestion({ desk, count }: { desk: GridDesk; count: number }): ReactElement {
    const { why } = texts;
    const list = useId();
    const dismiss = (): void => desk.do(dismissReason);
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const given = String(new FormData(event.currentTarget).get('reason') ?? '').trim();
        if (given !== '') {
            desk.do(reason(given));
            desk.save();
        }
    };
    return (
        <form className="reason" onSubmit={submit} onKeyDown={onEscape(dismiss)}>
            <Glyph name="attention" tone="attention" />
            <label>
                {why.question(count)}{' '}
                <input name="reason" aria-label={why.label} list={list} size={32} maxLength={1000}
                    autoComplete="off" required autoFocus />
            </label>
            <datalist id={list}>
                {why.usual.map((one) => <option key={one} value={one} />)}
            </datalist>
            <Button kind="row" type="submit" keys="Enter">{why.save}</Button>
            <Button kind="row plain" keys="Esc" onPress={dismiss}>{t.cancel}</Button>
        </form>
    );
}

function Conflict({ desk, cell }: { desk: GridDesk; cell: Cell }): ReactElement {
    const { conflict } = texts;
    const shown = (text = ''): string => visibleText(text) || conflict.empty;
    return (
        <div className="reason" role="group" aria-label={texts.kinds.conflict}>
            <Versions versions={[{ member: conflict.value, was: shown(cell.base.text),
                theirs: shown(cell.theirs?.text), mine: shown(cell.content.typed) }]}>
                {isExcepted(cell) ? <span className="quiet">{conflict.excepted}</span> : null}
                {cell.theirs?.lock ? <span className="quiet">{cell.theirs.lock}</span> : (
                    <Button kind="row" onPress={() => desk.do(keepMine(cell.id))}>
                        {conflict.keep}
                    </Button>
                )}
                <Button kind="row" onPress={() => desk.do(takeTheirs(cell.id))}>
                    {conflict.take}
                </Button>
            </Versions>
        </div>
    );
}

// A result that was sent back: another value is typed, or the same one confirmed.
function Returned({ desk }: { desk: GridDesk }): ReactElement {
    return (
        <div className="reason" role="group" aria-label={texts.kinds.returned}>
            <Glyph name="attention" tone="attention" />
            <span>{texts.again.what}</span>
            <Button kind="row" keys="Ctrl Enter" onPress={() => desk.do(confirm)}>
                {texts.again.confirm}
            </Button>
        </div>
    );
}

export function Questions({ desk, state }: { desk: GridDesk; state: State }): ReactElement | null {
    const cell = cellAt(state.model.sheet, state.cursor.at);
    if (state.asking) {
        return <CommaQuestion desk={desk} examples={state.asking.examples} />;
    }
    if (state.reasoning && lackingReason(state).length > 0) {
        return <ReasonQuestion desk={desk} count={lackingReason(state).length} />;
    }
    if (cell && !cell.theirs && isReturned(cell)) {
        return <Returned desk={desk} />;
    }
    return cell?.theirs ? <Conflict desk={desk} cell={cell} /> : null;
}
