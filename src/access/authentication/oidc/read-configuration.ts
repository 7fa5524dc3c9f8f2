import { ConfigMembers } from '../../config-members.ts';
import {
  AuthenticationConfigError,
  type AuthenticationConfiguration,
  type IssuerConfiguration,
  type JwtConfiguration,
  type PrefixedMapping,
} from './configuration.ts';

const GROUP = 'apiserver.config.k8s.io';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'];

/** Reads an AuthenticationConfiguration in YAML or JSON; what it does not know is refused. */
export function readAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  const root = ConfigMembers.parse(text, refused);
  const [apiVersion, kind] = [root.text('apiVersion'), root.text('kind')];
  if (kind !== 'AuthenticationConfiguration' || !VERSIONS.some((version) => apiVersion === `${GROUP}/${version}`)) {
    throw new AuthenticationConfigError(
      `expected AuthenticationConfiguration of ${GROUP}/v1, got "${kind}" of "${apiVersion}"`,
    );
  }
  const anonymous = root.object('anonymous');
  const configuration = {
    jwt: root.list('jwt').map(readJwt),
    ...(anonymous === undefined
      ? {}
      : {
          anonymous: anonymous.done({
            enabled: anonymous.flag('enabled'),
            conditions: anonymous.list('conditions').map((one) => one.done({ path: one.text('path') })),
          }),
        }),
  };
  return root.done(configuration);
}

function readJwt(jwt: ConfigMembers): JwtConfiguration {
  const mappings = jwt.object('claimMappings') ?? jwt.none('claimMappings');
  return jwt.done({
    issuer: readIssuer(jwt.object('issuer') ?? jwt.none('issuer')),
    claimValidationRules: jwt.list('claimValidationRules').map((rule) =>
      rule.done({
        claim: rule.text('claim'),
        requiredValue: rule.text('requiredValue'),
        expression: rule.text('expression'),
        message: rule.text('message'),
      }),
    ),
    claimMappings: mappings.done({
      username: readMapping(mappings, 'username'),
      groups: readMapping(mappings, 'groups'),
      uid: readMapping(mappings, 'uid'),
      extra: mappings
        .list('extra')
        .map((one) => one.done({ key: one.text('key'), valueExpression: one.text('valueExpression') })),
    }),
    userValidationRules: jwt
      .list('userValidationRules')
      .map((rule) => rule.done({ expression: rule.text('expression'), message: rule.text('message') })),
  });
}

function readIssuer(issuer: ConfigMembers): IssuerConfiguration {
  return issuer.done({
    url: issuer.text('url'),
    discoveryURL: issuer.text('discoveryURL'),
    certificateAuthority: issuer.text('certificateAuthority'),
    audiences: issuer.texts('audiences'),
    audienceMatchPolicy: issuer.text('audienceMatchPolicy'),
  });
}

function readMapping(mappings: ConfigMembers, name: string): PrefixedMapping {
  const mapping = mappings.object(name);
  if (mapping === undefined) return { claim: '', expression: '', prefix: undefined };
  return mapping.done({
    claim: mapping.text('claim'),
    expression: mapping.text('expression'),
    prefix: name === 'uid' ? undefined : mapping.optionalText('prefix'),
  });
}

function refused(why: string, cause?: unknown): AuthenticationConfigError {
  return new AuthenticationConfigError(why, cause === undefined ? {} : { cause });
}
