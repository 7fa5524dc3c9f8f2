import { createHash } from 'node:crypto';
import type { GroupVersion } from '../values/index.ts';

/**
 * The version that objects of a built-in resource are stored in. It matters where one resource is served in several
 * versions, or only in versions that are too new to be stored: then an older server could not read them back.
 */
export function storageVersionOf(resource: GroupVersion & { readonly plural: string }): GroupVersion {
  const stored = storedElsewhere.get(`${resource.group}/${resource.plural}`);
  return stored ?? { group: resource.group, version: resource.version };
}

/** What discovery says to tell whether a resource is stored in another version than before. */
export function storageVersionHash({ group, version }: GroupVersion, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

const storedElsewhere: ReadonlyMap<string, GroupVersion> = new Map([
  ...inVersion('admissionregistration.k8s.io', 'v1beta1', [
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ]),
  ...inVersion('apiextensions.k8s.io', 'v1beta1', ['customresourcedefinitions']),
  ...inVersion('autoscaling', 'v2', ['horizontalpodautoscalers']),
  ...inVersion('certificates.k8s.io', 'v1beta1', ['clustertrustbundles']),
  ...inVersion('coordination.k8s.io', 'v1beta1', ['leasecandidates']),
  ...inVersion('networking.k8s.io', 'v1', ['ipaddresses', 'servicecidrs']),
  ...inVersion('resource.k8s.io', 'v1', [
    'deviceclasses',
    'resourceclaims',
    'resourceclaimtemplates',
    'resourceslices',
  ]),
  ...inVersion('resource.k8s.io', 'v1alpha3', ['devicetaintrules']),
  ...inVersion('storage.k8s.io', 'v1', ['volumeattributesclasses']),
  // Both groups' events are the same objects.
  ['events.k8s.io/events', { group: '', version: 'v1' }],
]);

function inVersion(group: string, version: string, plurals: readonly string[]): [string, GroupVersion][] {
  return plurals.map((plural) => [`${group}/${plural}`, { group, version }]);
}
