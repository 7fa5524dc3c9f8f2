import { expect, test } from 'vitest';
import { TokenFileAuthenticator, TokenFileError } from './token-file.ts';

const file = 'secret,ada,1,"dev,ops"\n# a comment\n\nother,bob,2\n';

test('a known token names its user and groups', () => {
  const tokens = new TokenFileAuthenticator(file);
  expect(tokens.authenticate('secret')).toEqual({
    type: 'known',
    user: { name: 'ada', uid: '1', groups: ['dev', 'ops'] },
  });
  expect(tokens.authenticate('other')).toEqual({ type: 'known', user: { name: 'bob', uid: '2', groups: [] } });
});

test('another token is not known', () => {
  expect(new TokenFileAuthenticator(file).authenticate('nope')).toEqual({ type: 'unknown' });
});

test('an error about a line without a user names the line', () => {
  expect(() => new TokenFileAuthenticator('a,b,c\nlonely\n')).toThrow(
    new TokenFileError('Cannot read token file: line 2 needs token, user and uid'),
  );
});
