import type { Clock } from '../../base/index.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';
import { fetchObject, type ObjectReference, type PodObject, type PodObjects, referenceKey } from './pod-objects.ts';
import { UsedObjects } from './used-objects.ts';

export interface CachedObjectsParts {
  readonly client: Client;
  readonly clock: Clock;
  /** How long an object serves before it is read again. */
  ttlMs(): number;
}

interface CachedObject {
  readMs: number;
  /** Undefined until it was read, and when reading has failed. */
  found: Promise<PodObject | undefined> | undefined;
}

/** Reads an object again when it is older than the time to live, or another pod begins to use it (`Cache`). */
export class CachedObjects implements PodObjects {
  readonly #parts: CachedObjectsParts;
  readonly #used = new UsedObjects<CachedObject>({
    open: () => ({ readMs: -Infinity, found: undefined }),
    close: () => undefined,
  });

  constructor(parts: CachedObjectsParts) {
    this.#parts = parts;
  }

  async get(reference: ObjectReference): Promise<PodObject | undefined> {
    const cached = this.#used.get(referenceKey(reference));
    if (cached === undefined) return fetchObject(this.#parts.client, reference);
    const nowMs = this.#parts.clock.monotonic();
    const before = cached.found;
    if (before !== undefined && nowMs - cached.readMs < this.#parts.ttlMs()) return before;
    const read = fetchObject(this.#parts.client, reference).catch((error: unknown) => {
      Object.assign(cached, { readMs: -Infinity, found: before }); // read again at the next call
      if (before === undefined) throw error;
      return before; // serves on while the server is away
    });
    Object.assign(cached, { readMs: nowMs, found: read });
    return read;
  }

  use(pod: Observed<Pod>): void {
    for (const key of this.#used.use(pod)) {
      const cached = this.#used.get(key);
      if (cached !== undefined) cached.readMs = -Infinity;
    }
  }

  release(podUid: string): void {
    this.#used.release(podUid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // nothing is open
  }
}
