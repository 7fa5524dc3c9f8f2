import { GrpcError } from '../../wire/grpc/index.ts';

/**
 * One operation at a time on each volume or snapshot. A second one is refused with ABORTED, which callers try again.
 *
 * An operation whose caller has given up is an operation still: an author's function that ignores its signal is at work on the volume, and
 * another one beside it could undo what it does. So the volume stays locked until the function has ended, however long that takes, and
 * calls about it are refused with ABORTED, as the specification has it for a volume with an operation pending.
 */
export class KeyedLocks {
  readonly #held = new Map<string, AbortSignal>();

  /** Does work that the caller of `signal` has asked for. */
  async hold<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const other = this.#held.get(key);
    if (other !== undefined)
      throw new GrpcError(
        'ABORTED',
        other.aborted
          ? `An operation on "${key}" is still in progress, although its caller has given up`
          : `Another operation on "${key}" is in progress`,
      );
    this.#held.set(key, signal);
    try {
      return await work();
    } finally {
      this.#held.delete(key);
    }
  }
}
