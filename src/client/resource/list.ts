import type { ListMeta } from '../../api/types/meta/v1.d.ts';
import { TransportError } from '../../wire/http/index.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { ReadValue } from '../request/body-reader.ts';

/** The objects of one kind as of one resource version. */
export interface List<T extends KubernetesObject> {
  readonly items: readonly Observed<T>[];
  /** A watch from this version misses nothing. */
  readonly resourceVersion: string;
  /** The token of the next page; undefined on the last one. */
  readonly continue: string | undefined;
  /** The number of objects after this page, if the server reports it. */
  readonly remainingItemCount: number | undefined;
}

/** Reads a list as the server sends it. Adds `kind` and `apiVersion` to the items, which come without. */
export function readList<T extends KubernetesObject>(
  { value, isShared }: ReadValue,
  typeMeta: { readonly kind: string; readonly apiVersion: string },
): List<T> {
  const { items, metadata = {} } = (value ?? {}) as { readonly items?: unknown; readonly metadata?: ListMeta };
  if (!Array.isArray(items) && items !== null) {
    throw new TransportError('protocol', `Cannot list objects of kind ${typeMeta.kind}: the answer has no items`);
  }
  const objects = (items ?? []) as KubernetesObject[];
  if (!isShared) {
    for (const object of objects) {
      object.kind ??= typeMeta.kind;
      object.apiVersion ??= typeMeta.apiVersion;
    }
  }
  return {
    items: objects as unknown as Observed<T>[],
    resourceVersion: metadata.resourceVersion ?? '',
    continue: metadata.continue === '' ? undefined : metadata.continue,
    remainingItemCount: metadata.remainingItemCount,
  };
}
