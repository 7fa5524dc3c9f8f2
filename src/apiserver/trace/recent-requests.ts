import type { Clock } from '../../base/index.ts';
import type { RequestTrace, TracedRequest, WrittenObject } from './request-trace.ts';

/** What is known about a request besides its trace. */
export type RequestHead = Omit<TracedRequest, 'id' | 'time' | keyof RequestTrace['result']> & {
  readonly receivedAt: number;
};

/** As much of a request as is needed to find the one that made a change. */
export interface WriteNote extends Pick<RequestHead, 'method' | 'path' | 'user' | 'receivedAt'> {
  readonly id: string;
  readonly wrote: WrittenObject | undefined;
  readonly durationMs: number;
}

interface Kept {
  readonly number: number;
  readonly head: RequestHead;
  readonly trace: RequestTrace;
}

/** The most recent traced requests, oldest first; when there are more than `capacity`, the oldest are removed. */
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

  /** Adds a request; returns its new id. */
  add(head: RequestHead, trace: RequestTrace): string {
    trace.end();
    this.#count += 1;
    this.#kept.push({ number: this.#count, head, trace });
    if (this.#kept.length > this.capacity) this.#kept.shift();
    for (const wake of this.#waiting) wake();
    return String(this.#count);
  }

  /** The requests after the one with this id; default all. */
  list(after = '0'): readonly TracedRequest[] {
    const last = Number(after);
    return this.#kept.filter(({ number }) => number > last).map(requestOf);
  }

  /** The requests that wrote an object, oldest first. */
  *writes(): Generator<WriteNote> {
    for (const { number, head, trace } of this.#kept) {
      const { wrote, durationMs } = trace.written;
      const { method, path, user, receivedAt } = head;
      if (wrote !== undefined) yield { id: String(number), method, path, user, receivedAt, wrote, durationMs };
    }
  }

  /** Finds a request by its id or its audit ID. */
  find(id: string): TracedRequest | undefined {
    const found = this.#kept.findLast(({ number, head }) => String(number) === id || head.auditId === id);
    return found === undefined ? undefined : requestOf(found);
  }

  /** Like `list(after)`, but waits until it is not empty, for at most `waitMs`. */
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
