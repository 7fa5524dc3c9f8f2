import type { Revision } from '../../store/index.ts';
import type { StoredObject } from './stored-object.ts';

/** A write that failed because the stored state was not the expected one. */
export interface PutConflict {
  /** The stored object, or 'missing' when there is none; 'alongside' when only a condition of the additional operations failed. */
  readonly conflictsWith: StoredObject | 'missing' | 'alongside';
}

export function isConflicting(result: StoredObject | Revision | PutConflict): result is PutConflict {
  return typeof result === 'object' && 'conflictsWith' in result;
}
