// SPDX-License-Identifier: Apache-2.0
//
// node urls.mjs DOCUMENT: the URLs that generated clients ask for, in the folder in
// which they were generated from the document of that address. A line each: the
// client, and the URLs of discover() and of listSamples() as a browser would
// resolve them.
import { build } from 'esbuild';
import fs from 'node:fs';
import createClient from 'openapi-fetch';

const [document] = process.argv.slice(2);
const { origin } = new URL(document);
const [{ url: server }] = JSON.parse(fs.readFileSync('openapi.json', 'utf8')).servers;
const asked = [];
const Plain = Request;
const whole = (url) => new URL(url, document).href;

globalThis.Request = class extends Plain {
  constructor(input, init) {
    super(input instanceof Plain ? input : whole(input), init);
  }
};
globalThis.fetch = async (input) => {
  asked.push(whole(input.url ?? input));
  return new Response('{"data":[]}', { headers: { 'content-type': 'application/json' } });
};

async function generated(entry) {
  const outfile = `${process.cwd()}/bundle/${entry.replace(/\W/g, '-')}.mjs`;

  await build({ entryPoints: [`./${entry}`], bundle: true, format: 'esm', platform: 'node',
    outfile, logLevel: 'error' });
  return import(outfile);
}

async function report(name, discover, list) {
  asked.length = 0;
  await discover();
  await list();
  console.log([name, ...asked.map((url) => url.replace(/\?$/, ''))].join(' '));
}

for (const [name, baseUrl] of [['openapi-fetch', server], ['openapi-fetch/origin', origin + server]]) {
  const client = createClient({ baseUrl });
  await report(name, () => client.GET('/api/v1'), () => client.GET('/api/v1/samples'));
}
const hey = await generated('hey/sdk.gen.ts');
await report('hey-api', () => hey.discover(), () => hey.listSamples());
await report('hey-api/origin', () => hey.discover({ baseUrl: origin + server }),
  () => hey.listSamples({ baseUrl: origin + server }));
for (const name of server === '' ? ['plain', 'server'] : ['server']) {
  const orval = await generated(`orval/${name}.ts`);
  const kubb = await generated(`kubb/${name}/index.ts`);

  await report(`orval/${name}`, () => orval.discover(), () => orval.listSamples());
  await report(`kubb/${name}`, () => kubb.discover(), () => kubb.listSamples());
  await report(`kubb/${name}/origin`, () => kubb.discover({}, { baseURL: origin }),
    () => kubb.listSamples({}, {}, { baseURL: origin }));
}
