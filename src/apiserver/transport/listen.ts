import type { Clock, Logger, UidSource } from '../../base/index.ts';
import type { ServingCertificate } from '../../wire/listen/index.ts';
import { HttpTransport } from './http-transport.ts';
import { DEFAULT_TRANSPORT_LIMITS, type TransportLimits } from './limits.ts';
import { silentObserver, type TransportObserver } from './observer.ts';
import type { RequestHandler } from './request-handler.ts';

export interface ListenOptions {
  /** An IP address or host name of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** PEM of the authorities that sign clients' certificates; without it, no certificates are requested. */
  readonly clientAuthorities?: string;
  /** PEM of the authorities that sign front proxies' certificates; authentication reads the headers of such proxies. */
  readonly proxyAuthorities?: string;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly observer?: TransportObserver;
  readonly limits?: Partial<TransportLimits>;
  /** Whether large answers are compressed for clients that accept gzip; default true. */
  readonly compress?: boolean;
  /** Begins the graceful shutdown. */
  readonly signal: AbortSignal;
}

/**
 * Opens an HTTPS port, for HTTP/1.1 and HTTP/2, and serves `handler` there.
 *
 * Ends: when the signal aborts or the transport is disposed of. Short requests are then finished and watches ended; requests that have not
 * finished within `limits.drainMs` are aborted.
 */
export async function listen(handler: RequestHandler, options: ListenOptions): Promise<HttpTransport> {
  const transport = new HttpTransport({
    ...options,
    handler,
    limits: { ...DEFAULT_TRANSPORT_LIMITS, ...options.limits },
    observer: options.observer ?? silentObserver,
    compress: options.compress ?? true,
  });
  await transport.open(options.host, options.port);
  return transport;
}
