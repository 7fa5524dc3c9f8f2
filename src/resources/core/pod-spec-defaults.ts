import type { ObjectMeta } from '../../api/index.ts';
import type { PodSpec, PodTemplateSpec, ResourceRequirements, Volume } from '../../api/types/core/v1.d.ts';
import { defaultPullPolicy } from './image-name.ts';
import { roundToMilli } from './resource-list.ts';

/** Defaults of every PodSpec, in pods and templates, that depend on other fields. */
export function defaultPodSpec(spec: PodSpec): void {
  const account = (spec.serviceAccountName ?? '') === '' ? spec.serviceAccount : spec.serviceAccountName;
  if ((account ?? '') !== '') {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of containersOf(spec)) {
    container.imagePullPolicy ||= defaultPullPolicy(container.image ?? '');
    roundRequirements(container.resources);
  }
  roundToMilli(spec.overhead);
  roundRequirements(spec.resources);
}

/** The common fields of all three kinds of containers. */
interface AnyContainer {
  image?: string;
  imagePullPolicy?: string;
  resources?: ResourceRequirements;
}

function containersOf(spec: PodSpec): AnyContainer[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function roundRequirements(resources: ResourceRequirements | undefined): void {
  roundToMilli(resources?.limits);
  roundToMilli(resources?.requests);
}

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume.emptyDir = {};
  if (volume.image !== undefined) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? '');
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  roundToMilli(claim?.resources?.limits);
  roundToMilli(claim?.resources?.requests);
}

export function defaultPodTemplate(template: PodTemplateSpec | undefined): void {
  if (template === undefined) return;
  if (template.metadata !== undefined) template.metadata = withoutInitAnnotations(template.metadata);
  if (template.spec !== undefined) defaultPodSpec(template.spec);
}

const INIT_ANNOTATION = /^pod\.(alpha|beta)\.kubernetes\.io\/init-container(s|-statuses)$/;

/** Removes the annotations that once held init containers, so that old manifests do not bring them back. */
export function withoutInitAnnotations(metadata: ObjectMeta): ObjectMeta {
  const { annotations, ...rest } = metadata;
  if (annotations === undefined || !Object.keys(annotations).some((name) => INIT_ANNOTATION.test(name)))
    return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !INIT_ANNOTATION.test(name));
  return kept.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(kept) };
}
