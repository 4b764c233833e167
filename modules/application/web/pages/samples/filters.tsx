// SPDX-License-Identifier: Apache-2.0
//
// The filters as chips, the toggles by readiness, saved views and the list as CSV.
import { useEffect, useState } from 'react';
import type { FormEvent, ReactElement } from 'react';
import { Button as Pressable, Dialog, DialogTrigger, Popover } from 'react-aria-components';

import { ask } from '../../actions/ask.ts';
import { answer, api } from '../../api/client.ts';
import { changed, useRead } from '../../api/read.ts';
import { listen } from '../../keys/keyboard.ts';
import { Button } from '../../parts/button.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { MenuButton } from '../../parts/menu.tsx';
import { say } from '../../parts/toast.tsx';
import { paths } from '../../paths.ts';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { glyphOf } from './columns.tsx';
import type { Sample } from './columns.tsx';
import { useCounts } from './counts.ts';
import type { Names } from '../../api/names.ts';
import { filterNames, filterText, searchOf, without } from './query.ts';
import type { FilterName, Query } from './query.ts';

const states: Sample['releaseState'][] = ['blocked', 'in_progress', 'ready_for_review',
    'ready_to_report', 'reported'];

export const show = (filters: Query): void =>
    navigate(paths.samples(searchOf({ filters, cursor: null })));

export function States({ filters }: { filters: Query }): ReactElement {
    const chosen = filters['releaseState'];
    const rest = without(filters, 'releaseState');
    const counts = useCounts(rest);

    return (
        <div className="states" role="group" aria-label={t.samples.states}>
            <button type="button" aria-pressed={chosen === undefined} onClick={() => show(rest)}>
                {t.samples.all}{counts['all'] ? <b>{counts['all']}</b> : null}
            </button>
            {states.map((state) => (
                <button key={state} type="button" aria-pressed={chosen === state}
                    onClick={() => show({ ...rest, releaseState: state })}>
                    <Glyph name={glyphOf(state)} tone={glyphOf(state)} />
                    {t.samples.releaseState[state]}
                    {counts[state] ? <b>{counts[state]}</b> : null}
                </button>
            ))}
        </div>
    );
}

function options(name: FilterName, names: Names): [string, string][] | null {
    const fixed: Partial<Record<FilterName, Record<string, string>>> = {
        status: t.samples.status, releaseState: t.samples.releaseState,
        holdingStatus: t.samples.holding, priority: t.samples.priority,
        disposition: t.samples.disposition,
    };
    const records = { projectId: names.projects, materialTypeId: names.materials };
    if (name === 'projectId' || name === 'materialTypeId') {
        return [...records[name].values()].map((one) => [String(one.id), one.name]);
    }
    const words = fixed[name];
    return words ? Object.entries(words) : null;
}

function Value({ name, names }: { name: FilterName; names: Names }): ReactElement {
    const choices = options(name, names);
    const label = t.samples.filter[name];
    if (choices) {
        return (
            <select name="value" aria-label={label} required>
                {choices.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
            </select>
        );
    }
    const date = name === 'since' || name === 'dueBefore';
    return <input name="value" aria-label={label} required type={date ? 'date' : 'text'}
        minLength={name === 'q' ? 3 : 1} autoComplete="off" />;
}

const offered = filterNames.filter((name) => name !== 'clientId' && name !== 'orderId');

function AddFilter({ filters, names }: { filters: Query; names: Names }): ReactElement {
    const [name, setName] = useState<FilterName>('q');
    const [open, setOpen] = useState(false);
    const submit = (event: FormEvent<HTMLFormElement>, close: () => void): void => {
        event.preventDefault();
        close();
        show({ ...filters, [name]: String(new FormData(event.currentTarget).get('value')) });
    };

    useEffect(() => listen([{ keys: 'f', run: () => setOpen(true) }]), []);
    return (
        <DialogTrigger isOpen={open} onOpenChange={setOpen}>
            <Pressable className="btn row plain">
                <Glyph name="plus" />{t.filters.add}<kbd>f</kbd>
            </Pressable>
            <Popover className="popover" offset={2}>
                <Dialog className="inside" aria-label={t.filters.add}>
                    {({ close }) => (
                        <form className="again" onSubmit={(event) => submit(event, close)}
                            data-scanned>
                            <select aria-label={t.filters.label} value={name} autoFocus
                                onChange={({ target }) => setName(offered.find((one) =>
                                    one === target.value) ?? 'q')}>
                                {offered.map((one) => (
                                    <option key={one} value={one}>{t.samples.filter[one]}</option>
                                ))}
                            </select>
                            <Value key={name} name={name} names={names} />
                            <Button kind="primary" type="submit">{t.filters.add}</Button>
                        </form>
                    )}
                </Dialog>
            </Popover>
        </DialogTrigger>
    );
}

function saveView(filters: Query): void {
    ask({
        kind: 'reason',
        title: t.filters.saveTitle,
        name: t.filters.saveName,
        perform: async ({ reason }) => {
            await answer(api.POST('/saved-views', { body: {
                name: reason ?? '', page: 'samples', query: searchOf({ filters, cursor: null }),
            } }));
            await changed('/saved-views');
            say({ tone: 'ready', text: t.filters.saved(reason ?? '') });
        },
    });
}

export function Views(): ReactElement {
    const views = useRead('/saved-views', { params: { query: { page: 'samples' } } });
    return (
        <MenuButton className="plain" items={[
            { id: 'newest', title: t.filters.newest, run: () => show({}) },
            ...(views.data?.data ?? []).map((view) => ({
                id: String(view.id),
                title: view.name,
                run: () => navigate(paths.samples(view.query)),
            })),
        ]}>
            {t.filters.newest}
        </MenuButton>
    );
}

export function Filters({ filters, names }: { filters: Query; names: Names }): ReactElement {
    const csv = paths.download('/samples/export', searchOf({ filters, cursor: null }));

    return (
        <div className="filters" role="group" aria-label={t.filters.label}>
            {Object.entries(filters).map(([name, value]) => {
                const text = filterText(name, value, names);
                return (
                    <span className="chip" key={name}>
                        <span className="cut" title={text}>{text}</span>
                        <button type="button" aria-label={t.filters.remove(text)}
                            onClick={() => show(without(filters, name))}>
                            <Glyph name="close" />
                        </button>
                    </span>
                );
            })}
            <AddFilter filters={filters} names={names} />
            <Button kind="row plain" className="push" onPress={() => saveView(filters)}>
                {t.filters.save}
            </Button>
            <a className="btn row plain" href={csv} download>{t.filters.csv}</a>
        </div>
    );
}
