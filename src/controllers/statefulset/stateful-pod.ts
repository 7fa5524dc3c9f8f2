import type { Pod, PodTemplateSpec, Volume } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Sendable } from '../../client/index.ts';
import { podFromTemplate } from '../pods/index.ts';
import { claimName } from './claims.ts';
import { placeOf, podName } from './ordinals.ts';
import type { StatefulSetView } from './set-view.ts';

const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
/** The label with the name of the pod's ControllerRevision. */
const REVISION = 'controller-revision-hash';

type Volumes = readonly DeepReadonly<Volume>[];

/** The template and revision of a new pod. */
export interface PodSource {
  readonly template: DeepReadonly<PodTemplateSpec> | undefined;
  readonly revision: string;
}

/** The pod to create for this ordinal. */
export function newStatefulPod(set: StatefulSetView, ordinal: number, source: PodSource): Sendable<Pod> {
  const { metadata, spec } = podFromTemplate(source.template, set.reference, set.namespace);
  const name = podName(set, ordinal);
  const volumes = withClaims(set, ordinal, spec?.volumes ?? []);
  return {
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata?.labels, ...identityLabels(name, ordinal), [REVISION]: source.revision },
    },
    spec: {
      containers: [],
      ...spec,
      hostname: name,
      ...(set.serviceName === undefined ? {} : { subdomain: set.serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** The name of the pod's revision; empty when it has no label. */
export function revisionOfPod({ metadata }: Observed<Pod>): string {
  return metadata.labels?.[REVISION] ?? '';
}

/** Whether the pod has the labels that match its name. */
export function isIdentityRight(set: StatefulSetView, { metadata }: Observed<Pod>): boolean {
  const place = placeOf(metadata.name);
  return (
    place !== undefined &&
    place.ordinal >= 0 &&
    metadata.name === podName(set, place.ordinal) &&
    metadata.labels?.[POD_NAME] === metadata.name
  );
}

/** Whether the pod has a volume for each of its claims. */
export function isStorageRight(set: StatefulSetView, { metadata, spec }: Observed<Pod>): boolean {
  const ordinal = placeOf(metadata.name)?.ordinal ?? -1;
  if (ordinal < 0) return false;
  const claimed = new Map(spec?.volumes?.map((volume) => [volume.name, volume.persistentVolumeClaim?.claimName]));
  return set.claimTemplates.every(
    (claim) => claimed.get(claim.metadata?.name ?? '') === claimName(set, claim, ordinal),
  );
}

/** The pod with corrected labels and volumes. */
export function repaired(set: StatefulSetView, pod: Observed<Pod>, ordinal: number): Sendable<Pod> {
  const name = podName(set, ordinal);
  const labels = isIdentityRight(set, pod)
    ? pod.metadata.labels
    : { ...pod.metadata.labels, ...identityLabels(name, ordinal) };
  const spec = pod.spec ?? { containers: [] };
  const volumes = isStorageRight(set, pod) ? spec.volumes : withClaims(set, ordinal, spec.volumes ?? []);
  return {
    ...pod,
    metadata: { ...pod.metadata, ...(labels === undefined ? {} : { labels }) },
    spec: { ...spec, ...(volumes === undefined ? {} : { volumes }) },
  };
}

function identityLabels(name: string, ordinal: number): Readonly<Record<string, string>> {
  return { [POD_NAME]: name, [POD_INDEX]: String(ordinal) };
}

/** A claim replaces a volume of the template with the same name. */
function withClaims(set: StatefulSetView, ordinal: number, volumes: Volumes): Volumes {
  const names = new Set(set.claimTemplates.map(({ metadata }) => metadata?.name));
  const ofClaims = set.claimTemplates.map((claim) => ({
    name: claim.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  return [...ofClaims, ...volumes.filter(({ name }) => !names.has(name))];
}
