import { tooManyRequests } from '../../api/index.ts';
import { type Clock, onAbort } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Stage } from './stage.ts';

export interface ConcurrencyLimits {
  readonly maxReads: number;
  readonly maxWrites: number;
}

/** Numbers of requests in progress, for the metrics. */
export interface InFlight {
  readonly reads: number;
  readonly writes: number;
}

/** Limits the number of concurrent requests. */
export interface RequestLimiter {
  readonly stage: Stage;
  readonly inFlight: InFlight;
  /** Requests that are queued. */
  readonly waiting: InFlight;
}

const NONE: InFlight = { reads: 0, writes: 0 };

const LONG_RUNNING_SUBRESOURCES = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

/** The reserve for `system:masters` beyond the limit, as a fraction of it. */
const RESERVE = 1 / 4;

/** Upstream's limit for waiting in a queue: a quarter of the default request timeout. */
const MAX_WAIT_MS = 15_000;

/**
 * Rejects requests beyond the concurrency limit with 429. A request counts until its handler is done and its answer is sent, or waits for a
 * client that does not read. Watches and streams do not count: they last long and do little. `system:masters` have a reserve, so that
 * administrators can still inspect an overloaded server; when the reserve is used up they are queued, at most as many as the limit and for
 * at most `MAX_WAIT_MS`, because a flood of theirs would stall the server like any other. The server's own calls always pass: other
 * requests wait for them.
 */
export class ConcurrencyLimiter implements RequestLimiter {
  readonly waiting = NONE; // only system:masters wait, and seldom
  readonly #reads: Lane;
  readonly #writes: Lane;

  constructor(limits: ConcurrencyLimits, clock: Clock) {
    this.#reads = new Lane(limits.maxReads, clock);
    this.#writes = new Lane(limits.maxWrites, clock);
  }

  get inFlight(): InFlight {
    return { reads: this.#reads.used, writes: this.#writes.used };
  }

  readonly stage: Stage = async (call, next) => {
    if (isLongRunning(call.info)) return next(call);
    const lane = call.request.method === 'GET' || call.request.method === 'HEAD' ? this.#reads : this.#writes;
    const waiting = lane.enter(call);
    if (waiting !== undefined) await waiting;
    let open = 2;
    const close = (): void => {
      open -= 1;
      if (open === 0) lane.leave();
    };
    call.record.onServed(close);
    try {
      return await next(call);
    } finally {
      close();
    }
  };
}

/** The concurrency limit of one class of requests. */
class Lane {
  readonly #limit: number;
  readonly #clock: Clock;
  /** The queued requests of `system:masters`, in order of arrival. */
  readonly #line = new Set<() => void>();
  #used = 0;

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  get used(): number {
    return this.#used;
  }

  /** Occupies a place, synchronously unless it returns a promise. Throws a Status of 429 when none is available. */
  enter(call: Call): void | Promise<void> {
    if (this.#used >= this.#limit) {
      const isMaster = call.principal.user.groups.includes('system:masters');
      if (!isMaster) throw refusal();
      if (!call.request.takesObjects && this.#used >= this.#limitOfMasters) return this.#wait(call);
    }
    this.#used += 1;
  }

  leave(): void {
    this.#used -= 1;
    if (this.#line.size === 0 || this.#used >= this.#limitOfMasters) return;
    const [first] = this.#line;
    first?.();
  }

  get #limitOfMasters(): number {
    return this.#limit + Math.ceil(this.#limit * RESERVE);
  }

  #wait(call: Call): Promise<void> {
    if (this.#line.size >= this.#limit) throw refusal();
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        this.#line.delete(admit);
        timer[Symbol.dispose]();
        leaving[Symbol.dispose]();
        finish();
      };
      const admit = (): void => {
        this.#used += 1;
        settle(resolve);
      };
      const refuse = (): void => settle(() => reject(refusal()));
      const timer = this.#clock.timer(MAX_WAIT_MS, refuse);
      const leaving = onAbort(call.request.signal, refuse);
      this.#line.add(admit);
    });
  }
}

function refusal(): Error {
  return tooManyRequests('Too many requests, please try again later.', 1);
}

export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === 'watch' || LONG_RUNNING_SUBRESOURCES.has(info.subresource);
}
