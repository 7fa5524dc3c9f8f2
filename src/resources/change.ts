import type { ApiObject } from '../api/index.ts';
import { deepEqual } from '../base/index.ts';

/** Whether an update changes any of these members. */
export function changes(...members: readonly string[]): (object: ApiObject, old: ApiObject) => boolean {
  return (object, old) => members.some((member) => !deepEqual(object[member], old[member]));
}
