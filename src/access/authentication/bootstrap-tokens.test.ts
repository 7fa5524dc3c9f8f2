import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestPlane } from '../testing/test-plane.ts';

const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const DATA = {
  'token-id': '07401b',
  'token-secret': 'f395accd246ae52d',
  'usage-bootstrap-authentication': 'true',
  'auth-extra-groups': 'system:bootstrappers:worker',
};
const bearer = { headers: { authorization: 'Bearer 07401b.f395accd246ae52d' } };

let plane: TestPlane;
beforeEach(async () => {
  plane = await TestPlane.start({ access: { authentication: { bootstrapTokens: true } } });
});
afterEach(() => plane[Symbol.asyncDispose]());

async function keep(data: Readonly<Record<string, string>>, type = 'bootstrap.kubernetes.io/token'): Promise<void> {
  const secret = { metadata: { name: 'bootstrap-token-07401b' }, type, stringData: data };
  expect((await plane.admin('POST', SECRETS, secret)).code).toBe(201);
}

test('a bootstrap token is accepted until its Secret expires', async () => {
  await keep({ ...DATA, expiration: '2026-01-01T01:00:00Z' });
  expect(await plane.whoami(bearer)).toEqual({
    username: 'system:bootstrap:07401b',
    groups: ['system:bootstrappers', 'system:bootstrappers:worker', 'system:authenticated'],
  });
  await plane.clock.advance('1h');
  expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
});

test.each([
  ['another secret', { 'token-secret': 'f395accd246ae52e' }],
  ['another id', { 'token-id': '07401c' }],
  ['no use for authentication', { 'usage-bootstrap-authentication': 'false' }],
  ['an end that is no time', { expiration: 'tomorrow' }],
  ['groups of others', { 'auth-extra-groups': 'system:masters' }],
])('a Secret with %s makes no token', async (_what, change) => {
  await keep({ ...DATA, ...change });
  expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
});

test('a Secret of another type is no token, and no Secret is one when bootstrap tokens are disabled', async () => {
  await keep(DATA, 'Opaque');
  expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
  await plane[Symbol.asyncDispose]();
  plane = await TestPlane.start();
  await keep(DATA);
  expect(await plane.whoami(bearer)).toMatchObject({ code: 401 });
});
