/** The parts of an AuthenticationConfiguration (apiserver.config.k8s.io) that are supported. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfiguration[];
  readonly anonymous?: AnonymousConfiguration;
}

export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** The paths that anonymous requests may use; empty for all. */
  readonly conditions: readonly { readonly path: string }[];
}

/** One issuer of tokens, and how its claims are mapped. */
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
  /** PEM; empty for the system's authorities. */
  readonly certificateAuthority: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy: string;
}

/** Empty strings mean "not set", as in Go. */
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

/** A configuration that cannot be used; the message says what is wrong, and where. */
export class AuthenticationConfigError extends Error {
  override readonly name = 'AuthenticationConfigError';
}
