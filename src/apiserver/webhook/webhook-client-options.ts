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
  /** The time that certificates are checked at; TLS itself knows no other than the machine's, which it is unless given. */
  readonly certificateClock?: Clock;
  readonly uids: UidSource;
  /** Knows the kinds of reviews. */
  readonly types: TypeTable;
  readonly services: ServiceResolver;
  /** Who this server is to `host:port`; nobody unless given. */
  readonly credentialFor?: (hostAndPort: string) => WebhookCredential | undefined;
  readonly userAgent?: string;
  /** Offers HTTP/2 to every server, not only to those on this machine: one connection carries many requests then. */
  readonly offersHttp2?: boolean;
  /** Told of every certificate that a server shows and that is looked at. */
  readonly onCertificate?: (certificate: X509Certificate) => void;
  /** Webhooks of this process by the host in their URL: they are called without a connection. */
  readonly local?: (host: string) => LocalWebhook | undefined;
  /** How many targets have connections; of more, the one that was not used for longest is let go. 200 unless given, as upstream. */
  readonly maxTargets?: number;
  /** Connections to one target at a time; further calls wait. 32 unless given. */
  readonly maxConnections?: number;
  /** 32 MiB unless given, which take a moment to read; upstream has no bound. */
  readonly maxAnswerBytes?: number;
}

/** Answers what is posted to a path. */
export type LocalWebhook = (
  path: string,
  body: string,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly type: string; readonly body: string }>;
