// What is left of pods on a node whose pods are all gone: processes, mounts, control groups, network namespaces, logs, volumes.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPeers, runProgram } from '../../peers/index.ts';
import type { NodeLayout } from './node-layout.ts';
import { processesOf } from './processes-of.ts';

const ROOT = '/var/lib/kubelet';
const POD_LOGS = '/var/log/pods';
const CONTAINER_LOGS = '/var/log/containers';
const NETWORKS = '/run/netns';
const GROUPS = '/sys/fs/cgroup';

/** One line for each thing. Assumes: the caller runs in the namespaces of the run, and no pod is on the node. */
export async function podLeftovers(layout: NodeLayout): Promise<readonly string[]> {
  const { enter, runtimeSocket } = layout;
  const found = findPeers(['ctr']);
  if (found.paths === undefined) throw new Error(`Cannot look for containers: ${found.reason}`);
  const ctr = [...enter, found.paths.ctr, '-a', runtimeSocket, '-n', 'k8s.io'];
  const namesIn = async (folder: string): Promise<readonly string[]> =>
    lines(await runProgram([...enter, 'ls', '-A', folder]).catch(() => '')); // no pod has needed it
  return [
    ...lines(await runProgram([...ctr, 'containers', 'list', '-q'])).map((id) => `container ${id}`),
    ...(await namesIn(join(ROOT, 'pods'))).map((uid) => `folder of pod ${uid}`),
    ...(await namesIn(POD_LOGS)).map((name) => `logs ${name}`),
    ...(await namesIn(CONTAINER_LOGS)).map((name) => `link to a log ${name}`),
    ...(await namesIn(NETWORKS)).map((name) => `network namespace ${name}`),
    ...(await mountsOfPods(layout)),
    ...(await groupsOfPods(layout)),
    ...(await shims(layout)),
  ];
}

async function mountsOfPods({ enter }: NodeLayout): Promise<readonly string[]> {
  const points = lines(await runProgram([...enter, 'cat', '/proc/self/mountinfo'])).map((line) => line.split(' ')[4]);
  return points.filter((point) => point?.startsWith(`${ROOT}/pods/`) === true).map((point) => `mount ${point}`);
}

/** Groups of pods are `pod<uid>`, or slices whose name has it. */
async function groupsOfPods({ controlGroup }: NodeLayout): Promise<readonly string[]> {
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
    for (const folder of new Set([join(mount, path, controlGroup), join(mount, controlGroup)]))
      if (existsSync(folder)) await visit(folder);
  }
  return [...new Set(found)];
}

async function shims(layout: NodeLayout): Promise<readonly string[]> {
  const processes = await processesOf(layout);
  return processes
    .filter(({ name }) => name.startsWith('containerd-shim'))
    .map(({ pid, name }) => `process ${pid} (${name})`);
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
