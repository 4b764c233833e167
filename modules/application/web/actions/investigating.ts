// SPDX-License-Identifier: Apache-2.0
//
// Opens an investigation from the record that it is about: the form begins with what is known.
import type { Action } from '../acting/action.ts';
import type { Read } from '../api/read.ts';
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
    perform: (about) => {
        const found = concern(about);
        if (found) {
            navigate(paths.newInvestigation({ ...found }));
        }
    },
});
