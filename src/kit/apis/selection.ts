import { badRequest, type ListOptions, type Query } from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import { firstAt, type ServedKind } from './served-kind.ts';

/** Whether a list, watch or deletion includes an object. */
export type Selection = (object: KubernetesObject) => boolean;

/** A filter for the given list options; throws a Status of 400 for a field that is not selectable. */
export function selectionOf(options: ListOptions, served: ServedKind, namespace: string): Selection {
  const { labelSelector: labels, fieldSelector: fields } = options;
  const unknown = fields.requirements.find(({ field }) => !NAMES.has(field) && !served.selectable.has(field));
  if (unknown !== undefined) throw badRequest(`field label not supported: ${unknown.field}`);
  return (object) => {
    const { metadata } = object;
    if (namespace !== '' && metadata?.namespace !== namespace) return false;
    if (!labels.isEmpty && !labels.matches(metadata?.labels)) return false;
    return fields.isEmpty || fields.matches((field) => text(object, field));
  };

  function text({ metadata, ...rest }: KubernetesObject, field: string): string {
    if (field === 'metadata.name') return metadata?.name ?? '';
    if (field === 'metadata.namespace') return metadata?.namespace ?? '';
    const path = served.selectable.get(field);
    const found = path === undefined ? undefined : firstAt(path, rest);
    return ['string', 'number', 'boolean'].includes(typeof found) ? String(found) : '';
  }
}

const NAMES = new Set(['metadata.name', 'metadata.namespace']);

/** The selectors as the client wrote them, for storages that filter by themselves. */
export function selectors(query: Query): { labelSelector?: string; fieldSelector?: string } {
  return {
    ...(query.has('labelSelector') ? { labelSelector: query.get('labelSelector') } : {}),
    ...(query.has('fieldSelector') ? { fieldSelector: query.get('fieldSelector') } : {}),
  };
}
