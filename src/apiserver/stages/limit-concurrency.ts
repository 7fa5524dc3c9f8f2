import { tooManyRequests } from '../../api/index.ts';
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

const LONG_RUNNING_SUBRESOURCES = new Set(['proxy', 'exec', 'attach', 'portforward', 'log']);

/**
 * Refuses with 429 what is more than the server works on at once: a request counts until its handler is done and its answer
 * is sent. Watches and streams do not count: they last long and
 * do little. The masters are let through, so that an overloaded server can still be looked at.
 */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  #reads = 0;
  #writes = 0;

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits;
  }

  get inFlight(): InFlight {
    return { reads: this.#reads, writes: this.#writes };
  }

  readonly stage: Stage = async (call, next) => {
    if (isLongRunning(call.info)) return next(call);
    const isRead = call.method === 'GET' || call.method === 'HEAD';
    const used = isRead ? this.#reads : this.#writes;
    const limit = isRead ? this.#limits.maxReads : this.#limits.maxWrites;
    if (used >= limit && !call.user.groups.includes('system:masters')) {
      throw tooManyRequests('Too many requests, please try again later.', 1);
    }
    this.#count(isRead, 1);
    let open = 2;
    const close = (): void => {
      open -= 1;
      if (open === 0) this.#count(isRead, -1);
    };
    call.onFinish(close);
    try {
      return await next(call);
    } finally {
      close();
    }
  };

  #count(isRead: boolean, by: 1 | -1): void {
    if (isRead) this.#reads += by;
    else this.#writes += by;
  }
}

export function isLongRunning(info: RequestInfo): boolean {
  return info.verb === 'watch' || LONG_RUNNING_SUBRESOURCES.has(info.subresource);
}
