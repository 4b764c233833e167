// SPDX-License-Identifier: Apache-2.0
//
// Reasons that hold a file, one below the other, each with the decision about it. In the open one
// the person says which sample or test is meant, or excludes the row.
import type { FormEvent, ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { decide, leaveOut } from '../../actions/instrument-files.ts';
import { usePeople } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { useSession } from '../../api/session.ts';
import { useKept } from '../../kept.ts';
import { asksForSample, asksForTest, columnOf, decisionsOf, letterOf, nameInFile, readingsOf,
    withAlias, withTest, without } from '../../nouns/file-reasons.ts';
import type { Card, Decision, Reading, Reason } from '../../nouns/file-reasons.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { t } from '../../texts/texts.ts';
import { dayOf, when } from '../../texts/time.ts';
import { useClosingAsked } from '../../unsaved.ts';
import type { InstrumentFile } from './preview.ts';

const texts = t.instrumentFiles;

interface Candidate {
    sampleTestId: number;
    testCode: string | null;
    trackingId: string;
    sampleIdentifier: string;
    status: string;
    result: string | null;
    retestOf: number | null;
    near: boolean;
    clientName: string;
    collectionDate: string | null;
    sameClient: boolean;
    sameDay: boolean;
}

// Returns the candidates, of one sample once, whatever is measured of it.
function candidatesOf(readings: Reading<Candidate>[], bySample: boolean): Candidate[] {
    const all = readings.flatMap(({ testCode, candidates }) =>
        candidates.map((one) => ({ ...one, testCode })));
    return bySample ? [...new Map(all.map((one) => [one.trackingId, one])).values()] : all;
}

// Returns the evidence for a candidate, and its description.
const aboutOf = (one: Candidate): string => [
    one.near ? texts.near : '', texts.beside(one.sameClient, one.sameDay),
    one.clientName, one.collectionDate ? dayOf(one.collectionDate) : '',
    one.retestOf === null ? '' : texts.retest,
    one.result === null ? texts.pending : texts.entered(one.result),
].filter(Boolean).join(', ');

function Pick({ one, bySample, chosen, choose }: {
    one: Candidate; bySample: boolean; chosen: boolean; choose: () => void;
}): ReactElement {
    return (
        <label className="pick">
            <input type="radio" name="as" checked={chosen} onChange={choose} />
            <span>
                <span className="id">{one.trackingId}</span>
                {one.sampleIdentifier === one.trackingId ? '' : `, ${one.sampleIdentifier}`}
                {bySample ? '' : `, ${one.testCode}`}
                <span className="caption">{aboutOf(one)}</span>
            </span>
        </label>
    );
}

// Answer to a reason, before it is sent.
interface Draft {
    chosen: number | 'other' | null;
    other: string;
    why: string;
}

const noDraft: Draft = { chosen: null, other: '', why: '' };

// Lets the person choose the sample of a row whose id the file spells otherwise, or one of several
// tests.
function Means({ file, card, reason }: {
    file: InstrumentFile; card: string; reason: Reason;
}): ReactElement {
    const bySample = asksForSample(reason);
    const found = useRead('/instrument-files/{id}/candidates',
        { params: { path: { id: file.id }, query: { row: reason.row ?? 1 } } });
    const decisions = decisionsOf(file);
    // The service has them as JSON.
    const readings = (found.data?.readings ?? []) as Reading<Candidate>[];
    const candidates = candidatesOf(readingsOf(reason, readings, decisions), bySample);
    const [{ chosen, other, why }, setDraft] = useKept(`file ${file.id} ${card}`, noDraft);
    const change = (part: Partial<Draft>): void => setDraft((now) => ({ ...now, ...part }));
    const one = candidates.find(({ sampleTestId }) => sampleTestId === chosen)
        ?? (chosen === null ? candidates[0] : undefined);
    const name = one?.trackingId ?? other;
    const submit = (event: FormEvent): void => {
        event.preventDefault();
        decide(file, bySample
            ? withAlias(decisions, { from: nameInFile(reason, readings, decisions), to: name,
                reason: why })
            : withTest(decisions, reason, one?.sampleTestId ?? 0)).catch(tell);
    };

    useClosingAsked(other !== '' || why !== '');
    return (
        <form onSubmit={submit} id="means">
            <fieldset>
                <legend className="caption">{bySample ? texts.means : texts.isFor}</legend>
                {candidates.map((each) => (
                    <Pick key={each.sampleTestId} one={each} bySample={bySample}
                        chosen={each.sampleTestId === one?.sampleTestId}
                        choose={() => change({ chosen: each.sampleTestId })} />
                ))}
                {found.data && candidates.length === 0
                    ? <p className="quiet">{texts.noCandidates}</p> : null}
                {bySample ? (
                    <label className="pick">
                        <input type="radio" name="as" checked={!one}
                            onChange={() => change({ chosen: 'other' })} />
                        <span>{texts.other}</span>
                    </label>
                ) : null}
                {bySample && !one ? (
                    <input className="id" aria-label={texts.otherLabel} value={other} required
                        data-scanned onChange={({ target }) => {
                            // Samples that are found later take no place of the one that is typed.
                            change({ chosen: 'other', other: target.value });
                        }} />
                ) : null}
            </fieldset>
            {bySample ? (
                <p className="field">
                    <label htmlFor="why">{texts.reason}</label>
                    <textarea id="why" rows={2} value={why} required maxLength={1000}
                        onChange={({ target }) => change({ why: target.value })} />
                </p>
            ) : null}
            {bySample || one ? (
                <p className="line">
                    <Button kind="row" type="submit" keys={bySample ? 'a' : undefined}>
                        {bySample ? texts.use(name) : texts.useTest}
                    </Button>
                </p>
            ) : null}
        </form>
    );
}

function Answered({ file, decision, review }: {
    file: InstrumentFile; decision: Decision; review: boolean;
}): ReactElement {
    const person = usePeople();
    const { organization: { timeZone } } = useSession();
    const { kind, one } = decision;
    const by = texts.decided(person(one.by ?? null), one.at ? when(one.at, timeZone) : '');
    return (
        <>
            <p className="quiet">
                {kind === 'exclude' ? texts.outBy(by, one.reason) : null}
                {kind === 'alias' ? texts.readAs(one.to, by, one.reason) : null}
                {kind === 'test' ? texts.namedBy(by) : null}
            </p>
            {review ? (
                <Button kind="row plain" onPress={() =>
                    void decide(file, without(decisionsOf(file), decision)).catch(tell)}>
                    {texts.takeBack}
                </Button>
            ) : null}
        </>
    );
}

function placeOf({ reason, decision }: Card, cells: string[], several: boolean): string {
    const about: { row?: number | null; sheet?: string | null } = reason
        ?? (decision?.kind === 'alias' ? {} : decision?.one ?? {});
    const { row, sheet } = about;
    const column = reason && row ? columnOf(reason, cells) : -1;
    return row ? texts.place(row, column < 0 ? '' : letterOf(column), several ? sheet ?? '' : '')
        : texts.wholeFile;
}

interface CardProperties {
    file: InstrumentFile | null;
    card: Card;
    here: boolean;
    review: boolean;
    cells: string[];
    several: boolean;
    go: () => void;
}

function Decide(properties: CardProperties): ReactElement {
    const { file, card, here, review, cells, several, go } = properties;
    const { reason, decision, open } = card;
    const row = reason?.row ?? null;
    const asked = reason !== null && (asksForSample(reason) || asksForTest(reason));
    const tone = open ? 'blocked' : 'ready';
    return (
        <li aria-current={here ? 'true' : undefined} onClick={go}>
            <Glyph name={tone} tone={tone} />
            <div>
                <p>
                    <strong>{placeOf(card, cells, several)}</strong> {reason?.message}{' '}
                    {reason ? <Code of={reason.code} /> : null}
                </p>
                {decision && file ? <Answered file={file} decision={decision} review={review} /> : null}
                {!open && !decision ? <p className="quiet">{texts.gone}</p> : null}
                {open && here && review && asked && file
                    ? <Means key={card.key} file={file} card={card.key} reason={reason} /> : null}
                {open && here && file && reason && row !== null && !reason.excludable
                    ? <p className="quiet">{texts.notLeftOut}</p> : null}
                {open && here && review && file && row !== null && reason?.excludable ? (
                    <p className="line">
                        <Button kind="row" keys="x"
                            onPress={() => leaveOut(file, reason.sheet ?? '', row, several)}>
                            {texts.leaveOut}
                        </Button>
                    </p>
                ) : null}
            </div>
        </li>
    );
}

interface Properties {
    // The file that is decided about; null: it is not kept, and nothing is decided.
    file: InstrumentFile | null;
    title: string;
    cards: Card[];
    at: string | null;
    review: boolean;
    cellsOf: (reason: Reason | null) => string[];
    // Whether the file has several sheets, so that a row is told with its own.
    several: boolean;
    go: (card: Card) => void;
    next: () => void;
}

export function Cards(properties: Properties): ReactElement {
    const { file, title, cards, at, review, cellsOf, several, go, next } = properties;
    const open = cards.filter((card) => card.open);
    const here = open.findIndex(({ key }) => key === at);
    return (
        <>
            <h2 id="decide">
                {title}
                <span className="push quiet small">
                    {here >= 0 ? texts.of(here + 1, open.length) : ''}
                </span>
                {open.length ? <Button kind="row" keys="n" onPress={next}>{texts.next}</Button> : null}
            </h2>
            {cards.length === 0 ? <p className="quiet">{texts.whole}</p> : null}
            <ol className="cards">
                {cards.map((card) => (
                    <Decide key={card.key} file={file} card={card} here={card.key === at}
                        review={review} cells={cellsOf(card.reason)} several={several}
                        go={() => go(card)} />
                ))}
            </ol>
        </>
    );
}
