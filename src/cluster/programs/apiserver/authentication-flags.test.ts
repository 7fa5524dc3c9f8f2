import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Flags } from '../../../cli/flags.ts';
import { authenticationFlags, authenticationSettings } from './authentication-flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-flags-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

function settings(...args: readonly string[]): ReturnType<typeof authenticationSettings> {
  return authenticationSettings(new Flags(args, authenticationFlags));
}

test('tokens of service accounts are made as the flags say', () => {
  expect(settings()).toMatchObject({ serviceAccounts: { extendsExpiration: true }, bootstrapTokens: false });
  const args = [
    '--service-account-issuer=https://a',
    '--service-account-issuer=https://b',
    `--service-account-signing-key-file=${file('sa.key', 'private')}`,
    `--service-account-key-file=${file('one.pub', '1')},${file('two.pub', '2')}`,
    '--api-audiences=api,other',
    '--service-account-max-token-expiration=2h',
    '--service-account-extend-token-expiration=false',
  ];
  expect(settings(...args).serviceAccounts).toEqual({
    issuers: ['https://a', 'https://b'],
    signingKey: 'private',
    keys: ['1', '2'],
    apiAudiences: ['api', 'other'],
    maxExpirationSeconds: 7200,
    extendsExpiration: false,
  });
});

test('front proxies are believed as the flags say', () => {
  const authority = file('proxy.crt', 'pem');
  expect(settings().frontProxy).toEqual({});
  expect(settings(`--requestheader-client-ca-file=${authority}`).frontProxy).toEqual({
    authorities: 'pem',
    allowedNames: [],
    uidHeaders: [],
  });
  expect(settings('--requestheader-allowed-names=a,b', '--requestheader-username-headers=X-User').frontProxy).toEqual({
    allowedNames: ['a', 'b'],
    usernameHeaders: ['X-User'],
  });
});

test('an issuer of OpenID Connect has the prefixes that Kubernetes gives it', () => {
  const oidc = ['--oidc-issuer-url=https://i', '--oidc-client-id=app'];
  const mappings = (...args: readonly string[]): unknown =>
    settings(...oidc, ...args).configuration?.configuration.jwt[0]?.claimMappings;
  expect(mappings()).toMatchObject({ username: { claim: 'sub', prefix: 'https://i#' }, groups: { claim: '' } });
  expect(mappings('--oidc-username-claim=email')).toMatchObject({ username: { claim: 'email', prefix: '' } });
  expect(mappings('--oidc-username-prefix=-')).toMatchObject({ username: { prefix: '' } });
  expect(mappings('--oidc-groups-claim=g', '--oidc-groups-prefix=p:')).toMatchObject({
    groups: { claim: 'g', prefix: 'p:' },
  });
  expect(settings(...oidc, '--oidc-required-claim=a=b=c').configuration?.configuration.jwt[0]).toMatchObject({
    claimValidationRules: [{ claim: 'a', requiredValue: 'b=c' }],
  });
});

test.each([
  [['--oidc-issuer-url=https://i'], /must be specified together/],
  [
    ['--oidc-issuer-url=https://i', '--oidc-client-id=a', '--oidc-signing-algs=HS256'],
    /unsupported signing alg: "HS256"/,
  ],
  [['--service-account-issuer=https://['], /contained a ':' but was not a valid URL/],
  [['--service-account-max-token-expiration=10m'], /between 1 hour and 2\^32 seconds/],
  [['--service-account-signing-key-file=/nowhere'], /cannot read "\/nowhere"/],
  [['--authentication-token-webhook-version=v2'], /unsupported authentication webhook version "v2"/],
  [['--authentication-token-webhook-config-file=/nowhere'], /Cannot use webhook configuration "\/nowhere"/],
  [['--authentication-config=/nowhere'], /Cannot use "\/nowhere"/],
  [['--authentication-config=/nowhere', '--oidc-client-id=a'], /mutually exclusive/],
])('%o is refused', (args, message) => {
  expect(() => settings(...args)).toThrow(message);
});
