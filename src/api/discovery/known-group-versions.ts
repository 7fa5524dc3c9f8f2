import { type KubernetesVersion, minorOf } from '../../base/index.ts';
import { holdsIn, parseRanged } from '../language/version-range.ts';
import type { GroupVersion } from '../values/index.ts';

/** By group, in order; what is not in every version of Kubernetes says in which, as in the definition files. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': ['v1'],
  'admission.k8s.io': ['v1', 'v1beta1'],
  'admissionregistration.k8s.io': ['v1', 'v1alpha1', 'v1beta1'],
  'apiextensions.k8s.io': ['v1', 'v1beta1'],
  'apiregistration.k8s.io': ['v1', 'v1beta1'],
  apps: ['v1', 'v1beta1', 'v1beta2'],
  'authentication.k8s.io': ['v1', 'v1alpha1', 'v1beta1'],
  'authorization.k8s.io': ['v1', 'v1beta1'],
  autoscaling: ['v1', 'v2', 'v2beta1@..1.35', 'v2beta2@..1.35'],
  batch: ['v1', 'v1beta1'],
  'certificates.k8s.io': ['v1', 'v1alpha1', 'v1beta1'],
  'coordination.k8s.io': ['v1', 'v1alpha2', 'v1beta1'],
  'discovery.k8s.io': ['v1', 'v1beta1'],
  'events.k8s.io': ['v1', 'v1beta1'],
  extensions: ['v1beta1'],
  'flowcontrol.apiserver.k8s.io': ['v1', 'v1beta1', 'v1beta2', 'v1beta3'],
  'imagepolicy.k8s.io': ['v1alpha1'],
  'internal.apiserver.k8s.io': ['v1alpha1'],
  'lifecycle.k8s.io': ['v1alpha1@1.37'],
  'networking.k8s.io': ['v1', 'v1alpha1@..1.33', 'v1beta1'],
  'node.k8s.io': ['v1', 'v1alpha1', 'v1beta1'],
  policy: ['v1', 'v1beta1'],
  'rbac.authorization.k8s.io': ['v1', 'v1alpha1', 'v1beta1'],
  'resource.k8s.io': ['v1@1.34', 'v1alpha3', 'v1beta1', 'v1beta2'],
  'scheduling.k8s.io': ['v1', 'v1alpha1@..1.35', 'v1alpha2@1.36..1.36', 'v1alpha3@1.37', 'v1beta1'],
  'storage.k8s.io': ['v1', 'v1alpha1', 'v1beta1'],
  'storagemigration.k8s.io': ['v1@1.37', 'v1alpha1@..1.34', 'v1beta1@1.35'],
};

/**
 * Every group and version that a version of Kubernetes has types for, in order, served or not: including those that are only
 * used with webhooks, and those that are no longer served.
 */
export function knownGroupVersions(version: KubernetesVersion): readonly GroupVersion[] {
  return Object.entries(known).flatMap(([group, texts]) =>
    texts
      .map(parseRanged)
      .filter(({ range }) => holdsIn(range, minorOf(version)))
      .map(({ word }) => ({ group, version: word })),
  );
}

const withoutClient: readonly string[] = [
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
];

/** Those that Kubernetes' own client knows; documents of custom resources list them instead of their own group. */
export function clientGroupVersions(version: KubernetesVersion): readonly GroupVersion[] {
  return knownGroupVersions(version).filter(({ group }) => !withoutClient.includes(group));
}
