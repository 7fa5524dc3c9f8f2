import { expect, test } from 'vitest';
import { readService } from './read-service.ts';
import { factsOf, serviceOf } from './testing/services.ts';

test('a Service of both families has its ports in each, with addresses of that family only', () => {
  const service = serviceOf(
    'web',
    {
      type: 'LoadBalancer',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1', 'fd00::1'],
      ipFamilies: ['IPv4', 'IPv6'],
      externalIPs: ['192.0.2.1', '2001:db8::1', ''],
      loadBalancerSourceRanges: [' 10.0.0.0/8', '2001:db8:1::/48 '],
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, nodePort: 30_080 },
        { name: 'dns', protocol: 'UDP', port: 53 },
      ],
    },
    { status: { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }, { ip: '2001:db8::2' }] } } },
  );
  expect(readService(service, 'IPv4')).toEqual([
    {
      name: 'default/web:http/TCP',
      family: 'IPv4',
      namespace: 'default',
      service: 'web',
      portName: 'http',
      protocol: 'TCP',
      clusterIp: '10.96.0.1',
      port: 80,
      nodePort: 30_080,
      externalIps: ['192.0.2.1'],
      loadBalancerIps: ['203.0.113.1'],
      sourceRanges: ['10.0.0.0/8'],
      affinitySeconds: undefined,
      internalPolicy: 'Cluster',
      externalPolicy: 'Cluster',
      healthCheckNodePort: undefined,
    },
    expect.objectContaining({ name: 'default/web:dns/UDP', nodePort: undefined }),
  ]);
  expect(readService(service, 'IPv6')[0]).toMatchObject({
    clusterIp: 'fd00::1',
    externalIps: ['2001:db8::1'],
    loadBalancerIps: ['2001:db8::2'],
    sourceRanges: ['2001:db8:1::/48'],
  });
});

test.each([
  ['a headless Service', { clusterIP: 'None' }],
  ['one without an address yet', { clusterIP: '' }],
  ['an external name', { type: 'ExternalName', clusterIP: '10.96.0.1' }],
  ['one of the other family', { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'], ipFamilies: ['IPv6'] }],
] as const)('%s has no ports to forward', (_, spec) => {
  expect(readService(serviceOf('web', structure(spec)), 'IPv4')).toEqual([]);
});

test('a Service with the label of another proxy has no ports to forward', () => {
  const labels = { 'service.kubernetes.io/service-proxy-name': 'other' };
  expect(readService(serviceOf('web', { clusterIP: '10.96.0.1' }, { metadata: { labels } }), 'IPv4')).toEqual([]);
});

test('a Service of an old server, without families, is of the family of its address', () => {
  const service = serviceOf('web', { clusterIP: 'fd00::1' });
  expect(readService(service, 'IPv4')).toEqual([]);
  expect(readService(service, 'IPv6')[0]).toMatchObject({ clusterIp: 'fd00::1' });
});

test('a port without a name is named by its protocol', () => {
  expect(factsOf({ ports: [{ port: 80 }] })).toMatchObject({ name: 'default/web/TCP', portName: '', protocol: 'TCP' });
});

test('load balancers that change the destination themselves are left out', () => {
  const ingress = [{ ip: '203.0.113.1', ipMode: 'Proxy' }, { ip: '203.0.113.2' }, { hostname: 'lb.example' }];
  const facts = factsOf({ type: 'LoadBalancer' }, { status: { loadBalancer: { ingress } } });
  expect(facts.loadBalancerIps).toEqual(['203.0.113.2']);
});

test('a source range of all addresses is no limit', () => {
  expect(factsOf({ loadBalancerSourceRanges: ['10.0.0.0/8', '0.0.0.0/0'] }).sourceRanges).toEqual([]);
});

test('session affinity lasts as long as the Service says, three hours by default', () => {
  expect(factsOf({ sessionAffinity: 'ClientIP' }).affinitySeconds).toBe(10_800);
  const sessionAffinityConfig = { clientIP: { timeoutSeconds: 5 } };
  expect(factsOf({ sessionAffinity: 'ClientIP', sessionAffinityConfig }).affinitySeconds).toBe(5);
  expect(factsOf({ sessionAffinity: 'None' }).affinitySeconds).toBeUndefined();
});

test('the external policy Local counts where there is traffic from outside, and its health port with a load balancer', () => {
  const local = { externalTrafficPolicy: 'Local', healthCheckNodePort: 32_000 } as const;
  expect(factsOf({ ...local })).toMatchObject({ externalPolicy: 'Cluster', healthCheckNodePort: undefined });
  expect(factsOf({ ...local, externalIPs: ['192.0.2.1'] })).toMatchObject({ externalPolicy: 'Local' });
  expect(factsOf({ ...local, type: 'NodePort' })).toMatchObject({
    externalPolicy: 'Local',
    healthCheckNodePort: undefined,
  });
  expect(factsOf({ ...local, type: 'LoadBalancer' }).healthCheckNodePort).toBe(32_000);
});

/** A copy that may be changed, as types of the API are. */
function structure<T extends object>(
  spec: T,
): { -readonly [Key in keyof T]: T[Key] extends readonly (infer E)[] ? E[] : T[Key] } {
  return spec as never;
}
