/** Why a request gets no seat and may not wait. */
export type Refusal = 'concurrency-limit' | 'queue-full';

/** Virtual time when seats were last assigned. */
export interface DispatchFigures {
  virtualTime: number;
  /** Of the queue whose request got the seats. */
  startR: number;
  /** The lowest and the highest of all queues in which requests waited. */
  leastR: number;
  mostR: number;
}

/** A level's totals so far, and its current state. */
export interface LevelCounts {
  readonly waiting: number;
  readonly executing: number;
  readonly dispatched: number;
  readonly rejected: number;
  readonly cancelled: number;
}
