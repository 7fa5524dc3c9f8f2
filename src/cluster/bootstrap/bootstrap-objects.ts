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
