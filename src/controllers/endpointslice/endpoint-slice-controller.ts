import type { MetricRegistry } from '../../base/index.ts';
import { EndpointSlice, keyOf, Node, Pod, Service } from '../../client/index.ts';
import type { Observed } from '../../client/index.ts';
import { controller, watch } from '../../kit/index.ts';
import type { Controller, Objects, ReconcileContext } from '../../kit/index.ts';
import { createIfAbsent } from '../create-if-absent.ts';
import { selectsPods, watchBackends, watchNodesOfBackends } from '../service-backends/services-of.ts';
import { TriggerTimes, withTriggerTime } from '../service-backends/trigger-times.ts';
import { type AddressFamily, desiredSlices } from './desired-slices.ts';
import { CAPACITY, sliceChanges } from './slice-changes.ts';
import { ServiceSliceMetrics, slicesFor } from './slice-metrics.ts';
import { CONTROLLER_NAME, MANAGED_BY, SERVICE_NAME } from './slice-metadata.ts';
import { wantsZoneHints } from './zone-annotation.ts';
import { withoutHints } from './zone-hints.ts';
import { ZoneTraffic } from './zone-traffic.ts';

/** Maintains the EndpointSlices of services with a selector. */
export function endpointSliceController(): Controller {
  const times = new TriggerTimes();
  const zones = new ZoneTraffic();
  return controller(Service, {
    name: 'endpoint-slice',
    queueName: 'endpoint_slice',
    component: 'endpoint-slice-controller',
    concurrency: 5,
    watches: [
      watchBackends(),
      watchNodesOfBackends(),
      zones.watchNodes(),
      watch(EndpointSlice, {
        to: ({ metadata }) => [`${metadata.namespace ?? ''}/${metadata.labels?.[SERVICE_NAME] ?? ''}`],
        when: (slice, old) => isOurs(slice) || (old !== undefined && isOurs(old)),
      }),
    ],
    async reconcile(service, context) {
      if (!selectsPods(service)) return;
      const metrics = context.metrics.shared(sliceMetrics);
      try {
        await publish(service, context, metrics);
        metrics.synced('success');
      } catch (error) {
        metrics.synced('error');
        throw error;
      }
    },
    gone: (key, { metrics }) => {
      metrics.shared(sliceMetrics).figures.delete(key);
      times.forget(key);
      zones.forget(key);
    },
  });

  async function publish(
    service: Observed<Service>,
    { objects, event }: ReconcileContext,
    metrics: ServiceSliceMetrics,
  ): Promise<void> {
    const { namespace, name, deletionTimestamp } = service.metadata;
    if (deletionTimestamp !== undefined) return;
    const pods = objects(Pod).list({ namespace, labelSelector: { matchLabels: service.spec?.selector ?? {} } });
    const slices = objects(EndpointSlice);
    const existing = slices.list({
      namespace,
      labelSelector: { [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME },
    });
    const live = existing.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const time = times.next(service, pods);
    const families = (service.spec?.ipFamilies ?? ['IPv4']).filter((family) => family !== '');
    const withoutNode = new Set<string>();
    const figures = { endpoints: 0, slices: 0, desiredSlices: 0 };
    for (const family of families) {
      const { groups, podsWithoutNode } = desiredSlices(service, pods, {
        family,
        nodeNamed: (node) => objects(Node).get(node),
      });
      for (const pod of podsWithoutNode) withoutNode.add(pod);
      const own = ofFamily(live, family);
      const isByZone = wantsZoneHints(service);
      const changes = sliceChanges(service, groups, { family, slices: isByZone ? own.map(withoutHints) : own });
      const hinted = isByZone
        ? zones.hint(changes, { key: keyOf(service), family, live: own }, objects)
        : { changes, reports: zones.leave(keyOf(service), family) };
      const { create, update, delete: doomed, endpoints } = hinted.changes;
      await write(slices, hinted.changes, time);
      metrics.endpointsChanged(endpoints);
      metrics.written({ create: create.length, update: update.length, delete: doomed.length });
      metrics.changed(service, isByZone, create.length + update.length + doomed.length);
      const counts = [...groups.values()].map((group) => group.endpoints.length);
      figures.endpoints += counts.reduce((sum, count) => sum + count, 0);
      figures.slices += own.length + create.length - doomed.length;
      figures.desiredSlices += counts.reduce((sum, count) => sum + slicesFor(count, CAPACITY), 0);
      for (const report of hinted.reports) event(report);
    }
    for (const slice of live) {
      if (!families.includes(slice.addressType as AddressFamily)) await slices.delete(keyOf(slice));
    }
    const { trafficDistribution } = service.spec ?? {};
    // there is always at least one slice
    figures.desiredSlices = Math.max(1, figures.desiredSlices);
    metrics.figures.set(keyOf(service), { ...figures, trafficDistribution });
    if (withoutNode.size > 0)
      throw new Error(`Cannot publish pods ${[...withoutNode].join(', ')}: their nodes do not exist`);
  }
}

function sliceMetrics(metrics: MetricRegistry): ServiceSliceMetrics {
  return new ServiceSliceMetrics(metrics);
}

async function write(
  slices: Objects<EndpointSlice>,
  changes: ReturnType<typeof sliceChanges>,
  time: string | undefined,
): Promise<void> {
  const timed = (slice: (typeof changes.update)[number]): typeof slice => ({
    ...slice,
    metadata: { ...slice.metadata, annotations: withTriggerTime(slice.metadata?.annotations, time) },
  });
  for (const slice of changes.create) await createIfAbsent(slices, timed(slice));
  for (const slice of changes.update) await slices.update(timed(slice));
  for (const slice of changes.delete) await slices.delete(keyOf(slice));
}

function ofFamily(slices: readonly Observed<EndpointSlice>[], family: AddressFamily): Observed<EndpointSlice>[] {
  return slices.filter(({ addressType }) => addressType === family);
}

function isOurs({ metadata }: Observed<EndpointSlice>): boolean {
  return metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME && (metadata.labels[SERVICE_NAME] ?? '') !== '';
}
