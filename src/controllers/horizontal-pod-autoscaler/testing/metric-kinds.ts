// Metrics as custom resources: they produce the paths, kinds and lists of the metrics APIs on any cluster.
import {
  CustomResourceDefinition,
  hasReason,
  type KubernetesObject,
  type Kind,
  namespacedKind,
} from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

export interface MeasuredPod extends KubernetesObject {
  timestamp?: string;
  window?: string;
  containers?: { name: string; usage: Record<string, string> }[];
}

export interface ExternalValue extends KubernetesObject {
  metricName?: string;
  timestamp?: string;
  value?: string;
}

export const PodMetrics = namespacedKind<MeasuredPod>({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
});
export const QueueLength = namespacedKind<ExternalValue>({
  apiVersion: 'external.metrics.k8s.io/v1beta1',
  kind: 'ExternalMetricValue',
  plural: 'queue-length',
});
/** A namespace's metric is read as an object named like the metric; custom resources cannot serve lists of values. */
export const NamespaceMetric = namespacedKind<KubernetesObject>({
  apiVersion: 'custom.metrics.k8s.io/v1beta2',
  kind: 'NamespaceMetric',
  plural: 'metrics',
});
/** A custom resource that can be scaled. */
export const Gadget = namespacedKind<KubernetesObject & { spec?: object; status?: object }>({
  apiVersion: 'example.dev/v1',
  kind: 'Gadget',
  plural: 'gadgets',
});
/** A custom resource that cannot be scaled. */
export const Stone = namespacedKind<KubernetesObject>({
  apiVersion: 'example.dev/v1',
  kind: 'Stone',
  plural: 'stones',
});

/** Creates the CRD if it does not exist; it stays for other scenarios. */
export async function define(world: ScenarioWorld, kind: Kind, subresources?: object): Promise<void> {
  const { group, version: name, plural } = kind;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    name,
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    ...(subresources && { subresources }),
  };
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, for tests' };
  const definitions = world.client.kind(CustomResourceDefinition);
  try {
    await definitions.create({
      metadata: { name: `${plural}.${group}`, ...(group.endsWith('k8s.io') ? { annotations } : {}) },
      spec: { group, scope: 'Namespaced', names: { plural, kind: kind.kind }, versions: [version] },
    });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
  await world.pass(3);
}
