import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardLogger } from '../../base/index.ts';
import type { CgroupTree } from './cgroup-tree.ts';
import { SplitTree } from './cgroup-tree-v1.ts';
import { moveProcesses } from './move-processes.ts';

const CONTROLLERS = ['cpu', 'cpuset', 'memory'];

let root = '';
let other: ChildProcess;

/** Folders in the form of cgroups. Files do not move processes as the kernel does, so the root is emptied by hand. */
function emptied(tree: CgroupTree): CgroupTree {
  const moving = tree.join.bind(tree);
  tree.join = async (path, pid) => {
    await moving(path, pid);
    for (const controller of CONTROLLERS) await writeFile(join(root, controller, 'cgroup.procs'), '1\n');
  };
  return tree;
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-cgroups-'));
  other = spawn('sleep', ['600']);
  for (const controller of CONTROLLERS) {
    await mkdir(join(root, controller));
    await writeFile(join(root, controller, 'cgroup.procs'), `1\n${other.pid}\n`);
  }
  for (const name of ['cpuset.cpus', 'cpuset.mems']) await writeFile(join(root, 'cpuset', name), '0');
});

afterEach(async () => {
  other.kill();
  await rm(root, { recursive: true });
});

const processesOf = async (path: string): Promise<readonly string[]> =>
  Promise.all(CONTROLLERS.map((controller) => readFile(join(root, controller, path, 'cgroup.procs'), 'utf8')));

test('the agent moves itself in all hierarchies, and the programs of the machine but the first', async () => {
  const tree = emptied(await SplitTree.open({ root, pageSizes: [] }));
  await moveProcesses({ kubeletCgroups: '/kubelet', systemCgroups: '/system' }, { tree, log: discardLogger });
  expect(await processesOf('kubelet')).toEqual(Array(3).fill(String(process.pid)));
  expect(await processesOf('system')).toEqual(Array(3).fill(String(other.pid)));
});

test('the root is no cgroup for the processes of the machine', async () => {
  const tree = await SplitTree.open({ root, pageSizes: [] });
  const moving = moveProcesses({ kubeletCgroups: '', systemCgroups: '/' }, { tree, log: discardLogger });
  await expect(moving).rejects.toThrow('system container cannot be root ("/")');
});
