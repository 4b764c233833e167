// SPDX-License-Identifier: Apache-2.0
//
// The organization (S18): its policies as sentences, each with what it comes to today; the
// steps of approval; the letterhead; and what of the allowance is left.
import type { ReactElement } from 'react';

import { changed, useRead } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { recognize } from '../../api/sign-in.ts';
import { Members } from '../../form/field.tsx';
import type { Filling, Start } from '../../form/filling.ts';
import { PageForm } from '../../form/form.tsx';
import { Refused, Waiting } from '../../parts/states.tsx';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { inFigures } from '../../texts/figures.ts';
import { t } from '../../texts/texts.ts';
import { Lacks } from '../users/lacks.tsx';
import { Effect, useImpact } from './effects.tsx';
import { formOf, parts } from './forms.ts';
import { PreviewLayout } from './layout-preview.tsx';
import { Logo } from './logo.tsx';
import { Shown } from './shown.tsx';
import { tabs } from './tabs.ts';
import type { Tab } from './tabs.ts';

const words = t.organization;

function Tabs({ shown }: { shown: Tab }): ReactElement {
    return (
        <nav className="tabs" aria-label={words.title}>
            {tabs.map((tab) => (
                <Link key={tab} href={paths.organization(tab === 'policies' ? '' : tab)}
                    className="tab" aria-current={tab === shown ? 'page' : undefined}>
                    {words.tabs[tab]}
                </Link>
            ))}
        </nav>
    );
}

function Parts({ tab, filling, schema, mistakes }: {
    tab: Tab; filling: Filling; schema: Start['schema']; mistakes: ReadonlyMap<string, string>;
}): ReactElement {
    const impact = useImpact(filling.mine);
    return (
        <>
            {parts[tab].map(({ title, members }) => (
                <section key={title ?? tab} className="fields-part" aria-label={title}>
                    {title ? <h2>{title}</h2> : null}
                    <Members path="" members={members} schema={schema} group={filling.mine}
                        mistakes={mistakes} set={filling.set} help={(name) => members[name]?.words
                            ? <Effect impact={impact} member={name} draft={filling.mine[name]} />
                            : undefined} />
                </section>
            ))}
            {tab === 'letterhead' ? <PreviewLayout schema={schema} draft={filling.mine} /> : null}
            {impact ? <Lacks impact={impact} /> : null}
        </>
    );
}

function Usage(): ReactElement {
    const { organization } = useSession();
    const found = useRead('/organization', { params: { query: { include: 'allowance' } } },
        { live: 60 });
    const { allowance, plan } = found.data ?? {};
    return (
        <aside className="beside" aria-labelledby="usage">
            <h2 id="usage">{words.usage}</h2>
            <dl className="pairs">
                <dt>{words.used}</dt><dd>{allowance ? inFigures(allowance.used) : ''}</dd>
                <dt>{words.allowance}</dt>
                <dd>{allowance?.limit == null ? allowance && words.noLimit
                    : inFigures(allowance.limit)}</dd>
                {allowance?.left == null ? null : (
                    <><dt>{words.left}</dt><dd>{inFigures(allowance.left)}</dd></>
                )}
                <dt>{words.plan}</dt><dd>{plan ? words.plans[plan] : ''}</dd>
            </dl>
            {may('audit.read') ? (
                <p className="section small">
                    <Link href={paths.audit(`?table=organization&recordId=${organization.id}`)}>
                        {t.record.trail}
                    </Link>
                </p>
            ) : null}
        </aside>
    );
}

function Read({ tab }: { tab: Tab }): ReactElement {
    const found = useRead('/organization', {});
    if (found.data) {
        return <Shown tab={tab} record={found.data} />;
    }
    return found.error ? <Refused problem={found.error} /> : <Waiting what={words.title} />;
}

// Reads the session anew: it holds the policies as they were at sign-in.
function saved(): void {
    void recognize();
    void changed('/organization', '/policies/impact');
}

export function OrganizationPage({ tab }: { tab: Tab }): ReactElement {
    const { organization } = useSession();
    useTitle(words.title);
    return (
        <main className="page" id="main">
            <div className="head"><h1>{words.title}</h1></div>
            <Tabs shown={tab} />
            <div className="body">
                <div className="pane">
                    {may('policy.manage') ? (
                        <PageForm key={tab} definition={formOf(tab)} id={organization.id} saved={saved}
                            shown={(filling, mistakes, schema) => (
                                <Parts tab={tab} filling={filling} schema={schema}
                                    mistakes={mistakes} />
                            )} />
                    ) : <Read tab={tab} />}
                    {tab === 'letterhead' ? <Logo /> : null}
                </div>
                <Usage />
            </div>
        </main>
    );
}
