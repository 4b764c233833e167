// SPDX-License-Identifier: Apache-2.0
//
// The glyphs: one colour each, currentColor, so that they work in every theme and in print.
import type { ReactElement } from 'react';

const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 };
const ink = { fill: 'currentColor' };
const ring = <circle cx="8" cy="8" r="6.25" {...line} />;

const drawn = {
    blocked: <path {...ink} fillRule="evenodd"
        d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1zM4.5 7v2h7V7z" />,
    attention: <>
        <path {...line} strokeLinejoin="round" d="M8 2.2 14.6 13.7H1.4z" />
        <path {...ink} d="M7.2 6h1.6v4H7.2zM7.2 11h1.6v1.6H7.2z" />
    </>,
    progress: <>{ring}<path {...ink} d="M8 1.75a6.25 6.25 0 0 0 0 12.5z" /></>,
    ready: <>{ring}<path {...line} strokeWidth={1.75} d="m4.9 8.3 2.2 2.2 4-4.6" /></>,
    reported: <>
        <path {...ink} fillRule="evenodd" d={'M8 0.3 9.5 1.7 11.6 1.5 12 3.6 13.9 4.6 13 6.5 13.9 8.4'
            + ' 12 9.4 11.6 11.5 9.5 11.3 8 12.7 6.5 11.3 4.4 11.5 4 9.4 2.1 8.4 3 6.5 2.1 4.6 4'
            + ' 3.6 4.4 1.5 6.5 1.7zM8 4.25a2.25 2.25 0 1 0 0 4.5 2.25 2.25 0 0 0 0-4.5z'} />
        <path {...ink} d={'M4.2 11.4 3.4 15.6 6 14.2 7.2 15.6 7.2 12.6zM11.8 11.4l.8 4.2L10 14.2'
            + 'l-1.2 1.4v-3z'} />
    </>,
    clock: <>{ring}<path {...line} d="M8 4v4.3l2.8 1.7" /></>,
    within: <path {...line} strokeWidth={1.75} d="m3.5 8.4 3 3 6-6.6" />,
    above: <path {...ink} d="M8 3.5 14 13H2z" />,
    below: <path {...ink} d="M8 12.5 2 3h12z" />,
    down: <path {...line} d="m4 6.25 4 4 4-4" />,
    right: <path {...line} d="m6 4 4 4-4 4" />,
    close: <path {...line} d="m4 4 8 8M12 4l-8 8" />,
    plus: <path {...line} d="M8 3v10M3 8h10" />,
    scan: <path {...ink} d={'M1 3h2v10H1zM4 3h1v10H4zM6.5 3h1.5v10H6.5zM9 3h1v10H9zM11.5 3h1v10'
        + 'h-1zM13.5 3H15v10h-1.5z'} />,
    lock: <>
        <path {...ink} d="M3 7h10v7H3z" />
        <path {...line} d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7" />
    </>,
    menu: <path {...line} d="M2 4.25h12M2 8.25h12M2 12.25h12" />,
};

export type GlyphName = keyof typeof drawn;
export type Tone = 'blocked' | 'attention' | 'progress' | 'ready' | 'reported' | 'overdue'
    | 'expiring';

export function Glyph({ name, tone }: { name: GlyphName; tone?: Tone }): ReactElement {
    return (
        <svg className={tone ? `glyph ${tone}` : 'glyph'} viewBox="0 0 16 16" aria-hidden="true">
            {drawn[name]}
        </svg>
    );
}
