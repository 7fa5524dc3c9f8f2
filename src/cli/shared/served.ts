import type { Socket } from 'node:net';
import type { Clock, Logger } from '../../base/index.ts';

/** One of those for whom the shared server runs something. */
export interface Served {
  readonly connection: Socket;
  /** How many there are at this moment, this one included. */
  readonly running: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the other side wants it to stop, or is gone. */
  readonly signal: AbortSignal;
}
