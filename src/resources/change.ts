import { deepEqual } from '../base/index.ts';

type Members = Readonly<Record<string, unknown>>;

/** Whether an update changes any of these members. */
export function changes(...members: readonly string[]): (object: object, old: object) => boolean {
  return (object, old) => members.some((member) => !deepEqual((object as Members)[member], (old as Members)[member]));
}
