import type { GroupVersion } from '../values/index.ts';
import type { GroupVersionKind } from '../schema/schema.ts';
import type { DocumentedType } from './served-resource.ts';
import { isWritten } from './served-resource.ts';

const META_PACKAGE = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Two types belong to every group: each group can be asked to delete with options, and answers watches with events. */
const ofEveryGroup: readonly string[] = [`${META_PACKAGE}.DeleteOptions`, `${META_PACKAGE}.WatchEvent`];

/**
 * The kinds that a type stands for (`x-kubernetes-group-version-kind`). Types of `meta/v1` belong to the core group, and
 * two of them to each of `groupVersions` as well, which are to be in order of group and version.
 */
export function registeredKinds(type: DocumentedType, groupVersions: readonly GroupVersion[]): GroupVersionKind[] {
  if (isWritten(type)) return []; // it says so itself
  if (ofEveryGroup.includes(type.name)) {
    return groupVersions.map(({ group, version }) => ({ group, version, kind: type.shortName }));
  }
  if (type.kind === undefined) return [];
  return [type.name.startsWith(`${META_PACKAGE}.`) ? { group: '', version: 'v1', kind: type.shortName } : type.kind];
}

/** A schema's JSON text with the kinds added at its end. */
export function withKinds(text: string, kinds: readonly GroupVersionKind[]): string {
  if (kinds.length === 0) return text;
  const list = kinds.map(({ group, version, kind }) => ({ group, kind, version }));
  return `${text.slice(0, -1)},"x-kubernetes-group-version-kind":${JSON.stringify(list)}}`;
}
