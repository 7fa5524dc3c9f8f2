// Why pods are evicted, in the words that their statuses and events have.
import { amountsOf, podLimits } from '../../api/meaning/index.ts';
import { type Quantity, quantityOf } from '../../api/values/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { diskUsage } from './rank-pods.ts';
import { type NodeMeasurement, type PodMeasurement, SIGNALS } from './signals.ts';
import { shortage, type Threshold } from './thresholds.ts';

export interface PodEviction {
  readonly message: string;
  /** Annotations of the event. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** As metrics name it: a signal, or the limit that the pod exceeds. */
  readonly signal: string;
}

const bytesText = (bytes: number): string => quantityOf(bytes, 'BinarySI').toString();

/** The node has too little of the resource of a threshold. */
export function pressureEviction(
  pod: Observed<Pod>,
  {
    threshold,
    thresholds,
    measured,
  }: { readonly threshold: Threshold; readonly thresholds: readonly Threshold[]; readonly measured: NodeMeasurement },
): PodEviction {
  const { resource } = SIGNALS[threshold.signal];
  const found = shortage(resource, thresholds, measured.observations);
  const format = resource === 'memory' || resource === 'ephemeral-storage' ? 'BinarySI' : 'DecimalSI';
  const amounts =
    found === undefined
      ? ''
      : `Threshold quantity: ${quantityOf(found.amount, format).toString()}, available: ${quantityOf(found.observed.available, format).toString()}. `;
  const low = `The node was low on resource: ${resource}. ${amounts}`;
  const usage = measured.pods.get(pod.metadata.uid);
  const offending = usage === undefined ? [] : offenders(pod, resource, usage);
  const words = offending.map(
    ({ name, used, requested }) =>
      `Container ${name} was using ${used}, request is ${requested}, has larger consumption of ${resource}. `,
  );
  const podRequest = resource === 'memory' ? pod.spec?.resources?.requests?.['memory'] : undefined;
  const whole =
    usage === undefined || podRequest === undefined
      ? ''
      : `Pod ${pod.metadata.name} was using ${bytesText(usage.memoryBytes)}, request is ${podRequest}, has larger consumption of ${resource}. `;
  return {
    signal: threshold.signal,
    message: `${low}${whole}${words.join('')}`,
    annotations: {
      ...(usage === undefined || podRequest === undefined
        ? {}
        : { offending_pod: pod.metadata.name, offending_pod_usage: bytesText(usage.memoryBytes) }),
      ...(usage === undefined
        ? {}
        : {
            offending_containers: offending.map(({ name }) => name).join(','),
            offending_containers_usage: offending.map(({ used }) => used).join(','),
            starved_resource: resource,
          }),
    },
  };
}

/** The containers that use more than they requested. */
function offenders(
  pod: Observed<Pod>,
  resource: string,
  usage: PodMeasurement,
): readonly { readonly name: string; readonly used: string; readonly requested: string }[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return [...usage.containers].flatMap(([name, measured]) => {
    const container = containers.find((each) => each.name === name);
    if (container === undefined || (resource !== 'memory' && resource !== 'ephemeral-storage')) return [];
    const used = resource === 'memory' ? measured.memoryBytes : measured.rootfs.bytes + measured.logs.bytes;
    const requested = amountsOf(container.resources?.requests).get(resource);
    if (used <= (requested?.value() ?? 0)) return [];
    return [{ name, used: bytesText(used), requested: (requested ?? ZERO).toString() }];
  });
}

const ZERO: Quantity = quantityOf(0, 'DecimalSI');

/** Why a pod uses more of the local disks than it may; undefined when it does not. */
export function storageEviction(
  pod: Observed<Pod>,
  usage: PodMeasurement,
  { hasImageFilesystem }: Pick<NodeMeasurement, 'hasImageFilesystem'>,
): PodEviction | undefined {
  const { spec } = pod;
  for (const { name, emptyDir } of spec?.volumes ?? []) {
    const limit = amountsOf({ size: emptyDir?.sizeLimit ?? '0' }).get('size');
    const used = usage.volumes.get(name)?.bytes ?? 0;
    if (limit !== undefined && limit.sign > 0 && used > limit.value())
      return plain(
        'emptydirfs.limit',
        `Usage of EmptyDir volume ${JSON.stringify(name)} exceeds the limit ${JSON.stringify(limit.toString())}. `,
      );
  }
  const whole = podLimits({ spec: spec ?? { containers: [] } }).get('ephemeral-storage');
  if (whole !== undefined && diskUsage(usage).bytes > whole.value())
    return plain(
      'ephemeralpodfs.limit',
      `Pod ephemeral local storage usage exceeds the total limit of containers ${whole.toString()}. `,
    );
  for (const [name, { logs, rootfs }] of usage.containers) {
    const container = spec?.containers.find((each) => each.name === name);
    const limit = amountsOf(container?.resources?.limits).get('ephemeral-storage');
    const used = logs.bytes + (hasImageFilesystem ? 0 : rootfs.bytes);
    if (limit !== undefined && limit.value() !== 0 && used > limit.value())
      return plain(
        'ephemeralcontainerfs.limit',
        `Container ${name} exceeded its local ephemeral storage limit ${JSON.stringify(limit.toString())}. `,
      );
  }
  return undefined;
}

function plain(signal: string, message: string): PodEviction {
  return { signal, message };
}
