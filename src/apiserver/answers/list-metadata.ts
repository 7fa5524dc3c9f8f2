import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { ListMetadata } from './answer.ts';

export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

export function listTypeMeta(resource: Resource): TypeMeta {
  return { kind: resource.listKind ?? `${resource.kind}List`, apiVersion: apiVersionOf(resource) };
}

/** The list's metadata as JSON: empty members are left out. */
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

/** The metadata of custom resources' lists is sorted by name, and always has a continue token, possibly empty. */
export function customListMetadata({
  resourceVersion,
  continue: token = '',
  remainingItemCount,
}: ListMetadata): ListMetadata {
  return { continue: token, ...(remainingItemCount === undefined ? {} : { remainingItemCount }), resourceVersion };
}
