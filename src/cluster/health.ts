import type { HealthCheck, HealthChecks } from '../apiserver/index.ts';
import type { HealthReporting, Store } from '../store/index.ts';
import type { OpenStorage } from './storage-options.ts';

/** What `/livez` and `/readyz` look at; the names are those of their counterparts in kube-apiserver. */
export function healthChecks(parts: {
  readonly storage: OpenStorage;
  readonly isBootstrapped: () => boolean;
}): HealthChecks {
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  const store: HealthCheck = {
    name: 'etcd',
    check: async () => {
      const { store } = parts.storage;
      if (isHealthReporting(store)) await store.checkHealth();
      else await store.revision();
    },
  };
  const bootstrap: HealthCheck = {
    name: 'poststarthook/bootstrap-controller',
    check: () => {
      if (!parts.isBootstrapped()) throw new Error('not finished');
    },
  };
  return { livez: [ping, store, bootstrap], readyz: [ping, store, { ...store, name: 'etcd-readiness' }, bootstrap] };
}

function isHealthReporting(store: Store): store is Store & HealthReporting {
  return 'checkHealth' in store;
}
