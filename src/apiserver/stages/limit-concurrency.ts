import { tooManyRequests } from '../../api/index.ts';
import { type Clock, onAbort } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Stage } from './stage.ts';

export interface ConcurrencyLimits {
  readonly maxReads: number;
  readonly maxWrites: number;
}

/** Numbers of requests being worked on, for the metrics. */
export interface InFlight {
  readonly reads: number;
  readonly writes: number;
}

/** Decides how many requests are worked on at once. */
export interface RequestLimiter {
  readonly stage: Stage;
  readonly inFlight: InFlight;
  /** Requests that wait until there is room for them. */
  readonly waiting: InFlight;
}

const NONE: InFlight = { reads: 0, writes: 0 };

const LONG_RUNNING_SUBRESOURCES = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

/** What is kept for the masters beyond the limit, as a part of it. */
const RESERVE = 1 / 4;

/** As long as upstream lets a request wait in a queue: a quarter of the time that requests have by default. */
const MAX_WAIT_MS = 15_000;

/**
 * Refuses with 429 what is more than the server works on at once: a request counts until its handler is done and its answer
 * is sent, or waits for a client that does not read. Watches and streams do not count: they last long and do little. The masters have a reserve, so that an overloaded
 * server can still be looked at; when that is used up as well they wait in line, as many as the limit and not for long, for
 * their flood would stall the server like any other. The server's own calls are let through: others wait for them.
 */
export class ConcurrencyLimiter implements RequestLimiter {
  readonly waiting = NONE; // only masters wait, and seldom
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

/** The places for requests of one sort. */
class Lane {
  readonly #limit: number;
  readonly #clock: Clock;
  /** The masters who wait for a place, in the order in which they came. */
  readonly #line = new Set<() => void>();
  #used = 0;

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes a place, at once unless it returns a promise. Throws a Status of 429 when there is none to be had. */
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
