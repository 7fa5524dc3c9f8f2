import { type FieldError, forbiddenField, invalidValue } from '../../api/index.ts';
import type { Container, Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkPodAnnotations, checkProfileAnnotations } from './pod-annotation-rules.ts';
import { checkPodSpec } from './pod-spec-rules.ts';

/** The rules of a pod on creation and, with the `old` one, on updates. */
export function checkPodParts({ metadata, spec }: Whole<Pod>, old?: Whole<Pod>): FieldError[] {
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const hadLabelPolicy = old?.spec.securityContext?.seLinuxChangePolicy !== undefined;
  return [
    ...checkPodAnnotations(metadata.annotations, spec, 'metadata.annotations'),
    ...checkPodSpec(spec, 'spec', { isPod: true, podName: metadata.name ?? '', isMirror, hadLabelPolicy }),
    ...checkTokens(spec),
    ...checkImages(spec.containers ?? [], 'spec.containers'),
    ...checkImages(spec.initContainers ?? [], 'spec.initContainers'),
  ];
}

function checkTokens({ serviceAccountName = '', volumes = [] }: PodSpec): FieldError[] {
  if (serviceAccountName !== '') return [];
  return volumes.flatMap(({ projected }, index) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, at) => {
      if (serviceAccountToken === undefined) return [];
      const field = `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`;
      return [forbiddenField(field, 'must not be specified when serviceAccountName is not set')];
    }),
  );
}

function checkImages(containers: readonly Container[], field: string): FieldError[] {
  return containers.flatMap(({ image = '' }, index) => {
    if (image === image.trim()) return [];
    return [invalidValue(`${field}[${index}].image`, image, 'must not have leading or trailing whitespace')];
  });
}

/** The rules of a new pod. */
export function checkPod(pod: Whole<Pod>): FieldError[] {
  const errors = checkPodParts(pod);
  const { metadata, spec } = pod;
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return [...errors, ...checkProfileAnnotations(metadata.annotations, spec, 'spec')];
}
