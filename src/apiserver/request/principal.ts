/** The user of a request. Authentication sets the user; impersonation replaces it and records the requestor. */
export interface Principal {
  user: UserInfo;
  /** Set when `user` is impersonated: the user who sent the request. */
  impersonation: Impersonation | undefined;
}

/** A user as authentication established it. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The requestor behind an impersonated user, for the audit log. */
export interface Impersonation {
  readonly requestor: UserInfo;
  /** The verb that allowed it, such as `impersonate:user-info`; empty for plain `impersonate`. */
  readonly constraint: string;
}

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
