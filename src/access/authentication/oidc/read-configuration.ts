import { type ConfigurationKind, FLAG, listOf, objectOf, readConfiguration, TEXT } from '../../../api/index.ts';
import { messageOf } from '../../../base/index.ts';
import {
  AuthenticationConfigError,
  type AuthenticationConfiguration,
  type IssuerConfiguration,
  type JwtConfiguration,
  type PrefixedMapping,
} from './configuration.ts';

/** The parsed file: absent fields are undefined. */
interface WrittenFile {
  readonly jwt?: readonly WrittenJwt[];
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] };
}

interface WrittenJwt {
  readonly issuer?: Partial<IssuerConfiguration>;
  readonly claimValidationRules?: readonly Partial<JwtConfiguration['claimValidationRules'][number]>[];
  readonly claimMappings?: {
    readonly username?: Partial<PrefixedMapping>;
    readonly groups?: Partial<PrefixedMapping>;
    readonly uid?: Partial<PrefixedMapping>;
    readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[];
  };
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[];
}

const CONFIGURATION: ConfigurationKind = {
  group: 'apiserver.config.k8s.io',
  kind: 'AuthenticationConfiguration',
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  fields: (version) => {
    const mapping = objectOf(`${version}.PrefixedClaimOrExpression`, { claim: TEXT, expression: TEXT, prefix: TEXT });
    return {
      jwt: listOf(
        objectOf(`${version}.JWTAuthenticator`, {
          issuer: objectOf(`${version}.Issuer`, {
            url: TEXT,
            discoveryURL: TEXT,
            certificateAuthority: TEXT,
            audiences: listOf(TEXT),
            audienceMatchPolicy: TEXT,
          }),
          claimValidationRules: listOf(
            objectOf(`${version}.ClaimValidationRule`, {
              claim: TEXT,
              requiredValue: TEXT,
              expression: TEXT,
              message: TEXT,
            }),
          ),
          claimMappings: objectOf(`${version}.ClaimMappings`, {
            username: mapping,
            groups: mapping,
            uid: objectOf(`${version}.ClaimOrExpression`, { claim: TEXT, expression: TEXT }),
            extra: listOf(objectOf(`${version}.ExtraMapping`, { key: TEXT, valueExpression: TEXT })),
          }),
          userValidationRules: listOf(objectOf(`${version}.UserValidationRule`, { expression: TEXT, message: TEXT })),
        }),
      ),
      anonymous: objectOf(`${version}.AnonymousAuthConfig`, {
        enabled: FLAG,
        conditions: listOf(objectOf(`${version}.AnonymousAuthCondition`, { path: TEXT })),
      }),
    };
  },
};

/** Parses an AuthenticationConfiguration in YAML or JSON; rejects unknown and duplicate fields. */
export function readAuthenticationConfiguration(text: string): AuthenticationConfiguration {
  const { jwt = [], anonymous } = readFile(text);
  return {
    jwt: jwt.map(readJwt),
    ...(anonymous === undefined
      ? {}
      : {
          anonymous: {
            enabled: anonymous.enabled ?? false,
            conditions: (anonymous.conditions ?? []).map(({ path = '' }) => ({ path })),
          },
        }),
  };
}

function readFile(text: string): WrittenFile {
  try {
    return readConfiguration<WrittenFile>(text, [CONFIGURATION], { isStrict: true });
  } catch (cause) {
    throw new AuthenticationConfigError(messageOf(cause), { cause });
  }
}

function readJwt({ issuer = {}, claimMappings = {}, ...jwt }: WrittenJwt): JwtConfiguration {
  return {
    issuer: {
      url: issuer.url ?? '',
      discoveryURL: issuer.discoveryURL ?? '',
      certificateAuthority: issuer.certificateAuthority ?? '',
      audiences: issuer.audiences ?? [],
      audienceMatchPolicy: issuer.audienceMatchPolicy ?? '',
    },
    claimValidationRules: (jwt.claimValidationRules ?? []).map(
      ({ claim = '', requiredValue = '', expression = '', message = '' }) => ({
        claim,
        requiredValue,
        expression,
        message,
      }),
    ),
    claimMappings: {
      username: mappingOf(claimMappings.username),
      groups: mappingOf(claimMappings.groups),
      uid: mappingOf(claimMappings.uid),
      extra: (claimMappings.extra ?? []).map(({ key = '', valueExpression = '' }) => ({ key, valueExpression })),
    },
    userValidationRules: (jwt.userValidationRules ?? []).map(({ expression = '', message = '' }) => ({
      expression,
      message,
    })),
  };
}

function mappingOf({ claim = '', expression = '', prefix }: Partial<PrefixedMapping> = {}): PrefixedMapping {
  return { claim, expression, prefix };
}
