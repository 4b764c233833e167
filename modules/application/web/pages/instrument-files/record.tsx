// SPDX-License-Identifier: Apache-2.0
//
// One instrument file: its rows as they were read, and the decisions of a person about it.
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { fileActions, leaveOut } from '../../actions/instrument-files.ts';
import { useRead } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { asksForSample, blocks, cardAt, cardsOf, decisionsOf, isExcluded, nextOpen,
    reasonsOf } from '../../nouns/file-reasons.ts';
import type { Card, Decisions, Reason } from '../../nouns/file-reasons.ts';
import { Moment } from '../../parts/moment.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, useRecordTabs } from '../../record/tabs.tsx';
import { useAddress } from '../../router.tsx';
import { sizeOf } from '../../texts/size.ts';
import { t } from '../../texts/texts.ts';
import { Cards } from './decide.tsx';
import { FileFacts } from './facts.tsx';
import { FileStatus } from './inbox.tsx';
import { usePreview } from './preview.ts';
import type { InstrumentFile, Preview } from './preview.ts';
import type { Marked } from './sheet.tsx';
import { SheetPane, useSheets } from './sheets.tsx';

const texts = t.instrumentFiles;

interface At {
    sheet: string;
    row: number | null;
    card: string | null;
}

const nowhere: At = { sheet: '', row: null, card: null };

// Returns the initial position: the row in the address, else the first open reason.
function atFirst(cards: Card[], asked: URLSearchParams): At {
    const row = Number(asked.get('row'));
    if (row) {
        return { sheet: asked.get('sheet') ?? '', row, card: null };
    }
    const first = cards.find(({ open }) => open);
    return { sheet: first?.reason?.sheet ?? '', row: first?.reason?.row ?? null,
        card: first?.key ?? null };
}

const useCards = (file: InstrumentFile, preview: Preview | undefined): Card[] => useMemo(() =>
    cardsOf(reasonsOf(file), file.status === 'quarantined' ? preview?.reasons ?? null : [],
        decisionsOf(file)), [file, preview]);

function markedOf(
    file: InstrumentFile, preview: Preview | undefined, cards: Card[], sheet: string,
): Marked {
    const held = file.status === 'quarantined' || file.status === 'rejected';
    const decisions: Decisions = decisionsOf(held ? file : { decisions: file.resolution });
    const results = held ? preview?.results ?? [] : file.results;
    const here = (one: { sheet: string | null }): boolean => (one.sheet ?? '') === sheet;
    return {
        title: held ? texts.would : texts.was,
        reasons: (row) => cards.flatMap(({ open, reason }) =>
            open && reason && reason.row === row && here(reason) ? [reason] : []),
        excluded: (row) => isExcluded(decisions, sheet, row),
        results: (row) => results.filter((one) => one.row === row && here(one)),
    };
}

// n and p go from reason to reason, x leaves the row out, a begins to say what it means.
function useReviewKeys(
    file: InstrumentFile, cards: Card[], { sheet, row, card }: At, several: boolean,
    go: (card: Card) => void,
): Ready[] {
    return useMemo(() => {
        const act = (id: string, title: string, keys: string, run: () => void): Ready =>
            ({ id, title, keys, refused: undefined, rare: true, run });
        const step = (by: 1 | -1) => () => {
            const next = nextOpen(cards, card, by);
            if (next) {
                go(next);
            }
        };
        const review = file.status === 'quarantined' && may('file.review');
        const here = cards.find(({ key }) => key === card);
        const asks = here?.open && here.reason && asksForSample(here.reason);
        const stays = cards.some(({ open, reason }) => open && reason && !reason.excludable
            && reason.row === row && (reason.sheet ?? '') === sheet);
        return [
            ...(cards.some(({ open }) => open) ? [
                act('reason.next', texts.next, 'n', step(1)),
                act('reason.previous', texts.previous, 'p', step(-1)),
            ] : []),
            ...(review && row !== null && !stays && !isExcluded(decisionsOf(file), sheet, row) ? [
                act('row.leave-out', texts.leaveOutRow(row, several ? sheet : ''), 'x',
                    () => leaveOut(file, sheet, row, several)),
            ] : []),
            ...(review && asks ? [
                act('row.means', texts.means, 'a', () => document.getElementById('why')?.focus()),
            ] : []),
        ];
    }, [file, cards, sheet, row, card, several, go]);
}

function Foot({ file, cards, preview }: {
    file: InstrumentFile; cards: Card[]; preview: Preview | undefined;
}): ReactElement {
    const left = cards.filter(({ open }) => open).length;
    const results = preview?.results ?? [];
    const controls = results.filter(({ qcControlId }) => qcControlId !== null).length;
    const out = decisionsOf(file).exclude.length;
    return (
        <div className="statusline" role="status">
            {file.status === 'quarantined' ? (
                <span>
                    {left ? <strong>{texts.left(left)} </strong> : null}
                    {preview ? texts.then(results.length - controls, controls, out) : null}
                </span>
            ) : <span>{texts.wrote(file.results.length)}</span>}
        </div>
    );
}

function Head({ file, actions }: { file: InstrumentFile; actions: Ready[] }): ReactElement {
    return (
        <div className="head">
            <h1>{file.fileName}</h1><FileStatus status={file.status} />
            <span className="quiet cut">
                {file.sentBy ? `${texts.sentBy(file.sentBy)} ` : ''}
                <Moment at={file.receivedAt} />, {sizeOf(file.size)}
            </span>
            <span className="push" />
            {file.contentRemovedAt ? null : (
                <a href={paths.download(`/instrument-files/${file.id}/content`)} download>
                    {texts.bytes}
                </a>
            )}
            <ActBar actions={actions} />
        </div>
    );
}

function Review({ file, tab }: { file: InstrumentFile; tab: string }): ReactElement {
    const review = file.status === 'quarantined' && may('file.review');
    const preview = usePreview(file, review);
    const cards = useCards(file, preview.data);
    const { searchParams } = useAddress();
    const [chosen, setAt] = useState<At>(nowhere);
    const at = chosen === nowhere ? atFirst(cards, searchParams) : chosen;
    const found = useSheets(file, at.sheet, at.row);
    const { sheets } = found;
    const sheet = at.sheet ? sheets.find(({ name }) => name === at.sheet) : sheets[0];
    const several = new Set([...sheets.map(({ name }) => name),
        ...cards.map(({ reason }) => reason?.sheet ?? '')].filter(Boolean)).size > 1;
    const go = useCallback(({ key, reason }: Card): void => setAt((now) => ({ card: key,
        sheet: reason?.sheet ?? now.sheet, row: reason?.row ?? now.row })), []);
    // No row is acted on before its sheet is shown.
    const keys = useReviewKeys(file, cards, { ...at, sheet: sheet?.name ?? '',
        row: sheet ? at.row : null }, several, go);
    const left = review && preview.data ? cards.filter(({ open }) => open).length
        : reasonsOf(file).filter(blocks).length;
    const trying = preview.isPlaceholderData;
    const own = useMemo(() => allowed(fileActions, { file, left, trying, results: (preview.data
        ?.results ?? []).filter((one) => one.qcControlId === null).length }),
    [file, left, trying, preview.data]);
    const tabs = [
        { id: 'read', title: texts.tabs.read,
            count: left && file.status === 'quarantined' ? String(left) : undefined },
        ...useRecordTabs({ table: 'instrument_file', id: file.id,
            history: '/instrument-files/{id}/history' }),
    ];
    const cellsOf = (reason: Reason | null): string[] => reason === null ? []
        : sheets.find(({ name }) => name === (reason.sheet ?? ''))?.rows
            .find(({ row }) => row === reason.row)?.cells ?? [];

    useActions(own);
    useActions(keys);
    return (
        <>
            <Head file={file} actions={own} />
            <TabBar label={texts.tabsOf(file.fileName)} tabs={tabs} at={tab}
                href={(id) => paths.instrumentFile(file.id, id)} />
            <TabPane tabs={tabs} at={tab} />
            {tab === 'read' ? (
                <div className="body">
                    <div className="pane">
                        {file.contentRemovedAt ? <Nothing title={texts.removed} /> : (
                            <SheetPane name={file.fileName} found={found} sheet={sheet} row={at.row}
                                marked={markedOf(file, preview.data, cards, sheet?.name ?? '')}
                                whole={cards.flatMap(({ open, reason }) => open && reason
                                    && reason.row === null ? [reason] : [])}
                                show={(name) => setAt({ sheet: name, row: null, card: null })}
                                move={(row) => setAt({ sheet: sheet?.name ?? '', row, card:
                                    cardAt(cards, sheet?.name ?? '', row)?.key ?? null })} />
                        )}
                    </div>
                    <aside className="peek" aria-labelledby="decide">
                        <Cards file={file} cards={cards}
                            title={texts.decide(cards.filter(({ open }) => open).length)}
                            at={at.card} review={review} cellsOf={cellsOf} several={several} go={go}
                            next={() => keys.find(({ id }) => id === 'reason.next')?.run()} />
                        {preview.error ? <Refused problem={preview.error} /> : null}
                        <FileFacts file={file} review={review} />
                    </aside>
                </div>
            ) : null}
            <Foot file={file} cards={cards} preview={preview.data} />
        </>
    );
}

export function FileRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const { organization } = useSession();
    const found = useRead('/instrument-files/{id}', { params: { path: { id } } }, { live: 15 });
    const file = found.data?.id === id ? found.data : undefined;

    useEffect(() => {
        document.title = `${file?.fileName ?? texts.title} · ${organization.name}`;
    }, [file?.fileName, organization.name]);
    return (
        <main className="page" id="main">
            {file ? <Review file={file} tab={tab} />
                : <div className="head"><h1>{texts.title}</h1></div>}
            {!file && found.error ? (
                <NotShown problem={found.error} list={paths.instrumentFiles()} title={texts.title} />
            ) : null}
            {!file && !found.error ? <Waiting what={texts.title} /> : null}
        </main>
    );
}
