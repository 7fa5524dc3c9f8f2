import { GrpcError } from '../../wire/grpc/index.ts';

/** One operation at a time on each volume or snapshot. A second one is refused with ABORTED, which callers try again. */
export class KeyedLocks {
  readonly #held = new Set<string>();

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#held.has(key)) throw new GrpcError('ABORTED', `Another operation on "${key}" is in progress`);
    this.#held.add(key);
    try {
      return await work();
    } finally {
      this.#held.delete(key);
    }
  }
}
