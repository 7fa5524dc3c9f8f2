import { badRequest, parseFieldSelector, parseLabelSelector, ValueError } from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import { firstAt, type ServedKind } from './served-kind.ts';

/** Which objects of a list, a watch or a deletion are meant. */
export type Selection = (object: KubernetesObject) => boolean;

/** Reads the selectors of a query; refuses those that cannot be read, or name a field that nobody can select by. */
export function selectionOf(query: URLSearchParams, served: ServedKind, namespace: string): Selection {
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  if (labels instanceof ValueError) throw badRequest(`unable to parse requirement: ${labels.message}`);
  const fields = parseFieldSelector(query.get('fieldSelector') ?? '', (field, value) =>
    NAMES.has(field) || served.selectable.has(field)
      ? [field, value]
      : new ValueError(`field label not supported: ${field}`),
  );
  if (fields instanceof ValueError) throw badRequest(fields.message);
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

/** The selectors as the client wrote them, for storages that can do something with them. */
export function selectors(query: URLSearchParams): { labelSelector?: string; fieldSelector?: string } {
  const [labelSelector, fieldSelector] = [query.get('labelSelector'), query.get('fieldSelector')];
  return {
    ...(labelSelector === null ? {} : { labelSelector }),
    ...(fieldSelector === null ? {} : { fieldSelector }),
  };
}
