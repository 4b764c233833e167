// SPDX-License-Identifier: Apache-2.0
//
// The filters of a list, shown as chips that can be taken away, added by `f`.
import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import { Button as Pressable, DialogTrigger, Popover } from 'react-aria-components';

import type { RecordsPath } from '../api/records.ts';
import { useRecordNames, useRecords } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { listen } from '../keys/keyboard.ts';
import { Button } from '../parts/button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { navigate, useAddress } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { Csv } from './csv.tsx';
import { askedOf, filterText, filtersIn, searchWith } from './filter.ts';
import type { Filter, Filters } from './filter.ts';
import { saveView } from './views.tsx';

export const show = (path: string, filters: Filters): void => navigate(path + searchWith(filters));

function Choices({ title, choices }: {
    title: string; choices: [string, string][];
}): ReactElement {
    return (
        <select name="value" aria-label={title} required>
            {choices.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
    );
}

// Boxes of a filter that takes several choices; those of now are ticked.
function SeveralChoices({ title, choices, now }: {
    title: string; choices: [string, string][]; now: string[];
}): ReactElement {
    return (
        <fieldset className="pickmany">
            <legend className="unseen">{title}</legend>
            {choices.map(([value, name]) => (
                <label className="pick" key={value}>
                    <input type="checkbox" name="value" value={value}
                        defaultChecked={now.includes(value)} />
                    <span>{name}</span>
                </label>
            ))}
        </fieldset>
    );
}

function RecordChoices({ title, path }: { title: string; path: RecordsPath }): ReactElement {
    const records = useRecords(path);
    const choices = records.map(({ id, name }): [string, string] => [id, name]);
    return <Choices title={title} choices={choices.sort(([, a], [, b]) => a.localeCompare(b))} />;
}

function Value({ filter, now }: { filter: Filter; now: string }): ReactElement {
    if (filter.records) {
        return <RecordChoices title={filter.title} path={filter.records} />;
    }
    if (filter.choices && filter.several) {
        return <SeveralChoices title={filter.title} choices={filter.choices}
            now={now.split(',')} />;
    }
    return filter.choices ? <Choices title={filter.title} choices={filter.choices} /> : (
        <input name="value" aria-label={filter.title} required autoComplete="off"
            minLength={filter.least ?? 1} type={filter.day ? 'date' : 'text'} />
    );
}

function Add({ known, filters, path }: {
    known: Filter[]; filters: Filters; path: string;
}): ReactElement {
    const offered = known.filter(({ linked }) => !linked);
    const [name, setName] = useState('');
    const [open, setOpen] = useState(false);
    const filter = offered.find((one) => one.name === name) ?? offered[0];
    const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
        event.preventDefault();
        const value = new FormData(event.currentTarget).getAll('value').join().trim();
        setOpen(false);
        if (filter && value) {
            const found = filter.find ? await filter.find(value) : { [filter.name]: value };
            if (found) {
                show(path, { ...filters, ...found });
            }
        }
    };

    useEffect(() => listen([{ keys: 'f', run: () => setOpen(true) }]), []);
    return (
        <DialogTrigger isOpen={open} onOpenChange={setOpen}>
            <Pressable className="btn row plain">
                <Glyph name="plus" />{t.filters.add}<kbd>f</kbd>
            </Pressable>
            <Popover className="popover" offset={2} aria-label={t.filters.add}>
                <div className="inside">
                    <form className="again" data-scanned
                        onSubmit={(event) => void submit(event)}>
                        <select aria-label={t.filters.label} value={filter?.name} autoFocus
                            onChange={({ target }) => setName(target.value)}>
                            {offered.map((one) => (
                                <option key={one.name} value={one.name}>{one.title}</option>
                            ))}
                        </select>
                        {filter ? <Value key={filter.name} filter={filter}
                            now={filters[filter.name] ?? ''} /> : null}
                        <Button kind="primary" type="submit">{t.filters.add}</Button>
                    </form>
                </div>
            </Popover>
        </DialogTrigger>
    );
}

export function Chip({ text, remove }: { text: string; remove: () => void }): ReactElement {
    return (
        <span className="chip">
            <span className="cut" title={text}>{text}</span>
            <button type="button" aria-label={t.filters.remove(text)} onClick={remove}>
                <Glyph name="close" />
            </button>
        </span>
    );
}

function RecordChip({ filter, path, value, remove }: {
    filter: Filter; path: RecordsPath; value: string; remove: () => void;
}): ReactElement {
    const shown = useRecordNames(path);
    return <Chip text={filterText({ ...filter, shown }, value)} remove={remove} />;
}

interface Bar {
    known: Filter[];
    // Filters that are removed together with one.
    without?: Record<string, string[]>;
    // Under which name the list's views are saved.
    views?: string;
    // The list in the API, of which there is a file, and what is asked of it.
    csv?: string;
    asked?: (filters: Filters) => Filters;
    children?: ReactNode;
}

// Saves the filters as a view, and the records as a file.
function Keep({ known, views, csv, filters, asked, children }: Omit<Bar, 'without'> & {
    filters: Filters;
}): ReactElement {
    const { organization: { timeZone } } = useSession();
    return (
        <span className="line push">
            {children}
            {views ? (
                <Button kind="row plain" onPress={() => saveView(views, filters)}>
                    {t.filters.save}
                </Button>
            ) : null}
            {csv ? <Csv list={csv} filters={askedOf(asked?.(filters) ?? filters, known, timeZone)} />
                : null}
        </span>
    );
}

export function FilterBar({ known, without = {}, ...keep }: Bar): ReactElement {
    const { pathname, searchParams } = useAddress();
    const filters = filtersIn(searchParams, known);
    const less = (name: string): Filters => Object.fromEntries(Object.entries(filters)
        .filter(([key]) => key !== name && !without[name]?.includes(key)));

    return (
        <div className="filters" role="group" aria-label={t.filters.label}>
            {known.map((filter) => {
                const { name, records } = filter;
                const value = filters[name];
                const remove = (): void => show(pathname, less(name));
                return value === undefined ? null : records
                    ? <RecordChip key={name} filter={filter} path={records} value={value}
                        remove={remove} />
                    : <Chip key={name} text={filterText(filter, value)} remove={remove} />;
            })}
            {known.some(({ linked }) => !linked)
                ? <Add known={known} filters={filters} path={pathname} /> : null}
            <Keep known={known} {...keep} filters={filters} />
        </div>
    );
}
