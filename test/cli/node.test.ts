import { startCluster } from 'keelson/testing';
import { expect, test, vi } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';

interface Running {
  readonly ended: Promise<number>;
  stop(): void;
  output(): string;
}

function start(...args: readonly string[]): Running {
  let stop = (): void => undefined;
  let output = '';
  const ended = runProgram(['node', ...args], {
    env: {},
    stdout: { write: (text: string) => (output += text) },
    stderr: { write: (text: string) => (output += text) },
    once: (event, listener) => event === 'SIGTERM' && (stop = listener),
  });
  return { ended, stop: () => stop(), output: () => output };
}

const TIMES = [
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=500ms',
];

test('keelson node runs nodes on any API server, and no second process runs the same', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const kubeconfig = await cluster.kubeconfig();
  const { client } = cluster;
  const flags = [`--kubeconfig=${kubeconfig}`, '--node-name=rack', '--nodes=2', '--node-labels=rack=1', ...TIMES];
  const first = start(...flags);
  await vi.waitFor(async () => {
    const { items } = await client.core.v1.nodes.list({ labelSelector: 'rack=1' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['rack-1', 'rack-2']);
  }, 120_000);
  const { items } = await client.core.v1.nodes.list();
  expect(items.map(({ spec }) => spec?.podCIDR)).toEqual(['10.244.0.0/24', '10.244.1.0/24']);

  const second = start(...flags);
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/Cannot run nodes "rack": process ".+_[0-9a-f-]{36}" runs them/);
  first.stop();
  expect(await first.ended).toBe(0);
});
