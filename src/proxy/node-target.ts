import type { Clock } from '../base/index.ts';
import type { HttpClient } from '../wire/http/index.ts';

/** No more is read of what a node says when it refuses. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** Something at a node that can be asked for. */
export interface NodeTarget {
  readonly client: HttpClient;
  readonly path: string;
  readonly clock: Clock;
}
