import { expect, test } from 'vitest';
import { RealClock } from '../../base/index.ts';
import { inProcessCall } from '../transport/index.ts';
import { TokenFileAuthenticator, TokenFileError } from './token-file.ts';

const file = 'secret,ada,1,"dev,ops"\n# a comment\n\nother,bob,2\n';

function withToken(authorization: string | undefined): ReturnType<typeof inProcessCall> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return inProcessCall({ method: 'GET', path: '/', headers, clock: new RealClock() });
}

test('a known token names its user and groups', () => {
  const tokens = new TokenFileAuthenticator(file);
  expect(tokens.authenticate(withToken('Bearer secret'))).toEqual({ name: 'ada', uid: '1', groups: ['dev', 'ops'] });
  expect(tokens.authenticate(withToken('bearer other'))).toEqual({ name: 'bob', uid: '2', groups: [] });
});

test('an unknown token is wrong, no token is none', () => {
  const tokens = new TokenFileAuthenticator(file);
  expect(tokens.authenticate(withToken('Bearer nope'))).toBe('invalid');
  expect(tokens.authenticate(withToken(undefined))).toBeUndefined();
});

test('a line without a user is refused with its number', () => {
  expect(() => new TokenFileAuthenticator('a,b,c\nlonely\n')).toThrow(
    new TokenFileError('Cannot read token file: line 2 needs token, user and uid'),
  );
});
