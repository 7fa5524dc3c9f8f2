import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discardLogger, LineLogger, SeededRandom, settle, VirtualClock } from '../base/index.ts';
import { type Client, namespacedKind } from '../client/index.ts';
import { cronTabs } from '../apiserver/testing/cron-tabs.ts';
import { type Cluster, launchCluster } from './cluster.ts';

const ADMIN = { user: 'admin', groups: ['system:masters'] };
const labels = { app: 'web' };

async function start(
  folder: string,
  startMs: number,
  { problems = [], nodes = 2 }: { readonly problems?: string[]; readonly nodes?: number } = {},
): Promise<{ cluster: Cluster; clock: VirtualClock }> {
  const clock = new VirtualClock({ startMs });
  const cluster = await launchCluster({
    name: 'test',
    storage: { type: 'durable', folder: join(folder, 'store') },
    serving: { pkiFolder: join(folder, 'pki') },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    nodes,
    clock,
    random: new SeededRandom(`start ${startMs}`),
    log: new LineLogger({ clock, level: 'warn', write: (line) => problems.push(line) }),
    signal: new AbortController().signal,
  });
  await rest(cluster);
  return { cluster, clock };
}

async function rest(cluster: Cluster): Promise<void> {
  do await settle();
  while (!cluster.isIdle);
}

/** What must not change by a restart: who is there, and how it is; not who wrote it last or when nodes were heard of. */
async function stateOf(client: Client): Promise<unknown> {
  const [pods, replicaSets, deployments, slices, nodes, events] = await Promise.all([
    client.core.v1.pods.list(),
    client.apps.v1.replicasets.list(),
    client.apps.v1.deployments.list(),
    client.discovery.v1.endpointslices.list(),
    client.core.v1.nodes.list(),
    client.core.v1.events.list({ fieldSelector: 'involvedObject.kind!=Node' }),
  ]);
  return {
    whole: [...pods.items, ...replicaSets.items, ...deployments.items, ...slices.items],
    nodes: nodes.items.map(({ metadata }) => [metadata.name, metadata.uid]),
    events: events.items.map(({ metadata, count }) => [metadata.uid, count]),
  };
}

describe('a cluster that is stopped and started again', () => {
  test('has the same pods, running as before, and creates nothing again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-restart-'));
    const problems: string[] = [];
    try {
      const first = await start(folder, Date.UTC(2026, 0, 1), { problems });
      const client = first.cluster.plane.client(ADMIN);
      await client.core.v1.services.namespace('default').create({
        metadata: { name: 'web' },
        spec: { selector: labels, ports: [{ port: 80 }] },
      });
      await client.apps.v1.deployments.namespace('default').create({
        metadata: { name: 'web' },
        spec: {
          replicas: 5,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
        },
      });
      await rest(first.cluster);
      const before = await stateOf(client);
      await first.cluster[Symbol.asyncDispose]();

      const second = await start(folder, Date.UTC(2026, 0, 1) + 20_000, { problems });
      await second.clock.advance('3s');
      await rest(second.cluster);
      const after = await stateOf(second.cluster.plane.client(ADMIN));
      await second.cluster[Symbol.asyncDispose]();

      expect(after).toEqual(before);
      expect(problems).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('notices after a long stop that its nodes were away, and is itself again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-restart-'));
    try {
      const first = await start(folder, Date.UTC(2026, 0, 1));
      await first.cluster[Symbol.asyncDispose]();

      const { cluster, clock } = await start(folder, Date.UTC(2026, 0, 8));
      await clock.advance('2m');
      await rest(cluster);
      const { items } = await cluster.plane.client(ADMIN).core.v1.nodes.list();
      await cluster[Symbol.asyncDispose]();

      expect(items.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status)).toEqual([
        'True',
        'True',
      ]);
      expect(items.map(({ spec }) => spec?.taints ?? [])).toEqual([[], []]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('loses the nodes that it no longer runs; their pods are replaced, and no address is given twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-restart-'));
    const names = async (client: Client): Promise<string[]> =>
      (await client.core.v1.nodes.list()).items.map(({ metadata }) => metadata.name);
    const spec = { containers: [{ name: 'web', image: 'nginx' }] };
    try {
      const first = await start(folder, Date.UTC(2026, 0, 1), { nodes: 1 });
      const admin = first.cluster.plane.client(ADMIN);
      await admin.apps.v1.deployments.namespace('default').create({
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      });
      await admin.core.v1.nodes.create({ metadata: { name: 'real' }, spec: { podCIDRs: ['10.244.1.0/24'] } });
      await rest(first.cluster);
      expect(await names(admin)).toEqual(['keelson', 'real']);
      await first.cluster[Symbol.asyncDispose]();

      const second = await start(folder, Date.UTC(2026, 0, 1) + 20_000, { nodes: 3 });
      const client = second.cluster.plane.client(ADMIN);
      expect(await names(client)).toEqual(['keelson-1', 'keelson-2', 'keelson-3', 'real']);
      const pods = client.core.v1.pods.namespace('default');
      for (const name of ['a', 'b', 'c']) await pods.create({ metadata: { name }, spec });
      await rest(second.cluster);
      const early = (await pods.list()).items;
      expect(early.filter(({ status }) => status?.phase === 'Running')).toHaveLength(5);
      expect(new Set(early.map(({ status }) => status?.podIP)).size).toBe(5);
      await second.clock.advance('2m'); // the garbage collector waits for 40 s before it believes that a node is gone
      await rest(second.cluster);
      const late = (await pods.list()).items;
      expect(late.filter(({ status }) => status?.phase === 'Running')).toHaveLength(5);
      expect(late.filter(({ spec: { nodeName } = {} }) => nodeName === 'keelson')).toEqual([]);
      const ranges = (await client.core.v1.nodes.list()).items.map(({ spec: { podCIDR } = {} }) => podCIDR);
      await second.cluster[Symbol.asyncDispose]();

      const third = await start(folder, Date.UTC(2026, 0, 1) + 200_000, { nodes: 3 });
      const again = (await third.cluster.plane.client(ADMIN).core.v1.nodes.list()).items;
      expect(again.map(({ spec: { podCIDR } = {} }) => podCIDR)).toEqual(ranges);
      await third.cluster[Symbol.asyncDispose]();

      const last = await start(folder, Date.UTC(2026, 0, 1) + 300_000, { nodes: 0 });
      expect(await names(last.cluster.plane.client(ADMIN))).toEqual(['real']);
      await last.cluster[Symbol.asyncDispose]();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

test('an API server that has nothing beside it runs until it is stopped', async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const cluster = await launchCluster({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    controllers: false,
    scheduler: false,
    nodes: 0,
    clock,
    random: new SeededRandom('alone'),
    log: new LineLogger({ clock, write: () => undefined }),
    signal: new AbortController().signal,
  });
  let isRunning = true;
  const ended = cluster.running.then(() => (isRunning = false));
  await settle();
  expect(isRunning).toBe(true);

  await cluster[Symbol.asyncDispose]();
  await ended;
});

describe('a kind that is registered while the cluster runs', () => {
  test('has its objects collected at once when their owner goes, and deleted with their namespace', async () => {
    const clock = new VirtualClock();
    await using cluster = await launchCluster({
      name: 'test',
      storage: { type: 'memory' },
      runtimeConfig: new Map(),
      serviceCidrs: ['10.96.0.0/16'],
      nodes: 0,
      clock,
      random: new SeededRandom('kinds'),
      log: discardLogger,
      signal: new AbortController().signal,
    });
    await rest(cluster);
    const client = cluster.plane.client(ADMIN);
    await client.core.v1.namespaces.create({ metadata: { name: 'other' } });
    const startedMs = clock.monotonic();

    cluster.plane.server.registry.register(cronTabs());
    await rest(cluster);
    const tabs = client.kind(
      namespacedKind({ apiVersion: 'stable.example.com/v1', kind: 'CronTab', plural: 'crontabs' }),
    );
    const configMaps = client.core.v1.configmaps.namespace('default');
    const { metadata } = await configMaps.create({ metadata: { name: 'owner' } });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid }];
    await tabs.namespace('default').create({ metadata: { name: 'owned', ownerReferences } });
    await tabs.namespace('other').create({ metadata: { name: 'inside' } });
    await rest(cluster);
    await configMaps.delete('owner');
    await client.core.v1.namespaces.delete('other');
    await rest(cluster);

    expect((await tabs.list()).items).toEqual([]);
    expect(clock.monotonic()).toBe(startedMs);
  });
});
