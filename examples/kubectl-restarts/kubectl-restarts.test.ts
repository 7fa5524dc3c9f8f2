import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { restarts } from './kubectl-restarts.ts';

test('containers that were restarted are shown, and pods are completed', async () => {
  await using cluster = await startCluster();
  const pods = cluster.client.core.v1.pods.namespace('default');
  const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'sleep 1; exit 3'] };
  await pods.create({ metadata: { name: 'broken' }, spec: { containers: [container] } });
  await pods.create({ metadata: { name: 'well' }, spec: { containers: [{ name: 'main', image: 'nginx' }] } });
  await cluster.settle();
  await cluster.clock.advance('1m');

  const lines: string[] = [];
  const print = (line: string): unknown => lines.push(line);
  expect(await restarts.run([], { client: cluster.client, print })).toBe(0);
  expect(lines).toEqual([
    'NAMESPACE   POD      CONTAINER   RESTARTS   LAST REASON',
    'default     broken   main        3          Error',
  ]);
  lines.length = 0;
  await restarts.run(['-n', 'kube-system'], { client: cluster.client, print });
  expect(lines).toEqual(['No container was restarted in kube-system.']);
  lines.length = 0;
  await restarts.complete(['b'], { client: cluster.client, print });
  expect(lines).toEqual(['broken', ':4']);
});
