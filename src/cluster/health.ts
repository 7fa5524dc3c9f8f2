import type { HealthCheck, HealthChecks } from '../apiserver/index.ts';
import type { HealthReporting, Store } from '../store/index.ts';
import type { ServingState } from './serving-state.ts';

export interface HealthState {
  readonly store: Store;
  readonly state: Pick<ServingState, 'isBootstrapped' | 'isDraining'>;
  /** Aborts when the server begins to stop. */
  readonly signal: AbortSignal;
  /** Further checks, such as those of encryption providers. */
  readonly more?: readonly HealthCheck[];
}

/**
 * The hooks that kube-apiserver runs after its start, in its order. Here all of them count as done once the objects that every
 * cluster has are there; monitoring that asks for one of them by name finds it.
 */
const START_HOOKS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
];
const LAST_START_HOOKS = ['apiservice-openapi-controller', 'apiservice-openapiv3-controller'];

/** What `/livez` and `/readyz` look at: kube-apiserver's checks under their names and in their order. */
export function healthChecks({ store, state, signal, more = [] }: HealthState): HealthChecks {
  const well = (name: string): HealthCheck => ({ name, check: () => undefined });
  const stored = (name: string): HealthCheck => ({
    name,
    check: async () => void (await (isHealthReporting(store) ? store.checkHealth() : store.revision())),
  });
  const started = (name: string): HealthCheck => ({
    name,
    check() {
      if (!state.isBootstrapped) throw new Error('not finished');
    },
  });
  const shutdown: HealthCheck = {
    name: 'shutdown',
    check() {
      if (signal.aborted || state.isDraining) throw new Error('process is shutting down');
    },
  };
  const hook = (name: string): HealthCheck => started(`poststarthook/${name}`);
  const common = [...START_HOOKS.map(hook), started('autoregister-completion'), ...LAST_START_HOOKS.map(hook)];
  const first = [well('ping'), well('log')];
  return {
    livez: [...first, well('loopback-serving-certificate'), stored('etcd'), ...more, ...common],
    readyz: [
      ...first,
      stored('etcd'),
      stored('etcd-readiness'),
      ...more,
      started('informer-sync'),
      ...common,
      shutdown,
    ],
  };
}

function isHealthReporting(store: Store): store is Store & HealthReporting {
  return 'checkHealth' in store;
}
