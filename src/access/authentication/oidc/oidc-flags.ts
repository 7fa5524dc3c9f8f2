import { signatureAlgorithms } from '../jwt/signature-algorithms.ts';
import type { ConfiguredAuthentication } from './configured-issuers.ts';
import { AuthenticationConfigError } from './configuration.ts';

/** One issuer, as flags describe it; empty texts stand for what is not given. */
export interface OidcFlags {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorities: string;
  readonly usernameClaim: string;
  /** What goes before user names: the issuer and `#` when it is empty, but for addresses; nothing when it is `-`. */
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly requiredClaims: Readonly<Record<string, string>>;
  /** RS256 when there are none. */
  readonly algorithms: readonly string[];
}

/** The same as a configuration. */
export function oidcConfiguration(flags: OidcFlags): ConfiguredAuthentication {
  const { issuer: url, clientId, usernameClaim, usernamePrefix, groupsClaim, groupsPrefix } = flags;
  const unknown = flags.algorithms.find((name) => !signatureAlgorithms.includes(name));
  if (unknown !== undefined) throw new AuthenticationConfigError(`oidc: unsupported signing alg: "${unknown}"`);
  const usual = usernameClaim === 'email' ? '' : `${url}#`;
  const prefix = usernamePrefix === '-' ? '' : usernamePrefix === '' ? usual : usernamePrefix;
  const nothing = { claim: '', expression: '' };
  return {
    algorithms: flags.algorithms.length === 0 ? ['RS256'] : flags.algorithms,
    configuration: {
      jwt: [
        {
          issuer: {
            url,
            discoveryURL: '',
            certificateAuthority: flags.authorities,
            audiences: [clientId],
            audienceMatchPolicy: '',
          },
          claimMappings: {
            username: { claim: usernameClaim, expression: '', prefix },
            groups:
              groupsClaim === ''
                ? { ...nothing, prefix: undefined }
                : { claim: groupsClaim, expression: '', prefix: groupsPrefix },
            uid: nothing,
            extra: [],
          },
          claimValidationRules: Object.entries(flags.requiredClaims).map(([claim, requiredValue]) => ({
            claim,
            requiredValue,
            expression: '',
            message: '',
          })),
          userValidationRules: [],
        },
      ],
    },
  };
}
