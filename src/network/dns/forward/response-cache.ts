import { decodeMessage, type Message, Rcode, RCODE_MASK, type ResourceRecord } from '../../../wire/dns/index.ts';

export interface ResponseCacheOptions {
  /** Entries, positive and negative together; default 10,000. The one that was used least recently makes place. */
  readonly maxEntries?: number;
  /** Bytes of all messages; default 16 MiB. */
  readonly maxBytes?: number;
  /** Cap of an answer's time to live; default an hour. */
  readonly maxTtlSeconds?: number;
  /** Cap of the time for which a name or type is known not to exist; default half an hour. */
  readonly maxDenialSeconds?: number;
}

interface Entry {
  readonly bytes: Buffer;
  readonly storedAtMs: number;
  readonly ttlSeconds: number;
  readonly isDenial: boolean;
}

/** Seconds for which an upstream's failure is kept (RFC 9520 wants at least one, and five minutes at most). */
const FAILURE_SECONDS = 5;

/**
 * Answers of upstream servers, as they came, until their time to live is over (RFC 2308 for those that deny).
 *
 * Guarantees: it holds no more than `maxEntries` and `maxBytes`.
 */
export class ResponseCache {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #maxTtlSeconds: number;
  readonly #maxDenialSeconds: number;
  /** In the order of their last use, oldest first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #denials = 0;
  evictions = 0;

  constructor(options: ResponseCacheOptions = {}) {
    this.#maxEntries = options.maxEntries ?? 10_000;
    this.#maxBytes = options.maxBytes ?? 16 * 1024 * 1024;
    this.#maxTtlSeconds = options.maxTtlSeconds ?? 3600;
    this.#maxDenialSeconds = options.maxDenialSeconds ?? 1800;
  }

  get sizes(): { readonly success: number; readonly denial: number; readonly bytes: number } {
    return { success: this.#entries.size - this.#denials, denial: this.#denials, bytes: this.#bytes };
  }

  /** The answer with the time to live that is left, if it is not over. */
  get(key: string, nowMs: number): { readonly message: Message; readonly isDenial: boolean } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const age = Math.floor((nowMs - entry.storedAtMs) / 1000);
    if (age >= entry.ttlSeconds) {
      this.#remove(key, entry);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const left = entry.ttlSeconds - age;
    return { message: withTtl(decodeMessage(entry.bytes), left), isDenial: entry.isDenial };
  }

  /** Keeps an answer, if it may be kept. `bytes` must not change any more. */
  set(key: string, answer: { readonly bytes: Buffer; readonly message: Message }, nowMs: number): void {
    const { bytes, message } = answer;
    const known = this.#entries.get(key);
    if (known !== undefined) this.#remove(key, known);
    const { seconds, isDenial } = this.#lifetime(message);
    if (seconds <= 0 || bytes.length > this.#maxBytes) return;
    this.#entries.set(key, { bytes, storedAtMs: nowMs, ttlSeconds: seconds, isDenial });
    this.#bytes += bytes.length;
    if (isDenial) this.#denials += 1;
    for (const [oldKey, old] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldKey, old);
      this.evictions += 1;
    }
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes.length;
    if (entry.isDenial) this.#denials -= 1;
  }

  #lifetime(message: Message): { readonly seconds: number; readonly isDenial: boolean } {
    const rcode = message.flags & RCODE_MASK;
    if (rcode === Rcode.SERVFAIL) return { seconds: FAILURE_SECONDS, isDenial: true };
    if (rcode !== Rcode.NOERROR && rcode !== Rcode.NXDOMAIN) return { seconds: 0, isDenial: false };
    const all = [...message.answers, ...message.authorities, ...message.additionals];
    const shortest = Math.min(...all.map(({ ttl }) => ttl));
    if (rcode === Rcode.NOERROR && message.answers.length > 0)
      return { seconds: Math.min(shortest, this.#maxTtlSeconds), isDenial: false };
    const minimum = denialSeconds(message.authorities);
    return { seconds: Math.min(minimum, shortest, this.#maxDenialSeconds), isDenial: true };
  }
}

/** RFC 2308: a denial without an SOA record is not kept. */
function denialSeconds(authorities: readonly ResourceRecord[]): number {
  for (const { data, ttl } of authorities) {
    if (!(data instanceof Uint8Array) && data.kind === 'soa') return Math.min(ttl, data.minimum);
  }
  return 0;
}

/** No record says that it may be kept for longer than the message may. */
function withTtl(message: Message, seconds: number): Message {
  const lowered = (records: readonly ResourceRecord[]): readonly ResourceRecord[] =>
    records.map((record) => ({ ...record, ttl: Math.min(record.ttl, seconds) }));
  return {
    ...message,
    answers: lowered(message.answers),
    authorities: lowered(message.authorities),
    additionals: lowered(message.additionals),
  };
}
