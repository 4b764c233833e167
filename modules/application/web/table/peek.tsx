// SPDX-License-Identifier: Apache-2.0
//
// A look beside the list at one of its records: every column, those too that have no room.
import { Fragment } from 'react';
import type { ReactElement } from 'react';

import { Button } from '../parts/button.tsx';
import { Glyph } from '../parts/glyph.tsx';
import { Link } from '../router.tsx';
import { t } from '../texts/texts.ts';
import type { Column } from './list-table.tsx';

interface Properties<Row> {
    row: Row;
    name: string;
    columns: Column<Row>[];
    // Where the record is open.
    href: string | undefined;
    close: () => void;
}

export function RowPeek<Row>({ row, name, columns, href, close }: Properties<Row>): ReactElement {
    return (
        <aside className="peek" aria-labelledby="peek-title">
            <h2 id="peek-title">
                <span className="cut">{name}</span>
                {href ? (
                    <Link className="btn row push" href={href}>{t.samples.open}<kbd>Enter</kbd></Link>
                ) : null}
                <Button kind="row plain" label={t.samples.close} onPress={close}>
                    <Glyph name="close" />
                </Button>
            </h2>
            <dl className="pairs">
                {columns.map(({ key, title, cellClass, cell }) => (
                    <Fragment key={key}>
                        <dt>{title}</dt>
                        <dd className={cellClass}>{cell(row)}</dd>
                    </Fragment>
                ))}
            </dl>
        </aside>
    );
}
