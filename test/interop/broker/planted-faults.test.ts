import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { RealClock } from '../../../src/base/index.ts';
import { brokerSuite } from '../../../src/conform/broker/broker-suite.ts';
import { runSuite, type SuiteReport } from '../../../src/conform/index.ts';
import { plantedFaults } from './planted-faults.ts';
import { triedBroker } from './tried-broker.ts';

const user = { username: 'platform', password: 'secret' };
const authorization = `Basic ${Buffer.from('platform:secret').toString('base64')}`;

type Planted = Pick<(typeof plantedFaults)[number], 'answer' | 'isOpen'>;

/** The good broker behind a fault. */
async function serve({ answer, isOpen = false }: Planted): Promise<AsyncDisposable & { readonly url: string }> {
  const broker = await triedBroker().open();
  const server = createServer((message, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
      const headers = message.headers as Record<string, string | undefined>;
      const request = {
        method: message.method ?? '',
        url: message.url ?? '',
        headers,
        body: Buffer.concat(chunks).toString(),
      };
      const isIn = isOpen || headers['authorization'] === authorization;
      const given = isIn ? await answer(request, (asked) => broker.answer(asked)) : { status: 401, body: {} };
      const id = headers['x-broker-api-request-identity'];
      response.writeHead(given.status, {
        'content-type': 'application/json',
        ...(id === undefined ? {} : { 'x-broker-api-request-identity': id }),
        ...given.headers,
      });
      response.end(JSON.stringify(given.body));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
      await once(server, 'close');
      await broker[Symbol.asyncDispose]();
    },
  };
}

async function judged(url: string, only?: string): Promise<SuiteReport> {
  const suite = brokerSuite({
    broker: { type: 'url', url },
    basic: user,
    plans: [],
    parameters: { size: 2 },
    updateParameters: { label: 'new' },
    bindParameters: {},
    otherBindParameters: { role: 'reader' },
    withinMs: 10_000,
    environment: {},
  });
  return runSuite(suite, {
    subject: url,
    clock: new RealClock(),
    signal: new AbortController().signal,
    limitMs: 60_000,
    isWanted: (name) => only === undefined || name === only,
  });
}

test('a broker of the kit keeps all rules', async () => {
  await using server = await triedBroker().listen({ access: { basic: { platform: 'secret' } } });
  const { cases } = await judged(server.url);
  expect(
    cases.flatMap(({ name, outcome }) => (outcome.type === 'passed' ? [] : [`${name}: ${outcome.message}`])),
  ).toEqual([]);
});

test.concurrent.each(plantedFaults)(
  'the fault "$fault" is found by the case $foundBy',
  async ({ foundBy, ...planted }) => {
    await using server = await serve(planted);
    const { cases } = await judged(server.url, foundBy);
    expect(cases.map(({ name, outcome }) => [name, outcome.type])).toEqual([[foundBy, 'failed']]);
  },
);

test('there is a planted fault for every rule', () => {
  const { cases } = brokerSuite({
    broker: { type: 'url', url: 'http://x' },
    plans: [],
    parameters: {},
    updateParameters: {},
    bindParameters: {},
    otherBindParameters: {},
    withinMs: 1,
    environment: {},
  });
  const found = new Set(plantedFaults.map(({ foundBy }) => foundBy));
  expect(cases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
