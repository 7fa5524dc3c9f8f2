import { app, mergePatch } from 'keelson';
import { extenderBy } from 'keelson/scheduler';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { COUNT, GPU, gpuExtender, MODEL } from './gpu-extender.ts';

test('pods get nodes with enough GPUs of their model, and are packed', async () => {
  const gpu = gpuExtender();
  await using cluster = await startCluster({ nodes: 4, scheduler: { extenders: [extenderBy(gpu)] } });
  await cluster.run(app('gpu-extender', [gpu]));
  const { nodes, pods } = cluster.client.core.v1;
  const label = (name: string, labels: Record<string, string>) =>
    nodes.patch(name, mergePatch({ metadata: { labels } }));
  await label('keelson-1', { [COUNT]: '4', [MODEL]: 'a100' });
  await label('keelson-2', { [COUNT]: '2', [MODEL]: 'a100' });
  await label('keelson-3', { [COUNT]: '8', [MODEL]: 'h100' });
  await cluster.settle();
  const place = async (name: string, count: number, model?: string): Promise<string | undefined> => {
    const requests = { [GPU]: String(count) };
    await pods.namespace('default').create({
      metadata: { name, annotations: model === undefined ? {} : { [MODEL]: model } },
      spec: { containers: [{ name: 'train', image: 'train', resources: { requests, limits: requests } }] },
    });
    await cluster.settle();
    const { spec, status } = await pods.namespace('default').get(name);
    return spec?.nodeName ?? status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  };

  expect(await place('one', 1, 'a100')).toBe('keelson-2');
  expect(await place('two', 1, 'a100')).toBe('keelson-2');
  expect(await place('three', 2, 'a100')).toBe('keelson-1');
  expect(await place('large', 8, 'h100')).toBe('keelson-3');
  expect(await place('another', 3, 'a100')).toMatch(
    /^0\/4 nodes are available: 1 node\(s\) had another model of GPU, 1 node\(s\) had no GPU, 2 Insufficient GPUs\./,
  );
});
