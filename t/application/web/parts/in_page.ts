// SPDX-License-Identifier: Apache-2.0
//
// Imported before modules that look at the page they are loaded in: one at the list of samples.
Object.assign(globalThis, {
    location: new URL('https://lims.example/app/samples'),
    window: new EventTarget(),
});

export {};
