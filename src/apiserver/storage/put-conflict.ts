import type { Revision } from '../../store/index.ts';
import type { StoredObject } from './stored-object.ts';

/** A write that was not done, since something else is there than was expected. */
export interface PutConflict {
  /** What is there now, or that nothing is; 'alongside' when only a condition of the writes beside it failed. */
  readonly conflictsWith: StoredObject | 'missing' | 'alongside';
}

export function isConflicting(result: StoredObject | Revision | PutConflict): result is PutConflict {
  return typeof result === 'object' && 'conflictsWith' in result;
}
