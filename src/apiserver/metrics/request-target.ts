import type { Call } from '../request/call.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Resource } from '../resource.ts';

/** The labels that identify a kind of request. */
export const TARGET = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

export type RequestTarget = Readonly<Record<(typeof TARGET)[number], string>>;

/** Paths, besides resources, that have their own series. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ...['/healthz', '/livez', '/readyz', '/metrics', '/metrics/slis', '/version'].map((path) => [path, path] as const),
  ...['/openapi/v2', '/openapi/v3', '/api', '/apis'].map((path) => [path, path.slice(1)] as const),
]);

/**
 * The label values of a request. A client cannot invent values: requests for unknown resources and paths have empty ones, so that the
 * number of series is bounded.
 */
export function targetOf(call: Call, resource: Resource | undefined): RequestTarget {
  const { info } = call;
  const verb = metricVerb(call);
  if (resource === undefined) {
    const subresource = PATHS.get(info.path) ?? '';
    const component = subresource.startsWith('api') ? 'apiserver' : '';
    return { verb, group: '', version: '', resource: '', subresource, scope: '', component };
  }
  const { group, version } = resource;
  const subresource = resource.subresources.has(info.subresource) ? info.subresource : '';
  return { verb, group, version, resource: resource.plural, subresource, scope: scopeOf(info), component: 'apiserver' };
}

/** The value of the `dry_run` label. */
export function dryRunOf({ query }: Pick<IncomingRequest, 'query'>): string {
  const value = query.text === '' ? '' : query.get('dryRun');
  return value === '' || value === 'All' ? value : 'invalid';
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'GET',
  head: 'HEAD',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  post: 'POST',
  update: 'PUT',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

/** Upstream uses the method for most verbs, and distinguishes apply patches from others. */
export function metricVerb(call: Call): string {
  const { verb } = call.info;
  if (verb === 'patch' && call.request.header('content-type')?.startsWith('application/apply-patch') === true)
    return 'APPLY';
  return VERBS[verb] ?? 'other';
}

export function scopeOf(info: RequestInfo): string {
  if (!info.isResource) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}
