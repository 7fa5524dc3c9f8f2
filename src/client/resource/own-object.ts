import { clone } from '../../base/index.ts';
import type { KubernetesObject, Stored } from '../kind.ts';
import type { CallOptions } from '../request/api-request.ts';
import type { ReadValue } from '../request/body-reader.ts';

/** Copies a shared object, so that the caller may change it; not needed with `isReadOnly`. */
export function own<T extends KubernetesObject>({ value, isShared }: ReadValue, options: CallOptions): Stored<T> {
  return (isShared && options.isReadOnly !== true ? clone(value) : value) as Stored<T>;
}
