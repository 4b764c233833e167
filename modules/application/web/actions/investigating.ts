// SPDX-License-Identifier: Apache-2.0
//
// Opens an investigation from the record that it is about: the form begins with what is known.
import type { Action } from '../acting/action.ts';
import { answer, api } from '../api/client.ts';
import { AT_ONCE, all } from '../api/pages.ts';
import type { Read } from '../api/read.ts';
import { say } from '../parts/toast.tsx';
import { paths } from '../paths.ts';
import { navigate } from '../router.tsx';
import { t } from '../texts/texts.ts';

interface Concern {
    // The record's name, above the form.
    of: string;
    kind: Read<'/investigations'>['data'][number]['kind'];
    title: string;
    sampleId?: number;
    sampleTestId?: number;
    qcBatchId?: number;
    reagentLotId?: number;
    mediaLotId?: number;
    instrumentFileId?: number;
    // The investigation that it follows from.
    parentId?: number;
}

type Investigation = Read<'/investigations'>['data'][number];

// Whether an investigation that is open stands in the way of another one.
const isOfSame = (
    { sampleTestId, qcBatchId, kind }: Concern, open: Investigation,
): boolean => kind === 'oos' ? open.sampleTestId === sampleTestId
    : kind === 'qc_failure' && open.qcBatchId === qcBatchId;

// A test has one open investigation of its result, and a failed batch one of its failure.
async function openOneOf(concern: Concern): Promise<Investigation | undefined> {
    const { kind } = concern;
    if (kind !== 'oos' && kind !== 'qc_failure') {
        return undefined;
    }
    return (await all<Investigation>((from) => answer(api.GET('/investigations', {
        params: { query: { kind, open: true, limit: AT_ONCE, ...from } } }))))
        .find((open) => isOfSame(concern, open));
}

async function investigate(concern: Concern): Promise<void> {
    const open = await openOneOf(concern);
    if (!open) {
        navigate(paths.newInvestigation({ ...concern }));
        return;
    }
    say({ tone: 'attention', text: t.investigations.openAlready(open.investigationNumber) });
    navigate(paths.investigation(open.id));
}

// `concern`: undefined where the record cannot be investigated.
export const investigating = <About>(
    id: string, concern: (about: About) => Concern | undefined,
    visible: (about: About) => boolean = () => true,
): Action<About> => ({
    id,
    title: () => t.investigations.form.create,
    permission: 'investigation.work',
    rare: true,
    visible: (about) => concern(about) !== undefined && visible(about),
    perform: async (about) => {
        const found = concern(about);
        if (found) {
            await investigate(found);
        }
    },
});
