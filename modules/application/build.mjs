// SPDX-License-Identifier: Apache-2.0
//
// build.mjs OPENAPI API TYPES OUT - makes the application's pages.
//
// The application's OpenAPI document OPENAPI gives the types of its resources (TYPES) and, beside
// them, the bodies that forms are made of (bodies.json). The types are checked against web/ by the
// compiler, bundled with hashed names into OUT and compressed. API is the API's own document, which
// the pages show as its reference; that of the members of profiles is in their manual. OUT appears
// only when all of it is made.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import openapiTypes, { astToString } from 'openapi-typescript';

const here = dirname(fileURLToPath(import.meta.url));
const [document, api, types, out] = process.argv.slice(2).map((path) => resolve(path));

// Header fields are the business of the one call path (api/), and not of who calls.
function withoutFields(openapi) {
    const shared = openapi.components.parameters;
    const isField = (parameter) => (parameter.$ref
        ? shared[parameter.$ref.replace('#/components/parameters/', '')] : parameter).in === 'header';
    for (const item of Object.values(openapi.paths)) {
        for (const operation of Object.values(item)) {
            operation.parameters = operation.parameters?.filter((one) => !isField(one));
        }
    }
}

// The pages say `/samples`; where the surface is mounted is the client's business.
function readDocument() {
    const openapi = JSON.parse(readFileSync(document, 'utf8'));
    openapi.paths = Object.fromEntries(Object.entries(openapi.paths)
        .map(([path, item]) => [path.replace(/^.*?\/api(\/v1)?(?=\/|$)/, '') || '/', item]));
    return openapi;
}

// A schema as forms use it: types, bounds, default and documentation. The service alone
// matches patterns.
function schemaOf(openapi, schema) {
    if (schema.$ref) {
        return schemaOf(openapi, openapi.components.schemas[schema.$ref.split('/').at(-1)]);
    }
    const kept = ['type', 'format', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength',
        'minItems', 'maxItems', 'default', 'description', 'required'];
    const made = Object.fromEntries(kept.filter((key) => key in schema)
        .map((key) => [key, schema[key]]));
    if (schema.items) {
        made.items = schemaOf(openapi, schema.items);
    }
    if (schema.properties) {
        made.properties = Object.fromEntries(Object.entries(schema.properties)
            .map(([name, member]) => [name, schemaOf(openapi, member)]));
    }
    return made;
}

// The body of each change, by method and path.
function makeBodies(openapi) {
    const bodies = {};
    for (const [path, item] of Object.entries(openapi.paths)) {
        for (const [method, { requestBody }] of Object.entries(item)) {
            const schema = requestBody?.content['application/json']?.schema;
            if (schema) {
                const body = schemaOf(openapi, schema);
                delete body.properties?.reason;
                delete body.properties?.signature;
                bodies[`${method.toUpperCase()} ${path}`] = body;
            }
        }
    }
    writeFileSync(join(dirname(types), 'bodies.json'), JSON.stringify(bodies));
}

async function makeTypes(openapi) {
    withoutFields(openapi);
    writeFileSync(types, astToString(await openapiTypes(openapi, { defaultNonNullable: false })));
}

// Checks again only what depends on a change.
function check() {
    try {
        execFileSync(process.execPath,
            [join(here, 'node_modules/typescript/bin/tsc'), '--project', here, '--incremental',
                '--tsBuildInfoFile', join(dirname(types), 'checked.tsbuildinfo')],
            { stdio: 'inherit' });
    } catch {
        // The compiler has said what is wrong.
        process.exit(1);
    }
}

// The component library speaks 34 languages; the pages' own catalogue decides which are
// carried (texts/).
const languages = new Set(['en-US']);
const onlyOurLanguages = {
    name: 'only-our-languages',
    setup(bundle) {
        bundle.onResolve({ filter: /\/[a-z]{2}-[A-Z]{2}(\.\w+)?$/ }, (found) => {
            const [language] = found.path.match(/[a-z]{2}-[A-Z]{2}/g).slice(-1);
            return languages.has(language) || !found.importer.includes('node_modules')
                ? null : { path: language, namespace: 'left-out' };
        });
        bundle.onLoad({ filter: /.*/, namespace: 'left-out' },
            () => ({ contents: 'export default {};' }));
    },
};

const reference = {
    name: 'reference',
    setup(bundle) {
        bundle.onResolve({ filter: /^#reference$/ }, () => ({ path: api }));
    },
};

// The members of profiles, as the manual describes them.
const profileMembers = {
    name: 'profile-members',
    setup(bundle) {
        const namespace = 'profile-members';
        bundle.onResolve({ filter: /^#profile-members$/ },
            () => ({ path: join(here, '../../conf/profiles/README.md'), namespace }));
        bundle.onLoad({ filter: /.*/, namespace }, ({ path }) => {
            const [, contents] = /<!-- reference: begin -->\n(.*)<!-- reference: end -->/s
                .exec(readFileSync(path, 'utf8'));
            return { contents, loader: 'text' };
        });
    },
};

const common = {
    absWorkingDir: here,
    bundle: true,
    minify: true,
    sourcemap: false,
    target: ['chrome111', 'firefox128', 'safari17'],
    legalComments: 'external',
    logLevel: 'warning',
};

async function bundle(folder) {
    const assets = join(folder, 'assets');
    const made = await build({
        ...common,
        entryPoints: ['web/app.tsx', 'web/theme.css'],
        outdir: assets,
        entryNames: '[name]-[hash]',
        chunkNames: '[name]-[hash]',
        format: 'esm',
        splitting: true,
        // Functions are compiled while a file is loaded, beside the main thread, and not one by one
        // when they are first called: a page is there sooner. Other browsers know no such comment.
        banner: { js: '//# allFunctionsCalledOnLoad' },
        metafile: true,
        define: { 'process.env.NODE_ENV': '"production"' },
        plugins: [onlyOurLanguages, reference, profileMembers],
    });
    const start = await build({ ...common, entryPoints: ['web/start.ts'], write: false,
        outfile: 'start.js', format: 'iife' });
    const startName = hashed('start', 'js', start.outputFiles[0].contents);
    writeFileSync(join(assets, startName), start.outputFiles[0].contents);
    const icon = readFileSync(join(here, 'web/icon.svg'));
    const iconName = hashed('icon', 'svg', icon);
    writeFileSync(join(assets, iconName), icon);
    return { app: nameOf(made.metafile, 'web/app.tsx'), theme: nameOf(made.metafile, 'web/theme.css'),
        start: startName, icon: iconName, parts: partsOf(made.metafile, 'web/app.tsx') };
}

const hashed = (name, suffix, bytes) =>
    `${name}-${createHash('sha256').update(bytes).digest('base64url').slice(0, 8)}.${suffix}`;

const nameOf = (metafile, entry) => basename(Object.entries(metafile.outputs)
    .find(([, output]) => output.entryPoint === entry)[0]);

// The files that a script needs besides, so that they are not found out one after the other.
function partsOf({ outputs }, entry) {
    const [first] = Object.keys(outputs).filter((path) => outputs[path].entryPoint === entry);
    const found = new Set([first]);
    for (const path of found) {
        outputs[path].imports.filter(({ kind }) => kind === 'import-statement')
            .forEach((one) => found.add(one.path));
    }
    return [...found].slice(1).map((path) => basename(path));
}

function writePage(folder, { parts, ...names }) {
    const preload = parts.map((name) => `<link rel="modulepreload" href="/app/assets/${name}">`);
    const page = readFileSync(join(here, 'web/index.html'), 'utf8')
        .replace(/\{(\w+)\}/g, (_, name) => ({ ...names, preload: preload.join('\n') })[name]);
    writeFileSync(join(folder, 'index.html'), page);
}

function compress(folder) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
            compress(path);
        } else if (/\.(js|css|svg)$/.test(entry.name)) {
            const bytes = readFileSync(path);
            writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
            writeFileSync(`${path}.br`, brotliCompressSync(bytes));
        }
    }
}

mkdirSync(dirname(types), { recursive: true });
const openapi = readDocument();
makeBodies(openapi);
await makeTypes(openapi);
check();
const folder = `${out}.new`;
rmSync(folder, { recursive: true, force: true });
const names = await bundle(folder);
writePage(folder, names);
compress(folder);
rmSync(out, { recursive: true, force: true });
renameSync(folder, out);
