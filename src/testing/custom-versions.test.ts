import { expect, test } from 'vitest';
import { z } from 'zod';
import { app, extensionServer, resource } from '../kit/index.ts';
import { startCluster } from './start-cluster.ts';

const status = z.object({ ready: z.int() });
const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: z.object({ image: z.string().default('redis:8'), size: z.int().min(1).max(9) }),
  status,
});

const Versioned = Cache.older(
  'v1beta1',
  { spec: z.object({ replicas: z.int().min(1).max(9) }), status },
  {
    up: ({ spec }) => ({ spec: { size: spec.replicas } }),
    down: ({ spec }) => ({ spec: { replicas: spec.size } }),
  },
);

test('versions are converted by the functions of the kind', async () => {
  await using cluster = await startCluster({ resources: [Versioned], controllers: false, nodes: 0, scheduler: false });
  const old = cluster.client.kind(Versioned.at('v1beta1')).namespace('default');
  expect((await old.create({ metadata: { name: 'a' }, spec: { replicas: 3 } })).spec).toEqual({ replicas: 3 });

  const now = cluster.client.kind(Versioned).namespace('default');
  expect((await now.get('a')).spec).toEqual({ image: 'redis:8', size: 3 });
  await now.create({ metadata: { name: 'b' }, spec: { size: 4 } });
  expect((await old.list()).items.map(({ spec }) => spec)).toEqual([{ replicas: 3 }, { replicas: 4 }]);
});

test('an app answers the conversion requests for its kinds', async () => {
  await using cluster = await startCluster({ controllers: false, nodes: 0, scheduler: false });
  await cluster.run(app('caches', [], { resources: [Versioned], server: extensionServer() }));
  const old = cluster.client.kind(Versioned.at('v1beta1')).namespace('default');
  await old.create({ metadata: { name: 'a' }, spec: { replicas: 3 } });

  expect((await cluster.client.kind(Versioned).namespace('default').get('a')).spec.size).toBe(3);
});
