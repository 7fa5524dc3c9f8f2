import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect, hasReason, mergePatch, Pod } from '../client/index.ts';
import { app, controller } from '../kit/index.ts';
import { startCluster } from './index.ts';

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'nginx' }] } });

describe('a cluster in a test', () => {
  test('has a ready node and the namespaces of every cluster, and runs pods', async () => {
    await using cluster = await startCluster();
    const { nodes, pods, namespaces } = cluster.client.core.v1;
    const [node] = (await nodes.list()).items;
    expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(node?.spec?.taints).toBeUndefined();
    expect((await namespaces.list()).items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);

    await pods.namespace('default').create(pod('web'));
    await cluster.settle();

    expect((await pods.namespace('default').get('web')).status?.phase).toBe('Running');
    expect(cluster.problems).toEqual([]);
  });

  test('runs in virtual time: leases are renewed, events expire, nothing else changes', async () => {
    await using cluster = await startCluster({ startAt: '2030-01-01T00:00:00Z' });
    const leases = cluster.client.coordination.v1.leases.namespace('kube-node-lease');
    const before = await leases.get('keelson');
    expect(before.metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z');
    expect((await cluster.client.core.v1.events.list()).items).not.toEqual([]);

    await cluster.clock.advance('2h');
    await cluster.settle();

    const after = await leases.get('keelson');
    expect(Date.parse(after.spec?.renewTime ?? '')).toBeGreaterThan(Date.parse('2030-01-01T01:59:00Z'));
    expect((await cluster.client.core.v1.events.list()).items).toEqual([]);
    const [node] = (await cluster.client.core.v1.nodes.list()).items;
    expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  test('advances a month in a few steps: nodes stay alive, and a dead one is detected in time', async () => {
    const startAt = '2030-01-01T00:00:00Z';
    await using cluster = await startCluster({ startAt, nodes: 2 });
    const { nodes } = cluster.client.core.v1;
    const leases = cluster.client.coordination.v1.leases.namespace('kube-node-lease');
    const before = cluster.requests().length;
    await cluster.clock.advance('30d');
    expect(cluster.requests().length - before).toBeLessThan(50);
    const { renewTime = '' } = (await leases.get('keelson-1')).spec ?? {};
    expect(cluster.clock.now() - Date.parse(renewTime)).toBeLessThan(11_000);
    expect(cluster.problems).toEqual([]);

    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2030-01-31T00:00:00Z' }];
    await nodes.create({ metadata: { name: 'dead' }, status: { conditions } });
    await cluster.settle();
    await cluster.clock.advance('10d');
    const ready = async (name: string) =>
      (await nodes.get(name)).status?.conditions?.find(({ type }) => type === 'Ready');
    expect((await ready('keelson-1'))?.status).toBe('True');
    expect((await ready('dead'))?.status).toBe('Unknown');
    const lostAt = Date.parse((await ready('dead'))?.lastTransitionTime ?? '') - Date.parse('2030-01-31T00:00:00Z');
    expect([50_000, 55_000]).toSatisfy(([least = 0, most = 0]) => lostAt >= least && lostAt <= most);
  });

  test('renews leases seldom while timers change nothing, but in time for each reader', async () => {
    await using cluster = await startCluster({ startAt: '2030-01-01T00:00:00Z' });
    const { client, clock } = cluster;
    const leases = client.coordination.v1.leases.namespace('kube-node-lease');
    const ages: number[] = [];
    const read = async (): Promise<void> => {
      const { spec } = await leases.get('keelson');
      ages.push(clock.now() - Date.parse(spec?.renewTime ?? ''));
    };
    const poll = (): void => void clock.timer(15_000, poll);
    poll();
    for (let minutes = 10; minutes < 60; minutes += 10) clock.timer(minutes * 60_000, () => void read());
    const before = await leases.get('keelson');
    await clock.advance('1h');
    await read();
    expect(ages).toHaveLength(6);
    expect(Math.max(...ages)).toBeLessThan(11_000);
    const writes =
      Number((await leases.get('keelson')).metadata.resourceVersion) - Number(before.metadata.resourceVersion);
    expect(writes).toBeLessThan(150); // of 360 renewals and 12 node statuses
    const { items } = await client.core.v1.nodes.list();
    expect(items[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(cluster.problems).toEqual([]);
  });

  test('writes each heartbeat while a client watches', async () => {
    await using cluster = await startCluster();
    const stop = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of cluster.client.coordination.v1.leases.watch({ signal: stop.signal }))
        if (event.type === 'MODIFIED') seen.push(event.object.metadata.name);
    })().catch(() => undefined);
    await cluster.settle();
    await cluster.clock.advance('10m');
    stop.abort();
    await watching;
    expect(seen.length).toBeGreaterThan(55);
  });

  test('can be forked: original and fork are independent', async () => {
    await using cluster = await startCluster({ nodes: 2 });
    const pods = cluster.client.core.v1.pods.namespace('default');
    await pods.create(pod('both'));
    await cluster.settle();
    const before = await pods.get('both');

    await using fork = await cluster.fork();
    const forked = fork.client.core.v1.pods.namespace('default');
    await forked.create(pod('fork'));
    await pods.create(pod('origin'));
    await Promise.all([fork.settle(), cluster.settle()]);

    const names = async (of: typeof pods) => (await of.list()).items.map(({ metadata }) => metadata.name);
    expect(await names(forked)).toEqual(['both', 'fork']);
    expect(await names(pods)).toEqual(['both', 'origin']);
    expect(await forked.get('both')).toEqual(before);
    expect((await forked.get('fork')).status?.phase).toBe('Running');
    expect(cluster.problems).toEqual([]);
  });

  test('opens a port when its kubeconfig is asked for, and leaves nothing behind', async () => {
    let kubeconfig: string;
    {
      await using cluster = await startCluster();
      kubeconfig = await cluster.kubeconfig();
      expect(await cluster.kubeconfig()).toBe(kubeconfig);
      await using client = await connect({ kubeconfig });
      expect((await client.core.v1.nodes.list()).items).toHaveLength(1);
    }
    expect(existsSync(kubeconfig)).toBe(false);
    await expect(connect({ kubeconfig })).rejects.toThrow(kubeconfig);
  });

  test('runs the controllers of the test, and shows why they ran', async () => {
    const marker = app('marker', [
      controller(Pod, {
        name: 'marker',
        async reconcile({ metadata }, { key, objects }) {
          if (metadata.labels?.['seen'] === undefined)
            await objects(Pod).patch(key, mergePatch({ metadata: { labels: { seen: 'yes' } } }));
        },
      }),
    ]);
    await using cluster = await startCluster();
    await cluster.run(marker);
    const pods = cluster.client.core.v1.pods.namespace('default');
    await pods.create(pod('web'));
    await cluster.settle();

    expect((await pods.get('web')).metadata.labels).toEqual({ seen: 'yes' });
    expect(marker.trace({ key: 'default/web' })[0]).toMatchObject({
      writes: 1,
      why: expect.arrayContaining(['Pod default/web added']),
    });
  });

  test('settle() fails when an app has failed', async () => {
    const broken = app('broken', [
      {
        name: 'broken',
        prepare: () => ({
          isIdle: true,
          run: async () => {
            throw new Error('broken part');
          },
        }),
      },
    ]);
    await using cluster = await startCluster();

    await expect(cluster.run(broken)).rejects.toThrow('broken part');
  });

  test('can be the API server alone', async () => {
    await using cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
    expect((await cluster.client.core.v1.nodes.list()).items).toEqual([]);
    const accounts = cluster.client.core.v1.serviceaccounts.namespace('default');
    await expect(accounts.get('default')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
    const { serviceAccountName, priority } =
      (await cluster.client.core.v1.pods.namespace('default').create(pod('a'))).spec ?? {};
    expect([serviceAccountName, priority]).toEqual([undefined, 0]);
  });

  test('creates pods in a new namespace', async () => {
    await using cluster = await startCluster();
    await cluster.client.core.v1.namespaces.create({ metadata: { name: 'new' } });

    const { spec } = await cluster.client.core.v1.pods.namespace('new').create(pod('web'));

    expect(spec?.serviceAccountName).toBe('default');
  });

  test('leaves out the admission plugins that are switched off', async () => {
    await using cluster = await startCluster({ admission: { disable: ['Priority', 'ServiceAccount'] } });

    const { spec } = await cluster.client.core.v1.pods.namespace('default').create(pod('web'));

    expect([spec?.priority, spec?.serviceAccountName, spec?.tolerations?.length]).toEqual([undefined, undefined, 2]);
  });

  test('rejects an invalid time', async () => {
    await expect(startCluster({ startAt: 'soon' })).rejects.toThrow('Cannot start at "soon": it is not a time');
  });
});
