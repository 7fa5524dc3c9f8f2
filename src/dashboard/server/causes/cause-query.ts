import { badRequest } from '../../../api/client.ts';

/** What a viewer wants to know the causes and effects of. */
export interface CauseQuery {
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly request: string;
  readonly revision: string;
  readonly depth: number;
}

const DEFAULT_DEPTH = 8;
const MAX_DEPTH = 50;

export function readCauseQuery(query: URLSearchParams): CauseQuery {
  const text = (name: string): string => query.get(name) ?? '';
  const depth = text('depth') === '' ? DEFAULT_DEPTH : Number(text('depth'));
  if (!Number.isInteger(depth) || depth < 0)
    throw badRequest(`depth must be a whole number, got ${JSON.stringify(text('depth'))}`);
  const asked = {
    resource: text('resource'),
    namespace: text('namespace'),
    name: text('name'),
    request: text('request'),
    revision: text('revision'),
    depth: Math.min(depth, MAX_DEPTH),
  };
  if (asked.request === '' && asked.revision === '' && (asked.resource === '' || asked.name === ''))
    throw badRequest('name an object by resource, namespace and name, or a request, or a revision');
  return asked;
}
