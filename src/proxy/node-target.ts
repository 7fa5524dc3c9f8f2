import type { Clock } from '../base/index.ts';
import type { HttpClient } from '../wire/http/index.ts';

/** Maximum bytes to read of a node's error message. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** A path at a node, and the client that connects to the node. */
export interface NodeTarget {
  readonly client: HttpClient;
  readonly path: string;
  readonly clock: Clock;
}
