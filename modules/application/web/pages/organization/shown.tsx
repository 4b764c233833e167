// SPDX-License-Identifier: Apache-2.0
//
// The organization for those who do not change it.
import type { ReactElement } from 'react';

import type { Read } from '../../api/read.ts';
import { Value } from '../../form/conflict.tsx';
import { t } from '../../texts/texts.ts';
import { parts } from './forms.ts';
import { shape } from './shape.ts';
import type { Tab } from './tabs.ts';

export function Shown({ tab, record }: { tab: Tab; record: Read<'/organization'> }): ReactElement {
    const shaped = shape.record(record) as Record<string, string>;
    return (
        <div className="fields">
            {parts[tab].map(({ title = t.organization.tabs[tab], members }) => (
                <section key={title} aria-label={title}>
                    <h2>{title}</h2>
                    <dl className="stack">
                        {Object.entries(members).map(([name, member]) => (
                            <div key={name}>
                                <dt>{member.label}</dt>
                                <dd className="words">
                                    <Value draft={shaped[name] ?? ''} member={member} />
                                </dd>
                            </div>
                        ))}
                    </dl>
                </section>
            ))}
        </div>
    );
}
