// SPDX-License-Identifier: Apache-2.0
//
// Picker of a control chart: analyte, control, level, instrument and lot, each among those that
// exist.
import type { ReactElement } from 'react';

import { useDefinitions, useInstruments } from '../../api/names.ts';
import type { Read } from '../../api/read.ts';
import { paths } from '../../paths.ts';
import { navigate, useAddress } from '../../router.tsx';
import { t } from '../../texts/texts.ts';
import { choose, dimensions, optionsOf, valueOf } from './choice.ts';
import type { Dimension } from './choice.ts';

export type Listed = Read<'/qc-series'>['data'][number];

const texts = t.charts;

function useNameOf(): (dimension: Dimension, value: string) => string {
    const definitions = useDefinitions();
    const instruments = useInstruments();
    const criteria: Record<string, string> = texts.criterion;
    return (dimension, value) => {
        if (value === '') {
            return texts.any;
        }
        switch (dimension) {
        case 'testDefinitionId': return definitions.get(Number(value))?.code ?? '';
        case 'instrumentId': return instruments.get(Number(value))?.code ?? '';
        case 'criterion': return criteria[value] ?? value;
        default: return value;
        }
    };
}

export function Picker({ all, chosen }: { all: Listed[]; chosen: Listed }): ReactElement {
    const nameOf = useNameOf();
    const { search } = useAddress();
    return (
        <>
            {dimensions.map((dimension) => {
                const options = optionsOf(all, chosen, dimension);
                const value = valueOf(chosen, dimension);
                // Hidden where there is only one choice and it says nothing.
                const idle = options.length === 1 && (value === '' || dimension === 'criterion');
                return idle ? null : (
                    <label key={dimension}>
                        <span>{texts.dimensions[dimension]}</span>
                        <select value={value} onChange={({ target }) => navigate(paths.qcSeries(
                            choose(all, chosen, dimension, target.value).id, undefined, search))}>
                            {options.map((option) => (
                                <option key={option} value={option}>
                                    {nameOf(dimension, option)}
                                </option>
                            ))}
                        </select>
                    </label>
                );
            })}
        </>
    );
}
