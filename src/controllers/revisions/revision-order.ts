import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

export type Revision = Observed<ControllerRevision>;

/** Orders revisions by number, then age, then name; oldest first. */
export function byRevision(left: Revision, right: Revision): number {
  return (
    left.revision - right.revision ||
    Date.parse(left.metadata.creationTimestamp) - Date.parse(right.metadata.creationTimestamp) ||
    compareUtf8(left.metadata.name, right.metadata.name)
  );
}

/** The number of the next revision. */
export function nextRevision(revisions: readonly Revision[]): number {
  return 1 + revisions.reduce((highest, { revision }) => Math.max(highest, revision), 0);
}
