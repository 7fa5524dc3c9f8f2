import type { ControllerRevision } from '../../api/types/apps/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

export type Revision = Observed<ControllerRevision>;

/** Orders revisions by number, then age, then name; oldest first. */
export function byRevision(left: Revision, right: Revision): number {
  return (
    byNumber(left.revision, right.revision) ||
    Date.parse(left.metadata.creationTimestamp) - Date.parse(right.metadata.creationTimestamp) ||
    compareUtf8(left.metadata.name, right.metadata.name)
  );
}

/** The number of the next revision: a bigint above 2^53, like every field of 64 bits. It wraps around like Go's int64. */
export function nextRevision(revisions: readonly Revision[]): number {
  const highest = revisions.reduce((found, { revision }) => (revision > found ? revision : found), 0);
  if (highest < Number.MAX_SAFE_INTEGER) return highest + 1;
  return BigInt.asIntN(64, BigInt(highest) + 1n) as unknown as number;
}

function byNumber(left: number, right: number): number {
  return left < right ? -1 : Number(left > right);
}
