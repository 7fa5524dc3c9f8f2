import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { ConfigMap, Namespace, Secret } from '../generated/kinds.ts';
import { TestCluster } from '../testing/test-cluster.ts';
import type { TransportRequest } from '../transport.ts';
import { InformerFactory } from './informer-factory.ts';
import { keepMetadata } from './transform.ts';

/** A cluster, and a factory whose watches are counted. */
async function start(): Promise<{
  cluster: TestCluster;
  clock: VirtualClock;
  factory: InformerFactory;
  requests: TransportRequest[];
}> {
  const clock = new VirtualClock();
  const cluster = await TestCluster.start({ clock });
  const inner = cluster.transport('in process');
  const requests: TransportRequest[] = [];
  const transport = {
    send(request: TransportRequest) {
      requests.push(request);
      return inner.send(request);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { cluster, clock, factory: new InformerFactory(cluster.clientOver(transport)), requests };
}

test('equal requests get the same informer, with one watch for all', async () => {
  const { cluster, clock, factory, requests } = await start();
  await using _cluster = cluster;
  const stop = new AbortController();
  const first = factory.informer(ConfigMap, { namespace: 'default', labelSelector: { app: 'web' } });
  expect(factory.informer(ConfigMap, { namespace: 'default', labelSelector: { app: 'web' } })).toBe(first);
  expect(factory.informer(ConfigMap, { namespace: 'default' })).not.toBe(first);
  expect(factory.informer(ConfigMap)).not.toBe(first);

  const running = factory.run(stop.signal);
  await factory.synced();
  await clock.advance(0);
  expect(requests).toHaveLength(3);
  await cluster
    .client()
    .core.v1.configmaps.namespace('default')
    .create({ metadata: { name: 'a', labels: { app: 'web' } } });
  await clock.advance(0);

  expect(first.cache.get('default/a')?.metadata.labels).toEqual({ app: 'web' });
  expect(requests).toHaveLength(3);
  stop.abort();
  await running;
});

test('an informer that is requested while the factory runs starts at once', async () => {
  const { cluster, factory } = await start();
  await using _cluster = cluster;
  const stop = new AbortController();
  const running = factory.run(stop.signal);

  const namespaces = factory.informer(Namespace);
  await namespaces.synced();

  expect(namespaces.cache.get('kube-system')?.kind).toBe('Namespace');
  stop.abort();
  await running;
  expect(namespaces.health.state).toBe('stopped');
});

test('in the same process the cache holds the same objects as the server', async () => {
  const { cluster, factory } = await start();
  await using _cluster = cluster;
  const stop = new AbortController();
  const one = factory.informer(Namespace);
  const other = new InformerFactory(cluster.client()).informer(Namespace);
  const running = Promise.all([factory.run(stop.signal), other.run(stop.signal)]);
  await Promise.all([one.synced(), other.synced()]);

  expect(one.cache.get('default')).toBe(other.cache.get('default'));
  expect(Object.isFrozen(one.cache.get('default'))).toBe(true);
  stop.abort();
  await running;
});

test('a metadata informer caches only metadata, and keeps it up to date', async () => {
  const { cluster, clock, factory } = await start();
  await using _cluster = cluster;
  const secrets = cluster.client().core.v1.secrets.namespace('default');
  await secrets.create({ metadata: { name: 'before' }, stringData: { password: 'secret' } });
  const stop = new AbortController();
  const informer = factory.metadataInformer(Secret);
  const running = factory.run(stop.signal);
  await factory.synced();
  await secrets.create({ metadata: { name: 'after' }, stringData: { password: 'secret' } });
  await clock.advance(0);

  expect([...informer.cache.keys()]).toEqual(['default/before', 'default/after']);
  for (const object of informer.cache.values()) expect(JSON.stringify(object)).not.toMatch(/password|managedFields/);
  stop.abort();
  await running;
});

test('a second, different transform is rejected', async () => {
  const { cluster, factory } = await start();
  await using _cluster = cluster;
  factory.informer(ConfigMap);

  expect(() => factory.informer(ConfigMap, { transform: keepMetadata as never })).toThrow('it has another transform');
});
