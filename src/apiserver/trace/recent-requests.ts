import type { Clock } from '../../base/index.ts';
import type { TracedRequest } from './request-trace.ts';

/** The last requests that were traced, oldest first; of more than `capacity`, the oldest are forgotten. */
export class RecentRequests {
  readonly capacity: number;
  readonly #clock: Clock;
  readonly #kept: TracedRequest[] = [];
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(capacity: number, clock: Clock) {
    this.capacity = capacity;
    this.#clock = clock;
  }

  /** Keeps a request; answers with the id that it has from now on. */
  add(request: Omit<TracedRequest, 'id'>): string {
    this.#count += 1;
    const id = String(this.#count);
    this.#kept.push({ id, ...request });
    if (this.#kept.length > this.capacity) this.#kept.shift();
    for (const wake of this.#waiting) wake();
    return id;
  }

  /** Those that came after the one with this id; all of them unless it is given. */
  list(after = '0'): readonly TracedRequest[] {
    const number = Number(after);
    return this.#kept.filter(({ id }) => Number(id) > number);
  }

  /** By its id, or by its audit ID. */
  find(id: string): TracedRequest | undefined {
    return this.#kept.findLast((request) => request.id === id || request.auditId === id);
  }

  /** `list(after)` as soon as there is something in it, but after `waitMs` at the latest. */
  async next(after: string, options: { readonly waitMs: number; readonly signal: AbortSignal }) {
    if (this.#count <= Number(after)) await this.#added(options);
    return this.list(after);
  }

  async #added({ waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal }): Promise<void> {
    const over = new AbortController();
    const wake = (): void => over.abort();
    this.#waiting.add(wake);
    try {
      await this.#clock.sleep(waitMs, AbortSignal.any([signal, over.signal]));
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
