// What the cluster has whose names are asked about.
import type { EndpointSlice, Sendable, Service } from '../../../src/client/index.ts';

/** Where the DNS Service leads to, and what the zone's NS records say. */
export const SERVER_ADDRESS = '10.10.0.2';
export const NAMESPACES = ['shop', 'bare'];

type SentService = Sendable<Service> & { readonly metadata: { readonly name: string; readonly namespace: string } };
type SentSlice = Sendable<EndpointSlice> & { readonly metadata: { readonly name: string; readonly namespace: string } };
type Ports = NonNullable<EndpointSlice['ports']>;
type Endpoints = NonNullable<EndpointSlice['endpoints']>;

const HTTP: Ports = [{ name: 'http', port: 8080, protocol: 'TCP' }];

function service(name: string, namespace: string, spec: Service['spec']): SentService {
  return { metadata: { name, namespace }, spec };
}

function external(name: string, externalName: string): SentService {
  return service(name, 'shop', { type: 'ExternalName', externalName });
}

function headless(name: string, ports?: NonNullable<Service['spec']>['ports']): SentService {
  return service(name, 'shop', { clusterIP: 'None', ports });
}

export const SERVICES: readonly SentService[] = [
  service('web', 'default', {
    clusterIP: '10.96.1.1',
    ports: [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'https', port: 443, protocol: 'TCP' },
      { name: 'quic', port: 443, protocol: 'UDP' },
    ],
  }),
  service('single', 'shop', { clusterIP: '10.96.1.2', ports: [{ port: 9000 }] }),
  service('dual', 'shop', {
    clusterIPs: ['10.96.1.3', 'fd00:10:96::103'],
    clusterIP: '10.96.1.3',
    ipFamilyPolicy: 'RequireDualStack',
    ports: [{ name: 'http', port: 80 }],
  }),
  service('six', 'shop', {
    clusterIPs: ['fd00:10:96::104'],
    clusterIP: 'fd00:10:96::104',
    ipFamilies: ['IPv6'],
    ports: [{ name: 'http', port: 80 }],
  }),
  service('balanced', 'shop', { type: 'LoadBalancer', clusterIP: '10.96.1.5', ports: [{ name: 'http', port: 80 }] }),
  service('open', 'shop', { type: 'NodePort', clusterIP: '10.96.1.6', ports: [{ name: 'http', port: 80 }] }),
  headless('db', [{ name: 'pg', port: 5432 }]),
  headless('plain', [{ port: 7000 }]),
  headless('portless'),
  headless('vacant', [{ name: 'http', port: 80 }]),
  headless('large', [{ name: 'http', port: 80 }]),
  external('ext', 'www.example.org'),
  external('ext-dot', 'www.example.org.'),
  external('ext-in', 'web.default.svc.cluster.local'),
  external('ext-in-dot', 'web.default.svc.cluster.local.'),
  external('ext-headless', 'db.shop.svc.cluster.local'),
  external('ext-endpoint', 'db-0.db.shop.svc.cluster.local'),
  external('ext-pod', '10-244-0-9.default.pod.cluster.local'),
  external('ext-chain', 'ext-in.shop.svc.cluster.local'),
  external('ext-chain-out', 'ext.shop.svc.cluster.local'),
  external('ext-missing', 'missing.default.svc.cluster.local'),
  external('ext-self', 'ext-self.shop.svc.cluster.local'),
  external('ext-below', 'a.ext-below.shop.svc.cluster.local'),
  external('ext-left', 'ext-right.shop.svc.cluster.local'),
  external('ext-right', 'ext-left.shop.svc.cluster.local'),
  external('ext-apex', 'cluster.local'),
  external('ext-server', 'ns.dns.cluster.local'),
  external('ext-reverse', '1.1.96.10.in-addr.arpa'),
  external('ext-address', '192.0.2.1'),
  ...Array.from({ length: 13 }, (_, index) =>
    external(
      `hop-${index}`,
      index === 12 ? 'web.default.svc.cluster.local' : `hop-${index + 1}.shop.svc.cluster.local`,
    ),
  ),
  {
    metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
    spec: {
      clusterIP: '10.96.0.10',
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
    },
  },
];

function slice(
  name: string,
  of: { readonly service?: string; readonly namespace: string },
  rest: {
    readonly addressType?: EndpointSlice['addressType'];
    readonly endpoints: Endpoints;
    readonly ports?: Ports;
  },
): SentSlice {
  const labels: Record<string, string> = of.service === undefined ? {} : { 'kubernetes.io/service-name': of.service };
  return { metadata: { name, namespace: of.namespace, labels }, addressType: 'IPv4', ...rest };
}

const ready = { ready: true, serving: true, terminating: false };
const web = { service: 'web', namespace: 'default' };
const db = { service: 'db', namespace: 'shop' };

export const SLICES: readonly SentSlice[] = [
  slice('web-1', web, {
    ports: [...HTTP, { name: 'https', port: 8443, protocol: 'TCP' }, { name: 'quic', port: 8443, protocol: 'UDP' }],
    endpoints: [
      { addresses: ['10.244.0.1'], conditions: ready },
      { addresses: ['10.244.0.2'], conditions: ready, hostname: 'second' },
      { addresses: ['10.244.0.3'], conditions: { ready: false, serving: false, terminating: false } },
      { addresses: ['10.244.0.4'], conditions: { ready: false, serving: true, terminating: true } },
      { addresses: ['10.244.0.5'], conditions: {} },
    ],
  }),
  slice('web-2', web, { ports: HTTP, endpoints: [{ addresses: ['10.244.1.1'], conditions: ready }] }),
  slice('db-4', db, {
    ports: [{ name: 'pg', port: 5432, protocol: 'TCP' }],
    endpoints: [
      { addresses: ['10.244.0.10'], conditions: ready, hostname: 'db-0' },
      { addresses: ['10.244.0.11'], conditions: ready, hostname: 'db-1' },
      { addresses: ['10.244.0.12'], conditions: { ready: false }, hostname: 'db-2' },
    ],
  }),
  slice('db-6', db, {
    addressType: 'IPv6',
    ports: [{ name: 'pg', port: 5432, protocol: 'TCP' }],
    endpoints: [
      { addresses: ['fd00:244::10'], conditions: ready, hostname: 'db-0' },
      { addresses: ['fd00:244::'], conditions: ready },
    ],
  }),
  slice(
    'plain-1',
    { service: 'plain', namespace: 'shop' },
    {
      ports: [{ port: 7000, protocol: 'TCP' }],
      endpoints: [
        { addresses: ['10.244.0.20'], conditions: ready },
        { addresses: ['10.244.0.1'], conditions: ready },
      ],
    },
  ),
  slice(
    'portless-1',
    { service: 'portless', namespace: 'shop' },
    {
      endpoints: [{ addresses: ['10.244.0.30'], conditions: ready }],
    },
  ),
  slice(
    'large-1',
    { service: 'large', namespace: 'shop' },
    {
      ports: HTTP,
      endpoints: Array.from({ length: 90 }, (_, index) => ({
        addresses: [`10.244.9.${index + 1}`],
        conditions: ready,
      })),
    },
  ),
  slice(
    'orphan',
    { service: 'gone', namespace: 'shop' },
    {
      ports: HTTP,
      endpoints: [{ addresses: ['10.244.0.40'], conditions: ready }],
    },
  ),
  slice(
    'kube-dns-1',
    { service: 'kube-dns', namespace: 'kube-system' },
    {
      ports: [
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'dns-tcp', port: 53, protocol: 'TCP' },
      ],
      endpoints: [{ addresses: [SERVER_ADDRESS], conditions: ready }],
    },
  ),
];
