// SPDX-License-Identifier: Apache-2.0
//
// The tabs of a record: its own lists first, then what every record has. A page says its own
// and where a tab's address is:
//
//     const tabs = [...own, ...useRecordTabs({ table: 'investigation', id, history })];
//     <TabBar label={name} tabs={tabs} at={tab} href={(id) => paths.investigation(id, tab)} />
//     <TabPane tabs={tabs} at={tab} />
import type { ReactElement } from 'react';

import { Link } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { Comments, useComments } from './comments.tsx';
import { Files, useFiles } from './files.tsx';
import { History } from './history.tsx';
import type { Line } from './history.tsx';
import { notedTable } from './record.ts';
import type { Recorded } from './record.ts';
import { Signatures, useSignatures } from './signatures.tsx';

export interface Tab {
    id: string;
    title: string;
    // Count beside the title, once known; none is not written.
    count?: string | undefined;
    // Content of the tab; absent: the page itself shows it (its overview).
    page?: () => ReactElement;
}

interface Page {
    data: unknown[];
    hasMore: boolean;
}

export const countOf = (page: Page | undefined): string | undefined =>
    page?.data.length ? `${page.data.length}${page.hasMore ? '+' : ''}` : undefined;

// `told`: further entries of the history, such as the events of a sample.
export function useRecordTabs(of: Recorded, told: Line[] = []): Tab[] {
    const { tabs } = t.record;
    const noted = notedTable(of) !== undefined;
    const signatures = useSignatures(of);
    const files = useFiles(of, noted);
    const comments = useComments(of, noted);

    return [
        { id: 'history', title: tabs.history, page: () => <History of={of} told={told} /> },
        { id: 'signatures', title: tabs.signatures, count: countOf(signatures.data),
            page: () => <Signatures of={of} /> },
        ...(noted ? [
            { id: 'files', title: tabs.files, count: countOf(files.data),
                page: () => <Files of={of} /> },
            { id: 'comments', title: tabs.comments, count: countOf(comments.data),
                page: () => <Comments of={of} /> },
        ] : []),
    ];
}

interface Bar {
    label: string;
    tabs: Tab[];
    at: string;
    href: (tab: string) => string;
}

export function TabBar({ label, tabs, at, href }: Bar): ReactElement {
    return (
        <nav className="tabs" aria-label={label}>
            {tabs.map(({ id, title, count }) => (
                <Link key={id} href={href(id)} className="tab"
                    aria-current={id === at ? 'page' : undefined}>
                    {title}{count ? <> <span className="quiet">{count}</span></> : null}
                </Link>
            ))}
        </nav>
    );
}

// The list of a tab; nothing where the page itself shows it.
export function TabPane({ tabs, at }: { tabs: Tab[]; at: string }): ReactElement | null {
    const page = tabs.find(({ id }) => id === at)?.page;
    return page ? <div className="body"><div className="pane" key={at}>{page()}</div></div> : null;
}
