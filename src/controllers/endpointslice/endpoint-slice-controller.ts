import { EndpointSlice, keyOf, Node, Pod, Service } from '../../client/index.ts';
import type { Observed } from '../../client/index.ts';
import { controller, watch } from '../../kit/index.ts';
import type { Controller, Objects } from '../../kit/index.ts';
import { createUnlessThere } from '../create-unless-there.ts';
import { selectsPods, watchBackends, watchNodesOfBackends } from '../service-backends/services-of.ts';
import { TriggerTimes, withTriggerTime } from '../service-backends/trigger-times.ts';
import { type AddressFamily, desiredSlices } from './desired-slices.ts';
import { sliceChanges } from './slice-changes.ts';
import { CONTROLLER_NAME, MANAGED_BY, SERVICE_NAME } from './slice-metadata.ts';
import { wantsZoneHints } from './zone-annotation.ts';
import { withoutHints } from './zone-hints.ts';
import { ZoneTraffic } from './zone-traffic.ts';

/** Keeps the EndpointSlices of services that select pods up to date. */
export function endpointSliceController(): Controller {
  const times = new TriggerTimes();
  const zones = new ZoneTraffic();
  return controller(Service, {
    name: 'endpoint-slice',
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
    async reconcile(service, { objects, event }) {
      if (!selectsPods(service)) return;
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
        await write(slices, hinted.changes, time);
        for (const report of hinted.reports) event(report);
      }
      for (const slice of live) {
        if (!families.includes(slice.addressType as AddressFamily)) await slices.delete(keyOf(slice));
      }
      if (withoutNode.size > 0)
        throw new Error(`Cannot publish pods ${[...withoutNode].join(', ')}: their nodes are not there`);
    },
    gone: (key) => {
      times.forget(key);
      zones.forget(key);
    },
  });
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
  for (const slice of changes.create) await createUnlessThere(slices, timed(slice));
  for (const slice of changes.update) await slices.update(timed(slice));
  for (const slice of changes.delete) await slices.delete(keyOf(slice));
}

function ofFamily(slices: readonly Observed<EndpointSlice>[], family: AddressFamily): Observed<EndpointSlice>[] {
  return slices.filter(({ addressType }) => addressType === family);
}

function isOurs({ metadata }: Observed<EndpointSlice>): boolean {
  return metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME && (metadata.labels[SERVICE_NAME] ?? '') !== '';
}
