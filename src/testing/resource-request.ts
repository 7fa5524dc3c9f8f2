import type { TransportRequest } from '../client/index.ts';

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

/** What a request does to which objects; undefined where it is about no resource. */
export function resourceRequest({ method, path }: Pick<TransportRequest, 'method' | 'path'>) {
  const { pathname, searchParams: query } = new URL(path, 'http://in-process.invalid');
  const segments = pathname.split('/').slice(1).map(decodeURIComponent);
  const isCore = segments[0] === 'api';
  if (!isCore && segments[0] !== 'apis') return undefined;
  const group = isCore ? '' : (segments[1] ?? '');
  const rest = segments.slice(isCore ? 2 : 3);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && !isOfNamespace(rest);
  const [resource = '', name = '', ...sub] = isInNamespace ? rest.slice(2) : rest;
  if (resource === '') return undefined;
  const namespace = isInNamespace ? (rest[1] ?? '') : '';
  const verb = verbOf(method, name, query);
  const request: ResourceRequest = { verb, group, resource, subresource: sub.join('/'), namespace, name, query };
  return request;
}

export function isWrite({ verb }: ResourceRequest): boolean {
  return WRITES.includes(verb);
}

/** Whether the path is about a namespace itself: `namespaces/NAME/status` has no resource in it. */
function isOfNamespace(rest: readonly string[]): boolean {
  return rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize');
}

function verbOf(method: string, name: string, query: URLSearchParams): RequestVerb {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default: {
      const watch = query.get('watch');
      if (watch !== null && watch !== 'false' && watch !== '0') return 'watch';
      return name === '' ? 'list' : 'get';
    }
  }
}
