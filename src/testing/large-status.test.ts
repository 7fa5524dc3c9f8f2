import { expect, test } from 'vitest';
import { StatusError } from '../api/index.ts';
import { startCluster } from './index.ts';

test('a status that is too large for the store is written less and less often, and the pod can be deleted', async () => {
  let writes = 0;
  await using cluster = await startCluster({
    wrapTransport: (transport) => ({
      ...(transport.values === undefined ? {} : { values: transport.values }),
      send: (request) => {
        if (request.method !== 'PATCH' || !request.path.includes('/pods/large/status')) return transport.send(request);
        writes++;
        const message = 'etcdserver: request is too large';
        return Promise.reject(new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message }));
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  const pods = cluster.client.core.v1.pods.namespace('default');
  await pods.create({ metadata: { name: 'large' }, spec: { containers: [{ name: 'web', image: 'web' }] } });
  await cluster.settle();
  await cluster.clock.advance('30m');
  expect(writes).toBeGreaterThan(5);
  expect(writes).toBeLessThan(15);
  const { items } = await cluster.client.core.v1.events.namespace('default').list();
  const warnings = items.filter(({ reason }) => reason === 'FailedStatusUpdate');
  expect(warnings.map(({ message }) => message)).toEqual([
    'Status of the pod cannot be stored: etcdserver: request is too large',
  ]);
  await pods.delete('large', { gracePeriodSeconds: 0 });
  await cluster.settle();
  expect((await pods.list()).items).toEqual([]);
});
