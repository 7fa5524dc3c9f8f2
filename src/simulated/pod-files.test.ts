import { expect, test } from 'vitest';
import type { NodeAgent, OpenNodeBackend } from '../node/index.ts';
import { simulatedBackend } from './index.ts';
import { startNodes } from './testing/simulated-nodes.ts';

test('a container that fails without a message has the end of its log as message, if the pod asks for it', async () => {
  await using cluster = await startNodes();
  const annotations = { 'sim.keelson.dev/exit-code': '1', 'sim.keelson.dev/log': 'first\nlast' };
  const container = { name: 'web', image: 'nginx:1', terminationMessagePath: '/dev/termination-log' };
  const spec = { restartPolicy: 'Never', containers: [container] } as const;
  const message = async (name: string): Promise<string | undefined> =>
    (await cluster.pods.get(name)).status?.containerStatuses?.[0]?.state?.terminated?.message;
  const fallback = {
    ...spec,
    containers: [{ ...container, terminationMessagePolicy: 'FallbackToLogsOnError' as const }],
  };
  await cluster.run({ metadata: { name: 'file', annotations }, spec });
  await cluster.run({ metadata: { name: 'log', annotations }, spec: fallback });
  const said = { ...annotations, 'sim.keelson.dev/exit-message': 'out of luck' };
  await cluster.run({ metadata: { name: 'said', annotations: said }, spec: fallback });
  await cluster.advance('1s');
  expect([await message('file'), await message('log'), await message('said')]).toEqual([
    undefined,
    'first\nlast\n',
    'out of luck',
  ]);
});

test('containers have a hosts file with the names of their pod', async () => {
  let agent: NodeAgent | undefined;
  await using cluster = await startNodes({ onAgent: (made) => (agent = made) });
  const hostAliases = [{ ip: '10.9.9.9', hostnames: ['db'] }];
  await cluster.run({
    metadata: { name: 'web' },
    spec: { hostAliases, containers: [{ name: 'web', image: 'nginx:1' }] },
  });
  const command = { container: 'web', command: ['cat', '/etc/hosts'] };
  const { stdout } = (await agent?.streams.run('default/web', command)) ?? {};
  const text = Buffer.from(stdout ?? []).toString();
  expect(text).toMatch(/^# Kubernetes-managed hosts file\.\n/);
  expect(text).toContain('10.244.0.2\tweb\n');
  expect(text).toContain('10.9.9.9\tdb\n');
});

test('a backend that cannot be opened is retried, and other nodes do not wait for it', async () => {
  let tries = 0;
  const backend: OpenNodeBackend = async (node, context) => {
    if (node.name === 'late' && (tries += 1) < 3) throw new Error('no socket yet');
    return simulatedBackend()(node, context);
  };
  await using cluster = await startNodes({ backend, names: ['early', 'late'] });
  const names = async (): Promise<string[]> =>
    (await cluster.client.core.v1.nodes.list()).items.map(({ metadata }) => metadata.name);
  expect(await names()).toEqual(['early']);
  await cluster.advance('3s');
  expect(await names()).toEqual(['early', 'late']);
  expect(tries).toBe(3);
});
