import { holdsSentEmpty, sentEmpty } from '../api/index.ts';
import { deepEqual } from '../base/index.ts';

type Members = Readonly<Record<string, unknown>>;

/** Whether an update changes any of these members. */
export function changes(...members: readonly string[]): (object: object, old: object) => boolean {
  return (object, old) => members.some((member) => !deepEqual((object as Members)[member], (old as Members)[member]));
}

/** The same for kinds whose lists and maps that a client sends empty count as a change, because the stored object has none. */
export function changesOrEmpties(...members: readonly string[]): (object: object, old: object) => boolean {
  const isChanged = changes(...members);
  return (object, old) =>
    isChanged(object, old) ||
    members.some((member) => sentEmpty(object, member) !== null || holdsSentEmpty((object as Members)[member]));
}
