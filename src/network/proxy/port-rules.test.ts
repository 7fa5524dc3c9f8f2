import { expect, test } from 'vitest';
import type { Service, ServiceSpec } from '../../api/types/core/v1.d.ts';
import type { Endpoint } from '../../api/types/discovery/v1.d.ts';
import type { ProxiedPort } from '../services/index.ts';
import { ServiceTable } from '../services/service-table.ts';
import { serviceOf, sliceOf } from '../services/testing/services.ts';
import { portRules } from './port-rules.ts';
import type { RuleSettings } from './rule-settings.ts';

const SETTINGS: RuleSettings = {
  family: 'IPv4',
  masqueradeMark: 0x4000,
  masqueradeAll: false,
  localDetection: { type: 'range', range: '10.244.0.0/16' },
  nodeAddress: '192.0.2.1',
  nodePortAddresses: 'all',
  serviceCidrs: [],
};
const HERE = { addresses: ['10.244.0.1'], nodeName: 'n1' };
const THERE = { addresses: ['10.244.1.1'], nodeName: 'n2' };

async function portOf(
  spec: Partial<ServiceSpec>,
  endpoints: Endpoint[],
  more: Partial<Service> = {},
): Promise<ProxiedPort> {
  const table = new ServiceTable('IPv4', 'n1');
  table.setService('default/web', serviceOf('web', { clusterIP: '10.96.0.1', ...spec }, more));
  table.setSlice(sliceOf('web', endpoints));
  await table.resolve({ isOver: false, next: async () => undefined });
  const [port] = table.ports.values();
  if (port === undefined) throw new Error('the Service has no port');
  return port;
}

/** Elements as `container key : value`, chains and sets as `name rule; rule`. */
async function rulesOf(...of: Parameters<typeof portOf>): Promise<object> {
  const { elements, chains, sets } = portRules(await portOf(...of), SETTINGS);
  return {
    elements: elements.map(
      ({ container, key, value }) => `${container} ${key}${value === undefined ? '' : ` : ${value}`}`,
    ),
    chains: Object.fromEntries(chains),
    ...(sets.size === 0 ? {} : { sets: [...sets.keys()] }),
  };
}

const NODE_PORT = { type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30_080 }] } as const;
const spec = (value: object): Partial<ServiceSpec> => value;

test('a cluster IP picks one of its endpoints, and knows those on the node', async () => {
  expect(await rulesOf({}, [HERE, THERE])).toEqual({
    elements: [
      'cluster-ips 10.96.0.1',
      'service-ips 10.96.0.1 . tcp . 80 : goto service-default/web/tcp/http',
      'hairpin-connections 10.244.0.1 . 10.244.0.1 . tcp . 8080',
    ],
    chains: {
      'service-default/web/tcp/http': [
        'meta l4proto tcp numgen random mod 2 0 dnat to 10.244.0.1:8080',
        'meta l4proto tcp dnat to 10.244.1.1:8080',
      ],
    },
  });
});

test('one of many endpoints is looked up', async () => {
  const many = Array.from({ length: 33 }, (_, at) => ({ addresses: [`10.244.1.${at}`] }));
  const { chains } = portRules(await portOf({}, many), SETTINGS);
  expect(chains.get('service-default/web/tcp/http')).toEqual([
    expect.stringMatching(
      /^meta l4proto tcp dnat ip addr \. port to numgen random mod 33 map \{ 0 : 10\.244\.1\.0 \. 8080, /,
    ),
  ]);
  const sticky = portRules(await portOf({ sessionAffinity: 'ClientIP' }, many), SETTINGS);
  expect(sticky.chains.get('service-default/web/tcp/http')?.at(-1)).toMatch(
    /^numgen random mod 33 vmap \{ 0 : goto endpoint-/,
  );
});

test('without endpoints all its addresses are refused', async () => {
  expect(await rulesOf(spec({ ...NODE_PORT, externalIPs: ['192.0.2.9'] }), [])).toEqual({
    elements: [
      'cluster-ips 10.96.0.1',
      'no-endpoint-services 10.96.0.1 . tcp . 80 : goto reject-chain',
      'no-endpoint-services 192.0.2.9 . tcp . 80 : goto reject-chain',
      'no-endpoint-nodeports tcp . 30080 : goto reject-chain',
    ],
    chains: {},
  });
});

test('policy Cluster translates the source of traffic from outside', async () => {
  expect(await rulesOf(spec(NODE_PORT), [THERE])).toMatchObject({
    elements: [
      'cluster-ips 10.96.0.1',
      'service-ips 10.96.0.1 . tcp . 80 : goto service-default/web/tcp/http',
      'service-nodeports tcp . 30080 : goto external-default/web/tcp/http',
    ],
    chains: {
      'external-default/web/tcp/http': ['mark set mark or 0x00004000', 'goto service-default/web/tcp/http'],
    },
  });
});

test('policy Local sends traffic from outside to endpoints of the node, and from inside to any', async () => {
  const local = spec({ ...NODE_PORT, externalTrafficPolicy: 'Local' });
  const inside = [
    'ip saddr 10.244.0.0/16 goto service-default/web/tcp/http',
    'fib saddr type local mark set mark or 0x00004000',
    'fib saddr type local goto service-default/web/tcp/http',
  ];
  expect(await rulesOf(local, [HERE, THERE])).toMatchObject({
    chains: { 'external-default/web/tcp/http': [...inside, 'goto local-default/web/tcp/http'] },
  });
  expect(await rulesOf(local, [THERE])).toMatchObject({
    elements: [
      'cluster-ips 10.96.0.1',
      'service-ips 10.96.0.1 . tcp . 80 : goto service-default/web/tcp/http',
      'service-nodeports tcp . 30080 : goto external-default/web/tcp/http',
      'no-endpoint-nodeports tcp . 30080 : drop',
    ],
    chains: { 'external-default/web/tcp/http': inside },
  });
});

test('internal policy Local drops what has endpoints elsewhere only', async () => {
  expect(await rulesOf({ internalTrafficPolicy: 'Local' }, [THERE])).toEqual({
    elements: ['cluster-ips 10.96.0.1', 'no-endpoint-services 10.96.0.1 . tcp . 80 : drop'],
    chains: {},
  });
});

test('affinity is a set and a chain for each endpoint', async () => {
  const sessionAffinityConfig = { clientIP: { timeoutSeconds: 60 } };
  expect(await rulesOf({ sessionAffinity: 'ClientIP', sessionAffinityConfig }, [THERE])).toMatchObject({
    chains: {
      'endpoint-default/web/tcp/http__10.244.1.1/8080': [
        'update @affinity-default/web/tcp/http__10.244.1.1/8080 { ip saddr timeout 60s }',
        'meta l4proto tcp dnat to 10.244.1.1:8080',
      ],
      'service-default/web/tcp/http': [
        'ip saddr @affinity-default/web/tcp/http__10.244.1.1/8080 goto endpoint-default/web/tcp/http__10.244.1.1/8080',
        'goto endpoint-default/web/tcp/http__10.244.1.1/8080',
      ],
    },
    sets: ['affinity-default/web/tcp/http__10.244.1.1/8080'],
  });
});

test('source ranges that have the node let the addresses of the load balancer pass too', async () => {
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
  const balanced = (range: string) =>
    rulesOf({ type: 'LoadBalancer', loadBalancerSourceRanges: [range] }, [THERE], { status });
  expect(await balanced('192.0.2.0/24')).toMatchObject({
    chains: { 'firewall-default/web/tcp/http': ['ip saddr != { 192.0.2.0/24, 203.0.113.1/32 } drop'] },
  });
  expect(await balanced('198.51.100.0/24')).toMatchObject({
    elements: expect.arrayContaining([
      'firewall-ips 203.0.113.1 . tcp . 80 : goto firewall-default/web/tcp/http',
    ]) as unknown,
    chains: { 'firewall-default/web/tcp/http': ['ip saddr != { 198.51.100.0/24 } drop'] },
  });
});

test('names that would be too long are shortened, and stay different', async () => {
  const port = await portOf({ sessionAffinity: 'ClientIP' }, [HERE, THERE]);
  const long = { ...port, namespace: 'n'.repeat(63), service: 's'.repeat(63), portName: 'p'.repeat(150) };
  const names = [...portRules(long, SETTINGS).chains.keys()];
  expect(names.every((name) => name.length <= 240 && name.includes('/'))).toBe(true);
  expect(new Set(names).size).toBe(3);
});
