// SPDX-License-Identifier: Apache-2.0
//
// The logo in the letterhead of certificates: seen, uploaded and removed, each with a reason;
// certificates that are issued keep theirs.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';

import { removeLogo, uploadLogo } from '../../actions/logo.ts';
import { answer, api } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { may, useSession } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { ChooseFiles } from '../../parts/drop-files.tsx';
import { t } from '../../texts/texts.ts';

const words = t.organization.logo;

// The address of the picture in this page; `sha256` is its name.
const useLogo = (sha256: string | null): string | undefined => useQuery({
    queryKey: ['logo', sha256],
    queryFn: async () => URL.createObjectURL(new Blob(
        [await answer(api.GET('/organization/logo', { parseAs: 'blob' }))], { type: 'image/png' })),
    enabled: sha256 !== null,
    staleTime: Infinity,
    placeholderData: undefined,
}).data;

export function Logo(): ReactElement {
    const { prints } = useSession();
    const organization = useRead('/organization', {}).data;
    const logoSha256 = organization?.logoSha256 ?? null;
    const picture = useLogo(logoSha256);
    return (
        <section className="fields-part" aria-label={words.title}>
            <h2>{words.title}</h2>
            {logoSha256 !== null && picture
                ? <p><img className="logo" src={picture} alt={words.title} /></p>
                : <p className="quiet">{organization && logoSha256 === null ? words.none : ''}</p>}
            {may('policy.manage') && prints ? (
                <p className="line">
                    <ChooseFiles label={words.upload} accept="image/png"
                        take={([file]) => file && uploadLogo(file)} />
                    {logoSha256 === null ? null
                        : <Button onPress={removeLogo}>{words.remove}</Button>}
                </p>
            ) : null}
            <p className="caption">{prints ? words.what : words.noPrinter}</p>
        </section>
    );
}
