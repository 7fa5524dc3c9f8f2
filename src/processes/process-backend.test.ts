import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { describeNodeBackend } from '../node/testing/describe-node-backend.ts';
import { imageCommand, TestProcesses } from './testing/test-processes.ts';

/** Ends with the code that belongs to a signal. */
const PROGRAM = [
  'sh',
  '-c',
  'trap "exit 1" HUP; trap "exit 3" USR1; trap "exit 7" USR2; echo ready; sleep 1000 & wait',
];
const SIGNALS: Readonly<Record<number, NodeJS.Signals>> = { 1: 'SIGHUP', 3: 'SIGUSR1', 7: 'SIGUSR2' };
const CAN = { networkSwitch: false, deviceEdits: false, mountedVolumes: true };

describe.each([
  ['at their paths', true],
  ['in a folder', false],
])('with volumes %s', (_where, mountsVolumes) => {
  describeNodeBackend('the process backend', CAN, () => {
    const processes = new TestProcesses([imageCommand('nginx', PROGRAM)], mountsVolumes);
    return {
      open: processes.open,
      settle: processes.settle,
      exit: async (cluster, pod, code) => {
        const running = (await processes.host).running();
        const container = running.find(({ parts }) => parts.sandbox.metadata.name === pod);
        if (container?.pid === undefined) throw new Error(`Cannot end pod "${pod}": it does not run`);
        const log = container.status('').logPath;
        await expect.poll(() => readFile(log, 'utf8')).toMatch(/ready/);
        process.kill(container.pid, SIGNALS[code]);
        await container.ended;
        await cluster.settle();
      },
      rest: async ({ runtime }) => {
        const { folder } = await processes.host;
        const files = await readdir(join(folder, 'nodes', 'keelson', 'pods'), { recursive: true });
        const logs = await readdir(join(folder, 'nodes', 'keelson', 'logs'));
        const [sandboxes, containers] = [await runtime.listPodSandbox(), await runtime.listContainers()];
        return [...sandboxes.map(({ id }) => id), ...containers.map(({ id }) => id), ...files, ...logs];
      },
      setNetworkReady: () => undefined,
      setEdits: () => undefined,
    };
  });
});
