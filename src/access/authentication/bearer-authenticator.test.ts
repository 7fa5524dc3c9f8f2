import { describe, expect, test } from 'vitest';
import { type Authenticator, type Call, inProcessCall } from '../../apiserver/index.ts';
import { RealClock } from '../../base/index.ts';
import { BearerAuthenticator } from './bearer-authenticator.ts';
import { refused, type TokenAuthenticator } from './token-authenticator.ts';
import { TokenChain } from './token-chain.ts';
import { TestPlane } from '../testing/test-plane.ts';

const ADA = { name: 'ada', groups: [] };

/** Knows one token, and records what it was asked. */
class OneToken implements TokenAuthenticator {
  readonly asked: string[] = [];

  authenticate(token: string): ReturnType<TokenAuthenticator['authenticate']> {
    this.asked.push(token);
    if (token !== 'right') return { type: 'unknown' };
    return { type: 'known', user: ADA, notes: { warnings: ['soon too old'], annotations: { 'acme.io/a': 'b' } } };
  }
}

function call(headers: Readonly<Record<string, string>>, isUpgrade = false): Call {
  const plain = inProcessCall({ method: 'GET', path: '/', headers, clock: new RealClock() });
  Object.defineProperty(plain, 'isUpgrade', { value: isUpgrade });
  return plain;
}

describe('a bearer token', () => {
  test.each([
    ['Bearer right', ADA],
    ['bearer right', ADA],
    ['  BEARER right  ', ADA],
    ['Bearer right and more', ADA],
    ['Bearer wrong', 'invalid'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Basic cmlnaHQ=', undefined],
    ['Bearerright', undefined],
  ])('"%s" is shown as Kubernetes reads it', async (authorization, expected) => {
    const authenticator = new BearerAuthenticator(new OneToken(), []);
    expect(await authenticator.authenticate(call({ authorization }))).toEqual(expected);
  });

  test('after a second blank is ignored, with a warning to the client', async () => {
    const asking = call({ authorization: 'Bearer  right' });
    expect(await new BearerAuthenticator(new OneToken(), []).authenticate(asking)).toBeUndefined();
    expect(asking.record.warnings.texts).toEqual([
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  test('that is known adds its warnings and annotations', async () => {
    const asking = call({ authorization: 'Bearer right' });
    await new BearerAuthenticator(new OneToken(), []).authenticate(asking);
    expect(asking.record.warnings.texts).toEqual(['soon too old']);
    expect(Object.fromEntries(asking.record.annotations.values)).toEqual({ 'acme.io/a': 'b' });
  });
});

describe('a token among the protocols of a WebSocket', () => {
  const protocol = (token: string): string =>
    `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;

  test.each([
    [`${protocol('right')}, v5.channel.k8s.io`, true, ADA],
    [`${protocol('right')}, v5.channel.k8s.io`, false, undefined],
    [protocol('right'), true, 'invalid'],
    [`${protocol('right')}, ${protocol('right')}, v5.channel.k8s.io`, true, 'invalid'],
    [`${protocol('wrong')}, v5.channel.k8s.io`, true, 'invalid'],
    ['base64url.bearer.authorization.k8s.io.!, v5.channel.k8s.io', true, 'invalid'],
    ['v5.channel.k8s.io', true, undefined],
  ])('"%s" (upgrade: %s)', async (protocols, isUpgrade, expected) => {
    const asking = call({ 'sec-websocket-protocol': protocols }, isUpgrade);
    expect(await new BearerAuthenticator(new OneToken(), []).authenticate(asking)).toEqual(expected);
  });

  test('that is known is removed from the request', async () => {
    const asking = call({ 'sec-websocket-protocol': `${protocol('right')}, v5.channel.k8s.io` }, true);
    await new BearerAuthenticator(new OneToken(), []).authenticate(asking);
    expect(asking.request.header('sec-websocket-protocol')).toBe('v5.channel.k8s.io');
  });
});

test('when one authenticator fails, the others are still asked, and each reason is reported once', async () => {
  const question = { audiences: [], signal: new AbortController().signal };
  const failing: TokenAuthenticator = { authenticate: () => Promise.reject(new Error('broken')) };
  const refusing: TokenAuthenticator = { authenticate: () => refused('broken') };
  const chain = new TokenChain([failing, refusing, new OneToken()]);
  expect(await chain.authenticate('right', question)).toMatchObject({ type: 'known' });
  expect(await chain.authenticate('wrong', question)).toEqual(refused('[invalid bearer token, broken]'));
});

test('a token that only an embedder’s authenticator knows can be reviewed', async () => {
  const badges: Authenticator = {
    authenticate: (asking) => (asking.request.header('authorization') === 'Bearer badge' ? ADA : undefined),
  };
  await using plane = await TestPlane.start({ access: { authenticators: [badges] } });
  const user = { username: 'ada', groups: ['system:authenticated'] };
  expect(await plane.whoami({ headers: { authorization: 'Bearer badge' } })).toEqual(user);
  expect(await plane.review('badge')).toMatchObject({ authenticated: true, user });
  expect(await plane.review('other')).toMatchObject({ error: 'invalid bearer token' });
});
