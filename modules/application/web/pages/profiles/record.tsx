// SPDX-License-Identifier: Apache-2.0
//
// One version of a profile: its definition with help, a test on a file, the other versions.
import { useMemo } from 'react';
import type { ReactElement } from 'react';

import { ActBar } from '../../acting/act-bar.tsx';
import { allowed, useActions } from '../../acting/action.ts';
import { profileActions } from '../../actions/profiles.ts';
import { useInstruments } from '../../api/names.ts';
import { useRead } from '../../api/read.ts';
import { may } from '../../api/session.ts';
import { formatOf } from '../../nouns/profile.ts';
import type { Profile } from '../../nouns/profile.ts';
import { textOf } from '../../nouns/profile-members.ts';
import { Waiting } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { useTitle } from '../../parts/title.ts';
import { paths } from '../../paths.ts';
import { NotShown } from '../../record/not-shown.tsx';
import { TabBar, TabPane, countOf, useRecordTabs } from '../../record/tabs.tsx';
import type { Tab } from '../../record/tabs.tsx';
import { t } from '../../texts/texts.ts';
import { useHeld } from './held.ts';
import { Source, sections } from './source.tsx';
import { ProfileStatus } from './status.tsx';
import { TrialPage } from './trial.tsx';
import { Versions, useVersions } from './versions.tsx';

const words = t.profiles;
const { tabs: titles } = words;

function useTabs(profile: Profile): Tab[] {
    const versions = useVersions(profile.code);
    return [
        { id: 'definition', title: titles.definition },
        ...(may('profile.manage') ? [{ id: 'test', title: titles.test }] : []),
        { id: 'versions', title: titles.versions, count: countOf(versions.data),
            page: () => <Versions of={profile} /> },
        ...useRecordTabs({ table: 'instrument_profile', id: profile.id,
            history: '/instrument-profiles/{id}/history' }),
    ];
}

function Opened({ profile, tab: asked }: { profile: Profile; tab: string }): ReactElement {
    const held = useHeld().of(profile.code);
    const instrument = useInstruments().get(profile.instrumentId ?? 0);
    const tabs = useTabs(profile);
    const tab = tabs.some(({ id }) => id === asked) ? asked : 'definition';
    const actions = useMemo(() => allowed(profileActions, { profile, held }), [profile, held]);
    const text = useMemo(() => textOf(sections, profile.definition), [profile.definition]);
    const about = [profile.name, formatOf(profile), instrument?.code].filter(Boolean).join(', ');

    useActions(actions);
    return (
        <>
            <div className="head">
                <h1>{words.version(profile.code, profile.version)}</h1>
                <ProfileStatus status={profile.status} />
                <span className="quiet cut" title={about}>{about}</span>
                <span className="push" />
                <ActBar actions={actions} />
            </div>
            {profile.warning === null ? null : (
                <p className="banner late">
                    <Status glyph="attention" tone="attention">{profile.warning}</Status>
                </p>
            )}
            <TabBar label={words.tabsOf(profile.code, profile.version)} tabs={tabs} at={tab}
                href={(id) => paths.profile(profile.id, id === 'definition' ? '' : id)} />
            <TabPane tabs={tabs} at={tab} />
            {tab === 'definition' ? <Source key={profile.id} text={text} /> : null}
            {tab === 'test' ? <TrialPage profile={profile} /> : null}
        </>
    );
}

export function ProfileRecord({ id, tab }: { id: number; tab: string }): ReactElement {
    const found = useRead('/instrument-profiles/{id}', { params: { path: { id } } }, { live: 15 });
    const profile = found.data?.id === id ? found.data : undefined;

    useTitle(profile ? words.version(profile.code, profile.version) : words.title);
    return (
        <main className="page" id="main">
            {profile ? <Opened key={id} profile={profile} tab={tab} />
                : <div className="head"><h1>{words.title}</h1></div>}
            {!profile && found.error ? (
                <NotShown problem={found.error} list={paths.profiles()} title={words.title} />
            ) : null}
            {!profile && !found.error ? <Waiting what={words.title} /> : null}
        </main>
    );
}
