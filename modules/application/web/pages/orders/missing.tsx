// SPDX-License-Identifier: Apache-2.0
//
// Clients and materials, without which no sample is registered: where the laboratory has none, the
// way to where one is added.
import type { ReactElement } from 'react';

import { may, rolesWith } from '../../api/session.ts';
import { Status } from '../../parts/status.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { useNone } from './use-references.ts';

const roleNames: Record<string, string> = t.reference.roles;

function Added({ noun, permission, place }: {
    noun: 'clients' | 'material-types'; permission: string; place: string;
}): ReactElement {
    const { none, create } = t.reference.nouns[noun];
    const roles = rolesWith(permission).map((role) => roleNames[role] ?? role);
    return may(permission) ? <Link className="btn row" href={place}>{create}</Link>
        : <span>{none} {roles.length ? t.lacking.roles(roles) : t.lacking.nobody}</span>;
}

export function Missing(): ReactElement | null {
    const none = useNone();
    return none.clients || none.materials ? (
        <div className="banner" role="group" aria-label={t.orders.missing}>
            <Status glyph="attention" tone="attention">{t.orders.missing}</Status>
            {none.clients ? <Added noun="clients" permission="sample.register"
                place={`${paths.newOrder()}?client=new`} /> : null}
            {none.materials ? <Added noun="material-types" permission="reference.manage"
                place={paths.reference('material-types', 'new')} /> : null}
        </div>
    ) : null;
}
