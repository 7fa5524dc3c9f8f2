import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachmentName } from '../../api/meaning/index.ts';
import { aborted, type Random, SeededRandom } from '../../base/index.ts';
import { mergePatch } from '../../client/index.ts';
import type { CsiNode } from '../kit/driver-definition.ts';
import { CsiCluster, DRIVER, HANDLE, UNIQUE, until } from './testing/csi-cluster.ts';

type Call = 'stage' | 'publish' | 'unpublish' | 'unstage';
const CALLS: readonly Call[] = ['stage', 'publish', 'unpublish', 'unstage'];
/** How many random points are tried; `KEELSON_CRASH_POINTS` tries more. */
const RANDOM_POINTS = Number(process.env['KEELSON_CRASH_POINTS'] ?? 5);

/** Where a call stops for good: before the driver has done anything, or after it has done all. */
interface CrashPoint {
  readonly call: Call;
  readonly when: 'before' | 'after';
}

/** A driver that knows what is staged and published, and notes when a call comes in the wrong order. */
class WatchfulDriver {
  readonly node: CsiNode;
  readonly problems: string[] = [];
  readonly staged = new Set<string>();
  readonly published = new Set<string>();
  #crash: { readonly point: CrashPoint; readonly reached: () => void } | undefined;

  constructor(cluster: CsiCluster) {
    const links = cluster.linking();
    this.node = {
      id: 'node-1',
      stage: async (_, { stagingPath, signal }) =>
        this.#call('stage', signal, async () => {
          if (!existsSync(stagingPath)) this.problems.push('stage without a folder');
          this.staged.add(stagingPath);
        }),
      publish: async (volume, at) =>
        this.#call('publish', at.signal, async () => {
          if (!this.staged.has(at.stagingPath)) this.problems.push('publish before stage');
          this.published.add(at.targetPath);
          await links.publish(volume, at);
        }),
      unpublish: async (id, at) =>
        this.#call('unpublish', at.signal, async () => {
          this.published.delete(at.targetPath);
          await links.unpublish(id, at);
        }),
      unstage: async (_, { stagingPath, signal }) =>
        this.#call('unstage', signal, async () => {
          if (this.published.size > 0) this.problems.push('unstage before unpublish');
          const { status } = await cluster.nodes.client.core.v1.nodes.get('keelson');
          if (status?.volumesInUse?.includes(UNIQUE) !== true) this.problems.push('not in use before unstage');
          this.staged.delete(stagingPath);
        }),
    };
  }

  /** Stops the next such call; resolves when it was stopped. */
  async crashAt(point: CrashPoint): Promise<void> {
    await new Promise<void>((resolve) => (this.#crash = { point, reached: resolve }));
  }

  async #call(call: Call, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const crash = this.#crash?.point.call === call ? this.#crash : undefined;
    if (crash !== undefined) this.#crash = undefined;
    if (crash?.point.when !== 'before') await work();
    if (crash === undefined) return;
    crash.reached();
    await aborted(signal); // the agent never learns what came of it
  }
}

async function attached({ nodes }: CsiCluster): Promise<void> {
  const { core, storage } = nodes.client;
  const name = attachmentName({ driver: DRIVER, volumeHandle: HANDLE }, 'keelson');
  await storage.v1.volumeattachments.create({
    metadata: { name },
    spec: { attacher: DRIVER, nodeName: 'keelson', source: { persistentVolumeName: 'v' } },
  });
  await storage.v1.volumeattachments.status.patch(name, mergePatch({ status: { attached: true } }));
  const volumesAttached = [{ name: UNIQUE, devicePath: '' }];
  await core.v1.nodes.status.patch('keelson', mergePatch({ status: { volumesAttached } }));
}

/** Time passes until a condition holds. */
async function passes(cluster: CsiCluster, check: () => void | Promise<void>): Promise<void> {
  await until(async () => {
    await cluster.nodes.clock.advance('30s');
    await check();
  });
}

interface Scene extends AsyncDisposable {
  readonly cluster: CsiCluster;
  readonly driver: WatchfulDriver;
}

/** A node with the driver, and a claim with data in its volume. */
async function scene(): Promise<Scene> {
  const cluster = await CsiCluster.start();
  const driver = new WatchfulDriver(cluster);
  const served = await cluster.serve(driver.node);
  await cluster.registered();
  await mkdir(cluster.data(), { recursive: true });
  await writeFile(join(cluster.data(), 'file'), 'kept');
  await cluster.claim({ driver: { attachRequired: true } });
  await attached(cluster);
  return {
    cluster,
    driver,
    async [Symbol.asyncDispose]() {
      await cluster.nodes[Symbol.asyncDispose](); // first, so that the driver has no client that it waits for
      await served[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** All pods and mounts go, in the right order, and the data stays. */
async function ends({ cluster, driver }: Scene): Promise<void> {
  await passes(cluster, async () => {
    expect((await cluster.nodes.pods.list()).items).toEqual([]);
    expect([...driver.published, ...driver.staged]).toEqual([]);
    expect((await cluster.nodes.client.core.v1.nodes.get('keelson')).status?.volumesInUse ?? []).toEqual([]);
  });
  expect(driver.problems).toEqual([]);
  expect(await readFile(join(cluster.data(), 'file'), 'utf8')).toBe('kept');
  expect(await readdir(join(cluster.root, 'plugins/kubernetes.io/csi', DRIVER))).toEqual([]);
}

/** The agent stops in the middle of a call, and is started again: with the pod, or with the pod gone. */
async function crash(on: Scene, point: CrashPoint, isPodGone: boolean): Promise<void> {
  const { cluster, driver } = on;
  const isUp = point.call === 'unpublish' || point.call === 'unstage';
  const reached = isUp ? undefined : driver.crashAt(point);
  await cluster.pod('web');
  if (isUp) {
    await passes(cluster, () => cluster.running('web'));
    const stopped = driver.crashAt(point);
    await cluster.nodes.pods.delete('web');
    await cluster.nodes.clock.advance('1m');
    await stopped;
  } else await reached;

  await cluster.nodes.stopNodes();
  if (isPodGone) await cluster.delete('web');
  await cluster.nodes.startNodes();

  if (!isUp && !isPodGone) {
    await passes(cluster, async () => expect((await cluster.nodes.pods.get('web')).status?.phase).toBe('Running'));
    await cluster.nodes.pods.delete('web');
  }
  await ends(on);
}

describe('an agent that stops in the middle of a call of a driver', () => {
  for (const call of CALLS)
    test(`unpublishes, then unstages, then lets go of the volume: ${call}`, async () => {
      await using on = await scene();
      for (const when of ['before', 'after'] as const)
        for (const isPodGone of [false, true]) await crash(on, { call, when }, isPodGone);
    });
});

describe('an agent that stops again and again under pods that come and go', () => {
  const name = `leaves no mount behind and loses no data, at ${RANDOM_POINTS} random points`;
  test(name, { timeout: 240_000 + RANDOM_POINTS * 10_000 }, async () => {
    const random: Random = new SeededRandom(34);
    await using on = await scene();
    const { cluster, driver } = on;
    const pods = new Set<string>();
    const pick = <T>(among: readonly T[]): T => among[Math.floor(random.float() * among.length)] as T;
    for (let round = 0; round < RANDOM_POINTS; round++) {
      let isReached = false;
      const point = { call: pick(CALLS), when: pick(['before', 'after'] as const) };
      void driver.crashAt(point).then(() => (isReached = true));
      for (let tries = 0; !isReached && tries < 30; tries++) {
        const pod = pods.size < 3 && random.float() < 0.5 ? `pod-${round}-${tries}` : pick([...pods]);
        if (pod !== undefined && !pods.has(pod)) {
          await cluster.pod(pod);
          pods.add(pod);
        } else if (pod !== undefined) {
          pods.delete(pod);
          await cluster.nodes.pods.delete(pod, random.float() < 0.3 ? { gracePeriodSeconds: 0 } : {});
        }
        await cluster.nodes.clock.advance('35s');
      }
      await cluster.nodes.stopNodes();
      for (const pod of [...pods].filter(() => random.float() < 0.3)) {
        await cluster.delete(pod);
        pods.delete(pod);
      }
      await cluster.nodes.startNodes();
    }
    for (const { metadata } of (await cluster.nodes.pods.list()).items)
      await cluster.nodes.pods.delete(metadata.name).catch(() => undefined); // gone meanwhile
    await ends(on);
  });
});
