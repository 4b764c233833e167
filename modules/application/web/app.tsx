// SPDX-License-Identifier: Apache-2.0
//
// The application: a page of its own until somebody is signed in, then the shell with the
// page that the address names. A new screen is a folder below pages/ and a line here.
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

import { asProblem } from './api/problem.ts';
import type { Problem } from './api/problem.ts';
import { queries } from './api/read.ts';
import { may, useSessionState } from './api/session.ts';
import type { Session } from './api/session.ts';
import { beforeFirstPage, recognize, startSession } from './api/sign-in.ts';
import { startKeyboard } from './keys/keyboard.ts';
import { prepare } from './later.tsx';
import { accountRoutes } from './pages/account/routes.tsx';
import { apiReferenceRoutes } from './pages/api-reference/routes.tsx';
import { approvalRoutes } from './pages/approvals/routes.tsx';
import { auditRoutes } from './pages/audit/routes.tsx';
import { benchRoutes } from './pages/bench/routes.tsx';
import { certificateRoutes } from './pages/certificates/routes.tsx';
import { guideRoutes } from './pages/guide/routes.tsx';
import { orderRoutes } from './pages/orders/routes.tsx';
import { organizationRoutes } from './pages/organization/routes.tsx';
import { instrumentFileRoutes } from './pages/instrument-files/routes.tsx';
import { qcBatchRoutes } from './pages/qc-batches/routes.tsx';
import { qcSeriesRoutes } from './pages/qc-series/routes.tsx';
import { confirmationRoutes } from './pages/confirmations/routes.tsx';
import { investigationRoutes } from './pages/investigations/routes.tsx';
import { lotRoutes } from './pages/lots/routes.tsx';
import { keyRoutes } from './pages/keys/routes.tsx';
import { userRoutes } from './pages/users/routes.tsx';
import { profileRoutes } from './pages/profiles/routes.tsx';
import { receiveRoutes } from './pages/receive/routes.tsx';
import { referenceRoutes } from './pages/reference/routes.tsx';
import { sampleRoutes } from './pages/samples/routes.tsx';
import { FirstPage, isFirst } from './pages/session/first.tsx';
import { LinkPage, isLink } from './pages/session/link.tsx';
import { SignInPage } from './pages/session/sign-in.tsx';
import { SignOnPage, isSignOn } from './pages/session/sign-on.tsx';
import { VerificationPage, isVerification } from './pages/session/verification.tsx';
import { turnaroundRoutes } from './pages/turnaround/routes.tsx';
import { verifyRoutes } from './pages/verify/routes.tsx';
import { webhookRoutes } from './pages/webhooks/routes.tsx';
import { worklistRoutes } from './pages/worklist/routes.tsx';
import { worksheetRoutes } from './pages/worksheets/routes.tsx';
import { Refused } from './parts/states.tsx';
import { match, navigate, pathAt } from './router.tsx';
import type { Route } from './router.tsx';
import { firstOf, placesOf, start } from './shell/places.ts';
import { Shell } from './shell/shell.tsx';
import { when } from './texts/time.ts';

const routes: Route[] = [
    ...sampleRoutes,
    ...orderRoutes,
    ...receiveRoutes,
    ...worklistRoutes,
    ...benchRoutes,
    ...verifyRoutes,
    ...approvalRoutes,
    ...certificateRoutes,
    ...turnaroundRoutes,
    ...auditRoutes,
    ...accountRoutes,
    ...instrumentFileRoutes,
    ...qcBatchRoutes,
    ...qcSeriesRoutes,
    ...worksheetRoutes,
    ...confirmationRoutes,
    ...investigationRoutes,
    ...lotRoutes,
    ...referenceRoutes,
    ...guideRoutes,
    ...apiReferenceRoutes,
    ...organizationRoutes,
    ...userRoutes,
    ...keyRoutes,
    ...webhookRoutes,
    ...profileRoutes,
];

function Application(): ReactElement | null {
    const state = useSessionState();
    const [problem, setProblem] = useState<Problem | null>(null);
    const open = (): void => {
        setProblem(null);
        recognize().catch((error: unknown) => setProblem(asProblem(error)));
    };

    // Runs once, when the page is opened: only then is it known who is signed in.
    useEffect(open, []);
    if (isLink) {
        return <LinkPage />;
    }
    if (isSignOn) {
        return <SignOnPage />;
    }
    if (state.is === 'unknown' || state.is === 'in' && state.opening === 'unknown') {
        return problem ? <main className="entry"><Refused problem={problem} retry={open} /></main>
            : null;
    }
    if (state.is === 'in' && isFirst(state.session)) {
        return <FirstPage session={state.session} />;
    }
    return state.is === 'nobody' || state.is === 'in' && state.opening ? <SignInPage />
        : <Shell key={state.session.person.id} routes={routes} />;
}

const routeAt = (path: string): Route | undefined =>
    routes.find(({ pattern }) => match(pattern, path));

// The page of the address, or the one that most people begin with, is loaded while they sign in.
function prepareFirst(): void {
    const route = routeAt(location.pathname) ?? routes[0];

    if (route) {
        prepare(route.page(match(route.pattern, location.pathname) ?? {}));
    }
}

// Milliseconds that a page waits at most to be drawn with what it shows.
const patience = 200;

// Goes to the person's first page, where no other is asked for, and reads what it shows.
async function openFirstPage(now: Session): Promise<void> {
    const first = firstOf(placesOf(routes, now), now);
    const path = pathAt(location.pathname, first && start(first));
    const route = routeAt(path);

    if (path !== location.pathname) {
        navigate(path, { replace: true });
    }
    if (route?.ahead && may(route.permission, now) && !isFirst(now)) {
        const read = route.ahead(new URL(location.href).searchParams).catch(() => undefined);
        // The browser takes its time to learn how times are written: while the rows are on their way.
        when(now.startedAt, now.organization.timeZone);
        await Promise.race([read, new Promise((resolve) => setTimeout(resolve, patience))]);
    }
}

startKeyboard();
beforeFirstPage(openFirstPage);
if (!isVerification) {
    startSession();
}
const root = document.getElementById('app');
if (root) {
    createRoot(root).render(
        <StrictMode>
            {isVerification ? <VerificationPage />
                : <QueryClientProvider client={queries}><Application /></QueryClientProvider>}
        </StrictMode>,
    );
}
if (!isVerification) {
    prepareFirst();
}
