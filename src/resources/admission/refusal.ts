import { forbidden, type StatusError } from '../../api/index.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';

/** A plugin's no. An object that has no name yet goes by what its name will begin with. */
export function refusal({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  const named = name || (generateName === '' ? own : generateName) || 'Unknown';
  return forbidden({ group: resource.group, resource: resource.plural }, named, why);
}

/** Several reasons as one. */
export function together(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
