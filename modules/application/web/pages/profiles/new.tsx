// SPDX-License-Identifier: Apache-2.0
//
// Adding a profile, or another version of one that is there: its definition is written, or taken
// from a file. A refusal names the member, to which the cursor goes.
import { useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';

import { tell, useActions } from '../../acting/action.ts';
import type { Ready } from '../../acting/action.ts';
import { profilesChanged } from '../../actions/profiles.ts';
import { answer, api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { useAtOpening } from '../../api/read.ts';
import type { Profile } from '../../nouns/profile.ts';
import { textOf } from '../../nouns/profile-members.ts';
import { spotOf } from '../../nouns/profile-text.ts';
import { Button } from '../../parts/button.tsx';
import { ChooseFiles } from '../../parts/drop-files.tsx';
import { Waiting } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { Refusal } from '../../record/refusal.tsx';
import { navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { useUnsaved } from '../../unsaved.ts';
import { Source, sections } from './source.tsx';

const words = t.profiles;

// Shows the member that a refusal is about, and selects it.
function goTo(field: HTMLTextAreaElement | null, problem: Problem): void {
    const spot = field && spotOf(field.value, problem.message);
    field?.focus();
    if (spot) {
        // The browser scrolls to a cursor, and not to a selection.
        field?.setSelectionRange(spot.from, spot.from);
        field?.blur();
        field?.focus();
        field?.setSelectionRange(spot.from, spot.to);
    }
}

function useAdding(from: Profile | null) {
    const field = useRef<HTMLTextAreaElement>(null);
    const first = useMemo(() => from ? textOf(sections, from.definition) : '', [from]);
    const [text, setText] = useState(first);
    const [problem, setProblem] = useState<Problem | null>(null);
    const [busy, setBusy] = useState(false);
    const release = useUnsaved(text !== first);
    const add = async (): Promise<void> => {
        setBusy(true);
        try {
            const { id, code, version } = await answer(api.POST('/instrument-profiles',
                { body: { definition: text } }));
            await profilesChanged();
            release();
            say({ tone: 'ready', text: words.added(code, version) });
            navigate(paths.profile(id, 'test'));
        } catch (error) {
            setBusy(false);
            setProblem(asProblem(error));
            goTo(field.current, asProblem(error));
        }
    };
    const take = async ([file]: File[]): Promise<void> => {
        if (file) {
            setProblem(null);
            setText(await file.text().catch(() => {
                throw new Error(words.unreadable(file.name));
            }));
        }
    };
    return { field, text, problem, busy, add, take, type: setText };
}

function Adding({ from }: { from: Profile | null }): ReactElement {
    const { field, text, problem, busy, add, take, type } = useAdding(from);
    const title = from ? words.addVersion(from.code) : words.add;
    const refused = text.trim() === '' ? words.empty : undefined;
    const run = (): void => refused ? say({ tone: 'attention', text: refused }) : void add();
    const actions = useMemo((): Ready[] => [{ id: 'profile.add', title, keys: 'Mod+s', refused, run }],
        [title, text]);

    useTitle(title);
    useActions(actions);
    return (
        <main className="page" id="main" data-scanned aria-busy={busy}>
            <div className="head">
                <h1>{title}</h1>
                <span className="push" />
                <ChooseFiles label={words.take} accept=".json,application/json"
                    take={(files) => void take([...files]).catch(tell)} />
                <Button kind="primary" keys="Ctrl S" refused={refused} onPress={run}>
                    {title}
                </Button>
            </div>
            <p className="banner small">{words.addWhat}</p>
            <Source text={text} change={type} field={field} wrong={problem !== null}
                placeholder={words.empty}>
                {problem ? <Refusal problem={problem} id="refusal" /> : null}
            </Source>
        </main>
    );
}

function AddingFrom({ id }: { id: number }): ReactElement {
    const found = useAtOpening('/instrument-profiles/{id}', { params: { path: { id } } });
    if (found.data) {
        return <Adding from={found.data} />;
    }
    return (
        <main className="page" id="main">
            <div className="head"><h1>{words.newVersion}</h1></div>
            {found.error ? (
                <NotShown problem={found.error} list={paths.profiles()} title={words.title} />
            ) : <Waiting what={words.title} />}
        </main>
    );
}

export function NewProfile(): ReactElement {
    const id = Number(useAddress().searchParams.get('from'));
    return id ? <AddingFrom key={id} id={id} /> : <Adding from={null} />;
}
