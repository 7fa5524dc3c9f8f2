import {
  AuditMetrics,
  type AuditOptions,
  type Authentication,
  type AuthenticationParts,
  type Authorization,
  type AuthorizationOptions,
  authorizationOf,
  openAudit,
  OwnPrograms,
} from '../access/index.ts';
import type { Authenticator, Authorizer } from '../apiserver/index.ts';
import type { MetricRegistry, Random } from '../base/index.ts';
import { type AuthenticationSettings, clusterAuthentication } from './authentication.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';

/** Who clients are, what they may do, and what is recorded of it. */
export interface AccessOptions {
  /** How the server finds out who a client is: issuers of tokens, a token webhook, front proxies. */
  readonly authentication?: AuthenticationSettings;
  /** More ways to identify a client, after client certificates and the token file. */
  readonly authenticators?: readonly Authenticator[];
  /** PEM of authorities whose client certificates count; default the cluster's own authority. */
  readonly clientAuthorities?: string;
  /** Lines `token,user,uid,"groups"`. */
  readonly tokenFile?: string;
  /** Whether requests without credentials are let in, as system:anonymous; default true. */
  readonly anonymousAuth?: boolean;
  /** What decides which requests are allowed; default nodes and roles. */
  readonly authorization?: AuthorizationOptions;
  /** Asked about every request that is not of system:masters, before the configured modes; the first opinion counts. */
  readonly authorizers?: readonly Authorizer[];
  /** Which requests are audited, and where events go; default none. */
  readonly audit?: AuditOptions;
}

export interface AccessParts extends Omit<AuthenticationParts, 'more' | 'programs'> {
  readonly pki: ClusterPki;
  readonly random: Random;
  readonly metrics: MetricRegistry;
  /** The server among those of a cluster, as authorization webhooks see it. */
  readonly serverId: string;
}

/** What a server goes by when it lets requests in. */
export interface Access {
  readonly authentication: Authentication;
  readonly authorizer: Authorization;
  /** The programs of this process, which have their rights however others are authorized. */
  readonly programs: OwnPrograms;
  /** Absent where nothing is audited. To be disposed of when no more requests come. */
  readonly audit: ReturnType<typeof openAudit>;
}

export function openAccess(options: AccessOptions, { pki, random, metrics, serverId, ...parts }: AccessParts): Access {
  const { objects, types, clock, uids, log, local } = parts;
  const { audit } = options;
  const programs = new OwnPrograms();
  const authorizer = authorizationOf(options.authorization ?? {}, {
    ...(local === undefined ? {} : { local }),
    objects,
    types,
    clock,
    uids,
    log,
    metrics,
    more: options.authorizers,
    programs,
    serverId,
  });
  const authentication = clusterAuthentication(options, pki, {
    ...parts,
    programs,
    more: options.authenticators ?? [],
  });
  const auditMetrics = new AuditMetrics(metrics, log); // shown by servers that audit nothing, too
  return {
    authentication,
    authorizer,
    programs,
    audit:
      audit === undefined ? undefined : openAudit(audit, { clock, random, uids, types, log, metrics: auditMetrics }),
  };
}
