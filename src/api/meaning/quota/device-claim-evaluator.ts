import type { DeepReadonly } from '../../../base/index.ts';
import type { Pod } from '../../types/core/v1.d.ts';
import type { DeviceClass, DeviceSubRequest, ResourceClaim } from '../../types/resource/v1.d.ts';
import { type Quantity, quantityOf } from '../../values/quantity.ts';
import { controllerOf } from '../owner-references.ts';
import type { ResourceAmounts } from '../pod-resources.ts';
import { ONE, ZERO } from './amounts.ts';
import { countName, evaluatorOf, type QuotaEvaluator } from './evaluator.ts';
import { isQuotaOfExtendedResource, podUsage } from './pod-evaluator.ts';

type Claim = DeepReadonly<ResourceClaim>;

/** Lookups of the objects that claims of extended resources refer to. */
export interface DeviceObjects {
  deviceClass(name: string): DeepReadonly<DeviceClass> | undefined;
  /** Whether a device class provides an extended resource. */
  hasDeviceClassFor(extendedResource: string): boolean;
  pod(namespace: string, name: string): DeepReadonly<Pod> | undefined;
  claims(namespace: string): Iterable<Claim>;
}

const GROUP = 'resource.k8s.io';
const COUNT = countName(GROUP, 'resourceclaims');
const DEVICES = '.deviceclass.resource.k8s.io/devices';
const REQUESTS = 'requests.';
const IMPLICIT = 'requests.deviceclass.resource.kubernetes.io/';
const EXTENDED_CLAIM = 'resource.kubernetes.io/extended-resource-claim';
/** Maximum number of devices of a claim; also what a claim of all devices counts as. */
const MAX_DEVICES = 32;

/** The usage of device claims: the claims themselves, and devices of their classes under all names of a class. */
export function deviceClaimEvaluator(objects: DeviceObjects): QuotaEvaluator {
  const resourceOf = (className: string): string | undefined =>
    objects.deviceClass(className)?.spec.extendedResourceName;
  return evaluatorOf<Claim>({
    group: GROUP,
    plural: 'resourceclaims',
    handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
    measures(name) {
      if (name === COUNT || name.endsWith(DEVICES)) return true;
      if (name.startsWith(IMPLICIT)) return objects.deviceClass(name.slice(IMPLICIT.length)) !== undefined;
      return isQuotaOfExtendedResource(name) && objects.hasDeviceClassFor(name.slice(REQUESTS.length));
    },
    usage(claim, nowMs) {
      const devices = devicesOf(claim);
      const usage = new Map(Array.from(devices, ([className, count]) => [className + DEVICES, count]));
      usage.set(COUNT, ONE);
      const counted = countedWithPod(claim, objects, nowMs);
      for (const [className, count] of devices) {
        const resource = resourceOf(className);
        for (const name of [IMPLICIT + className, ...(resource === undefined ? [] : [REQUESTS + resource])]) {
          const rest = count.sub(counted?.get(name) ?? ZERO);
          if (rest.sign > 0) usage.set(name, rest);
        }
      }
      return usage;
    },
  });
}

/** Numbers of devices by class; of alternatives the largest counts. */
function devicesOf({ spec }: Claim): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const { exactly, firstAvailable = [] } of spec.devices?.requests ?? []) {
    const most = new Map<string, number>();
    for (const request of firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly]) {
      const { deviceClassName } = request;
      most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, countOf(request)));
    }
    for (const [name, count] of most) total.set(name, (total.get(name) ?? ZERO).add(quantityOf(count)));
  }
  return total;
}

function countOf({
  allocationMode,
  count = 0,
}: DeepReadonly<Pick<DeviceSubRequest, 'allocationMode' | 'count'>>): number {
  if (allocationMode === 'All') return MAX_DEVICES;
  return allocationMode === 'ExactCount' ? count : 0;
}

/** The usage of the pod for which the scheduler made the claim, which must not count twice. */
function countedWithPod(claim: Claim, objects: DeviceObjects, nowMs: number): ResourceAmounts | undefined {
  const { annotations, namespace = '', name = '' } = claim.metadata ?? {};
  const owner = controllerOf(claim);
  if (annotations?.[EXTENDED_CLAIM] !== 'true' || owner?.kind !== 'Pod' || owner.apiVersion !== 'v1') return undefined;
  const pod = objects.pod(namespace, owner.name);
  if (pod === undefined || pod.metadata?.uid !== owner.uid) return undefined;
  const stated = pod.status?.extendedResourceClaimStatus;
  if (stated === undefined ? !isFirstOf(claim, owner.uid, objects) : stated.resourceClaimName !== name)
    return undefined;
  return podUsage(pod, nowMs);
}

/** Until the pod's status names its claim, the oldest one counts. */
function isFirstOf(claim: Claim, podUid: string, objects: DeviceObjects): boolean {
  const ageOf = ({ metadata }: Claim): string => `${metadata?.creationTimestamp ?? ''} ${metadata?.name ?? ''}`;
  for (const other of objects.claims(claim.metadata?.namespace ?? '')) {
    const owner = controllerOf(other);
    const isRival = owner?.uid === podUid && other.metadata?.annotations?.[EXTENDED_CLAIM] === 'true';
    if (isRival && ageOf(other) < ageOf(claim)) return false;
  }
  return true;
}
