import type { Affinity, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../api/types/core/v1.d.ts';
import { compareUtf8, type DeepReadonly } from '../../base/index.ts';
import type { Observed, Sendable } from '../../client/index.ts';
import { podFromTemplate } from '../pods/index.ts';
import type { DaemonSetView } from './daemon-view.ts';

/** The label with the template's hash on pods and revisions. */
export const HASH = 'controller-revision-hash';
const GENERATION = 'pod-template-generation';

/** Daemon pods stay on unhealthy nodes and start on unschedulable ones. */
const ALWAYS_TOLERATED: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
/** Pods in the host network do not need the cluster network. */
const TOLERATED_WITH_HOST_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

type Tolerations = readonly DeepReadonly<Toleration>[];

/** The pod's tolerations plus those of every daemon pod, which replace equal ones. */
export function daemonTolerations(spec: DeepReadonly<PodSpec> | undefined): Tolerations {
  const added = [...ALWAYS_TOLERATED, ...(spec?.hostNetwork === true ? [TOLERATED_WITH_HOST_NETWORK] : [])];
  return added.reduce<Tolerations>((tolerations, each) => {
    const isSame = ({ key, operator, effect, value }: DeepReadonly<Toleration>): boolean =>
      key === each.key && operator === each.operator && effect === each.effect && (value ?? '') === '';
    return tolerations.some(isSame)
      ? tolerations.map((toleration) => (isSame(toleration) ? each : toleration))
      : [...tolerations, each];
  }, spec?.tolerations ?? []);
}

/** A pod for the node; its node affinity pins it there. */
export function newDaemonPod(set: DaemonSetView, nodeName: string, hash: string): Sendable<Pod> {
  const { metadata, spec } = set.template;
  const generation: Readonly<Record<string, string>> =
    set.templateGeneration === undefined ? {} : { [GENERATION]: set.templateGeneration };
  const template: DeepReadonly<PodTemplateSpec> = {
    metadata: { ...metadata, labels: { ...metadata?.labels, ...generation, [HASH]: hash } },
    spec: {
      containers: [],
      ...spec,
      tolerations: daemonTolerations(spec),
      affinity: bindTo(nodeName, spec?.affinity),
    },
  };
  return podFromTemplate(template, set.reference, set.namespace);
}

/** Replaces the required node affinity of the template, which was already checked, by the node's name. */
function bindTo(nodeName: string, affinity: DeepReadonly<Affinity> | undefined): DeepReadonly<Affinity> {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [nodeName] }] };
  const required = { nodeSelectorTerms: [term] };
  const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...affinity, nodeAffinity };
}

/** The node that the pod is bound or pinned to; undefined when it has none. */
export function nodeOfPod({ spec }: Observed<Pod>): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== '') return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields }) => matchFields ?? []);
  const named = fields?.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/** Whether the pod was created from the current template. */
export function isUpdated({ metadata: { labels } }: Observed<Pod>, set: DaemonSetView, hash: string): boolean {
  const isSameGeneration = set.templateGeneration !== undefined && labels?.[GENERATION] === set.templateGeneration;
  return isSameGeneration || (hash !== '' && labels?.[HASH] === hash);
}

/** Orders pods of a node: scheduled ones first, then by age. */
export function byAge(left: Observed<Pod>, right: Observed<Pod>): number {
  return (
    Number((right.spec?.nodeName ?? '') !== '') - Number((left.spec?.nodeName ?? '') !== '') ||
    Date.parse(left.metadata.creationTimestamp) - Date.parse(right.metadata.creationTimestamp) ||
    compareUtf8(left.metadata.name, right.metadata.name)
  );
}

/** The pod that counts when a node has several. */
export function oldestOf(pods: readonly Observed<Pod>[]): Observed<Pod> | undefined {
  return pods.length > 1 ? pods.toSorted(byAge)[0] : pods[0];
}
