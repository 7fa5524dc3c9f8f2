import type { X509Certificate } from 'node:crypto';
import type { TypeTable } from '../../api/index.ts';
import type { Clock, UidSource } from '../../base/index.ts';
import type { ClientCertificate } from '../../wire/http/index.ts';
import type { ServiceResolver } from './service-resolver.ts';

/** What this server shows to a webhook. */
export interface WebhookCredential {
  readonly certificate?: ClientCertificate;
  /** The whole header, such as `Bearer …`. */
  readonly authorization?: string;
}

export interface WebhookClientOptions {
  readonly clock: Clock;
  /** The clock that certificates are checked against; default the machine's, the only one that TLS itself uses. */
  readonly certificateClock?: Clock;
  readonly uids: UidSource;
  /** Knows the kinds of reviews. */
  readonly types: TypeTable;
  readonly services: ServiceResolver;
  /** The client identity to show to `host:port`; default none. */
  readonly credentialFor?: (hostAndPort: string) => WebhookCredential | undefined;
  readonly userAgent?: string;
  /** Offers HTTP/2 to every server, not only to those on this machine: one connection carries many requests then. */
  readonly offersHttp2?: boolean;
  /** Told of every certificate that a server shows and that is looked at. */
  readonly onCertificate?: (certificate: X509Certificate) => void;
  /** Webhooks of this process by the host in their URL: they are called without a connection. */
  readonly local?: (host: string) => LocalWebhook | undefined;
  /** How many targets have connections; of more, the one that was not used for longest is let go. Default 200, as upstream. */
  readonly maxTargets?: number;
  /** Connections to one target at a time; further calls wait. Default 32. */
  readonly maxConnections?: number;
  /** Default 32 MiB, which take a moment to read; upstream has no bound. */
  readonly maxAnswerBytes?: number;
}

/** Answers what is posted to a path. */
export type LocalWebhook = (
  path: string,
  body: string,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly type: string; readonly body: string }>;
