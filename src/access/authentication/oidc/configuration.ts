/** An AuthenticationConfiguration of apiserver.config.k8s.io, as far as it says who asks. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfiguration[];
  readonly anonymous?: AnonymousConfiguration;
}

export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** Paths that requests without credentials may ask for; all when there are none. */
  readonly conditions: readonly { readonly path: string }[];
}

/** Tokens of one issuer, and what becomes of their claims. */
export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration;
  readonly claimValidationRules: readonly ClaimRule[];
  readonly claimMappings: {
    readonly username: PrefixedMapping;
    readonly groups: PrefixedMapping;
    readonly uid: Mapping;
    readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[];
}

export interface IssuerConfiguration {
  readonly url: string;
  readonly discoveryURL: string;
  /** PEM; the system's authorities when it is empty. */
  readonly certificateAuthority: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy: string;
}

/** Empty texts stand for what is not given, as in Go. */
export interface Mapping {
  readonly claim: string;
  readonly expression: string;
}

export interface PrefixedMapping extends Mapping {
  readonly prefix: string | undefined;
}

export interface ClaimRule extends Mapping {
  readonly requiredValue: string;
  readonly message: string;
}

/** A configuration that cannot be used: what is wrong with it, and where. */
export class AuthenticationConfigError extends Error {
  override readonly name = 'AuthenticationConfigError';
}
