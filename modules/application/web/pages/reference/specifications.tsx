// SPDX-License-Identifier: Apache-2.0
//
// Specifications (S23) as a matrix: tests by materials, of any project or of one. What a cell
// inherits is grey; opening it sets limits of its own, or has it inherit again.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { importAction } from '../../actions/reference.ts';
import { inheritAgain } from '../../actions/specifications.ts';
import { rowsOf, useDefinitions, useNames } from '../../api/names.ts';
import type { Definition, Named } from '../../api/names.ts';
import { useWhole } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { RecordForm } from '../../form/form.tsx';
import { Button } from '../../parts/button.tsx';
import { Nothing, Refused, Waiting } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link, navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { Download, ImportPanel } from './import.tsx';
import { byScope, limitsOf } from './limits.ts';
import type { Limits, Source, Specification, Specifications } from './limits.ts';
import { Nouns } from './nouns-nav.tsx';
import { specificationForm } from './specification-form.ts';

const words = t.reference.specifications;

interface Scope {
    test: Definition;
    material: Named;
    project: Named | undefined;
}

const none: Specification[] = [];

const level = (project: Named | undefined): Source => project ? 'project' : 'material';

const inWords = ({ low, high, expectedText }: Limits): string =>
    words.limits(low, high) || (expectedText ?? '');

function Cell({ of, limits }: { of: Scope; limits: Limits }): ReactElement {
    const { test, material, project } = of;
    const own = limits.from === level(project);
    const said = inWords(limits);
    const query = new URLSearchParams({ ...(project ? { project: String(project.id) } : {}),
        test: String(test.id), material: String(material.id) });
    const className = own ? undefined : 'inherited';
    return may('reference.manage') ? (
        <Link className={className} title={own ? undefined : words.from[limits.from]}
            aria-label={words.cell(test.code, material.name, said, own ? '' : words.from[limits.from])}
            href={`${paths.reference('specifications', own && limits.id ? limits.id : 'new')}?${query}`}>
            {said || (own ? words.unlimited : words.nothing)}
        </Link>
    ) : <span className={className}>{said}</span>;
}

function Matrix({ tests, materials, project, all }: {
    tests: Definition[]; materials: Named[]; project: Named | undefined; all: Specifications;
}): ReactElement {
    return (
        <table className="table matrix limits" aria-label={words.title}>
            <thead>
                <tr>
                    <th scope="col" className="w-long stay">{words.test}</th>
                    {materials.map(({ id, code, name }) => (
                        <th key={id} scope="col" title={code}>{name}</th>
                    ))}
                </tr>
            </thead>
            <tbody>
                {tests.map((test) => (
                    <tr key={test.id}>
                        <th scope="row" className="w-long stay" title={test.name}>
                            {test.code} <span className="quiet">{test.unit}</span>
                        </th>
                        {materials.map((material) => (
                            <td key={material.id}>
                                <Cell of={{ test, material, project }}
                                    limits={limitsOf(all, test, material.id, project?.id ?? null)} />
                            </td>
                        ))}
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

function Projects({ projects, shown }: { projects: Named[]; shown: string }): ReactElement {
    const show = (id: string): void =>
        navigate(paths.reference('specifications') + (id ? `?project=${id}` : ''));
    return (
        <p className="filters">
            <label htmlFor="project">{words.project}</label>
            <select id="project" value={shown} onChange={({ target }) => show(target.value)}>
                <option value="">{words.anyProject}</option>
                {projects.map(({ id, code, name }) => (
                    <option key={id} value={id}>{code}, {name}</option>
                ))}
            </select>
            <Download noun="specifications" />
        </p>
    );
}

const active = <One extends object>(all: Iterable<One>): One[] =>
    [...all].filter((one) => !('active' in one) || one.active === true);

function Panel({ record, scope, close }: {
    record: string; scope: Partial<Scope>; close: () => void;
}): ReactElement {
    const { test, material, project } = scope;
    const name = words.of(test?.code ?? '', material?.name ?? '', project?.code);
    return (
        <RecordForm key={record} definition={specificationForm(name)} close={close}
            id={record === 'new' ? null : Number(record)}
            initial={{ testDefinitionId: test?.id, materialTypeId: material?.id,
                ...(project ? { projectId: project.id } : {}) }}>
            {({ id }) => typeof id === 'number' ? (
                <p><Button onPress={() => inheritAgain(id, name, close)}>{words.inherit}</Button></p>
            ) : null}
        </RecordForm>
    );
}

const create = ['test-definitions', 'material-types'] as const;

function None(): ReactElement {
    return (
        <Nothing title={words.none}>
            {may('reference.manage') ? create.map((noun) => (
                <p key={noun}>
                    <Link href={paths.reference(noun, 'new')}>{t.reference.nouns[noun].create}</Link>
                </p>
            )) : null}
        </Nothing>
    );
}

// Returns the scope of the open cell: from the address, else from the specification itself.
function useScope(record: string, specifications: Specification[]): Partial<Scope> {
    const { searchParams } = useAddress();
    const definitions = useDefinitions();
    const { materials, projects } = useNames();
    const own = specifications.find(({ id }) => String(id) === record);
    const of = (name: string, id: number | null | undefined): number =>
        id ?? Number(searchParams.get(name));
    return {
        test: definitions.get(of('test', own?.testDefinitionId)),
        material: materials.get(of('material', own?.materialTypeId)),
        project: projects.get(of('project', own?.projectId)),
    };
}

export function SpecificationsPage({ record }: { record: string }): ReactElement {
    const definitions = useWhole('/test-definitions', rowsOf<Definition>);
    const { materials, projects } = useNames();
    const found = useWhole('/specifications', rowsOf<Specification>);
    const reads = [found, definitions, useWhole('/material-types', rowsOf<Named>),
        useWhole('/projects', rowsOf<Named>)];
    const specifications = found.data ?? none;
    const all = useMemo(() => byScope(specifications), [specifications]);
    const tests = active(definitions.data ?? []);
    const actions = useMemo(() => allowed([
        { ...importAction('specifications', words.title), rare: false }], null), []);
    const scope = useScope(record, specifications);
    const { test, material, project } = scope;
    const error = reads.find((one) => one.error)?.error;
    const there = reads.every(({ data }) => data !== undefined);

    const close = (): void => navigate(paths.reference('specifications')
        + (project ? `?project=${project.id}` : ''));
    useTitle(words.title);
    useActions(actions);
    return (
        <main className="page" id="main">
            <div className="head">
                <h1>{t.reference.title}</h1>
                <span className="push" /><ActBar actions={actions} />
            </div>
            <Nouns shown="specifications" />
            <Projects projects={active(projects.values())} shown={project ? String(project.id) : ''} />
            <div className="body">
                <div className="pane" tabIndex={0} role="region" aria-label={words.title}>
                    {there && tests.length && materials.size ? (
                        <Matrix tests={tests} materials={active(materials.values())}
                            project={project} all={all} />
                    ) : error ? <Refused problem={error} />
                        : there ? <None /> : <Waiting what={words.title} />}
                </div>
            </div>
            {record === 'import' ? <ImportPanel noun="specifications" title={words.title}
                close={close} /> : null}
            {there && record && record !== 'import' && (record !== 'new' || (test && material))
                ? <Panel record={record} scope={scope} close={close} /> : null}
        </main>
    );
}
