// SPDX-License-Identifier: Apache-2.0
import type { ReactElement } from 'react';

import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { nouns } from './nouns.ts';

const words = t.reference;

export function Nouns({ shown }: { shown: string }): ReactElement {
    const places = [
        ...nouns.map(({ slug }) => ({ slug: slug as string, title: words.nouns[slug].title })),
        { slug: 'specifications', title: words.specifications.title },
    ];
    return (
        <nav className="tabs nouns" aria-label={words.title}>
            {places.map(({ slug, title }) => (
                <Link key={slug} href={paths.reference(slug)} className="tab"
                    aria-current={slug === shown ? 'page' : undefined}>
                    {title}
                </Link>
            ))}
        </nav>
    );
}
