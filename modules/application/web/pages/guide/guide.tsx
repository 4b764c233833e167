// SPDX-License-Identifier: Apache-2.0
//
// A guide for each role: the work of a day in its order, each step with a link to its
// screen for those who may go there.
import type { ReactElement } from 'react';

import { base } from '../../api/send.ts';
import { may } from '../../api/session.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { start, usePlaces } from '../../shell/places.ts';
import type { RoleGuide, Step } from '../../texts/en-guide.ts';
import { t } from '../../texts/texts.ts';

const { guide: texts } = t;

function Way({ at }: { at: string }): ReactElement | null {
    const place = usePlaces().find((one) => start(one) === at);
    return place ? <Link href={base + at}>{t.goTo(place.rail.title)}</Link> : null;
}

function StepShown({ step }: { step: Step }): ReactElement {
    return (
        <li>
            <p>{step.text} {step.at === undefined ? null : <Way at={step.at} />}</p>
        </li>
    );
}

function Roles({ shown }: { shown: RoleGuide }): ReactElement {
    return (
        <nav className="contents" aria-label={texts.label}>
            <ul>
                {texts.roles.map(({ role, name }) => (
                    <li key={role}>
                        <Link href={paths.guide(role)}
                            aria-current={role === shown.role ? 'page' : undefined}>
                            {name}
                        </Link>
                    </li>
                ))}
            </ul>
        </nav>
    );
}

// Returns the guide of the role in the address; without one, that of the person's first role.
function chosen(role: string | undefined): RoleGuide | undefined {
    const { roles } = texts;
    return roles.find((one) => one.role === role)
        ?? roles.find(({ knownBy }) => may(knownBy)) ?? roles[0];
}

export function Guide({ role }: { role?: string | undefined }): ReactElement | null {
    const shown = chosen(role);
    return shown ? (
        <main className="page" id="main" tabIndex={-1}>
            <div className="head"><h1>{texts.title}</h1></div>
            <div className="body reading">
                <Roles shown={shown} />
                <div className="pane" role="region" aria-label={shown.name} tabIndex={0}>
                    <article className="prose">
                        <h2>{shown.name}</h2>
                        <p>{shown.aim}</p>
                        <ol className="steps">
                            {shown.steps.map((step) => <StepShown key={step.text} step={step} />)}
                        </ol>
                    </article>
                </div>
            </div>
        </main>
    ) : null;
}
