import type { Clock, LogFields, Logger } from '../base/index.ts';
import { isTransportError } from '../wire/http/index.ts';
import { type Transport, withSend } from './transport.ts';

export interface OutageOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The URL of the server. */
  readonly server: string;
}

/**
 * Logs one line when a server becomes unreachable and one when it is reachable again, for a program with many watches
 * that all fail at once.
 */
export class Outages {
  /** The program's log: lowers warnings about requests that fail because of the outage to the debug level. */
  readonly log: Logger;
  readonly #options: OutageOptions;
  #sinceMs: number | undefined;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.log = quieter(options.log);
  }

  /** Wraps a transport to notice outages. */
  readonly observed = (transport: Transport): Transport =>
    withSend(transport, async (request) => {
      try {
        const response = await transport.send(request);
        this.#reached();
        return response;
      } catch (error) {
        if (isOutage(error)) this.#missed(error);
        throw error;
      }
    });

  #missed(error: unknown): void {
    if (this.#sinceMs !== undefined) return;
    const { clock, log, server } = this.#options;
    this.#sinceMs = clock.monotonic();
    log.warn('API server cannot be reached', { server, error });
  }

  #reached(): void {
    if (this.#sinceMs === undefined) return;
    const { clock, log, server } = this.#options;
    log.info('API server is reached again', { server, afterMs: Math.round(clock.monotonic() - this.#sinceMs) });
    this.#sinceMs = undefined;
  }
}

/** Whether a request failed because the server could not be reached. */
function isOutage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (isTransportError(cause, 'connect', 'cut', 'refused')) return true;
  return false;
}

function quieter(log: Logger): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message: string, fields?: LogFields) =>
      isOutage(fields?.['error']) ? log.debug(message, fields) : log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
    with: (fields) => quieter(log.with(fields)),
    isEnabled: (level) => log.isEnabled(level),
  };
}
