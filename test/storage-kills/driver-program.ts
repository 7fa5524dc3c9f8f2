// A driver that keeps an account of what is attached, staged and published, and notes each call that comes in the wrong order. Its functions
// take their time, so that processes die in the middle of them. Arguments: FOLDER SOCKET controller | FOLDER SOCKET NODE REGISTRY
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CsiController, csiDriver, type CsiNode, folderRecords } from '../../src/csi/index.ts';
import { DRIVER_NAME } from './names.ts';

const MAX_PAUSE_MS = 120;

const [root = '', socket = '', role = '', registerIn] = process.argv.slice(2);
const at = (id: string): string => join(root, 'data', id);
/** Notes of the state, one file for each volume; what is in it is the node. */
const noted = {
  attached: (id: string): string => join(root, 'attached', id),
  staged: (id: string): string => join(root, 'staged', id),
};
const publishedName = (id: string, target: string): string =>
  `${id} ${role} ${createHash('sha256').update(target).digest('hex').slice(0, 16)}`;

for (const name of ['data', 'attached', 'staged', 'published']) await mkdir(join(root, name), { recursive: true });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const driver = csiDriver({
  name: DRIVER_NAME,
  version: '1',
  ...(role === 'controller' ? { controller: controller() } : { node: node() }),
});
await driver
  .serve({ listen: `unix://${socket}`, ...(registerIn === undefined ? {} : { registerIn }) })
  .run(stop.signal);

async function problem(text: string): Promise<void> {
  await appendFile(join(root, 'problems'), `${text}\n`);
}

async function pause(): Promise<void> {
  await sleep(Math.random() * MAX_PAUSE_MS);
}

async function holderOf(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Notes the node, unless another one has the volume. */
async function take(what: keyof typeof noted, id: string, nodeId: string): Promise<void> {
  const path = noted[what](id);
  const holder = await holderOf(path);
  if (holder !== undefined && holder !== nodeId)
    await problem(`${id} is ${what} on ${holder}, and was to be on ${nodeId}`);
  await writeFile(path, nodeId);
}

function controller(): CsiController {
  return {
    records: folderRecords(join(root, 'records')),
    async create({ id }) {
      await pause();
      await mkdir(at(id), { recursive: true });
      await pause();
    },
    async delete({ id }) {
      for (const [what, path] of Object.entries(noted)) {
        const holder = await holderOf(path(id));
        if (holder !== undefined) await problem(`${id} was deleted while it was ${what} on ${holder}`);
      }
      await pause();
      await rm(at(id), { recursive: true, force: true });
      await pause();
    },
    async attach({ id }, { nodeId }) {
      await pause();
      await take('attached', id, nodeId);
      await pause();
    },
    async detach({ id }, { nodeId }) {
      if ((await holderOf(noted.staged(id))) === nodeId)
        await problem(`${id} was detached from ${nodeId} while staged`);
      await pause();
      if ((await holderOf(noted.attached(id))) === nodeId) await rm(noted.attached(id));
      await pause();
    },
  };
}

function node(): CsiNode {
  return {
    id: role,
    async stage({ id }, { stagingPath }) {
      if ((await holderOf(noted.attached(id))) !== role)
        await problem(`${id} was staged on ${role} without being attached`);
      if (!(await isThere(stagingPath))) await problem(`${id} was staged without a folder`);
      await pause();
      await take('staged', id, role);
      await pause();
    },
    async unstage(id) {
      const uses = (await readdir(join(root, 'published'))).filter((name) => name.startsWith(`${id} ${role} `));
      if (uses.length > 0) await problem(`${id} was unstaged on ${role} while it was published`);
      await pause();
      if ((await holderOf(noted.staged(id))) === role) await rm(noted.staged(id));
      await pause();
    },
    async publish({ id }, { targetPath }) {
      if ((await holderOf(noted.staged(id))) !== role)
        await problem(`${id} was published on ${role} without being staged`);
      if (!(await isThere(at(id)))) await problem(`${id} was published after it was deleted`);
      await pause();
      await writeFile(join(root, 'published', publishedName(id, targetPath)), targetPath);
      await symlink(at(id), targetPath).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      await pause();
    },
    async unpublish(id, { targetPath }) {
      await pause();
      await rm(targetPath, { force: true });
      await rm(join(root, 'published', publishedName(id, targetPath)), { force: true });
      await pause();
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
