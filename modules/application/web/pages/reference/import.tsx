// SPDX-License-Identifier: Apache-2.0
//
// Reference data out of a file, or out of a spreadsheet's clipboard: what would become new or
// different, row by row, before it is; or every mistake at its line and column.
import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';

import { importFile, tryFile } from '../../actions/reference-files.ts';
import type { Difference, FileNoun, Given, Mistake } from '../../actions/reference-files.ts';
import { asProblem } from '../../api/problem.ts';
import type { Problem } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { SidePanel } from '../../parts/dialog.tsx';
import { DropFiles } from '../../parts/drop-files.tsx';
import { Status } from '../../parts/status.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { Refusal } from '../../record/refusal.tsx';
import { t } from '../../texts/texts.ts';

const words = t.reference.file;
const shownAtMost = 300;

export function Download({ noun }: { noun: FileNoun }): ReactElement {
    return (
        <a className="btn row plain push" download
            href={paths.download('/reference-data/export', `?noun=${noun}`)}>
            {t.filters.csv}
        </a>
    );
}

function Changes({ of: { outcome, changes } }: { of: Difference }): ReactElement {
    return (
        <>
            {outcome === 'created' ? <strong>{words.isNew} </strong> : null}
            {changes.map(({ column, old, new: now }) => (
                <span className="changed" key={column}>
                    <span className="quiet">{column}</span>{' '}
                    {outcome === 'created' ? now : (
                        <>
                            {old ? <del>{old}</del> : <span className="quiet">{words.empty}</span>}
                            {' → '}
                            {now ? <strong>{now}</strong>
                                : <span className="quiet">{words.empty}</span>}
                        </>
                    )}
                </span>
            ))}
        </>
    );
}

function Mistakes({ errors }: { errors: Mistake[] }): ReactElement {
    return (
        <table className="table" aria-label={words.mistakes(errors.length)}>
            <thead>
                <tr>
                    <th scope="col" className="w-no right">{words.line}</th>
                    <th scope="col" className="w-ident">{words.column}</th>
                    <th scope="col">{words.wrong}</th>
                </tr>
            </thead>
            <tbody>
                {errors.slice(0, shownAtMost).map(({ row, column, error, message }, i) => (
                    <tr key={i}>
                        <th scope="row" className="w-no right">{row}</th>
                        <td className="w-ident" title={column ?? undefined}>{column}</td>
                        <td className="wrap">{message} <Code of={error} /></td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Differences({ differences }: { differences: Difference[] }): ReactElement {
    return (
        <table className="table" aria-label={words.differences}>
            <thead>
                <tr>
                    <th scope="col" className="w-no right">{words.line}</th>
                    <th scope="col" className="w-ident">{words.record}</th>
                    <th scope="col">{words.what}</th>
                </tr>
            </thead>
            <tbody>
                {differences.slice(0, shownAtMost).map((one) => (
                    <tr key={one.row}>
                        <th scope="row" className="w-no right">{one.row}</th>
                        <td className="w-ident" title={one.name}>{one.name}</td>
                        <td className="wrap"><Changes of={one} /></td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Shown({ given: { name, tried } }: { given: Given }): ReactElement {
    const { errors, differences } = tried;
    const more = (errors.length || differences.length) - shownAtMost;
    return (
        <>
            <p className="small" role="status">
                {errors.length
                    ? <Status glyph="blocked" tone="blocked">
                        {words.refused(name, errors.length)}</Status>
                    : differences.length ? words.would(name, tried)
                        : <Status glyph="ready" tone="ready">
                            {words.same(name, tried.unchanged)}</Status>}
            </p>
            <div className="list" role="region" tabIndex={0}
                aria-label={errors.length ? words.mistakes(errors.length) : words.differences}>
                {errors.length ? <Mistakes errors={errors} />
                    : differences.length ? <Differences differences={differences} /> : null}
                {more > 0 ? <p className="quiet small">{words.more(more)}</p> : null}
            </div>
        </>
    );
}

interface Importing {
    given: Given | null;
    problem: Problem | null;
    busy: boolean;
    take: (file: File) => Promise<void>;
    apply: (reason: string | undefined) => void;
}

function useImporting(noun: FileNoun, done: () => void): Importing {
    const [given, setGiven] = useState<Given | null>(null);
    const [problem, setProblem] = useState<Problem | null>(null);
    const [busy, setBusy] = useState(false);
    const during = async (work: () => Promise<void>): Promise<void> => {
        setBusy(true);
        setProblem(null);
        await work().catch((error: unknown) => setProblem(asProblem(error)));
        setBusy(false);
    };
    return {
        given, problem, busy,
        take: (file) => during(async () => {
            setGiven(null);
            setGiven(await tryFile(noun, file));
        }),
        apply: (reason) => void during(async () => {
            if (given) {
                const { created, changed } = await importFile(noun, given, reason);
                say({ tone: 'ready', text: words.imported(created, changed) });
                done();
            }
        }),
    };
}

function Apply({ importing: { given, busy, apply, problem } }: {
    importing: Importing;
}): ReactElement | null {
    if (!given || given.tried.errors.length || given.tried.differences.length === 0) {
        return problem ? <Refusal problem={problem} /> : null;
    }
    const { created, changed } = given.tried;
    const submit = (event: FormEvent<HTMLFormElement>): void => {
        event.preventDefault();
        const reason = String(new FormData(event.currentTarget).get('reason') ?? '').trim();
        apply(reason || undefined);
    };
    return (
        <form onSubmit={submit} aria-busy={busy}>
            <p className="field">
                <label htmlFor="import-reason">{t.asking.reasonMay}</label>
                <input id="import-reason" name="reason" type="text" autoComplete="off"
                    maxLength={1000} autoFocus />
            </p>
            {problem ? <Refusal problem={problem} /> : null}
            <footer>
                <Button kind="primary" type="submit" keys="Enter">
                    {words.apply(created, changed)}
                </Button>
            </footer>
        </form>
    );
}

// Rows that are pasted anywhere but into a field.
function usePasted(take: (text: string) => void): void {
    useEffect(() => {
        const paste = (event: ClipboardEvent): void => {
            const text = event.clipboardData?.getData('text/plain') ?? '';
            if (text.includes('\n') && !(event.target instanceof HTMLInputElement)) {
                event.preventDefault();
                take(text);
            }
        };
        document.addEventListener('paste', paste);
        return () => document.removeEventListener('paste', paste);
    }, [take]);
}

export function ImportPanel({ noun, title, close }: {
    noun: FileNoun; title: string; close: () => void;
}): ReactElement {
    const importing = useImporting(noun, close);
    const { busy, given, take } = importing;
    usePasted((text) => void take(new File([text], words.pasted)));
    return (
        <SidePanel title={words.import(title)} close={close} className="dialog wide">
            <div aria-busy={busy}>
                <DropFiles label={words.choose} hint={words.hint} accept=".csv,.tsv,.txt,text/csv"
                    take={async ([file]) => file && take(file)} />
                <p className="caption">{words.rule}</p>
            </div>
            {given ? <Shown given={given} /> : null}
            <Apply importing={importing} />
        </SidePanel>
    );
}
