import { expect, test } from 'vitest';
import { VirtualClock } from '../base/index.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { simulatedBackend } from './index.ts';
import { SimulatedImages } from './simulated-images.ts';
import { startNodes } from './testing/simulated-nodes.ts';

async function sizeOf(image: string): Promise<number> {
  const images = new SimulatedImages(new VirtualClock());
  images.add(image);
  return (await images.listImages())[0]?.size ?? 0;
}

async function reportedImages({ client }: NodeCluster): Promise<(string | undefined)[]> {
  const { status } = await client.core.v1.nodes.get('keelson');
  return (status?.images ?? []).map(({ names }) => names?.at(-1)).toSorted();
}

test('a node whose disk is full of images removes those that no container runs or mounts, and reports the rest', async () => {
  const imageDiskBytes = (await sizeOf('web:1')) + (await sizeOf('db:1')) + (await sizeOf('files:1'));
  await using cluster = await startNodes({ backend: simulatedBackend({ imageDiskBytes }) });
  await cluster.run({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'web:1' }] } });
  const volumeMounts = [{ name: 'files', mountPath: '/files' }];
  await cluster.run({
    metadata: { name: 'db' },
    spec: {
      containers: [{ name: 'db', image: 'db:1', volumeMounts }],
      volumes: [{ name: 'files', image: { reference: 'files:1' } }],
    },
  });
  await cluster.advance('10m');
  const kept = ['docker.io/library/db:1', 'docker.io/library/files:1'];
  expect(await reportedImages(cluster)).toEqual([...kept, 'docker.io/library/web:1']);
  const failure = (await cluster.events('keelson')).find((each) => each.includes('FreeDiskSpaceFailed'));
  expect(failure).toMatch(/Attempted to free \d+ bytes, but only found 0 bytes eligible to free\.$/);

  await cluster.pods.delete('web');
  await cluster.advance('10m');
  expect(await reportedImages(cluster)).toEqual(kept);
});
