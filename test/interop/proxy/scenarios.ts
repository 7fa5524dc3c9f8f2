// States of the API and the connections that are tried in them. What a proxy has to do with them is what kube-proxy does.
import type { Service, ServiceSpec } from '../../../src/api/types/core/v1.d.ts';
import type { Endpoint, EndpointSlice } from '../../../src/api/types/discovery/v1.d.ts';
import { LAB_PORT, SILENCE_MS } from '../../../src/network/testing/network-lab.ts';

export type From = 'outside' | 'node' | 'pod1' | 'pod2' | 'pod3';

/** A connection that is tried several times; the results are a set. */
export interface Probe {
  readonly from: From;
  readonly address: string;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
  /** The name of a UDP socket that is used again. */
  readonly keep?: string;
}

export interface Step {
  readonly services?: readonly Service[];
  readonly slices?: readonly EndpointSlice[];
  readonly probes: readonly Probe[];
  /** Ports of the node's address at which HTTP is asked for. */
  readonly health?: readonly number[];
}

export interface Scenario {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** How often a connection is made: enough to see every endpoint of three, almost always. */
export const TIMES = 16;
export { SILENCE_MS };

export const NODE = 'n1';
export const NAMESPACE = 'default';
const OUTSIDE_ADDRESS = '192.0.2.100';
const NODE_ADDRESS = '192.0.2.1';
const BRIDGE_ADDRESS = '10.244.0.1';
const EVERYWHERE: readonly From[] = ['outside', 'node', 'pod1', 'pod3'];
const TARGETS = [
  { name: 'tcp', protocol: 'TCP' as const, port: LAB_PORT },
  { name: 'udp', protocol: 'UDP' as const, port: LAB_PORT },
];

let lastNumber = 10;

interface Made {
  readonly service: Service;
  readonly ip: string;
  slice(...endpoints: Endpoint[]): EndpointSlice;
}

/** A Service with a cluster IP of its own and ports 80 and 81, TCP and UDP. */
function made(name: string, spec: Partial<ServiceSpec> = {}, more: Partial<Service> = {}): Made {
  lastNumber += 1;
  const ip = `10.96.0.${lastNumber}`;
  const nodePorts = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const ports = [
    { name: 'tcp', protocol: 'TCP' as const, port: 80, ...(nodePorts ? { nodePort: 30_000 + lastNumber } : {}) },
    { name: 'udp', protocol: 'UDP' as const, port: 81, ...(nodePorts ? { nodePort: 31_000 + lastNumber } : {}) },
  ];
  return {
    ip,
    service: {
      ...more,
      metadata: { name, namespace: NAMESPACE, ...more.metadata },
      spec: { clusterIP: ip, ports, ...spec },
    },
    slice: (...endpoints) => sliceOf(name, 'IPv4', endpoints),
  };
}

function sliceOf(service: string, addressType: 'IPv4' | 'IPv6', endpoints: readonly Endpoint[]): EndpointSlice {
  return {
    metadata: {
      name: `${service}-${addressType.toLowerCase()}`,
      namespace: NAMESPACE,
      labels: { 'kubernetes.io/service-name': service },
    },
    addressType,
    ports: TARGETS,
    endpoints: [...endpoints],
  };
}

/** Pod N as an endpoint, on the node or elsewhere. */
const here = (pod: number, more: Partial<Endpoint> = {}): Endpoint => ({
  addresses: [`10.244.0.${10 + pod}`],
  nodeName: NODE,
  ...more,
});
const elsewhere = (pod: number, more: Partial<Endpoint> = {}): Endpoint => here(pod, { nodeName: 'other', ...more });

const probes = (froms: readonly From[], ...targets: readonly Omit<Probe, 'from'>[]): readonly Probe[] =>
  froms.flatMap((from) => targets.map((target) => ({ from, ...target })));
const tcp = (address: string, port = 80): Omit<Probe, 'from'> => ({ address, port, protocol: 'TCP' });
const udp = (address: string, port = 81): Omit<Probe, 'from'> => ({ address, port, protocol: 'UDP' });
const portOf = ({ service }: Made, index = 0): number => service.spec?.ports?.[index]?.nodePort ?? 0;

function policyScenarios(): readonly Scenario[] {
  const external = made('external-local', {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    externalIPs: ['203.0.113.7'],
  });
  const internal = made('internal-local', { internalTrafficPolicy: 'Local' });
  const both = made('both-local', { type: 'NodePort', externalTrafficPolicy: 'Local', internalTrafficPolicy: 'Local' });
  const targets = (service: Made): readonly Probe[] =>
    probes(EVERYWHERE, tcp(service.ip), tcp(NODE_ADDRESS, portOf(service)), udp(NODE_ADDRESS, portOf(service, 1)));
  return [
    {
      name: 'external policy Local',
      steps: [
        {
          services: [external.service],
          slices: [external.slice(here(1), elsewhere(2))],
          probes: [...targets(external), ...probes(EVERYWHERE, tcp('203.0.113.7'))],
        },
        {
          slices: [external.slice(elsewhere(2))],
          probes: [...targets(external), ...probes(EVERYWHERE, tcp('203.0.113.7'))],
        },
        { slices: [external.slice()], probes: targets(external) },
      ],
    },
    {
      name: 'internal policy Local',
      steps: [
        {
          services: [internal.service],
          slices: [internal.slice(here(1), elsewhere(2))],
          probes: probes(EVERYWHERE, tcp(internal.ip), udp(internal.ip)),
        },
        { slices: [internal.slice(elsewhere(2))], probes: probes(EVERYWHERE, tcp(internal.ip), udp(internal.ip)) },
      ],
    },
    {
      name: 'both policies Local',
      steps: [
        { services: [both.service], slices: [both.slice(here(1), elsewhere(2))], probes: targets(both) },
        { slices: [both.slice(elsewhere(2))], probes: targets(both) },
      ],
    },
  ];
}

function addressScenarios(): readonly Scenario[] {
  const plain = made('plain');
  const nodePort = made('node-port', { type: 'NodePort' });
  const none = made('none', { type: 'NodePort', externalIPs: ['203.0.113.8'] });
  const balanced = (ranges: string[], ipMode = 'VIP'): Made =>
    made(
      `balanced-${lastNumber}`,
      { type: 'LoadBalancer', loadBalancerSourceRanges: ranges },
      { status: { loadBalancer: { ingress: [{ ip: `203.0.113.${20 + lastNumber}`, ipMode }] } } },
    );
  const balancers = [
    balanced([]),
    balanced(['192.0.2.0/24', '192.0.2.100/32']),
    balanced(['198.51.100.0/24']),
    balanced(['10.244.0.0/16']),
    balanced(['192.0.2.1/32']),
    balanced([], 'Proxy'),
  ];
  const balancerIp = ({ service }: Made): string => service.status?.loadBalancer?.ingress?.[0]?.ip ?? '';
  return [
    {
      name: 'cluster IP',
      steps: [
        {
          services: [plain.service],
          slices: [plain.slice(here(1), elsewhere(2))],
          probes: [
            ...probes(EVERYWHERE, tcp(plain.ip), udp(plain.ip), tcp(plain.ip, 82), udp(plain.ip, 80)),
            ...probes(['pod1', 'node'], tcp('10.96.0.250')),
          ],
        },
        { slices: [plain.slice(here(3))], probes: probes(EVERYWHERE, tcp(plain.ip), udp(plain.ip)) },
      ],
    },
    {
      name: 'node port',
      steps: [
        {
          services: [nodePort.service],
          slices: [nodePort.slice(here(1), elsewhere(2))],
          probes: [
            ...probes(
              EVERYWHERE,
              tcp(NODE_ADDRESS, portOf(nodePort)),
              udp(NODE_ADDRESS, portOf(nodePort, 1)),
              tcp(BRIDGE_ADDRESS, portOf(nodePort)),
            ),
            ...probes(['node'], tcp('127.0.0.1', portOf(nodePort))),
            ...probes(['pod1'], tcp(OUTSIDE_ADDRESS, portOf(nodePort))),
          ],
        },
      ],
    },
    {
      name: 'no endpoints',
      steps: [
        {
          services: [none.service],
          probes: probes(
            EVERYWHERE,
            tcp(none.ip),
            udp(none.ip),
            tcp(NODE_ADDRESS, portOf(none)),
            udp(NODE_ADDRESS, portOf(none, 1)),
            tcp('203.0.113.8'),
          ),
        },
        { slices: [none.slice(here(1))], probes: probes(EVERYWHERE, tcp(none.ip), tcp('203.0.113.8')) },
        { slices: [none.slice(here(1, { conditions: { ready: false } }))], probes: probes(EVERYWHERE, tcp(none.ip)) },
      ],
    },
    {
      name: 'load balancers and source ranges',
      steps: [
        {
          services: balancers.map(({ service }) => service),
          slices: balancers.map((each) => each.slice(here(1), elsewhere(2))),
          probes: balancers.flatMap((each) => probes(EVERYWHERE, tcp(balancerIp(each)), tcp(each.ip))),
        },
      ],
    },
  ];
}

function endpointScenarios(): readonly Scenario[] {
  const leaving = made('leaving', { type: 'NodePort', externalTrafficPolicy: 'Local' });
  const hinted = made('hinted');
  const serving = { conditions: { ready: false, serving: true, terminating: true } };
  const zone = (name: string) => ({ hints: { forZones: [{ name }] } });
  const node = (name: string) => ({ hints: { forNodes: [{ name }], forZones: [{ name: 'a' }] } });
  const looks = probes(EVERYWHERE, tcp(leaving.ip), tcp(NODE_ADDRESS, portOf(leaving)));
  return [
    {
      name: 'terminating endpoints',
      steps: [
        { services: [leaving.service], slices: [leaving.slice(here(1, serving), elsewhere(2))], probes: looks },
        { slices: [leaving.slice(here(1, serving), elsewhere(2, serving))], probes: looks },
        {
          slices: [leaving.slice(here(1, { conditions: { ready: false, serving: false, terminating: true } }))],
          probes: looks,
        },
      ],
    },
    {
      name: 'hints',
      steps: [
        {
          services: [hinted.service],
          slices: [hinted.slice(here(1, zone('a')), elsewhere(2, zone('b')))],
          probes: probes(['pod3', 'outside'], tcp(hinted.ip)),
        },
        {
          slices: [hinted.slice(here(1, zone('b')), elsewhere(2, zone('c')))],
          probes: probes(['pod3', 'outside'], tcp(hinted.ip)),
        },
        {
          slices: [hinted.slice(here(1, zone('a')), elsewhere(2))],
          probes: probes(['pod3', 'outside'], tcp(hinted.ip)),
        },
        {
          slices: [hinted.slice(here(1, node('other')), elsewhere(2, node(NODE)))],
          probes: probes(['pod3', 'outside'], tcp(hinted.ip)),
        },
      ],
    },
  ];
}

function stateScenarios(): readonly Scenario[] {
  const sticky = made('sticky', {
    type: 'NodePort',
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
  });
  const moving = made('moving', { type: 'NodePort' });
  const other = made(
    'other-proxy',
    {},
    { metadata: { labels: { 'service.kubernetes.io/service-proxy-name': 'other' } } },
  );
  const health = made('health', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 32_123 });
  const kept = probes(
    ['outside', 'pod3'],
    { ...udp(moving.ip), keep: 'flow' },
    {
      ...udp(NODE_ADDRESS, portOf(moving, 1)),
      keep: 'node-flow',
    },
  );
  return [
    {
      name: 'session affinity of one endpoint',
      steps: [
        { services: [sticky.service], slices: [sticky.slice(here(1))], probes: probes(EVERYWHERE, tcp(sticky.ip)) },
        // Who was at pod1 before stays there.
        {
          slices: [sticky.slice(here(1), elsewhere(2))],
          probes: probes(EVERYWHERE, tcp(sticky.ip), tcp(NODE_ADDRESS, portOf(sticky))),
        },
        { slices: [sticky.slice(elsewhere(2))], probes: probes(EVERYWHERE, tcp(sticky.ip)) },
      ],
    },
    {
      name: 'UDP clients of an endpoint that is gone',
      steps: [
        { services: [moving.service], slices: [moving.slice(here(1))], probes: kept },
        { slices: [moving.slice(here(2))], probes: kept },
      ],
    },
    {
      name: 'Services of another proxy',
      steps: [
        { services: [other.service], slices: [other.slice(here(1))], probes: probes(['pod3', 'node'], tcp(other.ip)) },
      ],
    },
    {
      name: 'health check port',
      steps: [
        {
          services: [health.service],
          slices: [health.slice(here(1), here(2), elsewhere(3))],
          probes: [],
          health: [32_123],
        },
        { slices: [health.slice(elsewhere(3))], probes: [], health: [32_123] },
      ],
    },
  ];
}

function ipv6Scenarios(): readonly Scenario[] {
  const dual = made('dual', {
    type: 'NodePort',
    ipFamilyPolicy: 'RequireDualStack',
    ipFamilies: ['IPv4', 'IPv6'],
  });
  const ip6 = `fd00:96::${lastNumber}`;
  const service = { ...dual.service, spec: { ...dual.service.spec, clusterIPs: [dual.ip, ip6] } };
  const here6 = (pod: number, nodeName = NODE): Endpoint => ({ addresses: [`fd00:244::${10 + pod}`], nodeName });
  return [
    {
      name: 'IPv6',
      steps: [
        {
          services: [service],
          slices: [dual.slice(here(1)), sliceOf('dual', 'IPv6', [here6(1), here6(2, 'other')])],
          probes: probes(EVERYWHERE, tcp(dual.ip), tcp(ip6), udp(ip6), tcp('2001:db8::1', portOf(dual)), tcp(ip6, 82)),
        },
        { slices: [sliceOf('dual', 'IPv6', [])], probes: probes(EVERYWHERE, tcp(ip6), tcp(dual.ip)) },
      ],
    },
  ];
}

/** Every scenario, each with Services of its own. */
export function allScenarios(): readonly Scenario[] {
  lastNumber = 10;
  return [...addressScenarios(), ...policyScenarios(), ...endpointScenarios(), ...stateScenarios(), ...ipv6Scenarios()];
}
