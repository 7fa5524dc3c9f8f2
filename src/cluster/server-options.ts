import type { LocalBackend } from '../aggregator/index.ts';
import type { Interference, LocalWebhook, PathHandler, Resource } from '../apiserver/index.ts';

/** What the server reports of single requests. */
export interface TracingOptions {
  /** Receives one readable line for each request from the network, when the request is over. */
  readonly printRequest?: (line: string) => void;
  /** How many recent requests are kept with what became of them and why; default 0, which keeps only those that ask for it. */
  readonly tracedRequests?: number;
}

/** What the server serves besides what every server does. */
export interface ExtensionOptions {
  /** More resources; others can be registered and withdrawn while running, see `server.registry`. */
  readonly resources?: readonly Resource[];
  /** Answer paths that are not resources, before the server's own handlers. */
  readonly paths?: readonly PathHandler[];
}

/** What a process puts in place of connections: webhooks and API servers of its own, and faults for tests. */
export interface LocalOptions {
  /** Webhooks of this process by the host in their URL, which are called without a connection. */
  readonly webhooks?: (host: string) => LocalWebhook | undefined;
  /** API servers of this process by the host that their Service leads to, which are asked without a connection. */
  readonly apis?: (host: string) => LocalBackend | undefined;
  /** For tests, in which requests go wrong on purpose. */
  readonly interfere?: Interference;
}
