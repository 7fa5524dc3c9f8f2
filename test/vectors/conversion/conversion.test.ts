import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiObject, builtInTypes, StatusError } from '../../../src/api/index.ts';
import { definitionConversion } from '../../../src/apiextensions/conversion/index.ts';
import { MemoryServer } from '../../../src/apiserver/testing/memory-server.ts';
import { EndpointResolver, WebhookClient } from '../../../src/apiserver/index.ts';
import { CryptoRandom, RandomUidSource, VirtualClock } from '../../../src/base/index.ts';
import { builtInResources } from '../../../src/resources/index.ts';
import { readVectors } from '../apply/vector.ts';
import { definitionOf } from './definition.ts';
import { HookServers } from './hook-server.ts';
import { cleaned } from './outcome.ts';
import { GROUP, type Outcome, type RecordedScenario, type Scenario, stored } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const recorded = readVectors<RecordedScenario>(new URL('recorded.jsonl.gz', import.meta.url));
const recordedByName = new Map(recorded.map((scenario) => [scenario.name, scenario]));

/** Where we do otherwise, on purpose. */
const differences: Readonly<Record<string, string>> = {
  'redirect-302': 'the server responded with the status code 302 but did not return more information',
  'redirect-307': 'the server responded with the status code 307 but did not return more information',
  'redirect-308-loop': 'the server responded with the status code 308 but did not return more information',
  'cut-head': 'Post "https://localhost:PORT/cut-head?timeout=30s": EOF',
};

const random = new CryptoRandom();
const clock = new VirtualClock({ startMs: Date.UTC(2026, 10, 15) });
let hooks: HookServers;
let server: MemoryServer;
let webhooks: WebhookClient;

beforeAll(async () => {
  hooks = await HookServers.start(scenarios);
  server = new MemoryServer();
  const { types, objects } = server;
  server.server.registry.register(builtInResources(types, { objects, random, clock, serviceCidrs: ['10.0.0.0/16'] }));
  const services = new EndpointResolver(objects, random);
  webhooks = new WebhookClient({ clock, uids: new RandomUidSource(random), types: builtInTypes(), services });
  for (const [name, spec] of [
    ['hook', { ports: [{ port: 8443 }] }],
    ['external', { type: 'ExternalName', externalName: 'localhost' }],
  ] as const) {
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
    await server.server.answer(server.callOf('POST', '/api/v1/namespaces/default/services', { body }));
  }
});

afterAll(async () => {
  webhooks[Symbol.dispose]();
  await hooks[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function outcome(scenario: Scenario, from: ApiObject, apiVersion: string): Promise<Outcome> {
  const convert = definitionConversion(definitionOf(GROUP, hooks.conversionOf(scenario)), webhooks);
  const converting = Promise.resolve(convert([from], apiVersion, new AbortController().signal)).then(
    ([converted]): Outcome => ({ code: 200, body: converted }),
    (error: unknown): Outcome => {
      if (!(error instanceof StatusError)) throw error;
      return { code: error.code, body: error.status };
    },
  );
  if (scenario.name === 'hang') {
    await hooks.calls('hang', 1);
    await clock.advance('30s');
  }
  return cleaned(await converting, { scenario, hooks, group: GROUP });
}

function objectOf(version: string): ApiObject {
  const metadata = {
    ...stored.metadata,
    uid: '1b3f0c9e-2f5a-4c57-9d57-6e2f5d8c1a01',
    creationTimestamp: '2026-11-15T16:32:10Z',
    generation: 1,
    resourceVersion: '200',
  };
  return Object.freeze({ ...stored, apiVersion: `${GROUP}/${version}`, metadata });
}

/** What was recorded, or what we say instead. */
function expected(name: string, what: 'get' | 'create'): Outcome {
  const { code, body } = (recordedByName.get(name) as RecordedScenario)[what];
  const other = differences[name];
  if (other === undefined) return { code, body };
  const from = what === 'get' ? 'v1' : 'v2';
  const message = `conversion webhook for ${GROUP}/${from}, Kind=CronTab failed: ${other}`;
  return { code: 500, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 } };
}

describe('definitionConversion() says what a real kube-apiserver says', () => {
  test('every scenario has been recorded', () => {
    expect(recorded.map(({ name }) => name)).toEqual(scenarios.map(({ name }) => name));
  });

  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('reading: %s', async (name, scenario) => {
    expect(await outcome(scenario, objectOf('v1'), `${GROUP}/v2`)).toEqual(expected(name, 'get'));
  });

  const refused = scenarios.filter(({ name }) => name !== 'hang' && recordedByName.get(name)?.create.code === 500);
  test.each(refused.map((scenario) => [scenario.name, scenario] as const))('writing: %s', async (name, scenario) => {
    const object = objectOf('v2');
    const two = { ...object, metadata: { ...object.metadata, name: 'two' } };
    expect(await outcome(scenario, two, `${GROUP}/v1`)).toEqual(expected(name, 'create'));
  });
});
