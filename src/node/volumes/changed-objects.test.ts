import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { nodeAgent } from '../node-agents.ts';
import type { ChangeDetection } from '../objects/index.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

/** What the volume of a running pod shows right after its ConfigMap was changed, and a minute later. */
async function shown(changeDetection: ChangeDetection): Promise<readonly (string | undefined)[]> {
  const machine = new MemoryMachine();
  await using cluster = await NodeCluster.start(nodeAgent({ backend: machine.open, changeDetection }));
  const configMaps = cluster.client.core.v1.configmaps.namespace('default');
  await configMaps.create({ metadata: { name: 'settings' }, data: { text: '1' } });
  const volumes = [{ name: 'v', configMap: { name: 'settings' } }];
  const volumeMounts = [{ name: 'v', mountPath: '/settings' }];
  const containers = [{ name: 'web', image: 'nginx', volumeMounts }];
  await cluster.run({ metadata: { name: 'web' }, spec: { volumes, containers } });
  const text = (): string | undefined => [...machine.files].find(([path]) => path.endsWith('/v/text'))?.[1];
  const before = text();
  await configMaps.patch('settings', mergePatch({ data: { text: '2' } }));
  await cluster.settle();
  const now = text();
  await cluster.advance('61s');
  return [before, now, text()];
}

test('volumes of running pods show changes at once with Watch, and within a minute with Get', async () => {
  expect(await shown('Watch')).toEqual(['1', '2', '2']);
  expect(await shown('Get')).toEqual(['1', '1', '2']);
});
