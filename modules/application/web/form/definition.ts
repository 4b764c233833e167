// SPDX-License-Identifier: Apache-2.0
//
// A form as data: of which routes, with which members in which order, under which names.
// Types, bounds and help of a member are the service's (schema.ts).
import type { PathsWithMethod } from 'openapi-typescript-helpers';

import type { paths } from '#api';

import type { SignedContent } from '../acting/signed.ts';
import type { RecordsPath } from '../api/records.ts';
import type { Schema } from './schema.ts';

export interface Member {
    label: string;
    // Texts for the values that the service uses (of a flag `true` and `false`). Where the service
    // lists no values, these are the choices.
    words?: Record<string, string>;
    // List whose records the member refers to: it holds the id of one.
    records?: RecordsPath;
    // Members of the group, or of each element of the list.
    members?: Record<string, Member>;
    // Form in which the member appears alone: that of a new record, or that of a change.
    only?: 'new' | 'change';
    // Whether the input has several lines.
    long?: boolean;
}

// Routes of acts on one record.
export type ActPath = Extract<PathsWithMethod<paths, 'post'>, `${string}/{id}/${string}`>;

// Mapping for a form whose members are not those of the record, in both directions.
export interface Shape {
    schema: (body: Schema) => Schema;
    record: (record: Record<string, unknown>) => Record<string, unknown>;
    body: (shaped: Record<string, unknown>) => Record<string, unknown>;
    // Maps a path in the body to the member of the form.
    path: (path: string) => string;
}

export interface FormDefinition {
    // Route that creates a record: a list, or a part of another record. Absent: none can be
    // created.
    list?: PathsWithMethod<paths, 'post'>;
    // The record to which a new one belongs, where `list` is of one.
    of?: number;
    // The record itself; it is changed there, where it can be.
    one: PathsWithMethod<paths, 'get'>;
    members: Record<string, Member>;
    // Title of the form, which is also the text of its button.
    create?: string;
    change: (name: string) => string;
    created?: (name: string) => string;
    changed: (name: string) => string;
    name: (record: Record<string, unknown>) => string;
    // Whether every change asks for a reason.
    reason?: boolean;
    // Act on the record that the form is for, with a body of its own.
    act?: ActPath;
    shape?: Shape;
    // The table of a record whose form is all that there is of it: its history is there too.
    table?: string;
    // The table of the record, where a change is signed if the laboratory signs.
    signs?: SignedContent['table'];
}
