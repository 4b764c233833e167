// SPDX-License-Identifier: Apache-2.0
//
// Schemas of request bodies, taken from the service's OpenAPI document by `make`. They are read
// when the first form is opened.
import { t } from '../texts/texts.ts';

export interface Schema {
    type?: string | string[];
    format?: string;
    enum?: (string | null)[];
    minimum?: number;
    maximum?: number;
    minLength?: number;
    maxLength?: number;
    minItems?: number;
    maxItems?: number;
    default?: unknown;
    description?: string;
    items?: Schema;
    properties?: Record<string, Schema>;
    required?: string[];
}

// Kind of input for a member.
export type Kind = 'text' | 'number' | 'flag' | 'moment' | 'day' | 'choice' | 'choices' | 'list' | 'rows'
    | 'group';

const types = ({ type }: Schema): string[] => type === undefined ? [] : [type].flat();

export const nullable = (schema: Schema): boolean => types(schema).includes('null');

export function kindOf(schema: Schema): Kind {
    const { enum: values, format, items } = schema;
    const type = types(schema).find((one) => one !== 'null');
    if (items) {
        return items.enum ? 'choices' : items.properties ? 'rows' : 'list';
    }
    if (values) {
        return 'choice';
    }
    if (type === 'boolean') {
        return 'flag';
    }
    if (type === 'integer' || type === 'number') {
        return 'number';
    }
    if (type === 'object') {
        return 'group';
    }
    return format === 'date-time' ? 'moment' : format === 'date' ? 'day' : 'text';
}

// The documentation of a member as people read it: nothing is an empty field, members have words
// for names, a record is meant and not its id, and codes of refusals are left out.
export const helpOf = ({ description }: Schema): string | undefined => description
    ?.replace(/ \((?:\d{3} )?[a-z]+(?:_[a-z]+)+\)/g, '')
    .replace(/\bnull\b/g, 'empty').replace(/\bNull\b/g, 'Empty')
    .replace(/\borganization\b/g, 'laboratory')
    .replace(/^Ids? of (.)/, (_, first: string) => first.toUpperCase())
    .replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) =>
        name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`));

const memberOf = ({ items, properties }: Schema, name: string): Schema | undefined =>
    (properties ?? items?.properties)?.[name];

// Gives members of a body the help that the texts have for them.
export function explain(change: string, body: Schema): Schema {
    const route = change.replace(/^[A-Z]+ /, '').replace(/\/\{id\}$/, '');
    for (const [path, description] of Object.entries(t.help[route] ?? {})) {
        const member = path.split('.').reduce<Schema | undefined>(
            (within, name) => within && memberOf(within, name), body);
        if (member) {
            member.description = description;
        }
    }
    return body;
}

let all: Promise<Record<string, Schema>> | undefined;

// The body of a change, such as `POST /clients`.
export async function bodyOf(change: string): Promise<Schema> {
    all ??= import('#bodies').then((module) =>
        module.default as unknown as Record<string, Schema>);
    const body = (await all)[change];
    if (!body) {
        throw new Error(`The service has no ${change}.`);
    }
    return explain(change, body);
}
