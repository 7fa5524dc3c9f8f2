import type { ObjectMeta } from '../../api/types/meta/v1.d.ts';
import type { EndpointSlice, Observed, Service } from '../../client/index.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const CONTROLLER_NAME = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';
const RESERVED: ReadonlySet<string> = new Set([SERVICE_NAME, MANAGED_BY, HEADLESS]);
/** Maximum length of a name with room for the dash. */
const MAX_NAME = 253;

/** The service's labels plus those that identify the slice. */
export function sliceLabels(service: Observed<Service>): Record<string, string> {
  const { clusterIP = 'None' } = service.spec ?? {};
  const isHeadless = clusterIP === 'None' || clusterIP === '';
  return {
    ...unreserved(service.metadata.labels),
    ...(isHeadless ? { [HEADLESS]: '' } : {}),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: CONTROLLER_NAME,
  };
}

export function unreserved(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !RESERVED.has(name)));
}

/** The prefix of the names of a service's slices. */
export function slicePrefix(name: string): string {
  return name.length < MAX_NAME ? `${name}-` : name;
}

export function newSliceMetadata(service: Observed<Service>): ObjectMeta {
  const { name, namespace, uid } = service.metadata;
  return {
    generateName: slicePrefix(name),
    namespace,
    labels: sliceLabels(service),
    ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true }],
  };
}

export function isOwnedBy(slice: Observed<EndpointSlice>, service: Observed<Service>): boolean {
  const owners = slice.metadata.ownerReferences ?? [];
  return owners.some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === 'Service' && apiVersion === 'v1',
  );
}
