import { Deployment } from 'keelson';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { operator, Website } from './website.ts';

test('a Website has as many replicas as it says, and tells how many are ready', async () => {
  await using cluster = await startCluster(); // a whole cluster in this process, with virtual time
  await cluster.run(operator());
  const websites = cluster.client.kind(Website).namespace('default');
  await websites.create({ metadata: { name: 'shop' }, spec: { replicas: 3 } });
  await cluster.settle();
  await cluster.clock.advance('10s'); // containers take their time to start

  expect((await websites.get('shop')).status).toEqual({ ready: 3, address: 'http://shop.default.svc' });
  const deployment = await cluster.client.kind(Deployment).namespace('default').get('shop');
  expect(deployment.spec?.template.spec?.containers[0]?.image).toBe('nginx:1.29');
  expect(cluster.problems).toEqual([]);
});

test('a Website of eleven replicas is refused', async () => {
  await using cluster = await startCluster({ resources: [Website] });
  const websites = cluster.client.kind(Website).namespace('default');

  await expect(websites.create({ metadata: { name: 'big' }, spec: { replicas: 11 } })).rejects.toThrow(
    'spec.replicas in body should be less than or equal to 10',
  );
});
