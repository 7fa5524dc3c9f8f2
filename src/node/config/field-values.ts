// Values that a pod's variables take from the pod itself.
import { compareUtf8, type DeepReadonly } from '../../base/index.ts';
import type { Quantity } from '../../api/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { amountsOf } from '../../api/meaning/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import { ContainerConfigError } from './config-error.ts';

type ResourceReference = DeepReadonly<core.ResourceFieldSelector>;

/** The addresses that are known when a container is created. */
export interface PodAddresses {
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
}

/** The value of a field of the pod, such as `metadata.labels['app']` or `status.podIP`. */
export function fieldValue(pod: Observed<Pod>, path: string, { podIps, hostIps }: PodAddresses): string {
  const { name, namespace = '', uid, labels = {}, annotations = {} } = pod.metadata;
  const subscript = /^([^[]+)\['(.*)'\]$/s.exec(path);
  if (subscript !== null) {
    const [, map, key = ''] = subscript;
    if (map === 'metadata.labels') return labels[key] ?? '';
    if (map === 'metadata.annotations') return annotations[key] ?? '';
    throw new ContainerConfigError(`field label does not support subscript: ${path}`);
  }
  switch (path) {
    case 'metadata.name':
      return name;
    case 'metadata.namespace':
      return namespace;
    case 'metadata.uid':
      return uid;
    case 'metadata.labels':
      return mapText(labels);
    case 'metadata.annotations':
      return mapText(annotations);
    case 'spec.nodeName':
    case 'spec.host':
      return pod.spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return hostIps[0] ?? '';
    case 'status.hostIPs':
      return hostIps.join(',');
    case 'status.podIP':
      return podIps[0] ?? '';
    case 'status.podIPs':
      return podIps.join(',');
    case 'spec.restartPolicy':
    case 'spec.schedulerName':
    case 'status.phase':
      throw new ContainerConfigError(`unsupported fieldPath: ${path}`);
    default:
      throw new ContainerConfigError(`field label not supported: ${path}`);
  }
}

/** A request or limit of a container in units of the divisor, rounded up. Without a limit, the allocatable amount of the node counts. */
export function resourceValue(
  pod: Observed<Pod>,
  { containerName = '', resource, divisor }: ResourceReference,
  {
    container,
    allocatable,
  }: { readonly container: ContainerSpec; readonly allocatable: Readonly<Record<string, string>> },
): string {
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const about = containerName === '' ? container : all.find(({ name }) => name === containerName);
  if (about === undefined) throw new ContainerConfigError(`container ${containerName} not found`);
  const match = /^(requests|limits)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource);
  if (match === null) throw new ContainerConfigError(`unsupported container resource : ${resource}`);
  const [, list, name = ''] = match;
  const present = amountsOf(list === 'limits' ? about.resources?.limits : about.resources?.requests).get(name);
  const most = amountsOf(pod.spec?.resources?.limits).get(name) ?? amountsOf(allocatable).get(name);
  const isDefaulted = list === 'limits' && !name.startsWith('hugepages-') && (present?.sign ?? 0) === 0;
  const amount = isDefaulted ? most : present;
  const unit = amountsOf({ unit: divisor ?? '1' }).get('unit');
  const count = (quantity: Quantity | undefined): number =>
    (name === 'cpu' ? quantity?.milliValue() : quantity?.value()) ?? 0;
  const units = unit === undefined || unit.sign === 0 ? (name === 'cpu' ? 1000 : 1) : count(unit);
  return String(Math.ceil(count(amount) / units));
}

/** `key="value"` in the order of the keys, one a line. */
function mapText(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort(compareUtf8)
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join('\n');
}
