import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signJws } from '../authentication/jwt/signature-algorithms.ts';
import { TestPlane } from '../testing/test-plane.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const PODS = '/api/v1/namespaces/default/pods';
const ISSUER = 'https://kubernetes.default.svc.cluster.local';

let plane: TestPlane;
let accountUid: string;
beforeEach(async () => {
  plane = await TestPlane.start();
  accountUid = await create(ACCOUNTS, { metadata: { name: 'robot' } });
});
afterEach(() => plane[Symbol.asyncDispose]());

async function create(path: string, object: object): Promise<string> {
  const { code, body } = await plane.admin('POST', path, object);
  expect(code).toBe(201);
  return (body as { readonly metadata: { readonly uid: string } }).metadata.uid;
}

async function request(spec: object, name = 'robot'): ReturnType<TestPlane['admin']> {
  const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  return plane.admin('POST', `${ACCOUNTS}/${name}/token`, wish);
}

async function tokenFor(spec: object = {}): Promise<string> {
  const { code, body } = await request(spec);
  expect(code).toBe(201);
  return (body['status'] as { readonly token: string }).token;
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

const bearer = (token: string): { readonly headers: { readonly authorization: string } } => ({
  headers: { authorization: `Bearer ${token}` },
});
const UNAUTHORIZED = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' };

/** The error of a review, after checking that the token is also refused as a credential. */
async function refusalOf(token: string, audiences: readonly string[] = []): Promise<unknown> {
  if (audiences.length === 0) expect(await plane.whoami(bearer(token))).toMatchObject(UNAUTHORIZED);
  const status = (await plane.review(token, audiences)) as { readonly authenticated?: boolean; readonly error: string };
  expect(status.authenticated ?? false).toBe(false);
  return status.error.replace(/^\[invalid bearer token, (.*)\]$/, '$1');
}

const pod = { metadata: { name: 'p' }, spec: { serviceAccountName: 'robot', containers: [{ name: 'a', image: 'x' }] } };
const toPod = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } };

describe('a requested token', () => {
  test('has the claims of Kubernetes, and its bearer is the service account', async () => {
    const { body, annotations } = await request({});
    const { token } = body['status'] as { readonly token: string };
    const claims = claimsOf(token);
    expect(claims).toEqual({
      aud: [ISSUER],
      exp: 1767229200,
      iat: 1767225600,
      iss: ISSUER,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid: accountUid } },
      nbf: 1767225600,
      sub: 'system:serviceaccount:default:robot',
    });
    expect(annotations).toEqual({
      'authentication.kubernetes.io/issued-credential-id': `JTI=${String(claims['jti'])}`,
    });
    const user = {
      username: 'system:serviceaccount:default:robot',
      uid: accountUid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${String(claims['jti'])}`] },
    };
    expect(await plane.whoami(bearer(token))).toEqual(user);
    expect(await plane.review(token)).toEqual({ authenticated: true, user, audiences: [ISSUER] });
  });

  test('names the pod and the node it is bound to', async () => {
    const nodeUid = await create('/api/v1/nodes', { metadata: { name: 'n1' } });
    const podUid = await create(PODS, { ...pod, spec: { ...pod.spec, nodeName: 'n1' } });
    expect(await plane.whoami(bearer(await tokenFor(toPod)))).toMatchObject({
      extra: {
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': [podUid],
        'authentication.kubernetes.io/node-name': ['n1'],
        'authentication.kubernetes.io/node-uid': [nodeUid],
      },
    });
  });

  test('for another audience is refused as a credential, and reviewed for that audience', async () => {
    const token = await tokenFor({ audiences: ['vault', 'other'] });
    expect(await refusalOf(token)).toBe(
      `token audiences ["vault" "other"] is invalid for the target audiences ["${ISSUER}"]`,
    );
    expect(await plane.review(token, ['vault', 'else'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
  });

  test('is accepted for a minute after it expired, because clocks differ', async () => {
    const token = await tokenFor({ expirationSeconds: 600 });
    await plane.clock.advance('10m');
    expect(await plane.whoami(bearer(token))).toMatchObject({ uid: accountUid });
    await plane.clock.advance('61s');
    expect(await refusalOf(token)).toBe('service account token has expired');
  });

  test('that a pod mounts lasts for a year, and its use is recorded after the requested hour', async () => {
    await create(PODS, pod);
    const token = await tokenFor({ ...toPod, expirationSeconds: 3607 });
    expect(claimsOf(token)).toMatchObject({ exp: 1767225600 + 31_536_000, 'kubernetes.io': { warnafter: 1767229207 } });
    await plane.clock.advance('2h');
    const { annotations } = await plane.send('GET', '/api', bearer(token));
    expect(annotations).toEqual({
      'authentication.k8s.io/stale-token':
        'subject: system:serviceaccount:default:robot, seconds after warning threshold: 3593',
    });
  });
});

describe('a token ends with what it is bound to', () => {
  test('its pod', async () => {
    await create(PODS, pod);
    const token = await tokenFor(toPod);
    await plane.admin('DELETE', `${PODS}/p?gracePeriodSeconds=0`);
    expect(await refusalOf(token)).toBe('service account token has been invalidated');
    const uid = await create(PODS, pod);
    const { uid: old } = (claimsOf(token)['kubernetes.io'] as { readonly pod: { readonly uid: string } }).pod;
    expect(await refusalOf(token)).toBe(`pod UID (${uid}) does not match service account pod ref claim (${old})`);
  });

  test('its Secret and its node', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    await create(secrets, { metadata: { name: 's' } });
    await create('/api/v1/nodes', { metadata: { name: 'n1' } });
    const bound = (kind: string, name: string): object => ({ boundObjectRef: { apiVersion: 'v1', kind, name } });
    const [bySecret, byNode] = [await tokenFor(bound('Secret', 's')), await tokenFor(bound('Node', 'n1'))];
    expect(await plane.whoami(bearer(bySecret))).toMatchObject({ uid: accountUid });
    expect(await plane.whoami(bearer(byNode))).toMatchObject({ uid: accountUid });
    await plane.admin('DELETE', `${secrets}/s`);
    await plane.admin('DELETE', '/api/v1/nodes/n1');
    expect(await refusalOf(bySecret)).toBe('service account token has been invalidated');
    expect(await refusalOf(byNode)).toBe('service account token has been invalidated');
  });

  test('its service account, even when another one gets the same name', async () => {
    const token = await tokenFor();
    await plane.admin('DELETE', `${ACCOUNTS}/robot`);
    expect(await refusalOf(token)).toBe('serviceaccounts "robot" not found');
    const uid = await create(ACCOUNTS, { metadata: { name: 'robot' } });
    expect(await refusalOf(token)).toBe(`service account UID (${uid}) does not match claim (${accountUid})`);
  });
});

describe('a forged token is refused', () => {
  const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const WRONG = 'go-jose/go-jose: error in cryptographic primitive';

  test('when another key signed it, whichever key ID it names', async () => {
    const claims = claimsOf(await tokenFor());
    const key = { key: strange.privateKey, name: 'ES256' };
    expect(await refusalOf(signJws({}, claims, key))).toBe(WRONG);
    expect(await refusalOf(signJws({ kid: 'mine' }, claims, key))).toBe('invalid signature, no keys found');
    const { keys } = (await plane.admin('GET', '/openid/v1/jwks')).body as {
      keys: readonly { readonly kid: string }[];
    };
    expect(await refusalOf(signJws({ kid: keys[0]?.kid }, claims, key))).toBe(WRONG);
  });

  test('when its claims were changed', async () => {
    const [head = '', payload = '', signature = ''] = (await tokenFor()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    expect(await refusalOf(`${head}.${encode({ ...claims, exp: 9e9 })}.${signature}`)).toBe(WRONG);
  });

  test('when it is not signed at all, or with the public key as a secret', async () => {
    const claims = encode(claimsOf(await tokenFor()));
    const none = `${encode({ alg: 'none' })}.${claims}.`;
    expect(await refusalOf(none)).toBe(WRONG);
    const pem = plane.plane.pki.serviceAccountKey;
    const signed = `${encode({ alg: 'HS256' })}.${claims}`;
    expect(await refusalOf(`${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`)).toBe(WRONG);
  });

  test.each([
    ['nothing', '..'],
    ['other text', 'a.b.c'],
    ['four parts', 'e30.e30.e30.e30'],
    ['no base64', 'e30.e 30.e30'],
    ['a list of claims', 'e30.W10.e30'],
    ['an endless one', `e30.${'A'.repeat(200_000)}.e30`],
    ['claims nested deep', `e30.${Buffer.from('['.repeat(20_000)).toString('base64url')}.e30`],
  ])('when it is %s', async (_what, token) => {
    expect(await refusalOf(token)).toBe('invalid bearer token');
  });

  test('when it is not yet valid', async () => {
    const { serviceAccountKey } = plane.plane.pki;
    const { createPrivateKey } = await import('node:crypto');
    const key = { key: createPrivateKey(serviceAccountKey), name: 'ES256' };
    const claims = claimsOf(await tokenFor());
    const later = 1767225600 + 120;
    expect(await refusalOf(signJws({}, { ...claims, nbf: later }, key))).toBe('service account token is not valid yet');
    expect(await refusalOf(signJws({}, { ...claims, iat: later }, key))).toBe(
      'service account token is issued in the future',
    );
    expect(await refusalOf(signJws({}, { ...claims, iss: 'https://evil' }, key))).toBe('invalid bearer token');
    expect(await refusalOf(signJws({}, { ...claims, aud: 7 }, key))).toBe(
      'claims of the token are not of the right types',
    );
    const elsewhere = { namespace: 'default', serviceaccount: { name: 'x/../robot', uid: accountUid } };
    expect(await refusalOf(signJws({}, { ...claims, 'kubernetes.io': elsewhere }, key))).toContain('not found');
  });
});

describe('a token kept in a Secret', () => {
  const SECRETS = '/api/v1/namespaces/default/secrets';

  async function legacyToken(more: object = {}): Promise<string> {
    const { createPrivateKey } = await import('node:crypto');
    const key = { key: createPrivateKey(plane.plane.pki.serviceAccountKey), name: 'ES256' };
    const claims = {
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'default',
      'kubernetes.io/serviceaccount/secret.name': 'kept',
      'kubernetes.io/serviceaccount/service-account.name': 'robot',
      'kubernetes.io/serviceaccount/service-account.uid': accountUid,
      sub: 'system:serviceaccount:default:robot',
      ...more,
    };
    return signJws({}, claims, key);
  }

  async function keep(token: string, labels: object = {}): Promise<void> {
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const metadata = { name: 'kept', annotations, labels };
    await create(SECRETS, { metadata, type: 'kubernetes.io/service-account-token', stringData: { token } });
  }

  test('is valid while the Secret contains it', async () => {
    const token = await legacyToken();
    expect(await refusalOf(token)).toBe('Token has been invalidated');
    await keep(token);
    const { annotations } = await plane.send('GET', '/api', bearer(token));
    expect(annotations).toEqual({
      'authentication.k8s.io/legacy-token': 'system:serviceaccount:default:robot',
      'authentication.k8s.io/legacy-token-manual-secret': 'kept',
    });
    expect(await plane.whoami(bearer(token))).not.toHaveProperty('extra');
    const { metadata } = (await plane.admin('GET', `${SECRETS}/kept`)).body as { readonly metadata: object };
    expect(metadata).toMatchObject({ labels: { 'kubernetes.io/legacy-token-last-used': '2026-01-01' } });
    expect(await refusalOf(await legacyToken({ more: 1 }))).toBe("Token does not match server's copy");
    await plane.admin('DELETE', `${SECRETS}/kept`);
    expect(await refusalOf(token)).toBe('Token has been invalidated');
  });

  test('causes a warning when the account lists it, and is refused when it is marked invalid', async () => {
    const token = await legacyToken();
    await keep(token);
    await plane.admin('PUT', `${ACCOUNTS}/robot`, { metadata: { name: 'robot' }, secrets: [{ name: 'kept' }] });
    expect((await plane.send('GET', '/api', bearer(token))).warnings).toHaveLength(1);
    await plane.admin('DELETE', `${SECRETS}/kept`);
    await keep(token, { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' });
    expect(await refusalOf(token)).toContain('has been marked invalid');
  });

  test.each([
    ['sub', ''],
    ['sub', 'system:serviceaccount:default:other'],
    ['kubernetes.io/serviceaccount/namespace', ''],
    ['kubernetes.io/serviceaccount/secret.name', ''],
    ['kubernetes.io/serviceaccount/service-account.name', ''],
    ['kubernetes.io/serviceaccount/service-account.uid', ''],
  ])('needs its claim %s, which may not be "%s"', async (claim, value) => {
    expect(await refusalOf(await legacyToken({ [claim]: value }))).toMatch(/claim is (missing|invalid)$/);
  });
});

test('relying parties find the issuer and its keys, which verify tokens', async () => {
  const { body } = await plane.admin('GET', '/.well-known/openid-configuration');
  expect(body).toEqual({
    issuer: ISSUER,
    jwks_uri: expect.stringMatching(/^https:.*\/openid\/v1\/jwks$/),
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const { keys } = (await plane.admin('GET', '/openid/v1/jwks')).body as { keys: readonly Record<string, string>[] };
  expect(Object.keys(keys[0] ?? {})).toEqual(expect.arrayContaining(['use', 'kty', 'kid', 'crv', 'alg', 'x', 'y']));
  expect(keys[0]).not.toHaveProperty('d');
});
