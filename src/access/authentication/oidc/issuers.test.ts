import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { caBundle, HookServer } from '../../../apiserver/webhook/testing/hook-server.ts';
import { LineLogger, VirtualClock } from '../../../base/index.ts';
import { TestPlane } from '../../testing/test-plane.ts';
import { signJws } from '../jwt/signature-algorithms.ts';
import { verificationKey } from '../jwt/verification-key.ts';
import { readConfigurationFile } from './configured-issuers.ts';

const NOW = 1767225600;
const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
};

let folder: string;
let issuer: HookServer;
let keys: { readonly id: string; readonly key: KeyObject }[];
let paths: string[];
let issuerName: string;
let plane: TestPlane | undefined;
let logged: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-oidc-'));
  keys = [
    { id: 'a', key: pairs.RS256.publicKey },
    { id: 'b', key: pairs.ES256.publicKey },
  ];
  paths = [];
  issuer = await HookServer.start((_body, response, request) => {
    paths.push(request.url ?? '');
    const document =
      request.url === '/keys'
        ? { keys: keys.map(({ id, key }) => ({ ...key.export({ format: 'jwk' }), kid: id, use: 'sig' })) }
        : { issuer: issuerName, jwks_uri: `https://localhost:${issuer.port}/keys` };
    response.end(JSON.stringify(document));
  });
  issuerName = `https://localhost:${issuer.port}`;
});
afterEach(async () => {
  await plane?.[Symbol.asyncDispose]();
  plane = undefined;
  await issuer[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const PEM = Buffer.from(caBundle, 'base64').toString();
const PLAIN = { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } };

async function configure(jwt: object = {}, more: object = {}): Promise<string> {
  const path = join(folder, 'authentication.yaml');
  const one = {
    issuer: { url: issuerName, audiences: ['app'], certificateAuthority: PEM },
    claimMappings: PLAIN,
    ...jwt,
  };
  const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
  await writeFile(path, JSON.stringify({ ...head, jwt: [one], ...more }));
  return path;
}

async function start(jwt: object = {}, more: object = {}): Promise<TestPlane> {
  const configuration = readConfigurationFile(await configure(jwt, more));
  logged = [];
  const log = new LineLogger({ clock: new VirtualClock(), level: 'info', write: (line) => logged.push(line) });
  plane = await TestPlane.start({ access: { authentication: { configuration } }, log });
  return plane;
}

function token(
  more: object = {},
  { alg = 'RS256', kid = 'a' }: { alg?: 'RS256' | 'ES256'; kid?: string } = {},
): string {
  const claims = { iss: issuerName, aud: 'app', sub: 'ada', exp: NOW + 60, groups: ['dev', 'ops'], jti: 'x', ...more };
  return signJws({ kid }, claims, { key: pairs[alg].privateKey, name: alg });
}

const bearer = (text: string): { readonly headers: { readonly authorization: string } } => ({
  headers: { authorization: `Bearer ${text}` },
});

async function refusalOf(on: TestPlane, text: string): Promise<string> {
  expect(await on.whoami(bearer(text))).toMatchObject({ code: 401 });
  const { error } = (await on.review(text)) as { readonly error: string };
  return error.replace(/^\[invalid bearer token, (.*)\]$/s, '$1');
}

describe('a token of an issuer', () => {
  test('is verified with its keys, which are fetched once', async () => {
    const on = await start();
    const ada = {
      username: 'oidc:ada',
      groups: ['oidc:dev', 'oidc:ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=x'] },
    };
    expect(await on.whoami(bearer(token()))).toEqual(ada);
    expect(await on.whoami(bearer(token({}, { alg: 'ES256', kid: 'b' })))).toEqual(ada);
    expect(await on.whoami(bearer(token({ groups: 'dev' })))).toMatchObject({
      groups: ['oidc:dev', 'system:authenticated'],
    });
    expect(paths).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test('with a new key makes the server fetch keys again, but not at every request', async () => {
    const on = await start();
    await on.whoami(bearer(token()));
    const made = token({}, { alg: 'ES256', kid: 'new' });
    expect(await on.whoami(bearer(made))).toMatchObject({ code: 401 });
    expect(paths).toHaveLength(2);
    keys = [{ id: 'new', key: pairs.ES256.publicKey }];
    await on.clock.advance('1s');
    expect(await on.whoami(bearer(made))).toMatchObject({ username: 'oidc:ada' });
    expect(await on.whoami(bearer(token()))).toMatchObject({ code: 401 }); // its key is gone
  });

  test.each([
    ['has expired', { exp: NOW - 1 }, /token is expired/],
    ['never expires', { exp: undefined }, /token is expired/],
    ['begins later', { nbf: NOW + 600 }, /nbf/],
    ['is for others', { aud: ['other'] }, /expected audience in \["app"\] got \["other"\]/],
    ['has no audience', { aud: undefined }, /expected audience/],
    ['has no name', { sub: undefined }, /parse username claims "sub": claim not present/],
    ['has a number for a name', { sub: 5 }, /parse username claims "sub"/],
    ['has groups of another type', { groups: { a: 1 } }, /parse groups claim "groups"/],
  ])('is refused when it %s', async (_what, claims, message) => {
    expect(await refusalOf(await start(), token(claims))).toMatch(message);
  });

  test('is refused when it is forged', async () => {
    const on = await start();
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const [, payload = ''] = token().split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    expect(await refusalOf(on, signJws({ kid: 'a' }, claims, { key: stranger, name: 'RS256' }))).toMatch(
      /failed to verify signature/,
    );
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    expect(await refusalOf(on, none)).toMatch(/unsupported algorithm/);
    expect(await refusalOf(on, token({ iss: 'https://elsewhere' }))).toBe('invalid bearer token');
    const ours = { key: createPrivateKey(on.plane.pki.serviceAccountKey), name: 'ES256' };
    expect(await refusalOf(on, signJws({}, claims, ours))).toMatch(/failed to verify signature/);
    expect(verificationKey(stranger).algorithm).toBe('RS256');
  });

  test('is refused while its issuer is unreachable or answers for another issuer, which is retried after a pause', async () => {
    const on = await start();
    const real = issuerName;
    const text = token();
    issuerName = 'https://liar';
    expect(await refusalOf(on, text)).toMatch(/issuer did not match/);
    issuerName = real;
    expect(await refusalOf(on, text)).toMatch(/not initialized/);
    await on.clock.advance('10s');
    expect(await on.whoami(bearer(text))).toMatchObject({ username: 'oidc:ada' });
  });
});

describe('expressions', () => {
  const claimMappings = {
    username: { expression: 'claims.email.split("@")[0]' },
    groups: { expression: 'claims.roles.split(",")' },
    uid: { expression: 'claims.sub' },
    extra: [{ key: 'acme.io/tenant', valueExpression: 'claims.tenant' }],
  };
  const claimValidationRules = [
    { claim: 'hd', requiredValue: 'acme.io' },
    { expression: 'claims.email_verified == true', message: 'verify your address' },
  ];
  const userValidationRules = [{ expression: '!user.username.startsWith("system:")', message: 'no system users' }];
  const claims = { email: 'ada@acme.io', email_verified: true, roles: 'dev,,ops', tenant: 't1', hd: 'acme.io' };

  test('map claims to a user, and validate claims and user', async () => {
    const on = await start({ claimMappings, claimValidationRules, userValidationRules });
    expect(await on.whoami(bearer(token(claims)))).toMatchObject({
      username: 'ada',
      uid: 'ada',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'acme.io/tenant': ['t1'] },
    });
    const wrong = [
      [{ email_verified: false }, "validation expression 'claims.email_verified == true' failed: verify your address"],
      [{ hd: 'other' }, 'required claim hd value does not match. Got = other, want = acme.io'],
      [{ email: 'system:x@acme.io' }, 'failed: no system users'],
      [{ email: '@acme.io' }, 'empty username via CEL expression is not allowed'],
      [{ tenant: 5 }, 'expression must return a string or a list of strings'],
      [{ email: undefined }, 'error evaluating username claim expression'],
    ] as const;
    for (const [change, message] of wrong)
      expect(await refusalOf(on, token({ ...claims, ...change }))).toContain(message);
  });

  test.each([
    [{ claimMappings: { username: { expression: 'claims.' } } }, /claimMappings.username.expression: Invalid value/],
    [{ claimMappings: { username: { expression: 'claims.email' } } }, /claims.email_verified must be used/],
    [{ claimMappings: { username: { claim: 'sub' } } }, /prefix: Required value: prefix is required/],
    [{ claimMappings: {} }, /username: Required value: claim or expression is required/],
    [{ userValidationRules: [{ expression: 'user.username' }] }, /must evaluate to bool/],
    [{ issuer: { url: 'http://x', audiences: ['a'] } }, /url: Invalid value: "http:\/\/x": URL scheme must be https/],
    [{ issuer: { url: 'https://x' } }, /at least one jwt\[0\].issuer.audiences is required/],
    [
      { issuer: { url: 'https://kubernetes.default.svc.cluster.local', audiences: ['a'] } },
      /URL must not overlap with disallowed issuers/,
    ],
    [
      { claimMappings: { ...PLAIN, extra: [{ key: 'a.k8s.io/b', valueExpression: '"x"' }] } },
      /reserved for Kubernetes use/,
    ],
    [{ nonsense: 1 }, /unknown field "jwt\[0\].nonsense"/],
  ])('and all else are checked at the start: %o', async (jwt, message) => {
    await expect(start(jwt)).rejects.toThrow(message);
  });
});

test('a changed configuration is read again; an invalid one changes nothing', async () => {
  const on = await start();
  const text = token();
  expect(await on.whoami(bearer(text))).toMatchObject({ username: 'oidc:ada' });
  const look = async (username: object): Promise<void> => {
    const before = logged.length;
    await configure({ claimMappings: { username } });
    await on.clock.advance('1m');
    await expect.poll(() => logged.length).toBeGreaterThan(before);
  };
  await look({ claim: 'sub' });
  expect(await on.whoami(bearer(token({ exp: NOW + 9999 })))).toMatchObject({ username: 'oidc:ada' });
  await look({ claim: 'sub', prefix: 'new:' });
  expect(await on.whoami(bearer(token({ exp: NOW + 9999 })))).toMatchObject({ username: 'new:ada' });
});

test('anonymous requests are allowed by path', async () => {
  const on = await start({}, { anonymous: { enabled: true, conditions: [{ path: '/healthz' }] } });
  expect((await on.send('GET', '/livez')).code).toBe(401);
  expect((await on.send('GET', '/version')).code).toBe(401);
  await expect(on.send('GET', '/healthz')).rejects.toThrow(/JSON/); // allowed: the answer is "ok"
});
