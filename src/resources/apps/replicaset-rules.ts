import type { FieldError } from '../../api/index.ts';
import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import { checkReplicaCounts } from '../core/replica-counts.ts';
import type { Whole } from '../kind.ts';
import { checkSelectedTemplate, checkWorkloadSelector } from './selector-rules.ts';

export function checkReplicaSet({ spec }: Whole<ReplicaSet>): FieldError[] {
  return [
    ...checkWorkloadSelector(spec.selector, 'deployment'), // upstream says deployment here too
    ...checkSelectedTemplate(spec.template ?? {}, spec.selector ?? undefined),
  ];
}

export function checkReplicaSetStatus({ status }: Whole<ReplicaSet>): FieldError[] {
  return checkReplicaCounts(status);
}
