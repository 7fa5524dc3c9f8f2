import { deepEqual } from '../../base/index.ts';
import { Endpoints, Pod, Service } from '../../client/index.ts';
import type { Observed } from '../../client/index.ts';
import { controller, watch } from '../../kit/index.ts';
import type { Controller } from '../../kit/index.ts';
import { createIfAbsent } from '../create-if-absent.ts';
import { selectsPods, watchBackends } from '../service-backends/services-of.ts';
import { TriggerTimes, withTriggerTime } from '../service-backends/trigger-times.ts';
import { subsetsOf, truncated } from './subsets.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER_NAME = 'endpoint-controller';
const HEADLESS = 'service.kubernetes.io/headless';
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';

/** Maintains the Endpoints (the predecessor of EndpointSlices) of services with a selector. */
export function endpointsController(): Controller {
  const times = new TriggerTimes();
  const known = new Set<string>();
  return controller(Service, {
    name: 'endpoint',
    component: 'endpoint-controller',
    concurrency: 5,
    watches: [
      watchBackends(),
      watch(Endpoints, { to: ({ metadata }) => [`${metadata.namespace ?? ''}/${metadata.name}`] }),
    ],
    async reconcile(service, { key, objects }) {
      known.add(key);
      if (!selectsPods(service)) return;
      const { namespace } = service.metadata;
      const pods = objects(Pod).list({ namespace, labelSelector: { matchLabels: service.spec?.selector ?? {} } });
      const time = times.next(service, pods);
      const all = objects(Endpoints);
      const current = all.get(key);
      const { subsets, isTruncated } = truncated(subsetsOf(service, pods));
      const labels = labelsFor(service);
      const isOverCapacity = current?.metadata.annotations?.[OVER_CAPACITY] === 'truncated';
      if (
        current !== undefined &&
        deepEqual(current.subsets ?? [], subsets) &&
        deepEqual(current.metadata.labels ?? {}, labels) &&
        isOverCapacity === isTruncated
      )
        return;
      const { [OVER_CAPACITY]: _, ...annotations } = withTriggerTime(current?.metadata.annotations, time);
      const metadata = {
        labels,
        annotations: isTruncated ? { ...annotations, [OVER_CAPACITY]: 'truncated' } : annotations,
      };
      if (current !== undefined)
        await all.update({ ...current, metadata: { ...current.metadata, ...metadata }, subsets });
      else await createIfAbsent(all, { metadata: { name: service.metadata.name, namespace, ...metadata }, subsets });
    },
    /** Deletes the Endpoints of a deleted service. Endpoints that never had a service belong to their creator. */
    async gone(key, { objects }) {
      times.forget(key);
      const left = objects(Endpoints).get(key);
      const isOurs = known.delete(key) || left?.metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME;
      if (isOurs && left !== undefined) await objects(Endpoints).delete(key);
    },
  });
}

function labelsFor(service: Observed<Service>): Record<string, string> {
  const { clusterIP = 'None' } = service.spec ?? {};
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  const isHeadless = clusterIP === 'None' || clusterIP === '';
  return { ...labels, ...(isHeadless ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: CONTROLLER_NAME };
}
