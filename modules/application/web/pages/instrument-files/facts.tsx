// SPDX-License-Identifier: Apache-2.0
//
// Profile by which a file was read, and time of reading; another profile is chosen here.
import type { ReactElement, ReactNode } from 'react';

import { tell } from '../../acting/action.ts';
import { readBy } from '../../actions/instrument-files.ts';
import { rowsOf, useInstruments, usePeople } from '../../api/names.ts';
import { useAll } from '../../api/read.ts';
import { decisionsOf } from '../../nouns/file-reasons.ts';
import { Moment } from '../../parts/moment.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import type { InstrumentFile } from './preview.ts';

const texts = t.instrumentFiles;

function Profile({ file }: { file: InstrumentFile }): ReactElement {
    const profiles = useAll('/instrument-profiles', rowsOf);
    const codes = [...new Set(profiles.filter(({ status }) => status === 'active')
        .map(({ code }) => code))];
    const chosen = decisionsOf(file).profile?.code ?? '';
    return (
        <select aria-label={texts.profile} value={chosen}
            onChange={({ target }) => void readBy(file, target.value).catch(tell)}>
            <option value="">{texts.asMatched}</option>
            {codes.map((code) => <option key={code} value={code}>{code}</option>)}
        </select>
    );
}

// The profile by which the file was read, with the way to it: where that is wrong, it is mended.
function ReadBy({ file }: { file: InstrumentFile }): ReactNode {
    const found = useAll('/instrument-profiles', rowsOf).find(({ code, version }) =>
        code === file.profileCode && version === file.profileVersion);
    const name = file.profileCode ? texts.version(file.profileCode, file.profileVersion)
        : texts.noProfile;
    return found ? <Link href={paths.profile(found.id)}>{name}</Link> : name;
}

export function FileFacts({ file, review }: {
    file: InstrumentFile; review: boolean;
}): ReactElement {
    const instrument = useInstruments().get(file.instrumentId ?? 0);
    const person = usePeople();
    return (
        <div className="section">
            <dl className="pairs">
                <dt>{texts.profile}</dt>
                <dd>
                    <ReadBy file={file} />
                    {review ? <> <Profile file={file} /></> : null}
                </dd>
                {instrument ? (
                    <>
                        <dt>{texts.instrument}</dt>
                        <dd>{[instrument.code, instrument.name].join(', ')}</dd>
                    </>
                ) : null}
                {file.processedAt ? (
                    <><dt>{texts.readAt}</dt><dd><Moment at={file.processedAt} /></dd></>
                ) : null}
                {file.resolvedAt ? (
                    <>
                        <dt>{texts.resolved}</dt>
                        <dd>
                            <Moment at={file.resolvedAt} />, {person(file.resolvedBy)}:{' '}
                            {file.resolutionReason}
                        </dd>
                    </>
                ) : null}
            </dl>
        </div>
    );
}
