import { forbidden, type StatusError } from '../../api/index.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';

/** A plugin's refusal. An object without a name is named by its generateName. */
export function refusal({ resource, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  const named = name || (generateName === '' ? own : generateName) || 'Unknown';
  return forbidden({ group: resource.group, resource: resource.plural }, named, why);
}

/** Joins several reasons. */
export function together(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
