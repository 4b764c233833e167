// SPDX-License-Identifier: Apache-2.0
//
// Rail, top bar and the page that the address names.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';

import { useQuestion } from '../acting/ask.ts';
import { base } from '../api/send.ts';
import { may, useSession, useSessionState } from '../api/session.ts';
import { listen } from '../keys/keyboard.ts';
import { Glyph } from '../parts/glyph.tsx';
import { Toast, say } from '../parts/toast.tsx';
import type { Lead } from '../parts/toast.tsx';
import { Link, match, navigate, pathAt, useAddress } from '../router.tsx';
import type { Route } from '../router.tsx';
import { t } from '../texts/texts.ts';
import { SignInAgain } from './again.tsx';
import { Asking } from './asking.tsx';
import { Boundary } from './boundary.tsx';
import { ConnectionBanner } from './connection.tsx';
import { useDroppedFiles } from './dropped.ts';
import { KeyHelp } from './key-help.tsx';
import { Lacking } from './lacking.tsx';
import { NotRead } from './not-read.tsx';
import { PersonMenu } from './person-menu.tsx';
import { Places, firstOf, placesOf, start } from './places.ts';
import { QuickActions } from './quick-actions.tsx';
import { Rail, isAt } from './rail.tsx';
import { ScanBox } from './scan-box.tsx';
import { useUnfinished } from './unfinished.ts';

type Panel = 'keys' | 'quick' | null;

function Page({ routes }: { routes: Route[] }): ReactElement {
    const { pathname } = useAddress();
    const first = firstOf(placesOf(routes), useSession());

    useEffect(() => {
        const path = pathAt(pathname, first && start(first));
        if (path !== pathname) {
            navigate(path, { replace: true });
        }
    }, [pathname, first]);
    const toFirst = first
        ? <p><Link href={base + start(first)}>{t.goTo(first.rail.title)}</Link></p> : null;
    for (const route of routes) {
        const found = match(route.pattern, pathname);
        if (found && !may(route.permission)) {
            return <Lacking permission={route.permission}>{toFirst}</Lacking>;
        }
        if (found) {
            return <Boundary key={route.pattern}>{route.page(found)}</Boundary>;
        }
    }
    return (
        <main className="page" id="main">
            <div className="nothing"><h1>{t.noPage}</h1>{toFirst}</div>
        </main>
    );
}

function usePanel(): [Panel, (panel: Panel) => void] {
    const [panel, setPanel] = useState<Panel>(null);

    useEffect(() => listen([
        { keys: '?', run: () => setPanel('keys') },
        { keys: 'F1', run: () => setPanel('keys') },
        { keys: 'Mod+k', run: () => setPanel('quick') },
    ]), []);
    return [panel, setPanel];
}

// Links to unfinished work, except that of the page that is shown.
function Unfinished(): ReactElement {
    const { pathname } = useAddress();
    return (
        <>
            {useUnfinished().filter(({ href }) => href !== pathname).map(({ href, text }) => (
                <Link key={href} href={href} className="status small cut">
                    <Glyph name="attention" tone="attention" />{text}
                </Link>
            ))}
        </>
    );
}

function Bar({ routes, toggle, shown, help }: {
    routes: Route[]; toggle: () => void; shown: boolean; help: () => void;
}): ReactElement {
    const { pathname } = useAddress();
    const { organization } = useSession();
    const here = placesOf(routes).find((place) => isAt(place, pathname));

    return (
        <header className="top">
            <button type="button" className="btn plain menu" aria-expanded={shown}
                aria-controls="rail" onClick={toggle}>
                <Glyph name="menu" />{here?.rail.title ?? t.rail.work}
            </button>
            <ScanBox />
            <Unfinished />
            <span className="push cut small quiet wide">{organization.name}</span>
            <PersonMenu help={help} />
        </header>
    );
}

// Whoever goes to what clears a refusal has read it.
const leadTo = ({ href, title }: Lead): ReactElement =>
    <Link href={href} onClick={() => say(null)}>{title}</Link>;

export function Shell({ routes }: { routes: Route[] }): ReactElement {
    const state = useSessionState();
    const question = useQuestion();
    const [panel, setPanel] = usePanel();
    const [rail, setRail] = useState(false);
    const { href } = useAddress();
    const places = useMemo(() => placesOf(routes), [routes]);
    const ways = useMemo(() => places.map((place) => ({
        id: place.pattern, title: place.rail.title, keys: undefined, refused: undefined,
        run: () => navigate(base + start(place)),
    })), [places]);

    useDroppedFiles();
    useEffect(() => setRail(false), [href]);
    useEffect(() => () => say(null), []);
    return (
        <>
            <div className="shell">
                <a className="skip" href="#main">{t.skip}</a>
                <Rail routes={routes} shown={rail} />
                <Bar routes={routes} shown={rail} toggle={() => setRail(!rail)}
                    help={() => setPanel('keys')} />
                <Places value={places}><Page routes={routes} /></Places>
                <ConnectionBanner />
                <NotRead />
                <Toast link={leadTo} />
            </div>
            <Asking question={question} />
            {panel === 'keys' ? <KeyHelp close={() => setPanel(null)} /> : null}
            {panel === 'quick' ? <QuickActions places={ways} close={() => setPanel(null)} /> : null}
            {state.is === 'ended' ? <SignInAgain state={state} /> : null}
        </>
    );
}
