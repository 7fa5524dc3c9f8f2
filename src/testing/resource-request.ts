import type { TransportRequest } from '../client/index.ts';
import { requestInfo } from '../cluster/index.ts';

/** The verb of a request, as in authorization rules. */
export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A parsed request, for fault rules and traces. */
export interface ResourceRequest {
  readonly verb: RequestVerb;
  readonly group: string;
  /** The plural, such as `pods`. */
  readonly resource: string;
  /** Such as `status`; empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for lists, watches and creations. */
  readonly name: string;
  readonly query: URLSearchParams;
}

const WRITES: readonly RequestVerb[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const VERBS: readonly RequestVerb[] = ['get', 'list', 'watch', ...WRITES];

/** Parses a request as the server does; undefined if it names no resource. */
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
  const namespace = resource === 'namespaces' ? '' : info.namespace; // a Namespace is cluster-scoped
  return { verb, group, resource, subresource: `${subresource}${subpath}`, namespace, name, query };
}

export function isWrite({ verb }: ResourceRequest): boolean {
  return WRITES.includes(verb);
}
