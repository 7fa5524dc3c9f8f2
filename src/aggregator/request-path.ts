import type { IncomingRequest } from '../apiserver/index.ts';

/** The forwarded query of a call: re-encoded, with the parameters sorted by name, as Go does. */
export function forwardedQuery({ query }: Pick<IncomingRequest, 'query'>): string {
  if (query.text === '') return '';
  const parameters = new URLSearchParams(query.text);
  parameters.sort();
  return `?${parameters.toString()}`;
}

/**
 * The name of the APIService that a path belongs to.
 *
 * Example: `/apis/apps/v1/deployments` belongs to `v1.apps`, `/api` and all below it to `v1.`
 */
export function serviceNameOf(path: string): string | undefined {
  if (path === '/api' || path.startsWith('/api/')) return 'v1.';
  if (!path.startsWith('/apis/')) return undefined;
  const groupEnd = path.indexOf('/', 6);
  if (groupEnd === -1) return undefined;
  const versionEnd = path.indexOf('/', groupEnd + 1);
  const version = versionEnd === -1 ? path.slice(groupEnd + 1) : path.slice(groupEnd + 1, versionEnd);
  return version === '' ? undefined : `${version}.${path.slice(6, groupEnd)}`;
}
