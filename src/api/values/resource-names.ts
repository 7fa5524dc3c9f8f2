import { ValueError } from './value-error.ts';

/** An API group and one of its versions; the core group is `''`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupVersionKind extends GroupVersion, GroupKind {}

export interface GroupVersionResource extends GroupVersion, GroupResource {}

/** Splits an object's `apiVersion`: `apps/v1`, or `v1` of the core group. */
export function parseGroupVersion(apiVersion: string): GroupVersion | ValueError {
  if (apiVersion === '' || apiVersion === '/') return { group: '', version: '' };
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.includes('/', slash + 1)) {
    return new ValueError(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Parses an object's `apiVersion` and `kind`; an invalid `apiVersion` counts as empty. */
export function groupVersionKindOf(apiVersion: string, kind: string): GroupVersionKind {
  const parsed = parseGroupVersion(apiVersion);
  return parsed instanceof ValueError ? { group: '', version: '', kind } : { ...parsed, kind };
}

/** `apps/v1`, and `v1` for the core group. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` for the core group. */
export function formatGroupVersionKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** `apps/v1, Resource=deployments`, and `/v1, Resource=pods` for the core group. */
export function formatGroupVersionResource({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}, Resource=${resource}`;
}

/** `Deployment.apps`, and `Pod` for the core group. */
export function formatGroupKind({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** `deployments.apps`, and `pods` for the core group. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Parses `deployments.apps` or `pods`. */
export function parseGroupResource(text: string): GroupResource {
  const [resource, group] = cutAtDot(text);
  return { group, resource };
}

/** Parses `Deployment.apps` or `Pod`. */
export function parseGroupKind(text: string): GroupKind {
  const [kind, group] = cutAtDot(text);
  return { group, kind };
}

function cutAtDot(text: string): readonly [string, string] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
}

/** The English plural of a kind, in lower case: caches, policies, gateways, boxes. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
