import { StatusError } from '../../api/client.ts';

/** A request to the API server, as the dashboard reads it and as it is sent: one text, so that both mean the same. */
export interface ClusterPath {
  /** The path and query to send. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The empty string is the core group. */
  readonly group: string;
  readonly version: string;
  /** Empty for paths that are not resources. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly isWatch: boolean;
}

const MAX_PATH = 8192;
/** Subresources that reach a program in the cluster, which may do anything. */
const CONNECTIONS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);
/** What a viewer may ask about themselves; these write nothing. */
const OWN_REVIEWS: ReadonlySet<string> = new Set([
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'selfsubjectreviews',
]);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Reads the target of a request below `/cluster`. Segments are decoded once, judged, and encoded again; what could be read in
 * two ways is refused.
 */
export function readClusterPath(target: string): ClusterPath {
  if (target.length > MAX_PATH) throw badPath('it is too long');
  const [rawPath = '', ...queries] = target.split('?');
  const query = new URLSearchParams(queries.join('?'));
  const raw = rawPath.split('/').slice(1);
  const isFolder = raw.length > 1 && raw.at(-1) === '';
  const segments = (isFolder ? raw.slice(0, -1) : raw).map(decoded);
  const proxied = segments.indexOf('proxy');
  segments.forEach((segment, index) => {
    if (segment === '.' || segment === '..') throw badPath('it has "." or ".." as a segment');
    if (/[/\\\0\r\n]/.test(segment)) throw badPath('a segment has a slash or a control character');
    if (segment === '' && segments.length > 1 && (proxied < 0 || index < proxied))
      throw badPath('it has an empty segment');
  });
  const text = `/${segments.map((segment) => encodeURIComponent(segment)).join('/')}${isFolder ? '/' : ''}`;
  const place = placeOf(segments);
  if (place.group === '' && place.resource === 'secrets') query.delete('pretty');
  const queryText = query.toString();
  return {
    path: queryText === '' ? text : `${text}?${queryText}`,
    query,
    ...place,
    isWatch: place.isWatch || ['1', 'true', 't', 'T', 'TRUE', 'True'].includes(query.get('watch') ?? ''),
  };
}

/** Whether answers have values of Secrets. */
export function hasSecretValues({ group, resource, subresource }: ClusterPath): boolean {
  return group === '' && resource === 'secrets' && subresource === '';
}

/** Why a viewer who may only look may not send the request; undefined when they may. */
export function readOnlyRefusal(method: string, { resource, subresource }: ClusterPath): string | undefined {
  if (CONNECTIONS.has(subresource)) return `"${subresource}" reaches into the cluster`;
  if (READS.has(method) || (method === 'POST' && OWN_REVIEWS.has(resource))) return undefined;
  return `${method} writes`;
}

type Place = Omit<ClusterPath, 'path' | 'query'>;

const NO_RESOURCE: Place = {
  group: '',
  version: '',
  resource: '',
  namespace: '',
  name: '',
  subresource: '',
  isWatch: false,
};

function placeOf(segments: readonly string[]): Place {
  const isCore = segments[0] === 'api';
  if (!isCore && segments[0] !== 'apis') return NO_RESOURCE;
  const [group = '', version = ''] = isCore ? ['', segments[1]] : segments.slice(1, 3);
  const place = { ...NO_RESOURCE, group, version };
  let rest = segments.slice(isCore ? 2 : 3);
  if (rest[0] === 'proxy') return { ...place, resource: rest[1] ?? '', subresource: 'proxy' };
  const isWatch = rest[0] === 'watch';
  if (isWatch) rest = rest.slice(1);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_PARTS.has(rest[2] ?? '');
  const namespace = isNamespaced ? (rest[1] ?? '') : '';
  const [resource = '', name = '', subresource = ''] = isNamespaced ? rest.slice(2) : rest;
  return { ...place, namespace, resource, name, subresource, isWatch };
}

/** Subresources of namespaces, which stand where resources in a namespace do. */
const NAMESPACE_PARTS: ReadonlySet<string> = new Set(['status', 'finalize']);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badPath('it is not valid percent encoding');
  }
}

function badPath(why: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message: `Cannot pass on this path: ${why}` });
}
