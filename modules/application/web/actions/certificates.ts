// SPDX-License-Identifier: Apache-2.0
//
// The first certificate of a sample: found by its tracking id, and issued where one sees what
// it would say. Documents that could not be printed are printed again.
import { within } from '../acting/action.ts';
import type { Action } from '../acting/action.ts';
import { ask } from '../acting/ask.ts';
import { each } from '../acting/each.ts';
import { answer, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { changed } from '../api/read.ts';
import type { Read } from '../api/read.ts';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

const { certificates: words } = t.release;

type Certificate = Read<'/certificates'>['data'][number];

async function sampleCalled(text: string): Promise<number> {
    const { data } = await answer(api.GET('/lookup', { params: { query: { text } } }));
    const sample = data.find(({ noun }) => noun === 'sample');
    if (!sample) {
        throw new Problem(404, { error: 'not_found', message: words.noSample(text) });
    }
    return sample.id;
}

const failed = ({ document }: Certificate): boolean => document.state === 'failed';

const printAgain: Action<Certificate[]> = {
    id: 'document.retry',
    title: (all) => words.document.again(all.filter(failed).length),
    permission: 'certificate.issue',
    visible: (all) => all.some(failed),
    perform: async (all) => {
        await each(all.filter(failed), ({ certificateNumber, version }) =>
            words.name(certificateNumber, version), ({ document }) => answer(api.POST(
            '/documents/{id}/retry', { params: { path: { id: document.id } }, body: {} })),
        words.document.waits);
        await changed('/certificates', '/certificates/{id}');
    },
};

export const certificateActions: Action<Certificate>[] = [within(printAgain, (one) => [one])];

export const certificateListActions: Action<Certificate[]>[] = [
    printAgain,
    {
        id: 'certificate.issue-one',
        title: () => words.issueOne,
        permission: 'certificate.issue',
        step: true,
        keys: 'n',
        perform: () => ask({
            kind: 'reason',
            title: words.issueFind,
            explanation: words.issueWhat,
            name: words.issueWhich,
            perform: async ({ reason = '' }) => {
                const id = await sampleCalled(reason);
                navigate(paths.sample(id, 'certificates'));
            },
        }),
    },
];
