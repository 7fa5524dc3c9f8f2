// What is left of pods on a node whose pods are all gone: processes, mounts, control groups, network namespaces, logs, volumes.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NodeLayout } from './node-layout.ts';

const run = promisify(execFile);
const ROOT = '/var/lib/kubelet';
const POD_LOGS = '/var/log/pods';
const CONTAINER_LOGS = '/var/log/containers';
const NETWORKS = '/run/netns';
const GROUPS = '/sys/fs/cgroup';

/** One line for each thing. Assumes: the caller runs in the node's namespaces, and no pod is on the node. */
export async function podLeftovers({ programs, runtimeSocket }: NodeLayout): Promise<readonly string[]> {
  const containers = await run(join(programs, 'ctr'), [
    '-a',
    runtimeSocket,
    '-n',
    'k8s.io',
    'containers',
    'list',
    '-q',
  ]);
  return [
    ...lines(containers.stdout).map((id) => `container ${id}`),
    ...(await namesIn(join(ROOT, 'pods'))).map((uid) => `folder of pod ${uid}`),
    ...(await namesIn(POD_LOGS)).map((name) => `logs ${name}`),
    ...(await namesIn(CONTAINER_LOGS)).map((name) => `link to a log ${name}`),
    ...(await namesIn(NETWORKS)).map((name) => `network namespace ${name}`),
    ...(await mountsOfPods()),
    ...(await groupsOfPods()),
    ...(await shims()),
  ];
}

async function mountsOfPods(): Promise<readonly string[]> {
  const points = lines(await readFile('/proc/self/mountinfo', 'utf8')).map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${ROOT}/pods/`)).map((point) => `mount ${point}`);
}

/** Groups of pods are `pod<uid>`, or slices whose name has it. */
async function groupsOfPods(): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // it goes away while we look
    for (const entry of entries.filter((each) => each.isDirectory())) {
      const path = join(folder, entry.name);
      if (/(^|-)pod[0-9a-f]{8}[-_]/.test(entry.name)) found.push(`control group ${path}`);
      else if (entry.name.startsWith('kubepods') || folder.includes('kubepods')) await visit(path);
    }
  };
  const own = lines(await readFile('/proc/self/cgroup', 'utf8'));
  for (const line of own) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const mount = join(GROUPS, controllers === '' ? 'unified' : controllers.replace(/^name=/, ''));
    for (const folder of new Set([join(mount, path), mount])) if (existsSync(folder)) await visit(folder);
  }
  return [...new Set(found)];
}

async function shims(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim(); // it has ended meanwhile
    if (name.startsWith('containerd-shim')) found.push(`process ${pid} (${name})`);
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []); // no pod has needed it
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
