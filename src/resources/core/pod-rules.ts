import { forbiddenField } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { checkPodSpec } from './pod-spec-rules.ts';

/** Rules of a pod as a whole, also when it changes. */
export function checkPodParts({ metadata, spec }: Whole<Pod>): FieldError[] {
  const errors = checkPodSpec(spec, 'spec', { isPod: true, podName: metadata.name });
  if ((spec.serviceAccountName ?? '') !== '') return errors;
  for (const [index, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [at, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (serviceAccountToken === undefined) continue;
      const field = `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`;
      errors.push(forbiddenField(field, 'must not be specified when serviceAccountName is not set'));
    }
  }
  return errors;
}

/** Rules of a new pod. */
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
