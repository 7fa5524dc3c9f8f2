import { type ApiObject, formatTime, instantOfMillis } from '../../api/index.ts';
import type { ServiceCIDR } from '../../api/types/networking/v1.d.ts';
import { type Clock, deepEqual } from '../../base/index.ts';
import { extensionAuthentication, type TrustedAuthorities } from './extension-authentication.ts';
import type { OwnKind, OwnObject } from './own-object.ts';

export interface BootstrapOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly certificateClock: Pick<Clock, 'now'>;
  /** Where clients inside the cluster reach the API server. */
  readonly advertise: { readonly address: string; readonly port: number };
  readonly serviceCidrs: readonly string[];
  /** Further objects that are created once. */
  readonly more: readonly OwnObject[];
  /** The first address of the service network. */
  readonly apiServiceAddress: string;
  readonly trusted: TrustedAuthorities;
}

/** What every cluster has. */
export interface BootstrapObjects {
  /** Created before the others, which live in them or take addresses of them, and again whenever they are deleted. */
  readonly first: readonly OwnObject[];
  /** Created at the start and not repaired later. */
  readonly once: readonly OwnObject[];
  /** Created again whenever they are deleted. */
  readonly kept: readonly OwnObject[];
}

export function bootstrapObjects(options: BootstrapOptions): BootstrapObjects {
  const { trusted, clock, certificateClock } = options;
  return {
    first: [...namespaces(), serviceCidr(options)],
    once: [...priorityClasses(), ...options.more],
    kept: [kubernetesService(options), extensionAuthentication(trusted, certificateClock), tokenTracking(clock)],
  };
}

function namespaces(): OwnObject[] {
  const kind: OwnKind = { group: '', plural: 'namespaces', root: '/api/v1' };
  return ['kube-system', 'kube-public', 'default', 'kube-node-lease'].map((name) => ({
    kind,
    object: { metadata: { name } },
  }));
}

/** Keeps a network from being deleted while services have addresses of it. */
const CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

function serviceCidr({ serviceCidrs, clock }: BootstrapOptions): OwnObject {
  return {
    kind: { group: 'networking.k8s.io', plural: 'servicecidrs', root: '/apis/networking.k8s.io/v1' },
    object: { metadata: { name: 'kubernetes', finalizers: [CIDR_FINALIZER] }, spec: { cidrs: serviceCidrs } },
    amend: (current) => {
      const { metadata, spec, status } = current as ServiceCIDR;
      if (metadata?.deletionTimestamp !== undefined) return undefined;
      const cidrs = spec?.cidrs ?? [];
      const { finalizers = [] } = metadata ?? {};
      const isUpgrade = serviceCidrs.length === 2 && cidrs.length === 1 && cidrs[0] === serviceCidrs[0];
      if (isUpgrade || !finalizers.includes(CIDR_FINALIZER)) {
        const added = { ...metadata, finalizers: [...new Set([...finalizers, CIDR_FINALIZER])] };
        return {
          type: 'update',
          object: { ...current, metadata: added, ...(isUpgrade ? { spec: { cidrs: serviceCidrs } } : {}) },
        };
      }
      const { conditions = [] } = status ?? {};
      const ready = conditions.find(({ type }) => type === 'Ready');
      const isSettled = ready !== undefined && ready.status !== 'Unknown'; // another server has set the condition
      if (isSettled || !deepEqual(cidrs, serviceCidrs)) return undefined;
      const others = conditions.filter(({ type }) => type !== 'Ready');
      const condition = {
        type: 'Ready',
        status: 'True',
        reason: '',
        message: 'Kubernetes default Service CIDR is ready',
        lastTransitionTime: formatTime(instantOfMillis(clock.now())),
      };
      return {
        type: 'update-status',
        object: { ...current, status: { ...status, conditions: [...others, condition] } },
      };
    },
  };
}

function priorityClasses(): OwnObject[] {
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
  const kind: OwnKind = { group: 'scheduling.k8s.io', plural: 'priorityclasses', root: '/apis/scheduling.k8s.io/v1' };
  return classes.map(([name, value, description]) => ({
    kind,
    object: { metadata: { name }, value, description },
  }));
}

const API_LABELS = { component: 'apiserver', provider: 'kubernetes' };

function kubernetesService({ apiServiceAddress, advertise }: BootstrapOptions): OwnObject {
  return {
    kind: { group: '', plural: 'services', root: '/api/v1' },
    object: {
      metadata: { name: 'kubernetes', namespace: 'default', labels: API_LABELS },
      spec: {
        type: 'ClusterIP',
        clusterIP: apiServiceAddress,
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: advertise.port }],
      },
    },
  };
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Records since which day the use of Secrets' tokens is tracked, for the controller that removes unused ones. */
function tokenTracking(clock: Pick<Clock, 'now'>): OwnObject {
  const since = new Date(clock.now()).toISOString().slice(0, 10);
  return {
    kind: { group: '', plural: 'configmaps', root: '/api/v1' },
    object: {
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since },
    },
    amend: (current) => {
      const { data = {} } = current as ApiObject & { readonly data?: Readonly<Record<string, string>> };
      if (DATE.test(data['since'] ?? '')) return undefined;
      return { type: 'update', object: { ...current, data: { ...data, since } } as ApiObject };
    },
  };
}
