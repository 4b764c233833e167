// SPDX-License-Identifier: Apache-2.0
//
// The title of the browser's tab: the page, then the laboratory.
import { useEffect } from 'react';

import { useSession } from '../api/session.ts';

export function useTitle(title: string): void {
    const { organization } = useSession();

    useEffect(() => {
        document.title = `${title} · ${organization.name}`;
    }, [title, organization.name]);
}
