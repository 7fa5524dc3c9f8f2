import type { ApiServer } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { ClusterPki } from '../pki/cluster-pki.ts';

/** An object every cluster has from the start, and the collection it belongs to. */
export interface BootstrapObject {
  readonly path: string;
  readonly object: {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
    readonly [field: string]: unknown;
  };
}

export interface BootstrapOptions {
  /** Where clients inside the cluster reach the API server. */
  readonly advertise: { readonly address: string; readonly port: number };
  readonly serviceCidrs: readonly string[];
  /** The first address of the service network. */
  readonly apiServiceAddress: string;
  readonly pki: ClusterPki | undefined;
}

/** In the order they are made: namespaces first, since the rest lives in them. */
export function bootstrapObjects(options: BootstrapOptions): BootstrapObject[] {
  return [
    ...namespaces(),
    serviceCidr(options),
    ...priorityClasses(),
    kubernetesService(options),
    ...(options.pki === undefined ? [] : [extensionAuthentication(options.pki)]),
  ];
}

function namespaces(): BootstrapObject[] {
  return ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
    path: '/api/v1/namespaces',
    object: { metadata: { name } },
  }));
}

function serviceCidr({ serviceCidrs }: BootstrapOptions): BootstrapObject {
  return {
    path: '/apis/networking.k8s.io/v1/servicecidrs',
    object: { metadata: { name: 'kubernetes' }, spec: { cidrs: serviceCidrs } },
  };
}

function priorityClasses(): BootstrapObject[] {
  const classes = [
    [
      'system-node-critical',
      2_000_001_000,
      'Used for system critical pods that must not be moved from their current node.',
    ],
    [
      'system-cluster-critical',
      2_000_000_000,
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    ],
  ] as const;
  return classes.map(([name, value, description]) => ({
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    object: { metadata: { name }, value, description },
  }));
}

const API_LABELS = { component: 'apiserver', provider: 'kubernetes' };

function kubernetesService({ apiServiceAddress, advertise }: BootstrapOptions): BootstrapObject {
  return {
    path: '/api/v1/namespaces/default/services',
    object: {
      metadata: { name: 'kubernetes', labels: API_LABELS },
      spec: {
        type: 'ClusterIP',
        clusterIP: apiServiceAddress,
        clusterIPs: [apiServiceAddress],
        sessionAffinity: 'None',
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: advertise.port }],
      },
    },
  };
}

/** How extension API servers learn whom to trust (KEP-2784's predecessor): read by the aggregation layer's servers. */
function extensionAuthentication({ authority, frontProxyAuthority }: ClusterPki): BootstrapObject {
  return {
    path: '/api/v1/namespaces/kube-system/configmaps',
    object: {
      metadata: { name: 'extension-apiserver-authentication' },
      data: {
        'client-ca-file': authority.certificate,
        'requestheader-client-ca-file': frontProxyAuthority.certificate,
        'requestheader-allowed-names': '["front-proxy-client"]',
        'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
        'requestheader-group-headers': '["X-Remote-Group"]',
        'requestheader-username-headers': '["X-Remote-User"]',
      },
    },
  };
}

const SLICES = { group: 'discovery.k8s.io', plural: 'endpointslices', root: '/apis/discovery.k8s.io/v1' };
const ENDPOINTS = { group: '', plural: 'endpoints', root: '/api/v1' };
const NAMESPACE = 'default';
const NAME = 'kubernetes';

/** Lets the `kubernetes` Service lead to this server, wherever it listens this time. */
export async function publishApiEndpoints(
  server: ApiServer,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<void> {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  await publish(server, SLICES, {
    metadata: { name: NAME, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: family,
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  });
  await publish(server, ENDPOINTS, {
    metadata: { name: NAME, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  });
}

interface Published {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** Creates the object, or brings what differs up to date. */
async function publish(server: ApiServer, kind: typeof SLICES, wanted: Published): Promise<void> {
  const collection = `${kind.root}/namespaces/${NAMESPACE}/${kind.plural}`;
  if (await server.self.ensure(collection, wanted)) return;
  const current = await server.objects.of(kind.group, kind.plural).newest(NAMESPACE, NAME);
  const { metadata: _, ...content } = wanted;
  const isCurrent = Object.entries(content).every(([field, value]) => deepEqual(current?.[field], value));
  if (!isCurrent) await server.self.update(`${collection}/${NAME}`, { ...current, ...content });
}
