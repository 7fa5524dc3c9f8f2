import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock, SeededRandom } from '../../base/index.ts';
import type { Observed, ResourceClaim } from '../../client/index.ts';
import type { PodClaim } from '../../node/index.ts';
import { podOf } from '../../node/testing/pod-views.ts';
import { DiskCheckpoints } from '../../system/index.ts';
import { GrpcServer, unaryMethod } from '../../wire/grpc/index.ts';
import { DRAPlugin } from '../protocol/dra-v1.ts';
import { until } from '../testing/device-node.ts';
import { DraDrivers } from './dra-drivers.ts';

const DRIVER = 'gpu.example.com';
const realClock = new RealClock();
const never = new AbortController().signal;

let folder: string;
/** What the driver has prepared, as on its disk. */
let prepared: Set<string>;
let agent: DraDrivers | undefined;
let driver: AsyncDisposable | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-dra-faults-'));
  prepared = new Set();
});

afterEach(async () => {
  await agent?.[Symbol.asyncDispose]();
  await driver?.[Symbol.asyncDispose]();
  [agent, driver] = [undefined, undefined];
  await rm(folder, { recursive: true });
});

const registration = (): { name: string; endpoint: string; versions: string[] } => ({
  ...{ name: DRIVER, endpoint: join(folder, 'dra.sock'), versions: ['v1.DRAPlugin'] },
});

async function startAgent(): Promise<DraDrivers> {
  agent = await DraDrivers.open({
    ...{ checkpoints: new DiskCheckpoints(folder), clock: realClock, random: new CryptoRandom(), log: discardLogger },
  });
  await agent.handler.register(registration());
  return agent;
}

/** The driver's next process. With `hangs`, it has prepared the devices and never answers. */
async function startDriver({ hangs = false } = {}): Promise<void> {
  const work = async (claims: readonly { uid?: string }[], each: (uid: string) => void): Promise<void> => {
    for (const { uid = '' } of claims) {
      await realClock.sleep(0);
      each(uid);
    }
    if (hangs) await new Promise(() => undefined);
  };
  const methods = [
    unaryMethod(DRAPlugin.nodePrepareResources, async ({ claims = [] }) => {
      await work(claims, (uid) => prepared.add(uid));
      const devices = (uid: string): object => ({
        devices: [{ poolName: 'n1', deviceName: uid, cdiDeviceIds: [`${DRIVER}/gpu=${uid}`] }],
      });
      return { claims: new Map(claims.map(({ uid = '' }) => [uid, devices(uid)])) };
    }),
    unaryMethod(DRAPlugin.nodeUnprepareResources, async ({ claims = [] }) => {
      await work(claims, (uid) => prepared.delete(uid));
      return { claims: new Map(claims.map(({ uid = '' }) => [uid, {}])) };
    }),
  ];
  driver = await GrpcServer.listen({ address: `unix:${join(folder, 'dra.sock')}`, methods, clock: realClock });
}

async function killDriver(): Promise<void> {
  await driver?.[Symbol.asyncDispose]();
  driver = undefined;
}

function claimNamed(name: string): PodClaim {
  const results = [{ request: 'gpu', driver: DRIVER, pool: 'n1', device: name }];
  const claim = {
    metadata: { name, namespace: 'default', uid: name },
    status: { allocation: { devices: { results } } },
  };
  return { name, claim: claim as unknown as Observed<ResourceClaim> };
}

const podWith = (uid: string, claims: readonly string[]): ReturnType<typeof podOf> =>
  podOf({
    metadata: { name: uid, uid },
    spec: {
      resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })),
      containers: [{ name: 'main', image: 'i', resources: { claims: claims.map((name) => ({ name })) } }],
    },
  });

test('a claim whose driver died while it prepared is unprepared by the next agent and the next driver', async () => {
  await startDriver({ hangs: true });
  const first = await startAgent();
  const preparing = first.prepare(podWith('u1', ['a']), [claimNamed('a')], never);
  const refused = expect(preparing).rejects.toThrow('prepare dynamic resources: NodePrepareResources: rpc error');
  await until(() => prepared.size === 1);
  await killDriver();
  await refused;
  await first[Symbol.asyncDispose]();
  const next = await startAgent();
  expect(next.podUids()).toEqual(['u1']);
  await expect(next.unprepare('u1')).rejects.toThrow('unprepare dynamic resources');
  await startDriver();
  await next.unprepare('u1');
  expect([...prepared]).toEqual([]);
  expect(next.podUids()).toEqual([]);
});

test('an agent that dies between the answer and its note prepares the claim again, and unprepares it once', async () => {
  await startDriver();
  const first = await startAgent();
  await first.prepare(podWith('u1', ['a']), [claimNamed('a')], never);
  await first[Symbol.asyncDispose]();
  const next = await startAgent();
  const edits = await next.prepare(podWith('u1', ['a']), [claimNamed('a')], never);
  expect(edits.get('main')?.cdiDevices).toEqual([`${DRIVER}/gpu=a`]);
  await next.unprepare('u1');
  expect([...prepared]).toEqual([]);
});

test('a hundred pods with twenty claims come and go while agent and driver are killed: in the end nothing is prepared', async () => {
  const random = new SeededRandom(7);
  await startDriver();
  await startAgent();
  const names = Array.from({ length: 20 }, (_, index) => `claim-${index}`);
  const retried = async (work: (node: DraDrivers) => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        if (agent === undefined) throw new Error('the agent is away');
        return void (await work(agent));
      } catch {
        await realClock.sleep(1 + random.int(5));
      }
    }
  };
  const lives = Array.from({ length: 100 }, async (_, index) => {
    const claims = [...new Set([0, 1].map(() => names[random.int(names.length)] ?? ''))];
    const pod = podWith(`pod-${index}`, claims);
    await realClock.sleep(random.int(200));
    await retried((node) => node.prepare(pod, claims.map(claimNamed), never));
    for (const name of claims) expect(prepared.has(name)).toBe(true);
    await realClock.sleep(random.int(100));
    await retried(async (node) => {
      await node.unprepare(pod.metadata.uid);
      if (node !== agent) throw new Error('the agent was killed'); // its successor does it again
    });
  });
  const kills = (async () => {
    for (let kill = 0; kill < 10; kill++) {
      await realClock.sleep(30);
      if (kill % 2 === 0) {
        await killDriver();
        await startDriver();
      } else {
        const old = agent;
        agent = undefined;
        await old?.[Symbol.asyncDispose]();
        await startAgent();
      }
    }
  })();
  await Promise.all([kills, ...lives]);
  expect([...prepared]).toEqual([]);
  expect(agent?.podUids()).toEqual([]);
});
