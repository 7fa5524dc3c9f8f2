import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../api/types/rbac/v1.d.ts';
import type { AccessRules, Authorizer, UserInfo } from '../apiserver/index.ts';

/** Answers access reviews. */
export interface AccessReviewer {
  /** The authorizer of requests. */
  readonly authorizer: Authorizer;
  /** What a user may do in a namespace, as far as it can be enumerated. */
  rulesFor?(user: UserInfo, namespace: string): AccessRules | Promise<AccessRules>;
}

/** Refuses roles and bindings by which a writer would grant permissions that they do not have. */
export interface RoleGuard {
  checkRole(role: Role | ClusterRole, write: GuardedWrite<Role | ClusterRole>): Promise<void>;
  checkBinding(binding: RoleBinding | ClusterRoleBinding, write: GuardedWrite<Binding>): Promise<void>;
}

type Binding = RoleBinding | ClusterRoleBinding;

export interface GuardedWrite<T> {
  readonly user: UserInfo;
  readonly signal: AbortSignal;
  /** The current object; undefined for a new one. */
  readonly old: T | undefined;
}

/** Answers token reviews. */
export interface TokenReviewer {
  /** The audiences that a token must have if a review names none. */
  readonly apiAudiences: readonly string[];
  /** The user of a token; an error text if the token is invalid. */
  review(token: string, audiences: readonly string[], signal: AbortSignal): Promise<TokenVerdict>;
}

export type TokenVerdict =
  | { readonly ok: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** Issues tokens for service accounts. */
export interface TokenIssuer {
  readonly apiAudiences: readonly string[];
  /** Maximum lifetime of a token; a longer request is shortened, with a warning. Default: no limit. */
  readonly maxExpirationSeconds?: number;
  /**
   * The actual lifetime of tokens that pods mount, so that clients that never reload them keep working; after the requested
   * lifetime, their use is recorded. Default: the requested lifetime.
   */
  readonly extendedExpirationSeconds?: number;
  issue(request: TokenSpec): Promise<IssuedToken>;
}

export interface IssuedToken {
  readonly token: string;
  /** Identifies the token in audit logs. */
  readonly tokenId: string;
}

export interface TokenSpec {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  /** The Pod, Secret or Node whose deletion invalidates the token. */
  readonly boundTo: BoundObject | undefined;
  /** The node of a bound pod. */
  readonly node: { readonly name: string; readonly uid: string } | undefined;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** After this many seconds the token still works, but its use is recorded. */
  readonly warnAfterSeconds: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}
