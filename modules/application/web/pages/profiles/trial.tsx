// SPDX-License-Identifier: Apache-2.0
//
// A version is tested on a file: dropped here, chosen, or one that waits in quarantine. The file
// stands in its own cells, with each value and each reason at its row.
import { Fragment, useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { tell, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { base64Of } from '../../api/base64.ts';
import { cardAt, countsOf, nextOpen } from '../../nouns/file-reasons.ts';
import type { Card, Reason } from '../../nouns/file-reasons.ts';
import type { Profile } from '../../nouns/profile.ts';
import { ChooseFiles, useDrop } from '../../parts/drop-files.tsx';
import { Nothing } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { inFigures } from '../../texts/figures.ts';
import { t } from '../../texts/texts.ts';
import { Cards } from '../instrument-files/decide.tsx';
import { SheetPane } from '../instrument-files/sheets.tsx';
import { useHeld } from './held.ts';
import { markedOf, useTrial } from './trying.ts';
import type { At, Given, Trial } from './trying.ts';

const words = t.profiles;
const { counts: countWords } = words;

function Counts({ trial }: { trial: Trial }): ReactElement {
    const counts = countsOf(trial);
    return (
        <>
            <div className="section">
                <dl className="pairs">
                    {(['rows', 'results', 'controls', 'skipped'] as const).map((name) => (
                        <Fragment key={name}>
                            <dt>{countWords[name]}</dt><dd>{inFigures(counts[name])}</dd>
                        </Fragment>
                    ))}
                </dl>
            </div>
            <p className="section quiet small">{words.onlyRead}</p>
        </>
    );
}

// The first open reason, at which a trial is shown at first.
const begin = (cards: Card[]): At => {
    const [first] = cards;
    return { sheet: first?.reason?.sheet ?? '', row: first?.reason?.row ?? null,
        card: first?.key ?? null };
};

const nowhere: At = { sheet: '', row: null, card: null };

// n and p go from reason to reason.
const useKeys = (cards: Card[], at: At, go: (card: Card) => void): Ready[] => useMemo(() => {
    const act = (id: string, title: string, keys: string, by: 1 | -1): Ready =>
        ({ id, title, keys, refused: undefined, rare: true, run: () => {
            const next = nextOpen(cards, at.card, by);
            if (next) {
                go(next);
            }
        } });
    return cards.length === 0 ? [] : [act('reason.next', t.instrumentFiles.next, 'n', 1),
        act('reason.previous', t.instrumentFiles.previous, 'p', -1)];
}, [cards, at.card, go]);

function Tried({ profile, given }: { profile: Profile; given: Given }): ReactElement {
    const [chosen, setAt] = useState<At>(nowhere);
    const { trial, cards, at, found } = useTrial(profile.id, given,
        (all) => chosen === nowhere ? begin(all) : chosen);
    const { sheets } = found;
    const go = useCallback(({ key, reason }: Card): void => setAt((now) => ({ card: key,
        sheet: reason?.sheet ?? now.sheet, row: reason?.row ?? now.row })), []);
    const keys = useKeys(cards, at, go);
    const sheet = at.sheet ? sheets.find(({ name }) => name === at.sheet) : sheets[0];
    const several = new Set([...sheets.map(({ name }) => name),
        ...cards.map(({ reason }) => reason?.sheet ?? '')].filter(Boolean)).size > 1;
    const marked = useMemo(() => markedOf(trial, cards, sheet?.name ?? ''),
        [trial, cards, sheet?.name]);
    const cellsOf = (reason: Reason | null): string[] => reason === null ? []
        : sheets.find(({ name }) => name === (reason.sheet ?? ''))?.rows
            .find(({ row }) => row === reason.row)?.cells ?? [];

    useActions(keys);
    return (
        <div className="body">
            <div className="pane">
                <SheetPane name={given.name} found={found} sheet={sheet} row={at.row} marked={marked}
                    whole={cards.flatMap(({ reason }) => reason?.row === null ? [reason] : [])}
                    show={(name) => setAt({ sheet: name, row: null, card: null })}
                    move={(row) => setAt({ sheet: sheet?.name ?? '', row,
                        card: cardAt(cards, sheet?.name ?? '', row)?.key ?? null })} />
            </div>
            {trial ? (
                <aside className="peek" aria-labelledby="decide">
                    <Cards file={null} title={words.reasons(cards.length)} cards={cards} at={at.card}
                        review={false} cellsOf={cellsOf} several={several} go={go}
                        next={() => keys.find(({ id }) => id === 'reason.next')?.run()} />
                    <Counts trial={trial} />
                </aside>
            ) : null}
        </div>
    );
}

// The file to try: one that was dropped or chosen, else the held one that the address names.
function useGiven(id: number): { given: Given | null; take: (files: FileList) => void;
    held: ReturnType<typeof useHeld>; fileId: number } {
    const [brought, setBrought] = useState<Given | null>(null);
    const held = useHeld();
    const fileId = Number(useAddress().searchParams.get('file'));
    const kept = held.files.find((file) => file.id === fileId);
    const take = ([file]: FileList): void => {
        if (file) {
            void base64Of(file).then((content) => {
                navigate(paths.profile(id, 'test'));
                setBrought({ key: `${file.name} ${file.lastModified} ${file.size} ${Date.now()}`,
                    name: file.name, content });
            }).catch(tell);
        }
    };
    return { held, fileId, take,
        given: fileId ? kept ? { key: `file ${kept.id}`, name: kept.fileName, fileId } : null
            : brought };
}

export function TrialPage({ profile }: { profile: Profile }): ReactElement {
    const { given, take, held, fileId } = useGiven(profile.id);
    const { over, handlers } = useDrop(take);
    return (
        <div className={over ? 'tried over' : 'tried'} {...handlers}>
            <div className="banner">
                <ChooseFiles label={words.choose} take={take} />
                {held.files.length ? (
                    <label>
                        <span>{words.fromHeld}</span>{' '}
                        <select value={fileId || ''} onChange={({ target }) => navigate(paths.profile(
                            profile.id, target.value ? `test?file=${target.value}` : 'test'))}>
                            <option value="">{words.noneChosen}</option>
                            {held.files.map(({ id, fileName, profileCode }) => (
                                <option key={id} value={id}>
                                    {[fileName, profileCode].filter(Boolean).join(', ')}
                                </option>
                            ))}
                        </select>
                    </label>
                ) : null}
            </div>
            {given ? <Tried key={given.key} profile={profile} given={given} />
                : <Nothing title={words.noTest}><p className="quiet">{words.drop}</p></Nothing>}
        </div>
    );
}
