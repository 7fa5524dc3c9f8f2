import { encodeSortedJson } from '../../api/client.ts';
import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { compareUtf8, type DeepReadonly } from '../../base/index.ts';

/** The data of a revision: a patch that replaces the pod template. */
export type RevisionData = DeepReadonly<NonNullable<ControllerRevision['data']>>;

/**
 * The data of a revision with this template. `kubectl rollout undo` sends it back as a strategic merge patch. Clients
 * compare its bytes, so its members are in Kubernetes' order.
 */
export function dataOfTemplate(template: DeepReadonly<PodTemplateSpec>): RevisionData {
  return sortedCopy({ spec: { template: { ...template, $patch: 'replace' } } }) as RevisionData;
}

/** The template in a revision; undefined when it has none. */
export function templateOfData(data: RevisionData | undefined): DeepReadonly<PodTemplateSpec> | undefined {
  const { template } = (data?.['spec'] ?? {}) as { readonly template?: { readonly $patch?: unknown } };
  if (template === undefined) return undefined;
  const { $patch: _, ...kept } = template;
  return kept;
}

/** Whether two revisions have the same data, ignoring the `creationTimestamp: null` that older servers wrote. */
export function isSameData(left: RevisionData | undefined, right: RevisionData | undefined): boolean {
  return textWithoutNulls(left) === textWithoutNulls(right);
}

function textWithoutNulls(data: RevisionData = {}): string {
  const text = encodeSortedJson(data);
  return text.includes(':null') ? encodeSortedJson(sortedCopy(data, { hasNulls: false })) : text;
}

/** A copy with the members of all objects sorted by name, without undefined ones. Integers of 64 bits keep their digits. */
function sortedCopy(value: unknown, { hasNulls = true } = {}): unknown {
  if (Array.isArray(value)) return value.map((item) => sortedCopy(item, { hasNulls }));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined && (hasNulls || member !== null));
  const sorted = members.toSorted(([left], [right]) => compareUtf8(left, right));
  return Object.fromEntries(sorted.map(([name, member]) => [name, sortedCopy(member, { hasNulls })]));
}
