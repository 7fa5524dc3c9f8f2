import type { Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionTarget } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';

/** Whether a request writes a pod, or the given subresource. */
export function isPodWrite({ operation, resource, subresource }: AdmissionTarget, view = ''): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  return isWrite && resource.group === '' && resource.plural === 'pods' && subresource === view;
}

export function isNewPod(target: AdmissionTarget): boolean {
  return target.operation === 'CREATE' && isPodWrite(target);
}

/** The pod to be written. */
export function podOf({ object }: Pick<AdmissionAttributes, 'object'>): Whole<Pod> {
  return object as unknown as Whole<Pod>;
}

/** Replaces the spec of the pod to be written; the old spec may be shared and is not changed. */
export function setPodSpec(request: AdmissionAttributes, spec: PodSpec): void {
  request.object = { ...request.object, spec } as unknown as AdmissionAttributes['object'];
}
