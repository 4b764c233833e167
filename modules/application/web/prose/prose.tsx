// SPDX-License-Identifier: Apache-2.0
import type { ReactElement } from 'react';

import { blocksOf, piecesOf } from './blocks.ts';
import type { Block } from './blocks.ts';

export function Words({ text }: { text: string }): ReactElement {
    return (
        <>
            {piecesOf(text).map((piece, i) => piece.name
                ? <code key={i} className="id">{piece.text}</code> : piece.text)}
        </>
    );
}

function Rows({ block }: { block: Block & { is: 'table' } }): ReactElement {
    return (
        <div className="wide-table" role="region" aria-label={block.head.join(', ')} tabIndex={0}>
            <table className="table wrap">
                <thead>
                    <tr>{block.head.map((cell) => <th key={cell} scope="col">{cell}</th>)}</tr>
                </thead>
                <tbody>
                    {block.rows.map((row) => (
                        <tr key={row.join()}>
                            {row.map((cell, i) => <td key={i}><Words text={cell} /></td>)}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function One({ block }: { block: Block }): ReactElement {
    switch (block.is) {
        case 'heading':
            return <h2>{block.text}</h2>;
        case 'list':
            return (
                <ul className="points">
                    {block.items.map((item) => <li key={item}><Words text={item} /></li>)}
                </ul>
            );
        case 'table':
            return <Rows block={block} />;
        default:
            return <p><Words text={block.text} /></p>;
    }
}

export function Prose({ text }: { text: string }): ReactElement {
    return (
        <div className="prose">
            {blocksOf(text).map((block, i) => <One key={i} block={block} />)}
        </div>
    );
}
