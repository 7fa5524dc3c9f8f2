import { expect, test } from 'vitest';
import { RealClock, SeededRandom } from '../../base/index.ts';
import { Client } from '../client.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

/** Gives a first page, answers 410 to the next one, and gives everything to a request without a limit. */
class ForgetfulServer implements Transport {
  readonly queries: string[] = [];

  async send({ path }: TransportRequest): Promise<TransportResponse> {
    const { search, searchParams } = new URL(path, 'http://server');
    this.queries.push(search);
    const token = searchParams.get('continue');
    if (token === 'second') return answer(410, { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
    const names = searchParams.get('limit') === '2' ? ['a', 'b'] : token === null ? ['a', 'b', 'c'] : ['b', 'c'];
    const metadata = { resourceVersion: '7', ...(searchParams.get('limit') === '2' ? { continue: 'second' } : {}) };
    const items = names.map((name) => ({ metadata: { name, namespace: 'default', uid: name, resourceVersion: '1' } }));
    return answer(200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function answer(status: number, object: unknown): TransportResponse {
  return { status, headers: {}, body: { type: 'object', object } };
}

test.each([undefined, 'first'])(
  'a list that the server forgets between its pages is fetched whole, also one that began at %s',
  async (from) => {
    const server = new ForgetfulServer();
    const client = new Client(server, { clock: new RealClock(), random: new SeededRandom('pages') });
    const maps = client.core.v1.configmaps.namespace('default');

    const { items, resourceVersion } = await maps.list({ limit: 2, continue: from, labelSelector: 'a=b' });

    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(resourceVersion).toBe('7');
    expect(server.queries).toHaveLength(3);
    const whole = new URLSearchParams(server.queries[2]);
    expect([whole.has('continue'), whole.get('limit') ?? '0', whole.get('labelSelector')]).toEqual([false, '0', 'a=b']);
  },
);

test('a first page that the server rejects is not requested again', async () => {
  const server = new ForgetfulServer();
  const client = new Client(server, { clock: new RealClock(), random: new SeededRandom('pages') });

  await expect(client.core.v1.configmaps.namespace('default').list({ continue: 'second' })).rejects.toThrow();

  expect(server.queries).toHaveLength(1);
});
