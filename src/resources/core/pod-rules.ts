import { type FieldError, forbiddenField, invalidValue } from '../../api/index.ts';
import type { Container, Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkPodSpec } from './pod-spec-rules.ts';

/** The rules of a pod on creation and on updates. */
export function checkPodParts({ metadata, spec }: Whole<Pod>): FieldError[] {
  return [
    ...checkPodSpec(spec, 'spec', { isPod: true, podName: metadata.name ?? '' }),
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
  const { spec } = pod;
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if ((spec.nodeName ?? '') !== '' && (spec.schedulingGates ?? []).length > 0) {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}
