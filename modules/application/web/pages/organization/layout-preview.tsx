// SPDX-License-Identifier: Apache-2.0
//
// A preview of the layout of certificates as it is typed: a PDF of an example.
import { useState } from 'react';
import type { ReactElement } from 'react';

import { tell } from '../../acting/action.ts';
import { answer, api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { valueOf } from '../../form/draft.ts';
import type { Clock, Group } from '../../form/draft.ts';
import { useClock } from '../../form/form.tsx';
import type { Schema } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { t } from '../../texts/texts.ts';

const words = t.organization.preview;

const member = 'certificateLayout';

async function preview(schema: Schema, draft: Group, clock: Clock): Promise<void> {
    const layout = valueOf(schema.properties?.[member] ?? {}, draft[member] ?? '', clock);
    saveFile(words.file, await answer(api.POST('/organization/certificate-layout/preview', {
        body: { [member]: layout ?? {} } as never, parseAs: 'blob',
    })));
}

export function PreviewLayout({ schema, draft }: { schema: Schema; draft: Group }): ReactElement | null {
    const { prints } = useSession();
    const clock = useClock();
    const [busy, setBusy] = useState(false);
    const show = (): void => {
        setBusy(true);
        void preview(schema, draft, clock).catch(tell).finally(() => setBusy(false));
    };
    return prints ? (
        <p aria-busy={busy}>
            <Button onPress={show}>{words.show}</Button>{' '}
            <span className="caption">{words.what}</span>
        </p>
    ) : null;
}
