// SPDX-License-Identifier: Apache-2.0
//
// List of scans with their outcomes, the latest first. The last receipt can be undone for a minute,
// and every received sample can be given a deviation.
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { ask } from '../../acting/ask.ts';
import type { Question } from '../../acting/ask.ts';
import { readNow } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { clock } from '../../texts/time.ts';
import { type Bottle, type Line, type Receiving, type State, UNDO, type Verdict, undoable }
    from './receiving.ts';
import { noteDeviation, undo } from './service.ts';

const texts = t.receive;

export const glyphs = {
    sending: 'progress', waiting: 'progress', received: 'ready', already: 'attention',
    refused: 'blocked', undone: 'attention',
} as const satisfies Record<Verdict, string>;

// The seconds that the last scan can still be undone; 0: it cannot.
function useSecondsLeft(line: Line | null): number {
    const [now, setNow] = useState(Date.now);

    useEffect(() => {
        if (!line) {
            return undefined;
        }
        const timer = setInterval(() => setNow(Date.now()), 1000);
        return () => clearInterval(timer);
    }, [line]);
    return line ? Math.max(0, Math.ceil((line.at + UNDO - Math.max(now, line.at)) / 1000)) : 0;
}

function undoScan(desk: Receiving, line: Line): void {
    const { bottle } = line;
    if (bottle) {
        undo(bottle, texts.undoReason).then(() => {
            desk.mend(line.key, { verdict: 'undone', said: texts.undone(bottle.trackingId) });
            say({ tone: 'attention', text: texts.undone(bottle.trackingId) });
        }).catch(tell);
    }
}

// The field begins with what is noted already, which is replaced by what is sent.
async function deviation(desk: Receiving, key: number, bottle: Bottle): Promise<Question> {
    const sample = await readNow('/samples/{id}', { params: { path: { id: bottle.id } } });
    const noted = sample.receipt?.deviations ?? '';
    return {
        kind: 'reason',
        title: texts.deviationOf(bottle.trackingId),
        explanation: texts.deviationWhat,
        lines: [[bottle.trackingId, bottle.name].join(' ')],
        ...(noted ? { warnings: [texts.noted(noted)] } : {}),
        name: texts.deviation,
        value: noted,
        reason: 'must',
        perform: async ({ reason = '' }) => {
            await noteDeviation(sample, reason, texts.deviationReason);
            desk.mend(key, { deviation: reason });
        },
        renew: () => deviation(desk, key, bottle),
    };
}

function askDeviation(desk: Receiving, { key, bottle }: Line): void {
    if (bottle) {
        deviation(desk, key, bottle).then(ask, tell);
    }
}

function Acts({ desk, line, left }: {
    desk: Receiving; line: Line; left: number;
}): ReactElement {
    return (
        <>
            <span>
                {left > 0 ? (
                    <Button kind="row" onPress={() => undoScan(desk, line)}>
                        {texts.undo(left)}
                    </Button>
                ) : null}
            </span>
            <span>
                <Button kind={line.deviation ? 'row' : 'row plain'} className="cut"
                    onPress={() => askDeviation(desk, line)}>
                    {line.deviation || texts.deviation}
                </Button>
            </span>
        </>
    );
}

function Scanned({ desk, line, left, orderId }: {
    desk: Receiving; line: Line; left: number; orderId: number | null;
}): ReactElement {
    const { organization } = useSession();
    const { verdict, bottle, said } = line;
    const glyph = glyphs[verdict];
    const other = bottle && orderId !== null && bottle.orderId !== orderId
        ? texts.otherOrder : '';
    const about = [bottle?.name, verdict === 'received' ? other : said].filter(Boolean).join(', ');
    return (
        <li>
            <Glyph name={glyph} tone={glyph} />
            <span>{texts.verdicts[verdict]}</span>
            <span className="quiet">{clock(new Date(line.at), organization.timeZone)}</span>
            {bottle ? <Link className="id" href={paths.sample(bottle.id)}>{bottle.trackingId}</Link>
                : <span className="id cut" title={line.text}>{line.text}</span>}
            {verdict === 'received' ? (
                <>
                    <span className="cut" title={about}>{about}</span>
                    <Acts desk={desk} line={line} left={left} />
                </>
            ) : (
                <span className="cut all" title={about}>
                    {verdict === 'waiting' ? texts.waits : about}
                </span>
            )}
        </li>
    );
}

export function Scans({ desk, state, orderId }: {
    desk: Receiving; state: State; orderId: number | null;
}): ReactElement {
    const last = undoable(state, Date.now());
    const left = useSecondsLeft(last);
    return (
        <ol className="scans" aria-label={texts.scanned}>
            {state.lines.map((line) => (
                <Scanned key={line.key} desk={desk} line={line} orderId={orderId}
                    left={line === last ? left : 0} />
            ))}
            {state.lines.length === 0 ? <li><span className="quiet all">{texts.none}</span></li>
                : null}
        </ol>
    );
}
