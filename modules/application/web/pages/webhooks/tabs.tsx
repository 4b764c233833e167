// SPDX-License-Identifier: Apache-2.0
import type { ReactElement } from 'react';

import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

export function WebhookTabs({ shown }: { shown: 'endpoints' | 'deliveries' }): ReactElement {
    const words = t.webhooks;
    return (
        <nav className="tabs" aria-label={words.title}>
            <Link href={paths.webhooks()} className="tab"
                aria-current={shown === 'endpoints' ? 'page' : undefined}>{words.tabs.endpoints}</Link>
            <Link href={paths.deliveries()} className="tab"
                aria-current={shown === 'deliveries' ? 'page' : undefined}>
                {words.tabs.deliveries}
            </Link>
        </nav>
    );
}
