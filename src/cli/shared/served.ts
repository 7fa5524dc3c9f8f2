import type { Socket } from 'node:net';
import type { Clock, Logger } from '../../base/index.ts';

/** A client for which the shared server runs something. */
export interface Served {
  readonly connection: Socket;
  /** The number of such clients, this one included. */
  readonly running: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the client asks to stop or disconnects. */
  readonly signal: AbortSignal;
}
