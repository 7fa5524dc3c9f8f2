import type { ServedKind } from '../served-kind.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { ListMetadata } from './answer.ts';

export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export function listTypeMeta(resource: ServedKind): TypeMeta {
  return { kind: resource.listKind ?? `${resource.kind}List`, apiVersion: apiVersionOf(resource) };
}

/** As it is printed: what is empty is left out. */
export function listMetadata({
  resourceVersion,
  continue: token = '',
  remainingItemCount,
}: ListMetadata): Partial<ListMetadata> {
  return {
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(token === '' ? {} : { continue: token }),
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
  };
}

/** Lists of custom resources are sorted by name like all of theirs, and always have a continue token, if an empty one. */
export function customListMetadata({
  resourceVersion,
  continue: token = '',
  remainingItemCount,
}: ListMetadata): ListMetadata {
  return { continue: token, ...(remainingItemCount === undefined ? {} : { remainingItemCount }), resourceVersion };
}
