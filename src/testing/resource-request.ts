import type { TransportRequest } from '../client/index.ts';
import { requestInfo } from '../cluster/index.ts';

/** What is done to objects, by the words of authorization rules. */
export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request as rules and traces see it. */
export interface ResourceRequest {
  readonly verb: RequestVerb;
  readonly group: string;
  /** The plural, such as `pods`. */
  readonly resource: string;
  /** Such as `status`; empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a list, a watch, and an object that is being created. */
  readonly name: string;
  readonly query: URLSearchParams;
}

const WRITES: readonly RequestVerb[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const VERBS: readonly RequestVerb[] = ['get', 'list', 'watch', ...WRITES];

/** What a request does to which objects, as the server reads it; undefined where it is about no resource. */
export function resourceRequest({
  method,
  path,
}: Pick<TransportRequest, 'method' | 'path'>): ResourceRequest | undefined {
  const { pathname, searchParams: query } = new URL(path, 'http://in-process.invalid');
  const watch = query.get('watch') ?? 'false';
  const isWatch = watch !== 'false' && watch !== '0';
  const info = requestInfo(method, decodeURIComponent(pathname), { isWatch, nameFromField: '' });
  const verb = VERBS.find((each) => each === info.verb);
  if (!info.isResource || verb === undefined) return undefined;
  const { group, resource, subresource, subpath, name } = info;
  const namespace = resource === 'namespaces' ? '' : info.namespace; // it is in none itself
  return { verb, group, resource, subresource: `${subresource}${subpath}`, namespace, name, query };
}

export function isWrite({ verb }: ResourceRequest): boolean {
  return WRITES.includes(verb);
}
