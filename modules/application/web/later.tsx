// SPDX-License-Identifier: Apache-2.0
//
// Pages that are loaded when they are first opened: whoever opens the list of samples does
// not wait for the control charts.
import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';

// A file of the application that did not come: the network is away, or a newer version has
// taken its place.
export class PartMissing extends Error {}

type Page<P extends object> = ComponentType<P>;

export function later<P extends object>(load: () => Promise<Page<P>>): LazyExoticComponent<Page<P>> {
    return lazy(async () => {
        try {
            return { default: await load() };
        } catch (error) {
            throw new PartMissing(String(error));
        }
    });
}
