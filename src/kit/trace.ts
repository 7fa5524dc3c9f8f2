/**
 * How a reconcile ended. `conflict`: another writer was faster, or the object was deleted; it is retried, as after a
 * failure. `again`: it asked to run again.
 */
export type ReconcileOutcome = 'done' | 'again' | 'conflict' | 'failed' | 'stopped';

/** One run of a reconciler, or of other workers. */
export interface ReconcileRecord {
  /** The name of the controller, or of the workers. */
  readonly controller: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly why: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: ReconcileOutcome;
  readonly error?: unknown;
  /** Number of writes sent to the server through the context, by the kit or the reconciler. */
  readonly writes: number;
}

/** Selects the records that match all given fields. */
export type TraceFilter = Partial<Pick<ReconcileRecord, 'controller' | 'key' | 'outcome'>>;

const DEFAULT_CAPACITY = 1000;

/** The last reconciles, oldest first; drops the oldest when it is full. */
export class TraceRing {
  readonly #capacity: number;
  readonly #records: ReconcileRecord[] = [];
  #next = 0;

  constructor(capacity: number = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  push(record: ReconcileRecord): void {
    if (this.#capacity === 0) return;
    this.#records[this.#next] = record;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  list(filter: TraceFilter = {}): readonly ReconcileRecord[] {
    const inOrder = [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)];
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined) as [keyof TraceFilter, string][];
    return inOrder.filter((record) => wanted.every(([name, value]) => record[name] === value));
  }
}
