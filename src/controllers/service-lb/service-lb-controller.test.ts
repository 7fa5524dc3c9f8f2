import { describe, expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { eventsIn, startWith } from '../testing/controller-cluster.ts';
import { freeAddress } from './free-address.ts';
import { serviceLbController } from './service-lb-controller.ts';

const ports = [{ port: 80 }];

describe('Services of type LoadBalancer', () => {
  test('have unique addresses, and release them', async () => {
    await using cluster = await startWith(serviceLbController());
    const services = cluster.client.core.v1.services.namespace('default');
    for (const name of ['a', 'b']) await services.create({ metadata: { name }, spec: { type: 'LoadBalancer', ports } });
    await cluster.settle();
    const addressOf = async (name: string): Promise<unknown> =>
      (await services.get(name)).status?.loadBalancer?.ingress;

    expect(await addressOf('a')).toEqual([{ ip: '198.18.0.1', ipMode: 'VIP' }]);
    expect(await addressOf('b')).toEqual([{ ip: '198.18.0.2', ipMode: 'VIP' }]);
    expect(await eventsIn(cluster.client)).toContain(
      'service-controller about Service a: Normal EnsuredLoadBalancer: Ensured load balancer',
    );

    await services.delete('a');
    await cluster.settle();
    await expect(services.get('a')).rejects.toMatchObject({ code: 404 });
    await services.create({ metadata: { name: 'c' }, spec: { type: 'LoadBalancer', ports } });
    await cluster.settle();
    expect(await addressOf('c')).toEqual([{ ip: '198.18.0.1', ipMode: 'VIP' }]);
  });

  test('that change their type lose them', async () => {
    await using cluster = await startWith(serviceLbController());
    const services = cluster.client.core.v1.services.namespace('default');
    await services.create({ metadata: { name: 'a' }, spec: { type: 'LoadBalancer', ports } });
    await cluster.settle();
    await services.patch('a', mergePatch({ spec: { type: 'ClusterIP' } }));
    await cluster.settle();
    const { metadata, status } = await services.get('a');

    expect(metadata.finalizers).toBeUndefined();
    expect(status?.loadBalancer).toEqual({});
  });

  test('with a class are left alone', async () => {
    await using cluster = await startWith(serviceLbController());
    const services = cluster.client.core.v1.services.namespace('default');
    const spec = { loadBalancerClass: 'example.com/mine', ports };
    await services.create({ metadata: { name: 'a' }, spec: { type: 'LoadBalancer', ...spec } });
    await cluster.settle();

    expect((await services.get('a')).metadata.finalizers).toBeUndefined();
  });

  test('get the address that they request', async () => {
    await using cluster = await startWith(serviceLbController());
    const services = cluster.client.core.v1.services.namespace('default');
    const spec = { loadBalancerIP: '203.0.113.7', ports };
    await services.create({ metadata: { name: 'a' }, spec: { type: 'LoadBalancer', ...spec } });
    await cluster.settle();

    expect((await services.get('a')).status?.loadBalancer?.ingress?.[0]?.ip).toBe('203.0.113.7');
  });
});

test('the last address is assigned, and none after it', () => {
  const taken = new Set(
    Array.from({ length: 65_533 }, (_, index) => `198.18.${(index + 1) >> 8}.${(index + 1) & 255}`),
  );

  expect(freeAddress('IPv4', { taken, preferred: [] })).toBe('198.18.255.254');
  expect(freeAddress('IPv4', { taken: new Set([...taken, '198.18.255.254']), preferred: [] })).toBeUndefined();
  expect(freeAddress('IPv6', { taken, preferred: ['198.18.0.9'] })).toBe('2001:db8::1');
});
