// SPDX-License-Identifier: Apache-2.0
import { later } from '../../later.tsx';
import { sampleTabs } from '../../paths.ts';
import { recordTabs } from '../../record/tab-names.ts';
import type { Route } from '../../router.tsx';
import { t } from '../../texts/texts.ts';

const SampleList = later(async () => (await import('./list.tsx')).SampleList);
const SampleRecord = later(async () => (await import('./record.tsx')).SampleRecord);
const OfTest = later(async () => (await import('./of-test.tsx')).OfTest);
const TestRecord = later(async () => (await import('./test-record.tsx')).TestRecord);

export const sampleRoutes: Route[] = [
    {
        pattern: '/samples',
        rail: { group: 'work', place: 10, title: t.samples.title, also: ['/sample-tests'] },
        permission: 'data.read',
        page: () => <SampleList />,
        ahead: async (search) => (await import('./list.tsx')).readSamples(search),
    },
    {
        pattern: '/sample-tests/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => recordTabs.some((known) => known === tab)
            ? <TestRecord key={id} id={Number(id)} tab={tab ?? ''} /> : <OfTest key={id} id={Number(id)} />,
    },
    {
        pattern: '/samples/:id/:tab?',
        permission: 'data.read',
        page: ({ id, tab }) => (
            <SampleRecord key={id} id={Number(id)}
                tab={sampleTabs.find((known) => known === tab) ?? 'overview'} />
        ),
    },
];
