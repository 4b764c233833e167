// SPDX-License-Identifier: Apache-2.0
const input = './openapi.json';
const client = 'fetch';

module.exports = {
  plain: { input, output: { target: './orval/plain.ts', client } },
  server: {
    input,
    output: {
      target: './orval/server.ts',
      client,
      baseUrl: { getBaseUrlFromSpecification: true, index: 0 },
    },
  },
};
