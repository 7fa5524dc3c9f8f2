/** Why a request gets no seat and may not wait. */
export type Refusal = 'concurrency-limit' | 'queue-full';

/** How virtual time stood when seats were given out last. */
export interface DispatchFigures {
  virtualTime: number;
  /** Of the queue whose request got the seats. */
  startR: number;
  /** The first and the last of all queues in which requests waited. */
  leastR: number;
  mostR: number;
}

/** What a level has done so far, and what it has at hand. */
export interface LevelCounts {
  readonly waiting: number;
  readonly executing: number;
  readonly dispatched: number;
  readonly rejected: number;
  readonly cancelled: number;
}
