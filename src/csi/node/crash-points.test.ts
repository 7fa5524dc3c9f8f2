import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aborted, type Random, SeededRandom } from '../../base/index.ts';
import { mergePatch } from '../../client/index.ts';
import type { CsiNode } from '../kit/driver-definition.ts';
import { DriverObjects } from './driver-objects.ts';
import { CsiCluster, DRIVER, HANDLE, UNIQUE, until } from './testing/csi-cluster.ts';

type Call = 'stage' | 'publish' | 'unpublish' | 'unstage';
const CALLS: readonly Call[] = ['stage', 'publish', 'unpublish', 'unstage'];
/** How many random points are tried; `KEELSON_CRASH_POINTS` tries more. */
const RANDOM_POINTS = Number(process.env['KEELSON_CRASH_POINTS'] ?? 8);

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
  const name = new DriverObjects(nodes.client, 'keelson').attachmentName({ driver: DRIVER, volumeHandle: HANDLE });
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

/** The agent stops in the middle of a call, and is started again: with the pod, or with the pod gone. */
async function crash(point: CrashPoint, isPodGone: boolean): Promise<void> {
  await using cluster = await CsiCluster.start();
  const driver = new WatchfulDriver(cluster);
  await using _served = await cluster.serve(driver.node);
  await cluster.registered();
  await mkdir(cluster.data(), { recursive: true });
  await writeFile(join(cluster.data(), 'file'), 'kept');
  await cluster.claim({ driver: { attachRequired: true } });
  await attached(cluster);
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
  if (isPodGone) await cluster.nodes.pods.delete('web', { gracePeriodSeconds: 0 });
  await cluster.nodes.startNodes();
  await cluster.registered();

  if (!isUp && !isPodGone) {
    await passes(cluster, async () => expect((await cluster.nodes.pods.get('web')).status?.phase).toBe('Running'));
    await cluster.nodes.pods.delete('web');
  }
  await passes(cluster, async () => {
    expect((await cluster.nodes.pods.list()).items).toEqual([]);
    expect([...driver.published, ...driver.staged]).toEqual([]);
    expect((await cluster.nodes.client.core.v1.nodes.get('keelson')).status?.volumesInUse ?? []).toEqual([]);
  });
  expect(driver.problems).toEqual([]);
  expect(await readFile(join(cluster.data(), 'file'), 'utf8')).toBe('kept');
  expect(await readdir(join(cluster.root, 'plugins/kubernetes.io/csi', DRIVER))).toEqual([]);
}

describe('an agent that stops in the middle of a call of a driver', () => {
  for (const call of CALLS)
    test(`unpublishes, then unstages, then lets go of the volume: ${call}`, { timeout: 60_000 }, async () => {
      for (const when of ['before', 'after'] as const)
        for (const isPodGone of [false, true]) await crash({ call, when }, isPodGone);
    });
});

describe('an agent that stops again and again under pods that come and go', () => {
  test(
    `leaves no mount behind and loses no data, at ${RANDOM_POINTS} random points`,
    { timeout: 600_000 },
    async () => {
      const random: Random = new SeededRandom(34);
      await using cluster = await CsiCluster.start();
      const driver = new WatchfulDriver(cluster);
      await using _served = await cluster.serve(driver.node);
      await cluster.registered();
      await mkdir(cluster.data(), { recursive: true });
      await writeFile(join(cluster.data(), 'file'), 'kept');
      await cluster.claim({ driver: { attachRequired: true } });
      await attached(cluster);
      const pods = new Set<string>();
      const pick = <T>(among: readonly T[]): T => among[Math.floor(random.float() * among.length)] as T;
      for (let round = 0; round < RANDOM_POINTS; round++) {
        let isReached = false;
        const point = { call: pick(CALLS), when: pick(['before', 'after'] as const) };
        const reached = driver.crashAt(point).then(() => (isReached = true));
        for (let tries = 0; !isReached && tries < 30; tries++) {
          if (pods.size < 3 && random.float() < 0.5) {
            const name = `pod-${round}-${tries}`;
            await cluster.pod(name);
            pods.add(name);
          } else if (pods.size > 0) {
            const name = pick([...pods]);
            pods.delete(name);
            const isForced = random.float() < 0.3;
            await cluster.nodes.pods.delete(name, isForced ? { gracePeriodSeconds: 0 } : {});
          }
          await cluster.nodes.clock.advance('35s');
        }
        await cluster.nodes.stopNodes();
        for (const name of [...pods])
          if (random.float() < 0.3) {
            await cluster.nodes.pods.delete(name, { gracePeriodSeconds: 0 });
            pods.delete(name);
          }
        await cluster.nodes.startNodes();
        await cluster.registered();
        void reached;
      }
      for (const { metadata } of (await cluster.nodes.pods.list()).items)
        await cluster.nodes.pods.delete(metadata.name).catch(() => undefined); // gone meanwhile
      await passes(cluster, async () => {
        expect((await cluster.nodes.pods.list()).items).toEqual([]);
        expect([...driver.published, ...driver.staged]).toEqual([]);
        expect((await cluster.nodes.client.core.v1.nodes.get('keelson')).status?.volumesInUse ?? []).toEqual([]);
      });
      expect(driver.problems).toEqual([]);
      expect(await readFile(join(cluster.data(), 'file'), 'utf8')).toBe('kept');
    },
  );
});
