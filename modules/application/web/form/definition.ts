// SPDX-License-Identifier: Apache-2.0
//
// A form as data: of which routes, with which members in which order, under which names.
// Types, bounds and help of a member are the service's (schema.ts).
import type { PathsWithMethod } from 'openapi-typescript-helpers';

import type { paths } from '#api';

import type { SignedContent } from '../actions/signed.ts';
import type { Schema } from './schema.ts';

export type ListPath = PathsWithMethod<paths, 'get'>;

export interface Member {
    label: string;
    // In words what the service has as values, of a flag `true` and `false`; where it names
    // none, those to choose from.
    words?: Record<string, string>;
    // It holds the id of a record of this list.
    records?: RecordsPath;
    // Of a group or of each of many.
    members?: Record<string, Member>;
    // In the form of a new record only, or of one that is there.
    only?: 'new' | 'change';
    // It fills several lines.
    long?: boolean;
}

// Lists whose records are picked by their names.
export type RecordsPath = Extract<ListPath, '/clients' | '/projects' | '/material-types'
    | '/storage-locations' | '/test-definitions' | '/people' | '/webhook-endpoints'>;

// Routes of acts on one record.
export type ActPath = Extract<PathsWithMethod<paths, 'post'>, `${string}/{id}/${string}`>;

// A form whose members are not those of the record: the way there and back.
export interface Shape {
    schema: (body: Schema) => Schema;
    record: (record: Record<string, unknown>) => Record<string, unknown>;
    body: (shaped: Record<string, unknown>) => Record<string, unknown>;
    // Of a path of the body the member of the form.
    path: (path: string) => string;
}

export interface FormDefinition {
    // Where a new one is sent to: a list, or what belongs to a record. Without it none is made.
    list?: PathsWithMethod<paths, 'post'>;
    // The record to which a new one belongs, where `list` is of one.
    of?: number;
    // The record itself; it is changed there, where it can be.
    one: PathsWithMethod<paths, 'get'>;
    members: Record<string, Member>;
    // What the form and its button say.
    create?: string;
    change: (name: string) => string;
    created?: (name: string) => string;
    changed: (name: string) => string;
    name: (record: Record<string, unknown>) => string;
    // Asked for with every change.
    reason?: boolean;
    // The form is of an act on the record, with a body of its own.
    act?: ActPath;
    shape?: Shape;
    // The table of the record, where a change is signed if the laboratory signs.
    signs?: SignedContent['table'];
}
