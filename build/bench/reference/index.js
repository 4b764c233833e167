// SPDX-License-Identifier: Apache-2.0
//
// Two reads of the laboratory service as one would write them in Node: Fastify
// in front, postgres.js behind, a process for each core. They check the key and
// read by the same statements as mod_lims, which build/bench/run hands over
// (BENCH_STATEMENTS), and answer the same JSON, which it compares.
//
// Nothing is left out that would make it faster: statements are prepared, one
// round trip carries the whole transaction, what never changes of a key is
// remembered, and the answers are written by compiled serializers.
'use strict';

const cluster = require('node:cluster');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');

const env = process.env;
const statements = JSON.parse(fs.readFileSync(env.BENCH_STATEMENTS, 'utf8'));
const CONNECTIONS = Number(env.BENCH_CONNECTIONS);
const TOUCH_INTERVAL = 300;

// --- Answers ----------------------------------------------------------------

const integer = { type: ['integer', 'null'] };
const text = { type: ['string', 'null'] };
const boolean = { type: ['boolean', 'null'] };
const time = { type: ['string', 'null'], format: 'date-time' };

const sampleTest = {
  type: 'object',
  properties: {
    id: integer, sampleId: integer, testDefinitionId: integer, testCode: text,
    testName: text, status: text, result: text, unit: text, qualifier: text,
    notes: text, outOfSpecification: boolean, specification: text,
    reagentLotId: integer, mediaLotId: integer, qcBatchId: integer,
    confirmationStatus: text, worksheetStatus: text, holdingStatus: text,
    holdingExpiresAt: time, analyzedAt: time, enteredBy: integer,
    enteredAt: time, verifiedBy: integer, verifiedAt: time, createdAt: time,
    updatedAt: time, warnings: { type: 'array', items: { type: 'string' } },
  },
};

const sampleProperties = {
  id: integer, trackingId: text, status: text, materialTypeId: integer,
  projectId: integer, receivedAt: time, sampleIdentifier: text,
  externalId: text, clientId: integer, clientName: text, collectionDate: text,
  collectedAt: time, priority: text, notes: text, plantLocation: text,
  storageLocationId: integer, releaseState: text, holdingStatus: text,
  createdAt: time, updatedAt: time, reportedAt: time,
};

const sample = { type: 'object', properties: sampleProperties };
const sampleWithTests = {
  type: 'object',
  properties: { ...sampleProperties, tests: { type: 'array', items: sampleTest } },
};
const page = {
  type: 'object',
  properties: {
    data: { type: 'array', items: sample },
    nextCursor: integer,
    hasMore: { type: 'boolean' },
  },
};

// --- Service ----------------------------------------------------------------

function connect() {
  return require('postgres')({
    host: env.BENCH_SOCKET,
    database: env.BENCH_DATABASE,
    user: 'lims_app',
    connection: { options: env.BENCH_OPTIONS },
    max: Math.ceil(CONNECTIONS / os.cpus().length),
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      date: { to: 1082, from: [1082], parse: (x) => x, serialize: (x) => x },
      timestamp: {
        to: 1184, from: [1114, 1184], parse: (x) => new Date(x), serialize: (x) => x,
      },
    },
  });
}

function unauthorized() {
  return Object.assign(new Error('Send a valid API key.'), { statusCode: 401 });
}

// The key and the data in one transaction and one round trip: what the key
// statement sets for its transaction is what row-level security holds to.
async function together(c, hash, data) {
  const run = (query, values) => c.unsafe(query, values, { prepare: true });
  const results = await Promise.all([
    run('BEGIN', []),
    run(statements.authenticate_read, [TOUCH_INTERVAL, hash]),
    ...data.map(([query, values]) => run(query, values)),
    run('COMMIT', []),
  ]);
  return results.slice(1, -1);
}

// Reads for a request, once its key has the scope: the rows of each of the statements.
function readerOf(sql) {
  const organizations = new Map();

  return async function read(request, scope, dataOf) {
    const header = request.headers.authorization || '';
    if (!header.startsWith('Bearer lk_')) throw unauthorized();
    const hash = crypto.createHash('sha256').update(header.slice(7)).digest();
    const name = hash.toString('base64');
    const c = await sql.reserve();
    try {
      if (!organizations.has(name)) {
        const [[key]] = await together(c, hash, []);
        organizations.set(name, key.organizationId);
      }
      const [[key], ...rows] =
        await together(c, hash, dataOf(organizations.get(name)));
      if (key.scopes.length && !key.scopes.includes(scope)) {
        throw Object.assign(new Error('This key lacks a scope.'), { statusCode: 403 });
      }
      return rows;
    } catch (error) {
      throw error.code === 'LM401' ? unauthorized() : error;
    } finally {
      c.release();
    }
  }
}

function addRoutes(app, read) {
  app.get('/api/v1/samples/:id', {
    schema: {
      params: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } },
      response: { 200: sampleWithTests },
    },
  }, async (request, reply) => {
    const id = request.params.id;
    const [[found], tests] = await read(request, 'samples:read', (organization) => [
      [statements.sample_get, [organization, id]],
      [statements.sample_tests, [organization, id]],
    ]);
    if (!found) return reply.code(404).send({ error: 'not_found', message: 'No such sample.' });
    found.tests = tests;
    return found;
  });

  app.get('/api/v1/samples', {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
          cursor: { type: 'integer', minimum: 0, default: 0 },
        },
      },
      response: { 200: page },
    },
  }, async (request) => {
    const { limit, cursor } = request.query;
    const [rows] = await read(request, 'samples:read', (organization) => [
      [statements.sample_list, [organization, cursor, limit]],
    ]);
    const data = rows.slice(0, limit);
    return {
      data,
      nextCursor: data.length ? data[data.length - 1].id : cursor,
      hasMore: rows.length > limit,
    };
  });
}

function serve() {
  const app = require('fastify')({
    logger: false,
    https: { key: fs.readFileSync(env.BENCH_KEY), cert: fs.readFileSync(env.BENCH_CERTIFICATE) },
  });

  addRoutes(app, readerOf(connect()));
  app.listen({ host: '127.0.0.1', port: Number(env.BENCH_PORT) }, (error) => {
    if (error) throw error;
  });
}

if (cluster.isPrimary) {
  let ready = 0;
  cluster.on('listening', () => {
    ready += 1;
    if (ready === os.cpus().length) console.log('ready');
  });
  cluster.on('exit', () => process.exit(1));
  for (let i = 0; i < os.cpus().length; i += 1) cluster.fork();
} else {
  serve();
}
