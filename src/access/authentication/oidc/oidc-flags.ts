import { signatureAlgorithms } from '../jwt/signature-algorithms.ts';
import type { ConfiguredAuthentication } from './configured-issuers.ts';
import { AuthenticationConfigError } from './configuration.ts';

/** One issuer, as the flags describe it; empty strings mean "not set". */
export interface OidcFlags {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorities: string;
  readonly usernameClaim: string;
  /** The prefix of user names; default the issuer and `#`, except for e-mail addresses; `-` means none. */
  readonly usernamePrefix: string;
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly requiredClaims: Readonly<Record<string, string>>;
  /** Default RS256. */
  readonly algorithms: readonly string[];
}

/** The same settings as a configuration. */
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
