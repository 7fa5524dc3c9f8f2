import { exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import { Endpoints, EndpointSlice, keyOf, type Observed, Service } from '../../client/index.ts';
import { type Controller, controller, type Objects, type ReconcileContext, watch } from '../../kit/index.ts';
import { createIfAbsent } from '../create-if-absent.ts';
import { MANAGED_BY, SERVICE_NAME } from '../endpointslice/slice-metadata.ts';
import { type EndpointsChanged, SliceMetrics, slicesFor } from '../endpointslice/slice-metrics.ts';
import { MAX_ADDRESSES, type Mirrored, mirroredSlices } from './mirrored-slices.ts';
import { CONTROLLER_NAME, endpointChanges, sliceChanges } from './slice-changes.ts';

const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const CONCURRENT_SYNCS = 5;

/** Mirrors manually written Endpoints of Services without a selector to EndpointSlices, which clients read. */
export function endpointSliceMirroringController(): Controller {
  return controller(Endpoints, {
    name: 'endpointslice-mirroring',
    queueName: 'endpoint_slice_mirroring',
    component: 'endpoint-slice-mirroring-controller',
    concurrency: CONCURRENT_SYNCS,
    when: (endpoints, old) => isMirrored(endpoints) || (old !== undefined && isMirrored(old)),
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
      const metrics = context.metrics.shared(mirroringMetrics);
      const startMs = context.clock.monotonic();
      try {
        await mirror(endpoints, context, metrics);
      } finally {
        metrics.seconds.observe((context.clock.monotonic() - startMs) / 1000);
      }
    },
    gone: (key, { objects, metrics }) => {
      metrics.shared(mirroringMetrics).figures.delete(key);
      return deleteAll(slicesOf(key, objects(EndpointSlice)), objects(EndpointSlice));
    },
  });
}

function mirroringMetrics(metrics: MetricRegistry): MirroringMetrics {
  return new MirroringMetrics(metrics);
}

async function mirror(
  endpoints: Observed<Endpoints>,
  context: ReconcileContext,
  metrics: MirroringMetrics,
): Promise<void> {
  const slices = context.objects(EndpointSlice);
  const service = context.objects(Service).get(context.key);
  const existing = slicesOf(context.key, slices);
  if (service === undefined || hasSelector(service) || !isMirrored(endpoints)) {
    metrics.figures.delete(context.key);
    return deleteAll(existing, slices);
  }
  const mirrored = mirroredSlices(endpoints);
  recordSkipped(mirrored, context);
  metrics.skipped.observe(mirrored.invalid + mirrored.surplus);
  metrics.endpointsChanged(endpointChanges(existing, mirrored.slices));
  const changes = sliceChanges(endpoints, mirrored.slices, existing);
  for (const slice of changes.create) await createIfAbsent(slices, slice);
  for (const slice of changes.update) await slices.update(slice);
  await deleteAll(changes.delete, slices);
  metrics.written({
    create: changes.create.length,
    update: changes.update.length,
    delete: changes.delete.length,
  });
  const counts = mirrored.slices.map((slice) => slice.endpoints.length);
  metrics.figures.set(context.key, {
    endpoints: counts.reduce((sum, count) => sum + count, 0),
    slices: existing.length + changes.create.length - changes.delete.length,
    desiredSlices: counts.reduce((sum, count) => sum + slicesFor(count, MAX_ADDRESSES), 0),
  });
}

/** Records events about addresses that were not mirrored. */
function recordSkipped({ invalid, surplus }: Mirrored, { event }: ReconcileContext): void {
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    event({ type: 'Warning', reason: 'InvalidIPAddress', message });
  }
  if (surplus > 0) {
    const message = `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${surplus} addresses were skipped`;
    event({ type: 'Warning', reason: 'TooManyAddressesToMirror', message });
  }
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

const PREFIX = 'endpoint_slice_mirroring_controller';

/** Metrics of mirrored slices, under kube-controller-manager's names. */
class MirroringMetrics extends SliceMetrics {
  readonly #updated: Histogram;
  /** Addresses skipped per run. */
  readonly skipped: Histogram;
  readonly seconds: Histogram;

  constructor(metrics: MetricRegistry) {
    super(metrics, { prefix: PREFIX, of: 'an Endpoints object' });
    const histogram = (name: string, help: string, first: number): Histogram =>
      metrics.histogram({ name: `${PREFIX}_${name}`, help, buckets: exponentialBuckets(first, 2, 15) }).with();
    this.#updated = histogram('endpoints_updated_per_sync', 'Endpoints changed in a run for an Endpoints object.', 2);
    this.skipped = histogram('addresses_skipped_per_sync', 'Addresses that are left out in a run.', 2);
    this.seconds = histogram('endpoints_sync_duration', 'How long a run takes, in seconds.', 0.001);
  }

  override endpointsChanged(changed: EndpointsChanged): void {
    super.endpointsChanged(changed);
    this.#updated.observe(changed.updated ?? 0);
  }
}
