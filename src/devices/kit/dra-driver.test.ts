import { readdir, readFile, writeFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client, Observed, ResourceClaim, ResourceSlice } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { DraClaims } from './dra-claims.ts';
import { DevicePools, draDriver, type ClaimAccess, type AllocatedDevice } from '../published.ts';
import { SlicePublisher, chunksOf } from './dra-slices.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';

const NODE = 'n1';
const DRIVER = 'gpu.example.com';

let cluster: TestCluster;
let client: Client;
let folder: string;
let stop: AbortController;
let running: Promise<unknown>[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-dra-kit-'));
  cluster = await TestCluster.start();
  client = cluster.client();
  await client.core.v1.nodes.create({ metadata: { name: NODE } });
  stop = new AbortController();
  running = [];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await cluster[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const names = (count: number, prefix = 'gpu'): { readonly name: string }[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}-${index}` }));

function publish(pools: DevicePools): void {
  const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };
  const publisher = new SlicePublisher({
    ...{ client, driver: DRIVER, node: NODE, pools, ...tools },
    published: () => undefined,
  });
  running.push(publisher.run(stop.signal));
}

async function slices(): Promise<readonly Observed<ResourceSlice>[]> {
  return (await client.resource.v1.resourceslices.list()).items;
}

/** Pool, generation, count of slices, and count of devices or counter sets of each slice. */
async function shape(): Promise<readonly string[]> {
  return (await slices())
    .map(({ spec: { pool, devices, sharedCounters = [] } }) =>
      [
        pool.name,
        pool.generation,
        pool.resourceSliceCount,
        devices?.length ?? `${sharedCounters.length} counters`,
      ].join(' '),
    )
    .toSorted();
}

test('devices are published in as many slices as they need, and each change has a new generation', async () => {
  const pools = new DevicePools(names(200));
  publish(pools);
  await expect.poll(shape).toEqual(['n1 1 2 128', 'n1 1 2 72']);
  const [first] = await slices();
  expect(first?.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: NODE }]);
  pools.set(names(3));
  await expect.poll(shape).toEqual(['n1 2 1 3']);
  const set = { name: 'memory', counters: { memory: { value: '80Gi' } } };
  const consumesCounters = [{ counterSet: 'memory', counters: { memory: { value: '40Gi' } } }];
  pools.set(
    names(2, 'part').map((device) => ({ ...device, consumesCounters })),
    { pool: 'partitions', sharedCounters: [set] },
  );
  await expect.poll(shape).toEqual(['n1 2 1 3', 'partitions 1 2 1 counters', 'partitions 1 2 2']);
  pools.delete('partitions');
  await expect.poll(shape).toEqual(['n1 2 1 3']);
});

test('slices that others delete, change or leave are put right', async () => {
  const pools = new DevicePools(names(2));
  publish(pools);
  await expect.poll(shape).toEqual(['n1 1 1 2']);
  await client.resource.v1.resourceslices.deleteCollection();
  await expect.poll(shape).toEqual(['n1 1 1 2']);
  const [own] = await slices();
  if (own === undefined) throw new Error('there is no slice');
  await client.resource.v1.resourceslices.update({ ...own, spec: { ...own.spec, devices: names(5) } });
  await expect.poll(shape).toEqual(['n1 2 1 2']);
  await client.resource.v1.resourceslices.create({
    metadata: { name: 'old' },
    spec: { driver: DRIVER, nodeName: NODE, pool: { name: 'old', generation: 3, resourceSliceCount: 1 } },
  });
  await expect.poll(shape).toEqual(['n1 2 1 2']);
});

test('a driver that starts again leaves slices alone that are right', async () => {
  publish(new DevicePools(names(2)));
  await expect.poll(shape).toEqual(['n1 1 1 2']);
  const [before] = await slices();
  stop.abort();
  await Promise.all(running);
  stop = new AbortController();
  const pools = new DevicePools(names(2));
  publish(pools);
  pools.set(names(2)); // the same
  await expect.poll(shape).toEqual(['n1 1 1 2']);
  const [after] = await slices();
  expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
});

test('devices with taints or counters are in slices of 64, and counters in slices of their own', () => {
  const tainted = names(65).map((device) => ({ ...device, taints: [{ key: 'a', effect: 'NoSchedule' as const }] }));
  expect(chunksOf({ devices: tainted }).map(({ devices = [] }) => devices.length)).toEqual([64, 1]);
  const sharedCounters = names(9, 'set').map(({ name }) => ({ name, counters: {} }));
  expect(chunksOf({ devices: [], sharedCounters }).map((each) => each.sharedCounters?.length)).toEqual([8, 1]);
});

interface Allocation {
  readonly device: string;
  readonly request?: string;
  readonly adminAccess?: boolean;
}

async function claimOf(name: string, ...devices: readonly Allocation[]): Promise<Observed<ResourceClaim>> {
  const claims = client.resource.v1.resourceclaims.namespace('default');
  const requests = [...new Set(devices.map(({ request = 'gpu' }) => request))].map((request) => ({
    ...{ name: request, exactly: { deviceClassName: 'gpu', count: devices.length } },
  }));
  const claim = await claims.create({ metadata: { name }, spec: { devices: { requests } } });
  const results = devices.map((each) => ({ request: 'gpu', driver: DRIVER, pool: NODE, ...each }));
  return await claims.status.update({ ...claim, status: { allocation: { devices: { results } } } });
}

const refOf = ({ metadata: { uid, name, namespace = '' } }: Observed<ResourceClaim>) => ({ uid, name, namespace });

interface Recorded {
  readonly claims: DraClaims;
  readonly calls: string[];
}

async function openClaims(access: ClaimAccess = { env: { A: '1' } }): Promise<Recorded> {
  const calls: string[] = [];
  const namesOf = (devices: readonly AllocatedDevice[]): string =>
    devices.map(({ name, request }) => `${request}:${name}`).join(',');
  const claims = await DraClaims.open({
    ...{ client, driver: DRIVER, node: NODE, pools: new DevicePools(names(3)), folder },
    cdiDir: join(folder, 'cdi'),
    signal: stop.signal,
    work: {
      prepare: (devices) => {
        calls.push(`prepare ${namesOf(devices)}`);
        return access;
      },
      unprepare: (devices) => void calls.push(`unprepare ${namesOf(devices)}`),
    },
  });
  return { claims, calls };
}

test('each request of a claim is prepared once, written as a CDI file, and undone once', async () => {
  const { claims, calls } = await openClaims();
  const claim = refOf(await claimOf('a', { device: 'gpu-0' }, { device: 'gpu-1', request: 'other' }));
  const [first, again] = await Promise.all([claims.prepare(claim), claims.prepare(claim)]);
  expect(again).toEqual(first);
  expect(first.map(({ name, request, cdiDevices }) => [name, request, cdiDevices])).toEqual([
    ['gpu-0', 'gpu', [`k8s.${DRIVER}/claim=${claim.uid}-gpu-0`]],
    ['gpu-1', 'other', [`k8s.${DRIVER}/claim=${claim.uid}-gpu-1`]],
  ]);
  expect(calls).toEqual(['prepare gpu:gpu-0', 'prepare other:gpu-1']);
  const [file = ''] = await readdir(join(folder, 'cdi'));
  expect(JSON.parse(await readFile(join(folder, 'cdi', file), 'utf8'))).toMatchObject({
    kind: `k8s.${DRIVER}/claim`,
    devices: [{ containerEdits: { env: ['A=1'] } }, { containerEdits: { env: ['A=1'] } }],
  });
  await claims.unprepare(claim);
  await claims.unprepare(claim);
  expect(calls.slice(2)).toEqual(['unprepare gpu:gpu-0,other:gpu-1']);
  expect(await readdir(join(folder, 'cdi'))).toEqual([]);
});

test('the next process of a driver knows what is prepared, also without the claim, and removes files of nothing', async () => {
  const claim = refOf(await claimOf('a', { device: 'gpu-0' }));
  await (await openClaims()).claims.prepare(claim);
  await client.resource.v1.resourceclaims.namespace('default').delete('a');
  await writeFile(join(folder, 'cdi', `k8s.${DRIVER}-claim-gone.json`), '{}');
  await writeFile(join(folder, 'cdi', 'others.json'), '{}');
  const { claims, calls } = await openClaims();
  expect((await readdir(join(folder, 'cdi'))).toSorted()).toEqual([
    `k8s.${DRIVER}-claim-${claim.uid}.json`,
    'others.json',
  ]);
  await claims.prepare(claim);
  expect(calls).toEqual([]);
  await rm(join(folder, 'cdi', `k8s.${DRIVER}-claim-${claim.uid}.json`));
  await expect(claims.prepare(claim)).rejects.toThrow('retrieve claim default/a');
  await claims.unprepare(claim);
  expect(calls).toEqual(['unprepare gpu:gpu-0']);
});

test('a device has one claim, but for supervision', async () => {
  const { claims } = await openClaims();
  const a = refOf(await claimOf('a', { device: 'gpu-0' }));
  await claims.prepare(a);
  const b = refOf(await claimOf('b', { device: 'gpu-0' }));
  await expect(claims.prepare(b)).rejects.toThrow('device "gpu-0" is in use by the claim default/a');
  const labels = { 'resource.kubernetes.io/admin-access': 'true' };
  await client.core.v1.namespaces.apply({ metadata: { name: 'default', labels } }, { fieldManager: 'test' });
  await claims.prepare(refOf(await claimOf('admin', { device: 'gpu-0', adminAccess: true })));
  await claims.unprepare(a);
  await claims.prepare(b);
});

test('claims that are not what the node means are refused', async () => {
  const { claims } = await openClaims();
  const a = refOf(await claimOf('a', { device: 'gpu-9' }));
  await expect(claims.prepare(a)).rejects.toThrow('there is no device "gpu-9" in pool "n1"');
  await expect(claims.prepare({ ...a, uid: 'other' })).rejects.toThrow('claim default/a got replaced');
  await expect(claims.prepare({ ...a, name: 'none' })).rejects.toThrow('retrieve claim default/none');
});

test('a device that changes nothing in containers has no CDI device', async () => {
  const { claims } = await openClaims({ cdiDevices: ['example.com/gpu=all'] });
  const [device] = await claims.prepare(refOf(await claimOf('a', { device: 'gpu-0' })));
  expect(device?.cdiDevices).toEqual(['example.com/gpu=all']);
  expect(await readdir(join(folder, 'cdi')).catch(() => [])).toEqual([]);
});

test('what a driver says about devices is in the status of the claim', async () => {
  const pools = new DevicePools(names(1));
  const claims = await DraClaims.open({
    ...{ client, driver: DRIVER, node: NODE, pools, folder, cdiDir: join(folder, 'cdi'), signal: stop.signal },
    work: {
      prepare: async ([device], { setStatus }) => {
        if (device !== undefined) await setStatus([{ device, data: { model: 'large' } }]);
        return {};
      },
    },
  });
  await claims.prepare(refOf(await claimOf('a', { device: 'gpu-0' })));
  const { status } = await client.resource.v1.resourceclaims.namespace('default').get('a');
  expect(status?.devices).toMatchObject([{ driver: DRIVER, pool: NODE, device: 'gpu-0', data: { model: 'large' } }]);
  expect(status?.allocation).toBeDefined();
});

test('names that cannot be are refused', () => {
  const prepare = (): ClaimAccess => ({});
  expect(() => draDriver({ name: 'Not a name', devices: [], prepare })).toThrow('Not a name of a DRA driver');
  expect(() => new DevicePools([{ name: 'A' }])).toThrow('"A" is no name of a device');
  expect(() => new DevicePools([{ name: 'a' }, { name: 'a' }])).toThrow('"a" is there twice');
  expect(() => new DevicePools().setHealth('a', 'Healthy')).toThrow('there is no such device');
  expect(() => draDriver({ name: DRIVER, devices: [], prepare }).serve({ nodeName: '' })).toThrow('NODE_NAME');
});
