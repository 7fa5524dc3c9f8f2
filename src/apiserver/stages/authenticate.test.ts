import { describe, expect, test } from 'vitest';
import { RealClock } from '../../base/index.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';
import type { UserInfo } from '../request/principal.ts';
import { inProcessCall } from '../transport/index.ts';
import { authenticate, type Authenticator, certificateAuthenticator } from './authenticate.ts';

const ADA: ClientCertificate = { commonName: 'ada', organizations: ['dev'] };

/** Knows one token. */
const tokens: Authenticator = {
  authenticate(call) {
    const header = call.request.header('authorization') ?? '';
    if (!header.startsWith('Bearer ')) return undefined;
    return header === 'Bearer secret' ? { name: 'bob', uid: '2', groups: ['ops'] } : 'invalid';
  },
};
const both = [certificateAuthenticator, tokens];

interface Shown {
  readonly certificate?: ClientCertificate | 'invalid';
  readonly authorization?: string;
}

/** The user that a call with these credentials ends up with. */
async function userOf(shown: Shown, authenticators: readonly Authenticator[] = both): Promise<UserInfo | undefined> {
  const { certificate, authorization } = shown;
  const call = inProcessCall({
    method: 'GET',
    path: '/',
    headers: authorization === undefined ? {} : { authorization },
    ...(certificate === undefined ? {} : { certificate: certificate as ClientCertificate }),
    clock: new RealClock(),
  });
  await authenticate(authenticators)(call, async () => ({ type: 'status', status: { code: 200 } }) as never);
  return call.principal.user;
}

const REFUSED = { status: { code: 401, reason: 'Unauthorized' } };

describe('a user', () => {
  test('is authenticated by any valid credential', async () => {
    const ada = { name: 'ada', groups: ['dev', 'system:authenticated'] };
    const bob = { name: 'bob', groups: ['ops', 'system:authenticated'] };
    expect(await userOf({ certificate: ADA })).toMatchObject(ada);
    expect(await userOf({ authorization: 'Bearer secret' })).toMatchObject(bob);
    expect(await userOf({ certificate: ADA, authorization: 'Bearer wrong' })).toMatchObject(ada);
    expect(await userOf({ certificate: 'invalid', authorization: 'Bearer secret' })).toMatchObject(bob);
  });

  test('is anonymous without credentials that an authenticator understands', async () => {
    const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
    expect(await userOf({})).toEqual(anonymous);
    expect(await userOf({}, [])).toEqual(anonymous);
    expect(await userOf({ authorization: 'Bearer' })).toEqual(anonymous);
    expect(await userOf({ authorization: 'Basic YTpi' })).toEqual(anonymous);
  });

  test('is refused without credentials where anonymous requests are disabled', () => {
    const call = inProcessCall({ method: 'GET', path: '/', headers: {}, clock: new RealClock() });
    const stage = authenticate(both, { anonymous: false });
    expect(() => stage(call, async () => ({}) as never)).toThrow('Unauthorized');
  });

  test.each<readonly [string, Shown, readonly Authenticator[]]>([
    ['an unknown token', { authorization: 'Bearer wrong' }, both],
    [
      'an unknown token where no authenticator reads tokens',
      { authorization: 'bearer wrong' },
      [certificateAuthenticator],
    ],
    ['any token without authenticators', { authorization: 'Bearer secret' }, []],
    ['a certificate of a foreign authority', { certificate: 'invalid' }, both],
    ['a certificate of a foreign authority, asked first', { certificate: 'invalid' }, [certificateAuthenticator]],
    ['both wrong', { certificate: 'invalid', authorization: 'Bearer wrong' }, both],
  ])('is refused, not anonymous, with %s', async (_what, shown, authenticators) => {
    await expect(userOf(shown, authenticators)).rejects.toMatchObject(REFUSED);
  });
});
