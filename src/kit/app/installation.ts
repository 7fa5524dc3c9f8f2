import { Backoff, describeError } from '../../base/index.ts';
import { type Client, isTransportError, StatusError } from '../../client/index.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { InstallContext } from '../resource/install-options.ts';

const FIRST_MS = 1000;
const MAX_BACKOFF_MS = 30_000;

/** Installs an app's kinds before its parts start, and retries while the server is unavailable. */
export class Installation {
  readonly #kinds: readonly DefinedKind[];
  #state: 'idle' | 'working' | 'waiting' | 'done' = 'idle';

  constructor(kinds: readonly DefinedKind[]) {
    this.#kinds = kinds;
  }

  /** True if nothing runs that could continue without time passing. */
  get isIdle(): boolean {
    return this.#state !== 'working';
  }

  get isUnderWay(): boolean {
    return this.#state === 'working' || this.#state === 'waiting';
  }

  async run(client: Client, context: InstallContext): Promise<void> {
    const backoff = new Backoff({ initialMs: FIRST_MS, capMs: MAX_BACKOFF_MS, jitter: 0.5 }, client.random);
    try {
      while (!context.signal.aborted) {
        this.#state = 'working';
        try {
          for (const kind of this.#kinds) await kind.install(client, { ...context, maxRetries: 0 });
          return;
        } catch (error) {
          if (context.signal.aborted) return;
          if (!isPassing(error)) throw error;
          client.log.warn('kinds not installed yet, trying again', { error: describeError(error) });
        }
        this.#state = 'waiting';
        await client.clock.sleep(backoff.nextMs(), context.signal);
      }
    } finally {
      this.#state = 'done';
    }
  }
}

/** Whether the error says that the server is unavailable, starting or busy, rather than that it refuses. */
function isPassing(error: unknown): boolean {
  return isTransportError(error) || (error instanceof StatusError && (error.code === 429 || error.code >= 500));
}
