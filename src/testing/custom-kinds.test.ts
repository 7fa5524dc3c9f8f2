import { expect, test } from 'vitest';
import { z } from 'zod';
import { mergePatch } from '../client/index.ts';
import { app, controller, resource } from '../kit/index.ts';
import { startCluster } from './start-cluster.ts';

const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: z.object({ image: z.string().default('redis:8'), size: z.int().min(1).max(9) }),
  status: z.object({ ready: z.int() }),
  columns: { Size: (cache) => cache.spec.size },
  scale: { replicas: (cache) => cache.spec.size, statusReplicas: (cache) => cache.status.ready },
});

test('a kind defined in TypeScript is served, defaulted and validated', async () => {
  await using cluster = await startCluster({ resources: [Cache], controllers: false, nodes: 0, scheduler: false });
  const caches = cluster.client.kind(Cache).namespace('default');
  const created = await caches.create({ metadata: { name: 'a' }, spec: { size: 2 } });

  expect(created.spec).toEqual({ image: 'redis:8', size: 2 });
  await expect(caches.create({ metadata: { name: 'b' }, spec: { size: 99 } })).rejects.toMatchObject({
    reason: 'Invalid',
    status: { details: { causes: [{ field: 'spec.size' }] } },
  });
  await caches.status.patch('a', mergePatch({ status: { ready: 1 } }));
  expect((await caches.scale.get('a')).spec?.replicas).toBe(2);
  expect(cluster.problems).toEqual([]);
});

test('an app brings its kinds along', async () => {
  const caches = controller(Cache, { reconcile: ({ spec }) => ({ ready: spec.size }) });
  await using cluster = await startCluster({ controllers: false, nodes: 0, scheduler: false });
  await cluster.run(app('caches', [caches], { resources: [Cache] }));
  await cluster.client
    .kind(Cache)
    .namespace('default')
    .create({ metadata: { name: 'a' }, spec: { size: 2 } });
  await cluster.settle();

  expect((await cluster.client.kind(Cache).namespace('default').get('a')).status).toEqual({ ready: 2 });
  expect(cluster.problems).toEqual([]);
});

test('an older program does not break what a newer one has stored', async () => {
  const older = resource('cache.example.dev/v1', 'Cache', { spec: z.object({ size: z.int().min(1).max(3) }) });
  await using cluster = await startCluster({ resources: [Cache], controllers: false, nodes: 0, scheduler: false });
  await cluster.client
    .kind(Cache)
    .namespace('default')
    .create({ metadata: { name: 'a' }, spec: { size: 9 } });

  await expect(cluster.install(older)).rejects.toThrow(
    'Cannot install caches.cache.example.dev: v1 subresource status is gone, v1 subresource scale is gone, v1.spec.image is gone: stored values are dropped, v1.spec.size maximum was 9, is 3',
  );
  await cluster.client.kind(Cache).namespace('default').delete('a');
  await cluster.install(older); // with nothing stored, nothing breaks
});

test('a definition that the server refuses ends the app', async () => {
  const Wrong = resource('wrong.k8s.io/v1', 'Wrong', { spec: z.object({}) });
  await using cluster = await startCluster({ controllers: false, nodes: 0, scheduler: false });

  await expect(cluster.run(app('wrong', [], { resources: [Wrong] }))).rejects.toThrow('api-approved.kubernetes.io');
});
