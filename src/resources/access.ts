import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../api/types/rbac/v1.d.ts';
import type { AccessRules, Authorizer, UserInfo } from '../apiserver/index.ts';

/** Answers what access reviews ask. */
export interface AccessReviewer {
  /** The same one that judges requests. */
  readonly authorizer: Authorizer;
  /** What somebody may do in a namespace, as far as it can be listed. */
  rulesFor?(user: UserInfo, namespace: string): AccessRules | Promise<AccessRules>;
}

/** Refuses roles and bindings by which the writer would grant what they do not have. */
export interface RoleGuard {
  checkRole(role: Role | ClusterRole, write: GuardedWrite<Role | ClusterRole>): Promise<void>;
  checkBinding(binding: RoleBinding | ClusterRoleBinding, write: GuardedWrite<Binding>): Promise<void>;
}

type Binding = RoleBinding | ClusterRoleBinding;

export interface GuardedWrite<T> {
  readonly user: UserInfo;
  readonly signal: AbortSignal;
  /** The object that is changed; undefined for a new one. */
  readonly old: T | undefined;
}

/** Answers what token reviews ask. */
export interface TokenReviewer {
  /** Audiences that a token must be for when a review names none. */
  readonly apiAudiences: readonly string[];
  /** Who a token belongs to; an error text when it is nobody's. */
  review(token: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenVerdict>;
}

export type TokenVerdict =
  | { readonly ok: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** Makes tokens for service accounts. */
export interface TokenIssuer {
  readonly apiAudiences: readonly string[];
  /** Longest life of a token; a longer wish is cut, with a warning. Absent: no limit. */
  readonly maxExpirationSeconds?: number;
  /**
   * How long the tokens that pods mount really last, so that clients which never read a new one keep working; they are
   * told off after the time that was asked for. Absent: as long as was asked for.
   */
  readonly extendedExpirationSeconds?: number;
  issue(request: TokenSpec): Promise<IssuedToken>;
}

export interface IssuedToken {
  readonly token: string;
  /** Names the token in audit logs. */
  readonly tokenId: string;
}

export interface TokenSpec {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  /** The Pod, Secret or Node whose end is the token's end too. */
  readonly boundTo: BoundObject | undefined;
  /** The node of a bound pod. */
  readonly node: { readonly name: string; readonly uid: string } | undefined;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** After so many seconds the token still works, but using it is noted. */
  readonly warnAfterSeconds: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}
