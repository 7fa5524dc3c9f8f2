import type { Clock } from '../../base/index.ts';
import type { RequestTrace, TracedRequest } from './request-trace.ts';

/** What is known of a request besides what its trace has noted. */
export type RequestHead = Omit<TracedRequest, 'id' | 'time' | keyof RequestTrace['result']> & {
  readonly receivedAt: number;
};

interface Kept {
  readonly number: number;
  readonly head: RequestHead;
  readonly trace: RequestTrace;
}

/** The last requests that were traced, oldest first; of more than `capacity`, the oldest are forgotten. */
export class RecentRequests {
  readonly capacity: number;
  readonly #clock: Clock;
  readonly #kept: Kept[] = [];
  readonly #waiting = new Set<() => void>();
  #count = 0;

  constructor(capacity: number, clock: Clock) {
    this.capacity = capacity;
    this.#clock = clock;
  }

  /** Keeps a request; answers with the id that it has from now on. */
  add(head: RequestHead, trace: RequestTrace): string {
    trace.end();
    this.#count += 1;
    this.#kept.push({ number: this.#count, head, trace });
    if (this.#kept.length > this.capacity) this.#kept.shift();
    for (const wake of this.#waiting) wake();
    return String(this.#count);
  }

  /** Those that came after the one with this id; all of them unless it is given. */
  list(after = '0'): readonly TracedRequest[] {
    const last = Number(after);
    return this.#kept.filter(({ number }) => number > last).map(requestOf);
  }

  /** By its id, or by its audit ID. */
  find(id: string): TracedRequest | undefined {
    const found = this.#kept.findLast(({ number, head }) => String(number) === id || head.auditId === id);
    return found === undefined ? undefined : requestOf(found);
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

function requestOf({ number, head, trace }: Kept): TracedRequest {
  const { receivedAt, ...rest } = head;
  return { id: String(number), time: new Date(receivedAt).toISOString(), ...rest, ...trace.result };
}
