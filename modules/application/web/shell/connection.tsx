// SPDX-License-Identifier: Apache-2.0
//
// Says while the service cannot be reached, or cannot answer, that nothing typed is lost;
// asks again every few seconds, and reads anew what is shown once it is back.
import { useEffect } from 'react';
import type { ReactElement } from 'react';

import { useConnection } from '../api/connection.ts';
import { queries } from '../api/read.ts';
import { recognize } from '../api/sign-in.ts';
import { Glyph } from '../parts/glyph.tsx';
import { t } from '../texts/texts.ts';

const again = 5000;

export function ConnectionBanner(): ReactElement {
    const connection = useConnection();

    // While it is away, somebody has to ask.
    useEffect(() => {
        if (connection === 'here') {
            return undefined;
        }
        const ask = (): void => void recognize();
        const timer = setInterval(ask, again);
        window.addEventListener('online', ask);
        return () => {
            clearInterval(timer);
            window.removeEventListener('online', ask);
            void queries.refetchQueries({ type: 'active' });
        };
    }, [connection]);
    return (
        <div className="connection" role="status">
            {connection === 'here' ? null : (
                <p className="banner late">
                    <Glyph name="attention" tone="attention" />
                    <span>{t.account.connection[connection]}</span>
                </p>
            )}
        </div>
    );
}
