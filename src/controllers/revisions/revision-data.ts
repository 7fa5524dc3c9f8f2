import { encodeSortedJson } from '../../api/client.ts';
import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

/** What a revision keeps: a patch that puts its pod template in place of any other. */
export type RevisionData = DeepReadonly<NonNullable<ControllerRevision['data']>>;

/**
 * The data of a revision with this template. `kubectl rollout undo` sends it back as a strategic merge patch; others compare
 * its bytes, so its members are in the order that Kubernetes writes them in.
 */
export function dataOfTemplate(template: DeepReadonly<PodTemplateSpec>): RevisionData {
  return JSON.parse(encodeSortedJson({ spec: { template: { ...template, $patch: 'replace' } } })) as RevisionData;
}

/** The template that a revision keeps; undefined when it keeps none. */
export function templateOfData(data: RevisionData | undefined): DeepReadonly<PodTemplateSpec> | undefined {
  const { template } = (data?.['spec'] ?? {}) as { readonly template?: { readonly $patch?: unknown } };
  if (template === undefined) return undefined;
  const { $patch: _, ...kept } = template;
  return kept;
}

/** Whether two revisions keep the same. Older servers wrote a creation time of null into templates, which does not count. */
export function isSameData(left: RevisionData | undefined, right: RevisionData | undefined): boolean {
  return textWithoutNulls(left) === textWithoutNulls(right);
}

function textWithoutNulls(data: RevisionData = {}): string {
  const text = encodeSortedJson(data);
  if (!text.includes(':null')) return text;
  return encodeSortedJson(JSON.parse(text, (_, member: unknown) => member ?? undefined));
}
