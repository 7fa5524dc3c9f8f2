import type { X509Certificate } from 'node:crypto';
import type { TypeTable } from '../../api/index.ts';
import type { Clock, UidSource } from '../../base/index.ts';
import type { ClientCertificate, Dialer } from '../../wire/http/index.ts';
import type { ServiceResolver } from './service-resolver.ts';

/** This server's credentials for a webhook. */
export interface WebhookCredential {
  readonly certificate?: ClientCertificate;
  /** The whole header, such as `Bearer …`. */
  readonly authorization?: string;
}

export interface WebhookClientOptions {
  readonly clock: Clock;
  /** The clock for checking certificates; default the machine's, the only one that TLS itself uses. */
  readonly certificateClock?: Clock;
  readonly uids: UidSource;
  /** The types of reviews. */
  readonly types: TypeTable;
  readonly services: ServiceResolver;
  /** Decides how addresses are reached; default on the network. */
  readonly dialer?: Dialer;
  /** The credentials for `host:port`; default none. */
  readonly credentialFor?: (hostAndPort: string) => WebhookCredential | undefined;
  readonly userAgent?: string;
  /** Whether to offer HTTP/2 to every server, not only to those on this machine: one connection then carries many requests. */
  readonly offersHttp2?: boolean;
  /** Called with every server certificate that is checked. */
  readonly onCertificate?: (certificate: X509Certificate) => void;
  /** Webhooks of this process, by the host in their URL; they are called without a connection. */
  readonly local?: (host: string) => LocalWebhook | undefined;
  /** Maximum number of targets with open connections; the least recently used one is closed. Default 200, as upstream. */
  readonly maxTargets?: number;
  /** Maximum connections to one target; further calls wait. Default 32. */
  readonly maxConnections?: number;
  /** Default 32 MiB, which take a moment to parse; upstream has no limit. */
  readonly maxAnswerBytes?: number;
}

/** Handles a POST to a path. */
export type LocalWebhook = (
  path: string,
  body: string,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly type: string; readonly body: string }>;
