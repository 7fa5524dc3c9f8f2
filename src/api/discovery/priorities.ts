import { formatGroupVersion } from '../values/index.ts';
import type { GroupVersion } from '../values/index.ts';

/** The position of a group and version in discovery: higher comes first. APIServices have the same fields in their spec. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** The priority of groups from CustomResourceDefinitions. */
export const customPriority: Priority = { group: 1000, version: 100 };

/** The priority of one of Kubernetes' own groups and versions; undefined for others. */
export function builtInPriority(groupVersion: GroupVersion): Priority | undefined {
  return priorities.get(formatGroupVersion(groupVersion));
}

const priorities: ReadonlyMap<string, Priority> = new Map(
  Object.entries({
    // The group that registers all others always comes first; it has no APIService itself.
    'apiregistration.k8s.io/v1': [20_001, 0],
    v1: [18_000, 1],
    'apps/v1': [17_800, 15],
    'events.k8s.io/v1': [17_750, 15],
    'authentication.k8s.io/v1': [17_700, 15],
    'authorization.k8s.io/v1': [17_600, 15],
    'autoscaling/v2': [17_500, 30],
    'autoscaling/v1': [17_500, 15],
    'batch/v1': [17_400, 15],
    'certificates.k8s.io/v1': [17_300, 15],
    'certificates.k8s.io/v1beta1': [17_300, 9],
    'certificates.k8s.io/v1alpha1': [17_300, 1],
    'networking.k8s.io/v1': [17_200, 15],
    'networking.k8s.io/v1beta1': [17_200, 9],
    'policy/v1': [17_100, 15],
    'rbac.authorization.k8s.io/v1': [17_000, 15],
    'storage.k8s.io/v1': [16_800, 15],
    'storage.k8s.io/v1beta1': [16_800, 9],
    'storage.k8s.io/v1alpha1': [16_800, 1],
    'admissionregistration.k8s.io/v1': [16_700, 15],
    'admissionregistration.k8s.io/v1beta1': [16_700, 12],
    'admissionregistration.k8s.io/v1alpha1': [16_700, 9],
    'apiextensions.k8s.io/v1': [16_700, 15],
    'apiextensions.k8s.io/v1beta1': [16_700, 9],
    'scheduling.k8s.io/v1': [16_600, 15],
    'scheduling.k8s.io/v1beta1': [16_600, 9],
    'scheduling.k8s.io/v1alpha3': [16_600, 3],
    'scheduling.k8s.io/v1alpha2': [16_600, 2],
    'scheduling.k8s.io/v1alpha1': [16_600, 1],
    'coordination.k8s.io/v1': [16_500, 15],
    'coordination.k8s.io/v1beta1': [16_500, 13],
    'coordination.k8s.io/v1alpha2': [16_500, 12],
    'node.k8s.io/v1': [16_300, 15],
    'discovery.k8s.io/v1': [16_200, 15],
    'resource.k8s.io/v1': [16_200, 21],
    'resource.k8s.io/v1beta2': [16_200, 15],
    'resource.k8s.io/v1beta1': [16_200, 9],
    'resource.k8s.io/v1alpha3': [16_200, 1],
    'flowcontrol.apiserver.k8s.io/v1': [16_100, 21],
    'internal.apiserver.k8s.io/v1alpha1': [16_000, 9],
    'storagemigration.k8s.io/v1': [15_800, 15],
    'storagemigration.k8s.io/v1beta1': [15_800, 9],
    'storagemigration.k8s.io/v1alpha1': [15_800, 1],
    'lifecycle.k8s.io/v1alpha1': [15_700, 1],
  }).map(([name, [group = 0, version = 0]]) => [name, { group, version }]),
);
