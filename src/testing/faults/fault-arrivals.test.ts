import { describe, expect, test } from 'vitest';
import { type Client, connect, ConfigMap, InformerFactory, mergePatch, StatusError } from '../../client/index.ts';
import { startCluster, type StartClusterOptions, type TestCluster } from '../index.ts';

const bare: StartClusterOptions = { controllers: false, scheduler: false, nodes: 0 };
/** Disables retries. */
const once = { maxRetries: 0 };

/** A client over the network, like those of other programs. */
async function stranger(cluster: TestCluster): Promise<Client> {
  return connect({ kubeconfig: await cluster.kubeconfig(), userAgent: 'stranger/v1.0 (here)' });
}

const maps = (client: Client) => client.kind(ConfigMap).namespace('default');

async function codeOf(work: Promise<unknown>): Promise<number | string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof StatusError ? error.code : 'lost';
  }
}

describe('over the network', () => {
  test.each([
    ['conflict', 409],
    ['tooManyRequests', 429],
    ['internalError', 500],
    ['unavailable', 503],
    ['timeout', 504],
    ['dropped', 'lost'],
    ['lostAnswer', 'lost'],
  ] as const)('a fault of type %s is met as %s', async (type, met) => {
    await using cluster = await startCluster(bare);
    await using client = await stranger(cluster);
    await maps(client).create({ metadata: { name: 'm' } });
    const fault = cluster.fault({ type, program: 'stranger', resource: 'configmaps', verb: 'patch', times: 1 });
    const patch = (value: string) => maps(client).patch('m', mergePatch({ data: { value } }), once);

    expect(await codeOf(patch('1'))).toBe(met);
    expect(fault.hits).toBe(1);
    expect((await maps(client).get('m')).data?.['value']).toBe(type === 'lostAnswer' ? '1' : undefined);
    expect(await codeOf(patch('2'))).toBe('done');
    expect(cluster.problems).toEqual([]);
  });

  test('a fault matches by user, program, verb and resource, and counts requests of this process once', async () => {
    await using cluster = await startCluster(bare);
    await using client = await stranger(cluster);
    const read = () => codeOf(maps(client).list(once));
    for (const target of [{ user: 'joe' }, { program: 'strange' }, { verb: 'get' }, { resource: 'pods' }] as const) {
      using _fault = cluster.fault({ type: 'internalError', ...target });
      expect(await read()).toBe('done');
    }
    const fault = cluster.fault({ type: 'internalError', user: 'kubernetes-admin', verb: 'list', after: 1 });
    expect(await codeOf(maps(cluster.client).list(once))).toBe('done');
    expect(await read()).toBe(500);
    expect(fault.hits).toBe(1);
  });

  test('clients give up on a silent server', async () => {
    await using cluster = await startCluster(bare);
    await using client = await stranger(cluster);
    cluster.fault({ type: 'silent', verb: 'list', resource: 'configmaps' });
    const giveUp = new AbortController();
    const reading = codeOf(maps(client).list({ ...once, signal: giveUp.signal }));
    await expect.poll(() => cluster.faults[0]?.hits).toBe(1);
    giveUp.abort();
    expect(await reading).toBe('lost');
  });

  test('answers are delayed, and stale', async () => {
    await using cluster = await startCluster(bare);
    await using client = await stranger(cluster);
    await maps(client).create({ metadata: { name: 'm' }, data: { value: 'old' } });
    const late = cluster.fault({ type: 'late', delay: '10ms', verb: 'get' });
    expect((await maps(client).get('m')).data).toEqual({ value: 'old' });
    expect(late.hits).toBe(1);
    late.remove();

    using stale = cluster.fault({ type: 'staleRead', resource: 'configmaps' });
    await maps(client).patch('m', mergePatch({ data: { value: 'new' } }));
    expect((await maps(client).get('m')).data).toEqual({ value: 'old' });
    expect((await maps(client).list()).items.map(({ data }) => data?.['value'])).toContain('old');
    stale.remove();
    expect((await maps(client).get('m')).data).toEqual({ value: 'new' });
  });

  test.each(['dropped', 'expired'] as const)('open watches end (%s), and informers reconnect', async (type) => {
    await using cluster = await startCluster(bare);
    await using client = await stranger(cluster);
    const stop = new AbortController();
    const factory = new InformerFactory(client);
    const informer = factory.informer(ConfigMap, { namespace: 'default' });
    const running = factory.run(stop.signal);
    await informer.synced(stop.signal);
    const fault = cluster.fault({ type, program: 'stranger', verb: 'watch', times: 1 });
    expect(fault.hits).toBe(1);

    await maps(cluster.client).create({ metadata: { name: 'later' } });
    await expect.poll(() => informer.cache.get('default/later')?.metadata.name).toBe('later');
    stop.abort();
    await running;
    expect(cluster.problems).toEqual([]);
  });

  test('a watch with an expired resource version fails as on a real server', async () => {
    await using cluster = await startCluster(bare);
    await using client = await stranger(cluster);
    await maps(client).create({ metadata: { name: 'm' } });
    const iterator = maps(client).watch()[Symbol.asyncIterator]();
    await iterator.next();
    cluster.fault({ type: 'expired', verb: 'watch', times: 1 });
    await expect(iterator.next()).rejects.toMatchObject({ code: 410, reason: 'Expired' });
  });
});
