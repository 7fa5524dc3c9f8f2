import {
  type AuthenticationSettings,
  oidcConfiguration,
  readConfigurationFile,
  readWebhookKubeconfig,
} from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';
import { durationFlag, fileFlag, readFlagFile, usable } from '../read-flags.ts';

/** How clients are identified: flags of kube-apiserver, under its names. */
export const authenticationFlags: FlagDefinitions = {
  'service-account-issuer': {
    type: 'string',
    multiple: true,
    value: 'URL,…',
    help: 'Who issues tokens of service accounts; tokens of all are accepted (default https://kubernetes.default.svc.cluster.local)',
  },
  'service-account-signing-key-file': {
    type: 'string',
    value: 'FILE',
    help: 'Private key that signs tokens of service accounts (default: made with the other keys)',
  },
  'service-account-key-file': {
    type: 'string',
    multiple: true,
    value: 'FILE,…',
    help: 'Keys, public or private, that tokens of service accounts are checked with (default: the signing key)',
  },
  'api-audiences': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'For whom tokens must be that requests show (default: the issuers)',
  },
  'service-account-max-token-expiration': {
    type: 'string',
    value: 'DURATION',
    help: 'Longest life of a token of a service account',
  },
  'service-account-extend-token-expiration': {
    type: 'boolean',
    default: true,
    help: 'Let tokens mounted into pods last for a year, for programs that never read a new one',
  },
  'service-account-jwks-uri': { type: 'string', value: 'URL', help: 'Where relying parties find the keys of tokens' },
  'enable-bootstrap-token-auth': {
    type: 'boolean',
    default: false,
    help: 'Know nodes by bootstrap tokens, which are Secrets in kube-system',
  },
  'requestheader-client-ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'Authorities of front proxies (default: made with the other keys)',
  },
  'requestheader-allowed-names': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Common names of front proxies that are trusted (default: all names that the authority has signed)',
  },
  'requestheader-username-headers': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Headers in which front proxies tell the user (default X-Remote-User)',
  },
  'requestheader-uid-headers': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Headers in which front proxies tell the uid (default X-Remote-Uid)',
  },
  'requestheader-group-headers': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Headers in which front proxies tell groups (default X-Remote-Group)',
  },
  'requestheader-extra-headers-prefix': {
    type: 'string',
    multiple: true,
    value: 'PREFIX,…',
    help: 'Beginning of headers in which front proxies tell more (default X-Remote-Extra-)',
  },
  'authentication-token-webhook-config-file': {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of a webhook that is asked whose a token is',
  },
  'authentication-token-webhook-version': {
    type: 'string',
    value: 'v1|v1beta1',
    default: 'v1beta1',
    help: 'Version of TokenReview that the webhook is asked with',
  },
  'authentication-token-webhook-cache-ttl': {
    type: 'string',
    value: 'DURATION',
    default: '2m',
    help: 'How long answers of the webhook count',
  },
  'authentication-config': {
    type: 'string',
    value: 'FILE',
    help: 'AuthenticationConfiguration: issuers of tokens, and who may be anonymous; read again when it changes',
  },
  'oidc-issuer-url': { type: 'string', value: 'URL', help: 'An issuer of OpenID Connect whose tokens are accepted' },
  'oidc-client-id': { type: 'string', value: 'ID', help: 'For whom its tokens must be' },
  'oidc-ca-file': { type: 'string', value: 'FILE', help: 'Authorities of the issuer, unless the system knows them' },
  'oidc-username-claim': { type: 'string', value: 'CLAIM', default: 'sub', help: 'The claim that is the user name' },
  'oidc-username-prefix': {
    type: 'string',
    value: 'TEXT',
    help: 'Prefix of user names; "-" for none (default: the issuer and #)',
  },
  'oidc-groups-claim': { type: 'string', value: 'CLAIM', help: 'The claim that has the groups' },
  'oidc-groups-prefix': { type: 'string', value: 'TEXT', help: 'What goes before groups' },
  'oidc-required-claim': {
    type: 'string',
    multiple: true,
    value: 'CLAIM=VALUE,…',
    help: 'Claims that tokens must have, with these values',
  },
  'oidc-signing-algs': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Signatures that count (default RS256)',
  },
};

/** What these flags say. */
export function authenticationSettings(flags: FlagValues): AuthenticationSettings {
  return {
    serviceAccounts: serviceAccounts(flags),
    frontProxy: frontProxy(flags),
    bootstrapTokens: flags.isSet('enable-bootstrap-token-auth'),
    ...tokenWebhook(flags),
    ...configuration(flags),
  };
}

const HOUR_SECONDS = 3600;

function serviceAccounts(flags: FlagValues): NonNullable<AuthenticationSettings['serviceAccounts']> {
  const issuers = flags.list('service-account-issuer');
  const wrong = issuers.find((issuer) => issuer.includes(':') && !URL.canParse(issuer));
  if (wrong !== undefined)
    throw new FlagError(`service-account-issuer "${wrong}" contained a ':' but was not a valid URL`);
  const signingKey = fileFlag(flags, 'service-account-signing-key-file');
  const keys = flags.list('service-account-key-file').map((path) => readFlagFile('service-account-key-file', path));
  const apiAudiences = flags.list('api-audiences');
  const keysUrl = flags.text('service-account-jwks-uri');
  const longest = flags.text('service-account-max-token-expiration');
  const seconds = longest === undefined ? 0 : durationFlag(flags, 'service-account-max-token-expiration') / 1000;
  if (seconds !== 0 && (seconds < HOUR_SECONDS || seconds > 2 ** 32))
    throw new FlagError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  return {
    ...(issuers.length === 0 ? {} : { issuers }),
    ...(signingKey === undefined ? {} : { signingKey }),
    ...(keys.length === 0 ? {} : { keys }),
    ...(apiAudiences.length === 0 ? {} : { apiAudiences }),
    ...(keysUrl === undefined ? {} : { keysUrl }),
    ...(seconds === 0 ? {} : { maxExpirationSeconds: seconds }),
    extendsExpiration: flags.isSet('service-account-extend-token-expiration'),
  };
}

function frontProxy(flags: FlagValues): NonNullable<AuthenticationSettings['frontProxy']> {
  const authorities = fileFlag(flags, 'requestheader-client-ca-file');
  const names = flags.list('requestheader-allowed-names');
  const given = (flag: string, member: string): object =>
    flags.list(flag).length === 0 ? {} : { [member]: flags.list(flag) };
  return {
    ...(authorities === undefined ? {} : { authorities, uidHeaders: [] }),
    ...(authorities === undefined && names.length === 0 ? {} : { allowedNames: names }),
    ...given('requestheader-username-headers', 'usernameHeaders'),
    ...given('requestheader-uid-headers', 'uidHeaders'),
    ...given('requestheader-group-headers', 'groupHeaders'),
    ...given('requestheader-extra-headers-prefix', 'extraHeaderPrefixes'),
  };
}

function tokenWebhook(flags: FlagValues): Pick<AuthenticationSettings, 'tokenWebhook'> {
  const path = flags.text('authentication-token-webhook-config-file');
  const version = flags.text('authentication-token-webhook-version');
  if (version !== 'v1' && version !== 'v1beta1') {
    throw new FlagError(
      `unsupported authentication webhook version "${version ?? ''}", supported versions are "v1", "v1beta1"`,
    );
  }
  if (path === undefined) return {};
  const cacheTtl = durationFlag(flags, 'authentication-token-webhook-cache-ttl');
  return { tokenWebhook: { webhook: usable(() => readWebhookKubeconfig(path)), version, cacheTtl } };
}

function configuration(flags: FlagValues): Pick<AuthenticationSettings, 'configuration'> {
  const path = flags.text('authentication-config');
  const [issuer, clientId] = [flags.text('oidc-issuer-url'), flags.text('oidc-client-id')];
  const hasOidc = [...Object.keys(authenticationFlags)].some((name) => name.startsWith('oidc-') && flags.has(name));
  if (path !== undefined && hasOidc)
    throw new FlagError('authentication-config file and oidc-* flags are mutually exclusive');
  if (path !== undefined && flags.has('anonymous-auth') && !flags.isSet('anonymous-auth')) {
    const { configuration: read } = usable(() => readConfigurationFile(path));
    if (read.anonymous !== undefined)
      throw new FlagError(
        '--anonymous-auth flag cannot be set when anonymous field is configured in authentication-config file',
      );
  }
  if (path !== undefined) return { configuration: usable(() => readConfigurationFile(path)) };
  if (issuer === undefined && clientId === undefined) return {};
  if (issuer === undefined || clientId === undefined)
    throw new FlagError('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
  const requiredClaims = flags.list('oidc-required-claim').map((text) => {
    const [claim = '', ...value] = text.split('=');
    if (value.length === 0) throw new FlagError(`--oidc-required-claim must be CLAIM=VALUE, got "${text}"`);
    return [claim, value.join('=')] as const;
  });
  return {
    configuration: usable(() =>
      oidcConfiguration({
        issuer,
        clientId,
        authorities: fileFlag(flags, 'oidc-ca-file') ?? '',
        usernameClaim: flags.text('oidc-username-claim') ?? 'sub',
        usernamePrefix: flags.text('oidc-username-prefix') ?? '',
        groupsClaim: flags.text('oidc-groups-claim') ?? '',
        groupsPrefix: flags.text('oidc-groups-prefix') ?? '',
        requiredClaims: Object.fromEntries(requiredClaims),
        algorithms: flags.list('oidc-signing-algs'),
      }),
    ),
  };
}
