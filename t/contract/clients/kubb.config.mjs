// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

const of = (name, options) => ({
  name,
  root: '.',
  input: { path: './openapi.json' },
  output: { path: `./kubb/${name}`, clean: true },
  plugins: [
    pluginOas({ generators: [], ...options }),
    pluginTs(),
    pluginClient({ client: 'fetch' }),
  ],
});

export default defineConfig([of('plain', {}), of('server', { serverIndex: 0 })]);
