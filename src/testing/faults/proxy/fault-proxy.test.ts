import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RealClock } from '../../../base/index.ts';
import {
  type Client,
  ConfigMap,
  connect,
  findConnection,
  Lease,
  mergePatch,
  StatusError,
} from '../../../client/index.ts';
import { startCluster, type TestCluster } from '../../index.ts';
import { FaultProxy, type Injection, type ProxiedFault } from '../index.ts';

const once = { maxRetries: 0 };

/** A proxy in front of a cluster, and a client behind it. */
interface Behind extends AsyncDisposable {
  readonly client: Client;
  readonly proxy: FaultProxy;
  readonly injected: readonly Injection[];
}

async function behind(cluster: TestCluster, ...faults: readonly ProxiedFault[]): Promise<Behind> {
  const injected: Injection[] = [];
  const proxy = await FaultProxy.open({
    connection: await findConnection({ kubeconfig: await cluster.kubeconfig() }),
    faults,
    seed: 'test',
    port: 0,
    clock: new RealClock(),
    onInjection: (injection) => void injected.push(injection),
  });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-fault-proxy-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, proxy.kubeconfig);
  const client = await connect({ kubeconfig, userAgent: 'manager/v1.0 (here)' });
  return {
    client,
    proxy,
    injected,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

const bare = { controllers: false, scheduler: false, nodes: 0 } as const;
const maps = (client: Client) => client.kind(ConfigMap).namespace('default');

async function codeOf(work: Promise<unknown>): Promise<number | string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return error instanceof StatusError ? error.code : 'lost';
  }
}

describe('a fault proxy', () => {
  test.each([
    ['conflict', 409],
    ['tooManyRequests', 429],
    ['internalError', 500],
    ['unavailable', 503],
    ['timeout', 504],
    ['dropped', 'lost'],
    ['lostAnswer', 'lost'],
  ] as const)('answers as if by %s, as often as its rule says, and reports it', async (type, met) => {
    await using cluster = await startCluster(bare);
    await maps(cluster.client).create({ metadata: { name: 'm' } });
    const fault = { type, program: 'manager', resource: 'configmaps', verb: 'patch', times: 1 } as const;
    await using front = await behind(cluster, fault);
    const patch = (value: string) => maps(front.client).patch('m', mergePatch({ data: { value } }), once);

    expect(await codeOf(patch('1'))).toBe(met);
    expect((await maps(cluster.client).get('m')).data?.['value']).toBe(type === 'lostAnswer' ? '1' : undefined);
    expect(await codeOf(patch('2'))).toBe('done');
    expect((await maps(cluster.client).get('m')).data).toEqual({ value: '2' });
    const [only, ...more] = front.injected;
    expect(more).toEqual([]);
    expect(only).toMatchObject({ request: 'patch configmaps default/m', program: 'manager', fault: { type } });
  });

  test('shows lists of the past, and gives Leases to others', async () => {
    await using cluster = await startCluster(bare);
    await maps(cluster.client).create({ metadata: { name: 'old' } });
    const leases = cluster.client.kind(Lease).namespace('default');
    await leases.create({ metadata: { name: 'lead' }, spec: { holderIdentity: 'me' } });
    await using front = await behind(
      cluster,
      { type: 'staleRead', verb: 'list', resource: 'configmaps' },
      { type: 'lostLease', holder: 'rival', times: 1 },
    );
    expect((await maps(front.client).list()).items.map(({ metadata }) => metadata.name)).toContain('old');
    await maps(cluster.client).create({ metadata: { name: 'new' } });
    expect((await maps(front.client).list()).items.map(({ metadata }) => metadata.name)).not.toContain('new');

    const held = await leases.get('lead');
    const renewed = front.client.kind(Lease).namespace('default').update(held, once);
    expect(await codeOf(renewed)).toBe(409);
    expect((await leases.get('lead')).spec?.holderIdentity).toBe('rival');
  });

  test('ends open watches with an expired version each time that its rule begins again', async () => {
    await using cluster = await startCluster(bare);
    await using front = await behind(cluster, { type: 'expired', verb: 'watch', every: '300ms' });
    for (let round = 1; round <= 2; round++) {
      const watch = maps(front.client).watch()[Symbol.asyncIterator]();
      const untilEnd = async (): Promise<never> => {
        for (;;) await watch.next();
      };
      await expect(untilEnd()).rejects.toMatchObject({ code: 410, reason: 'Expired' });
      expect(front.injected).toHaveLength(round);
    }
  });

  test('delays events, one by one', async () => {
    await using cluster = await startCluster(bare);
    const late = { type: 'late', verb: 'watch', delay: '20ms' } as const;
    await using front = await behind(cluster, late);
    await maps(cluster.client).create({ metadata: { name: 'first' } });
    const seen: string[] = [];
    for await (const event of maps(front.client).watch()) {
      if (event.type === 'BOOKMARK') continue;
      seen.push(event.object.metadata.name);
      if (seen.length === 1) await maps(cluster.client).create({ metadata: { name: 'second' } });
      else break;
    }
    expect(seen).toEqual(['first', 'second']);
    expect(front.injected[0]).toMatchObject({ fault: late, request: 'watch configmaps default' });
  });

  test('is silent to clients without its token, and says when the cluster is away', async () => {
    const cluster = await startCluster(bare);
    await using front = await behind(cluster, { type: 'latency', delay: '1ms', probability: 0 });
    const code = await new Promise((resolve, reject) => {
      const sent = request(`${front.proxy.url}/api`, { rejectUnauthorized: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(code).toBe(401);
    expect(await codeOf(maps(front.client).list(once))).toBe('done');
    await cluster.stop();
    await expect(maps(front.client).list(once)).rejects.toMatchObject({ code: 502 });
    expect(front.injected).toEqual([]);
  });
});
