import type { Logger } from '../../base/index.ts';
import { type Connection, isGrpcError } from '../../wire/grpc/index.ts';
import { STATUS } from './messages/methods.ts';

const TIMEOUT_MS = 5000;

/**
 * Which etcd servers can be trusted when they report how far a watch has come.
 *
 * Up to 3.4.30, and from 3.5.0 to 3.5.12, the answer to a progress request may overtake events
 * (https://github.com/etcd-io/etcd/issues/15220, https://github.com/etcd-io/etcd/issues/17507).
 */
export class ProgressSupport {
  readonly #known = new WeakMap<Connection, Promise<boolean>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Asked once per connection: after a restart the server may have another version. */
  isReliable(connection: Connection): Promise<boolean> {
    let known = this.#known.get(connection);
    if (known === undefined) {
      known = this.#ask(connection);
      this.#known.set(connection, known);
      known.catch(() => this.#known.delete(connection)); // this caller gets the error; the next one asks again
    }
    return known;
  }

  async #ask(connection: Connection): Promise<boolean> {
    let version: string | undefined;
    try {
      const answer = await connection.unary(STATUS.path, STATUS.request.encode({}), { timeoutMs: TIMEOUT_MS });
      version = STATUS.response.decode(answer).version;
    } catch (error) {
      if (!isGrpcError(error, 'PERMISSION_DENIED', 'UNAUTHENTICATED', 'UNIMPLEMENTED')) throw error;
    }
    const isReliable = hasReliableProgress(version);
    if (!isReliable) this.#log.warn('etcd cannot report the progress of watches, so all keys are watched', { version });
    return isReliable;
  }
}

/** An unknown version counts as unreliable. */
export function hasReliableProgress(version: string | undefined): boolean {
  const [major = 0, minor = 0, patch = 0] = (/^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? []).slice(1).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  return minor === 5 ? patch >= 13 : minor > 5;
}
