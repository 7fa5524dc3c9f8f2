import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, nextTurn, RealClock, VirtualClock } from '../../base/index.ts';
import type { Observed, ResourceClaim } from '../../client/index.ts';
import type { PodClaim } from '../../node/index.ts';
import { podOf } from '../../node/testing/pod-views.ts';
import { DiskCheckpoints } from '../../system/index.ts';
import { GrpcServer, streamMethod, unaryMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { DRAResourceHealth, type deviceHealth } from '../protocol/dra-health-v1alpha1.ts';
import * as v1 from '../protocol/dra-v1.ts';
import * as v1beta1 from '../protocol/dra-v1beta1.ts';
import { until } from '../testing/device-node.ts';
import { DraDrivers } from './dra-drivers.ts';

const DRIVER = 'gpu.example.com';
const signal = new AbortController().signal;

let folder: string;
let clock: VirtualClock;
let calls: string[];
let removed: (string | undefined)[];
let changedPods: string[];
/** What the driver says next about the health of its devices. */
let reports: MessageOf<typeof deviceHealth>[][];
const opened: AsyncDisposable[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-dra-'));
  clock = new VirtualClock();
  calls = [];
  removed = [];
  changedPods = [];
  reports = [];
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function openNode(): Promise<DraDrivers> {
  const node = await DraDrivers.open({
    ...{ checkpoints: new DiskCheckpoints(folder), clock, random: new CryptoRandom(), log: discardLogger },
    removeSlices: async (driver) => void removed.push(driver),
    podChanged: (uid) => void changedPods.push(uid),
  });
  opened.push(node);
  return node;
}

type Result = readonly [string, MessageOf<typeof v1.nodePrepareResourceResponse>];

/** A driver that prepares claims with a CDI device for each request, but those whose names begin with `bad`. */
async function serveDriver(
  version: 'v1' | 'v1beta1' = 'v1',
): Promise<{ name: string; endpoint: string; versions: string[] }> {
  const endpoint = join(folder, `${version}-${opened.length}.sock`);
  const { DRAPlugin } = version === 'v1' ? v1 : v1beta1;
  const methods = [
    unaryMethod(DRAPlugin.nodePrepareResources, async ({ claims = [] }) => {
      calls.push(`${version} prepare ${claims.map(({ name }) => name).join(',')}`);
      const results = claims.map(({ uid = '', name = '' }): Result => {
        if (name.startsWith('bad')) return [uid, { error: 'it is broken' }];
        const device = (request: string): MessageOf<typeof v1.device> => ({
          requestNames: [request],
          poolName: 'node',
          deviceName: `${name}-${request}`,
          cdiDeviceIds: [`${DRIVER}/gpu=${name}-${request}`],
        });
        return [uid, { devices: [device('first'), device('second')] }];
      });
      return { claims: new Map(results) };
    }),
    unaryMethod(DRAPlugin.nodeUnprepareResources, async ({ claims = [] }) => {
      calls.push(`${version} unprepare ${claims.map(({ name }) => name).join(',')}`);
      return { claims: new Map(claims.map(({ uid = '' }) => [uid, {}])) };
    }),
    streamMethod(DRAResourceHealth.nodeWatchResources, async function* (_requests, { signal: over }) {
      const real = new RealClock();
      while (!over.aborted) {
        const devices = reports.shift();
        if (devices !== undefined) yield { devices };
        await real.sleep(2, over);
      }
    }),
  ];
  opened.push(await GrpcServer.listen({ address: `unix:${endpoint}`, methods, clock: new RealClock() }));
  return { name: DRIVER, endpoint, versions: [`${version}.DRAPlugin`] };
}

function claimNamed(name: string, uid = `uid-${name}`): PodClaim {
  const results = [{ request: 'first', driver: DRIVER, pool: 'node', device: `${name}-first` }];
  const claim = { metadata: { name, namespace: 'default', uid }, status: { allocation: { devices: { results } } } };
  return { name: 'gpus', claim: claim as unknown as Observed<ResourceClaim> };
}

const podNamed = (uid: string, request?: string): ReturnType<typeof podOf> =>
  podOf({
    metadata: { name: uid, uid },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'i',
          resources: { claims: [{ name: 'gpus', ...(request === undefined ? {} : { request }) }] },
        },
        { name: 'other', image: 'i' },
      ],
    },
  });

test.each(['v1', 'v1beta1'] as const)(
  'claims are prepared by a driver of %s, and containers get their devices',
  async (version) => {
    const node = await openNode();
    await node.handler.register(await serveDriver(version));
    const edits = await node.prepare(podNamed('u1'), [claimNamed('a')], signal);
    expect(edits.get('main')?.cdiDevices).toEqual([`${DRIVER}/gpu=a-first`, `${DRIVER}/gpu=a-second`]);
    expect(edits.has('other')).toBe(false);
    const one = await node.prepare(podNamed('u1', 'second'), [claimNamed('a')], signal);
    expect(one.get('main')?.cdiDevices).toEqual([`${DRIVER}/gpu=a-second`]);
    await node.unprepare('u1');
    await node.unprepare('u1');
    expect(calls).toEqual([`${version} prepare a`, `${version} unprepare a`]);
  },
);

test('a claim that pods share is prepared once, and unprepared when the last one is gone, also across a restart', async () => {
  const node = await openNode();
  const driver = await serveDriver();
  await node.handler.register(driver);
  const shared = claimNamed('shared');
  await Promise.all(['u1', 'u2'].map((uid) => node.prepare(podNamed(uid), [shared], signal)));
  expect(calls).toEqual(['v1 prepare shared']);
  await node.unprepare('u1');
  expect(calls).toHaveLength(1);
  const later = await openNode();
  await later.handler.register(driver);
  expect(later.podUids()).toEqual(['u2']);
  await later.unprepare('u2');
  expect(calls).toEqual(['v1 prepare shared', 'v1 unprepare shared']);
  expect(later.podUids()).toEqual([]);
});

test('what a driver cannot do is said in the words of a kubelet, and undone when the pod goes', async () => {
  const node = await openNode();
  const prepare = (name: string, uid?: string): Promise<unknown> =>
    node.prepare(podNamed('u1'), [claimNamed(name, uid)], signal);
  await expect(prepare('a')).rejects.toThrow(`prepare dynamic resources: DRA driver ${DRIVER} is not registered`);
  const driver = await serveDriver();
  await node.handler.register(driver);
  await expect(node.handler.register(driver)).rejects.toThrow(
    `endpoint ${driver.endpoint} already registered for DRA driver plugin ${DRIVER}`,
  );
  await expect(prepare('bad')).rejects.toThrow(
    'prepare dynamic resources: NodePrepareResources failed for ResourceClaim bad: it is broken',
  );
  await prepare('a');
  await expect(prepare('a', 'another')).rejects.toThrow('old ResourceClaim with same name a and different UID uid-a');
  await node.handler.deregister(driver);
  await expect(node.unprepare('u1')).rejects.toThrow(
    `unprepare dynamic resources: DRA driver ${DRIVER} is not registered`,
  );
  await node.handler.register(driver);
  await node.unprepare('u1');
  expect(calls.at(-1)).toBe('v1 unprepare bad,a');
  expect(() => node.handler.validate({ ...driver, versions: ['v2.DRAPlugin'] })).toThrow(
    'none of services supported by the plugin (["v2.DRAPlugin"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])',
  );
});

test('slices are deleted when the agent starts, and thirty seconds after a driver went without coming back', async () => {
  const node = await openNode();
  const stop = new AbortController();
  const running = node.run(stop.signal);
  expect(removed).toEqual([undefined]);
  const driver = await serveDriver();
  await node.handler.register(driver);
  await node.handler.deregister(driver);
  await clock.advance('20s');
  await node.handler.register(driver); // it was updated
  await clock.advance('1m');
  expect(removed).toEqual([undefined]);
  await node.handler.deregister(driver);
  await clock.advance('30s');
  expect(removed).toEqual([undefined, DRIVER]);
  stop.abort();
  await running;
});

test('claims are stored as a kubelet stores them', async () => {
  const node = await openNode();
  await node.handler.register(await serveDriver());
  await node.prepare(podNamed('u1'), [claimNamed('a')], signal);
  const { Data, Checksum } = JSON.parse(await readFile(join(folder, 'dra_manager_state'), 'utf8')) as {
    Data: string;
    Checksum: number;
  };
  expect(Checksum).toBe(crc32(Data));
  expect(JSON.parse(Data)).toEqual({
    kind: 'DRACheckpoint',
    apiVersion: 'checkpoint.dra.kubelet.k8s.io/v1',
    ClaimInfoStateList: [
      {
        ClaimUID: 'uid-a',
        ClaimName: 'a',
        Namespace: 'default',
        PodUIDs: { u1: {} },
        DriverState: {
          [DRIVER]: {
            Devices: ['first', 'second'].map((request) => ({
              PoolName: 'node',
              DeviceName: `a-${request}`,
              ShareID: null,
              RequestNames: [request],
              CDIDeviceIDs: [`${DRIVER}/gpu=a-${request}`],
            })),
          },
        },
      },
    ],
  });
});

const inUse = (node: DraDrivers): readonly unknown[] =>
  node.metrics
    .families()
    .flatMap(({ name, samples }) =>
      name === 'dra_resource_claims_in_use'
        ? samples.map(({ labels, value }) => [labels?.['driver_name'], value])
        : samples.flatMap(({ suffix, labels, value }) => (suffix === '_count' ? [[name, labels, value]] : [])),
    );

test('the health of devices of claims is known as long as the driver reports it', async () => {
  const node = await openNode();
  await node.handler.register(await serveDriver());
  const pod = podNamed('u1');
  await node.prepare(pod, [claimNamed('a')], signal);
  const container = { name: 'main', image: 'i', resources: { claims: [{ name: 'gpus' }] } };
  const withClaim = { ...pod, spec: { ...pod.spec, resourceClaims: [{ name: 'gpus', resourceClaimName: 'a' }] } };
  const seen = (): readonly string[] =>
    node
      .claimed(withClaim as typeof pod, container)
      .flatMap(({ name, claimName, devices }) =>
        devices.map(({ device, health, message }) => `${name} ${claimName} ${device} ${health} ${message}`.trim()),
      );
  expect(seen()).toEqual(['gpus a a-first Unknown', 'gpus a a-second Unknown']);
  const report = (health: number, more = {}): MessageOf<typeof deviceHealth> => ({
    ...{ device: { poolName: 'node', deviceName: 'a-first' }, health, lastUpdatedTime: 1 },
    ...more,
  });
  reports.push([report(1)]);
  await until(() => seen()[0] === 'gpus a a-first Healthy');
  expect(changedPods).toEqual(['u1']);
  reports.push([report(2, { message: 'x'.repeat(2000), healthCheckTimeoutSeconds: 60 })]);
  await until(() => seen()[0] === `gpus a a-first Unhealthy ${'x'.repeat(1021)}...`);
  await clock.advance('59s');
  expect(changedPods).toEqual(['u1', 'u1']);
  await clock.advance('2s');
  expect(changedPods).toEqual(['u1', 'u1', 'u1']);
  expect(seen()[0]).toBe('gpus a a-first Unknown');
});

test('slices of a driver that has died are removed, though its socket is still there', async () => {
  const node = await openNode();
  await node.handler.register(await serveDriver());
  const process = opened.pop();
  await nextTurn();
  await clock.advance('20s');
  await process?.[Symbol.asyncDispose]();
  await until(() => {
    void clock.advance('1s');
    return removed.length > 0;
  });
  expect(removed).toEqual([DRIVER]);
});

test('a claim that is not allocated, or whose driver is away, leaves no trace', async () => {
  const node = await openNode();
  const bare = claimNamed('bare');
  const unallocated = { ...bare, claim: { ...bare.claim, status: {} } };
  await expect(node.prepare(podNamed('u1'), [unallocated], signal)).rejects.toThrow(
    'prepare dynamic resources: ResourceClaim bare: not allocated',
  );
  await expect(node.prepare(podNamed('u1'), [claimNamed('a')], signal)).rejects.toThrow('is not registered');
  await expect(readFile(join(folder, 'dra_manager_state'), 'utf8')).rejects.toThrow('ENOENT');
  expect(node.podUids()).toEqual([]);
});

test('pods that share several claims are prepared one after the other, in whatever order they name them', async () => {
  const node = await openNode();
  await node.handler.register(await serveDriver());
  const [a, b] = [claimNamed('a'), claimNamed('b')];
  await Promise.all([node.prepare(podNamed('u1'), [a, b], signal), node.prepare(podNamed('u2'), [b, a], signal)]);
  expect(calls).toEqual(['v1 prepare a,b']);
  expect(inUse(node)).toEqual([
    ['dra_operations_duration_seconds', { operation_name: 'PrepareResources', is_error: 'false' }, 2],
    [
      'dra_grpc_operations_duration_seconds',
      {
        driver_name: DRIVER,
        method_name: '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources',
        grpc_status_code: 'OK',
      },
      1,
    ],
    ['<any>', 2],
    [DRIVER, 2],
  ]);
  await Promise.all(['u1', 'u2'].map((uid) => node.unprepare(uid)));
  expect(calls.at(-1)).toBe('v1 unprepare a,b');
});

test('drivers that the node has by itself are never called', async () => {
  const node = await DraDrivers.open({
    ...{ checkpoints: new DiskCheckpoints(folder), clock, random: new CryptoRandom(), log: discardLogger },
    builtIn: new Set([DRIVER]),
  });
  opened.push(node);
  expect((await node.prepare(podNamed('u1'), [claimNamed('a')], signal)).size).toBe(0);
  await node.unprepare('u1');
});
