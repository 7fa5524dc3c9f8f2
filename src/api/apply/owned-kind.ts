import type { GroupVersionKind, Struct } from '../schema/schema.ts';
import type { FieldFilter } from './field-filter.ts';

/** What ownership has to know about the objects it is about: one kind in one version, written whole or by a subresource. */
export interface OwnedKind {
  readonly kind: GroupVersionKind;
  readonly type: Struct;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** What a write here can change; absent: everything. */
  readonly filter?: FieldFilter;
}

export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** How messages name a kind: `apps/v1, Kind=Deployment`. */
export function kindLabel({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
