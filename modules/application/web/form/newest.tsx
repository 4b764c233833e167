// SPDX-License-Identifier: Apache-2.0
//
// A form whose record somebody else changes before it is saved: the save is refused (412), the
// record is read again, the person sees what it is now, and saving again replaces that.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { asProblem } from '../api/problem.ts';
import type { Problem } from '../api/problem.ts';
import { Refused } from '../parts/states.tsx';
import { t } from '../texts/texts.ts';

export interface Newest<R> {
    // The record as it was read last: a save applies to this version.
    newest: R;
    // Whether somebody else has changed it since the form was opened.
    changed: boolean;
    problem: Problem | null;
    // Takes the refusal of a save.
    refuse: (error: unknown) => Promise<void>;
}

export function useNewest<R extends object>(opened: R, read: () => Promise<R>): Newest<R> {
    const [newest, setNewest] = useState(opened);
    const [problem, setProblem] = useState<Problem | null>(null);
    const say = (error: unknown): void => setProblem(asProblem(error));
    const refuse = async (error: unknown): Promise<void> => {
        say(error);
        if (asProblem(error).status === 412) {
            await read().then(setNewest).catch(say);
        }
    };
    return { newest, changed: newest !== opened, problem, refuse };
}

// Says why a save was refused and, in the words given, what the record is now.
export function NotSaved<R>({ of: { newest, changed, problem }, words }: {
    of: Newest<R>; words: (record: R) => string;
}): ReactElement | null {
    return problem && (
        <>
            <Refused problem={problem} />
            {changed ? (
                <p><strong>{t.asking.now(words(newest))}</strong> {t.form.again}</p>
            ) : null}
        </>
    );
}
