import type { Clock, Logger, UidSource } from '../../base/index.ts';
import type { ServingCertificate } from '../../wire/listen/index.ts';
import { HttpTransport } from './http-transport.ts';
import { DEFAULT_TRANSPORT_LIMITS, type TransportLimits } from './limits.ts';
import { silentObserver, type TransportObserver } from './observer.ts';
import type { RequestHandler } from './request-handler.ts';

export interface ListenOptions {
  /** An IP address or host name of this machine. */
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** PEM of the authorities whose certificates clients may show; without it, none are asked for. */
  readonly clientAuthorities?: string;
  /** PEM of the authorities whose certificates front proxies show; what those say in headers is for authentication. */
  readonly proxyAuthorities?: string;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly observer?: TransportObserver;
  readonly limits?: Partial<TransportLimits>;
  /** Large answers go out as gzip to clients that take it, unless this is false. */
  readonly compress?: boolean;
  /** Begins the orderly stop. */
  readonly signal: AbortSignal;
}

/**
 * Opens an HTTPS port, for HTTP/1.1 and HTTP/2, and serves `handler` there.
 *
 * Ends: when the signal aborts or the transport is disposed of. Short requests are then finished and watches ended;
 * what is not over within `limits.drainMs` is cut off.
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
