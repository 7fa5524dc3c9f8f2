import { requestVerb } from '../../api/index.ts';

/** What a path and method request, before anything is looked up. */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly path: string;
  /** The API verb (`list`, `deletecollection`, …) for resources, the lower-case method for other paths. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What follows the subresource, as in `…/proxy/some/path`. */
  readonly subpath: string;
  /** Path segments from the resource on; empty for `/api/v1` and the like. */
  readonly parts: readonly string[];
  /** Which of a collection's objects are asked for, as the client wrote it; absent: all. */
  readonly fieldSelector?: string;
  /** The same by labels. */
  readonly labelSelector?: string;
}

/** Reads method and path, whose escapes are decoded. `isWatch` and `nameFromField` come from the query and turn a list into a watch of one. */
export function requestInfo(method: string, path: string, query: QueryHints): RequestInfo {
  const segments = splitPath(path);
  const [root] = segments;
  const isLegacy = root === 'api';
  if ((!isLegacy && root !== 'apis') || segments.length < (isLegacy ? 3 : 4)) return otherPath(method, path);

  const group = isLegacy ? '' : (segments[1] ?? '');
  const version = (isLegacy ? segments[1] : segments[2]) ?? '';
  let parts = segments.slice(isLegacy ? 2 : 3);
  let isOldWatch = false;
  if (parts[0] === 'watch' || parts[0] === 'proxy') {
    if (parts.length < 2) return otherPath(method, path);
    isOldWatch = parts[0] === 'watch';
    parts = parts.slice(1);
  }
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] ?? '';
    if (parts.length > 2 && !(parts.length === 3 && NAMESPACE_SUBRESOURCES.has(parts[2] ?? ''))) parts = parts.slice(2);
  }
  const [resource = '', name = '', subresource = '', ...rest] = parts;
  const verb = requestVerb(method, { hasName: name !== '', isWatch: query.isWatch, isOldWatch });
  return {
    isResource: true,
    path,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name: name === '' && (verb === 'list' || verb === 'watch') ? query.nameFromField : name,
    subpath: rest.length === 0 ? '' : `/${rest.join('/')}`,
    parts,
    ...(SELECTING.has(verb) && query.fieldSelector ? { fieldSelector: query.fieldSelector } : {}),
    ...(SELECTING.has(verb) && query.labelSelector ? { labelSelector: query.labelSelector } : {}),
  };
}

const SELECTING = new Set(['list', 'watch', 'deletecollection']);

export interface QueryHints {
  readonly isWatch: boolean;
  /** The name in `fieldSelector=metadata.name=…`, which authorization and verbs treat like a name in the path. */
  readonly nameFromField: string;
  /** The whole of `fieldSelector=…`. */
  readonly fieldSelector?: string;
  /** The whole of `labelSelector=…`. */
  readonly labelSelector?: string;
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

function otherPath(method: string, path: string): RequestInfo {
  return {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    subpath: '',
    parts: [],
  };
}

function splitPath(path: string): string[] {
  const trimmed = path.startsWith('/') ? path.slice(1) : path;
  const end = trimmed.endsWith('/') ? trimmed.slice(0, -1) : trimmed;
  if (end === '') return [];
  return end.split('/');
}
