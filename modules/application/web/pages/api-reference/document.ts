// SPDX-License-Identifier: Apache-2.0
//
// The API's OpenAPI document as the reference shows it: operations by resource, with the
// members of what is sent and answered. Pure: a document in, plain lists out.

export interface Schema {
    $ref?: string;
    type?: string | string[];
    format?: string;
    enum?: unknown[];
    description?: string;
    properties?: Record<string, Schema>;
    required?: string[];
    items?: Schema;
    allOf?: Schema[];
    oneOf?: Schema[];
    anyOf?: Schema[];
    minLength?: number;
    maxLength?: number;
    minimum?: number;
    maximum?: number;
    minItems?: number;
    maxItems?: number;
}

interface Content {
    content?: Record<string, { schema?: Schema }>;
}

interface Parameter {
    $ref?: string;
    name?: string;
    in?: string;
    required?: boolean;
    description?: string;
    schema?: Schema;
}

interface Given {
    operationId: string;
    summary: string;
    description?: string;
    tags?: string[];
    'x-scope'?: string;
    parameters?: Parameter[];
    requestBody?: Content;
    responses: Record<string, Content & { $ref?: string; description?: string }>;
}

export interface OpenApi {
    info: { description: string };
    paths: Record<string, Record<string, Given>>;
    webhooks: Record<string, Record<string, Given>>;
    components: Record<string, Record<string, unknown>>;
}

export interface Member {
    name: string;
    // Depth of nesting: 0 is a member of the body itself.
    depth: number;
    kind: string;
    required: boolean;
    about: string;
}

export interface Answer {
    status: string;
    about: string;
    members: Member[];
}

export interface Operation {
    id: string;
    method: string;
    path: string;
    summary: string;
    about: string;
    tag: string;
    scope: string | undefined;
    parameters: Member[];
    media: string | undefined;
    body: Member[];
    answers: Answer[];
}

// Deepest nesting shown; deeper members are described by the record's own operation.
const deepest = 3;

function resolved<T extends { $ref?: string }>(openapi: OpenApi, thing: T): T {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(thing.$ref ?? '') ?? [];
    const known = openapi.components[kind]?.[name];
    return known ? resolved(openapi, known as T) : thing;
}

function parts(openapi: OpenApi, schema: Schema): Schema[] {
    const here = resolved(openapi, schema);
    return [here, ...(here.allOf ?? here.oneOf ?? here.anyOf ?? [])
        .flatMap((part) => parts(openapi, part))];
}

const listOf = (values: unknown[]): string => values.map((value) => `\`${value}\``).join(', ');

function bounds({ minLength, maxLength, minimum, maximum, minItems, maxItems }: Schema): string {
    const [least, most, what] = maxLength !== undefined || minLength !== undefined
        ? [minLength, maxLength, ' characters'] : maxItems !== undefined || minItems !== undefined
            ? [minItems, maxItems, ' items'] : [minimum, maximum, ''];
    return most === undefined ? '' : `, ${least ?? 0} to ${most}${what}`;
}

export function kindOf(openapi: OpenApi, schema: Schema): string {
    const here = resolved(openapi, schema);
    const types = [here.type ?? parts(openapi, here).find(({ type }) => type)?.type ?? 'any'].flat();
    const words = types.map((type) => type === 'array' ? `list of ${kindOf(openapi, here.items ?? {})}`
        : type === 'null' ? type : here.format ?? type).join(' or ');
    return here.enum ? `one of ${listOf(here.enum)}` : words + bounds(here);
}

export function membersOf(openapi: OpenApi, schema: Schema | undefined, depth = 0): Member[] {
    if (!schema || depth > deepest) {
        return [];
    }
    return parts(openapi, schema).flatMap((part) => [
        ...membersOf(openapi, part.items, depth),
        ...Object.entries(part.properties ?? {}).flatMap(([name, member]): Member[] => [
            { name, depth, kind: kindOf(openapi, member), about: aboutOf(openapi, member),
                required: part.required?.includes(name) ?? false },
            ...membersOf(openapi, member, depth + 1),
        ]),
    ]);
}

const aboutOf = (openapi: OpenApi, schema: Schema): string =>
    schema.description ?? resolved(openapi, schema).description ?? '';

const bodyOf = ({ content = {} }: Content): { media: string | undefined; schema: Schema | undefined } => {
    const [media] = Object.keys(content);
    return { media, schema: media === undefined ? undefined : content[media]?.schema };
};

function answersOf(openapi: OpenApi, responses: Given['responses']): Answer[] {
    return Object.entries(responses).map(([status, given]) => {
        const answer = resolved(openapi, given);
        return { status, about: answer.description ?? '',
            members: status.startsWith('2') ? membersOf(openapi, bodyOf(answer).schema) : [] };
    });
}

function parametersOf(openapi: OpenApi, { parameters = [] }: Given): Member[] {
    return parameters.map((given) => resolved(openapi, given)).map((parameter) => ({
        name: parameter.name ?? '', depth: 0, required: parameter.required ?? false,
        kind: `${parameter.in}, ${kindOf(openapi, parameter.schema ?? {})}`,
        about: parameter.description ?? '',
    }));
}

function operation(openapi: OpenApi, method: string, path: string, given: Given): Operation {
    const { media, schema } = bodyOf(given.requestBody ?? {});
    return {
        id: given.operationId, method: method.toUpperCase(), path, summary: given.summary,
        about: given.description ?? '', tag: given.tags?.[0] ?? '', scope: given['x-scope'],
        parameters: parametersOf(openapi, given), media,
        body: membersOf(openapi, schema), answers: answersOf(openapi, given.responses),
    };
}

export interface Resource {
    tag: string;
    operations: Operation[];
}

// Operations by resource, in the document's order; last the webhooks.
export function resourcesOf(openapi: OpenApi): Resource[] {
    const found = new Map<string, Operation[]>();
    for (const [path, item] of [...Object.entries(openapi.paths), ...Object.entries(openapi.webhooks)]) {
        for (const [method, given] of Object.entries(item)) {
            const made = operation(openapi, method, path, given);
            found.set(made.tag, [...found.get(made.tag) ?? [], made]);
        }
    }
    return [...found].map(([tag, operations]) => ({ tag, operations }));
}
