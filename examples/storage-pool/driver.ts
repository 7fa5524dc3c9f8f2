import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  bindMount,
  type CsiDriver,
  csiDriver,
  CsiError,
  type CsiRecords,
  folderRecords,
  unbindMount,
} from 'keelson/csi';
import type { Pool } from './pool.ts';

export const POOL_DRIVER = 'pool.csi.example.com';
/** In the bucket of a volume: the node that may write. */
const OWNER = '.owner';

export interface PoolDriverOptions {
  /** For what this machine keeps: records of volumes, and the files of those that are used here. */
  readonly folder: string;
  readonly node: string;
  pool(name: string): Pool;
  /** How often files of volumes that are used are saved; a node that dies loses what it wrote since. Default 10 s. */
  readonly saveMs?: number;
  /** Default bind mounts, which need root. */
  readonly mounts?: {
    bind(source: string, target: string): Promise<void>;
    unbind(target: string): Promise<void>;
  };
}

/** Volumes whose files are objects of a pool. They are on the node while it uses them, and saved again and again. */
export function poolDriver(options: PoolDriverOptions): CsiDriver {
  const { folder, node, pool, saveMs = 10_000, mounts = { bind: bindMount, unbind: unbindMount } } = options;
  const records: CsiRecords = folderRecords(join(folder, 'records'));
  const files = (id: string): string => join(folder, 'files', id);
  const bucketOf = (id: string): string => `volume-${id}`;
  const ownerFile = (id: string): string => join(folder, 'owned', id);
  const saving = new Map<string, AbortController>();
  const poolNamed = (context: Readonly<Record<string, string>>): Pool => pool(context['pool'] ?? '');

  /** Writes what has changed; refuses when another node has the volume now. */
  async function save(id: string, to: Pool): Promise<void> {
    const owner = (await to.get(bucketOf(id), OWNER))?.toString();
    if (owner !== node) throw new CsiError('FAILED_PRECONDITION', `volume "${id}" belongs to node "${owner}" now`);
    const present = new Set<string>();
    for (const key of await below(files(id))) {
      present.add(key);
      const bytes = await readFile(join(files(id), key));
      if (!bytes.equals((await to.get(bucketOf(id), key)) ?? Buffer.from([0xff])))
        await to.put(bucketOf(id), key, bytes);
    }
    for (const key of await to.list(bucketOf(id)))
      if (key !== OWNER && !present.has(key)) await to.remove(bucketOf(id), key);
  }

  async function keepSaving(id: string, to: Pool, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await passed(saveMs, signal);
      if (!signal.aborted) await save(id, to).catch(() => undefined); // the next time
    }
  }

  return csiDriver({
    name: POOL_DRIVER,
    version: '1.0.0',
    controller: {
      records,
      copies: ['snapshot', 'volume'],
      async create({ id, parameters, copyOf }) {
        const name = parameters['pool'];
        if (name === undefined) throw new CsiError('INVALID_ARGUMENT', 'the class needs the parameter "pool"');
        const from =
          copyOf?.type === 'snapshot' ? `snapshot-${copyOf.snapshot.id}` : copyOf && bucketOf(copyOf.volume.id);
        if (from !== undefined) await pool(name).copy(from, bucketOf(id));
        return { context: { pool: name } };
      },
      async delete({ id, context, parameters }) {
        await pool(context['pool'] ?? parameters['pool'] ?? '').drop(bucketOf(id));
      },
      attach: async ({ id, context }, { nodeId }) => poolNamed(context).put(bucketOf(id), OWNER, Buffer.from(nodeId)),
      detach: async ({ id, context }, { nodeId }) => {
        const owner = (await poolNamed(context).get(bucketOf(id), OWNER))?.toString();
        if (owner === nodeId) await poolNamed(context).remove(bucketOf(id), OWNER); // from here on, the node cannot save
      },
      async snapshot({ id }, volume) {
        await poolNamed(volume.context).copy(bucketOf(volume.id), `snapshot-${id}`);
        await poolNamed(volume.context).remove(`snapshot-${id}`, OWNER);
      },
      async deleteSnapshot({ id, volumeId }) {
        const volume = await records.volumes.get(volumeId);
        await poolNamed(volume?.context ?? {}).drop(`snapshot-${id}`);
      },
    },
    node: {
      id: node,
      async stage({ id, context }) {
        const from = poolNamed(context);
        const isHere = await readFile(ownerFile(id), 'utf8').catch(() => undefined);
        if (isHere === undefined) {
          await rm(files(id), { recursive: true, force: true });
          await mkdir(files(id), { recursive: true });
          for (const key of await from.list(bucketOf(id))) {
            if (key === OWNER) continue;
            await mkdir(dirname(join(files(id), key)), { recursive: true });
            await writeFile(join(files(id), key), (await from.get(bucketOf(id), key)) ?? '');
          }
          await mkdir(dirname(ownerFile(id)), { recursive: true });
          await writeFile(ownerFile(id), context['pool'] ?? '');
        }
        if (saving.has(id)) return;
        const stop = new AbortController();
        saving.set(id, stop);
        void keepSaving(id, from, stop.signal);
      },
      async unstage(id) {
        const name = await readFile(ownerFile(id), 'utf8').catch(() => undefined);
        saving.get(id)?.abort();
        saving.delete(id);
        if (name !== undefined) await save(id, pool(name));
        await rm(ownerFile(id), { force: true });
        await rm(files(id), { recursive: true, force: true });
      },
      publish: ({ id }, { targetPath }) => mounts.bind(files(id), targetPath),
      unpublish: (_, { targetPath }) => mounts.unbind(targetPath),
    },
  });
}

/** The files below a folder, by their paths in it. */
async function below(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true });
  const kinds = await Promise.all(found.map(async (name) => (await stat(join(folder, name))).isFile()));
  return found.filter((_, at) => kinds[at]).map((name) => relative('.', name));
}

async function passed(ms: number, signal: AbortSignal): Promise<void> {
  const end = AbortSignal.any([AbortSignal.timeout(ms), signal]);
  await new Promise<void>((resolve) => end.addEventListener('abort', () => resolve(), { once: true }));
}
