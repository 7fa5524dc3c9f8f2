import { Endpoints, EndpointSlice, keyOf, type Observed, Service } from '../../client/index.ts';
import { type Controller, controller, type Objects, type ReconcileContext, watch } from '../../kit/index.ts';
import { createUnlessThere } from '../create-unless-there.ts';
import { MANAGED_BY, SERVICE_NAME } from '../endpointslice/slice-metadata.ts';
import { MAX_ADDRESSES, mirroredSlices } from './mirrored-slices.ts';
import { CONTROLLER_NAME, sliceChanges } from './slice-changes.ts';

const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const CONCURRENT_SYNCS = 5;

/** Copies Endpoints that somebody wrote for a Service without a selector to EndpointSlices, which all others read. */
export function endpointSliceMirroringController(): Controller {
  return controller(Endpoints, {
    name: 'endpointslice-mirroring',
    component: 'endpoint-slice-mirroring-controller',
    concurrency: CONCURRENT_SYNCS,
    isRelevant: (endpoints, old) => isMirrored(endpoints) || (old !== undefined && isMirrored(old)),
    watches: [
      watch(Service, {
        to: (service) => [keyOf(service)],
        when: (service, old) => old === undefined || hasSelector(service) !== hasSelector(old),
      }),
      watch(EndpointSlice, {
        to: ({ metadata }) => [`${metadata.namespace ?? ''}/${metadata.labels?.[SERVICE_NAME] ?? ''}`],
        when: (slice, old) => isOurs(slice) || (old !== undefined && isOurs(old)),
      }),
    ],
    async reconcile(endpoints, context) {
      const slices = context.objects(EndpointSlice);
      const service = context.objects(Service).get(context.key);
      const existing = slicesOf(context.key, slices);
      if (service === undefined || hasSelector(service) || !isMirrored(endpoints)) return deleteAll(existing, slices);
      const changes = sliceChanges(endpoints, tellLosses(endpoints, context), existing);
      for (const slice of changes.create) await createUnlessThere(slices, slice);
      for (const slice of changes.update) await slices.update(slice);
      await deleteAll(changes.delete, slices);
    },
    gone: (key, { objects }) => deleteAll(slicesOf(key, objects(EndpointSlice)), objects(EndpointSlice)),
  });
}

/** What the slices should hold; what they cannot is told. */
function tellLosses(
  endpoints: Observed<Endpoints>,
  { event }: ReconcileContext,
): ReturnType<typeof mirroredSlices>['slices'] {
  const { slices, invalid, surplus } = mirroredSlices(endpoints);
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    event({ type: 'Warning', reason: 'InvalidIPAddress', message });
  }
  if (surplus > 0) {
    const message = `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${surplus} addresses were skipped`;
    event({ type: 'Warning', reason: 'TooManyAddressesToMirror', message });
  }
  return slices;
}

function slicesOf(key: string, slices: Objects<EndpointSlice>): readonly Observed<EndpointSlice>[] {
  const [namespace = '', name = ''] = key.split('/');
  return slices.list({ namespace, labelSelector: { [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME } });
}

async function deleteAll(doomed: readonly Observed<EndpointSlice>[], slices: Objects<EndpointSlice>): Promise<void> {
  for (const slice of doomed) await slices.delete(keyOf(slice));
}

function isMirrored({ metadata }: Observed<Endpoints>): boolean {
  return metadata.labels?.[SKIP] !== 'true' && metadata.annotations?.[LEADER] === undefined;
}

function hasSelector({ spec }: Observed<Service>): boolean {
  return spec?.selector !== undefined;
}

function isOurs({ metadata }: Observed<EndpointSlice>): boolean {
  return metadata.labels?.[MANAGED_BY] === CONTROLLER_NAME;
}
