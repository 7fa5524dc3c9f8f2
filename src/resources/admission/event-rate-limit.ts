import { StatusError } from '../../api/index.ts';
import type { Event } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { type EventLimit, readEventLimits } from './configuration/event-limits.ts';
import { together } from './refusal.ts';
import { isWriteOf, writtenObject } from './written-object.ts';

/** Refuses events beyond a rate with 429: of the whole server, or by namespace, user, or source and object. */
export function eventRateLimit({ clock }: Pick<AdmissionParts, 'clock'>, configuration?: string): AdmissionPlugin {
  const limits = readEventLimits(configuration).map((limit) => new Buckets(limit, clock));
  return {
    name: 'EventRateLimit',
    handles: (target) => ['', 'status'].some((subresource) => isWriteOf(target, { ...EVENTS, subresource })),
    validate(request) {
      if (request.dryRun) return;
      const problems = limits.flatMap((limit) => limit.take(request) ?? []);
      if (problems.length === 0) return;
      const message = `Too many requests: ${together(problems)}`;
      throw new StatusError({ code: 429, reason: 'TooManyRequests', message });
    },
  };
}

const EVENTS = { group: '', plural: 'events' };
const DEFAULT_BUCKETS = 4096;

/** What each limit counts by. */
const keyOf: Readonly<Record<EventLimit['type'], (request: AdmissionAttributes) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject(request) {
    const { source = {}, involvedObject = {} }: Partial<Pick<Event, 'source' | 'involvedObject'>> =
      writtenObject<Event>(request);
    const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = involvedObject;
    return `${source.component ?? ''}${source.host ?? ''}${kind}${namespace}${name}${uid}${apiVersion}`;
  },
};

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** The token buckets of one limit; when there are too many, the least recently used is dropped, and starts full again. */
class Buckets {
  readonly #limit: EventLimit;
  readonly #clock: Clock;
  readonly #size: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#size = limit.cacheSize === 0 ? DEFAULT_BUCKETS : limit.cacheSize;
  }

  /** Undefined if there was a token for the request, otherwise why it is refused. */
  take(request: AdmissionAttributes): string | undefined {
    const { type } = this.#limit;
    const key = keyOf[type](request);
    const bucket = this.#bucket(key);
    if (bucket.tokens < 1) return `limit reached on type ${type} for key ${key}`;
    bucket.tokens -= 1;
    return undefined;
  }

  #bucket(key: string): Bucket {
    const { qps, burst } = this.#limit;
    const nowMs = this.#clock.monotonic();
    const known = this.#buckets.get(key) ?? { tokens: burst, filledMs: nowMs };
    const tokens = Math.min(burst, known.tokens + ((nowMs - known.filledMs) / 1000) * qps);
    const bucket = { tokens, filledMs: nowMs };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#size) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
