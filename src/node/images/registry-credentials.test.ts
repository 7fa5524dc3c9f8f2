import { expect, test } from 'vitest';
import { credentialsOf, matchingCredentials } from './registry-credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function secret(auths: object): Readonly<Record<string, string>> {
  return { '.dockerconfigjson': base64(JSON.stringify({ auths })) };
}

const usersFor = (data: Readonly<Record<string, string>>, image: string): unknown[] =>
  matchingCredentials(credentialsOf(data), image).map(({ username }) => username);

test('credentials are read from both kinds of secrets, in the open or encoded', () => {
  const auths = { 'quay.io': { auth: base64('ann:pass:word') }, 'gcr.io': { username: 'bob', password: 'b' } };
  expect(credentialsOf(secret(auths)).map(({ auth }) => auth)).toEqual([
    { username: 'ann', password: 'pass:word' },
    { username: 'bob', password: 'b' },
  ]);
  expect(usersFor({ '.dockercfg': base64(JSON.stringify(auths)) }, 'quay.io/a/b:1')).toEqual(['ann']);
  expect(credentialsOf({ '.dockerconfigjson': base64('{') })).toEqual([]);
  expect(credentialsOf({})).toEqual([]);
});

test('an image is matched by host, port and path, the longest place first', () => {
  const user = (username: string): object => ({ username, password: 'x' });
  const data = secret({
    'https://quay.io/v1/': user('quay'),
    'quay.io/team': user('team'),
    '*.example.com': user('any'),
    'example.com:5000': user('port'),
    'https://index.docker.io/v1/': user('docker'),
  });
  expect(usersFor(data, 'quay.io/team/web:1')).toEqual(['team', 'quay']);
  expect(usersFor(data, 'quay.io/other/web')).toEqual(['quay']);
  expect(usersFor(data, 'a.example.com/web')).toEqual(['any']);
  expect(usersFor(data, 'a.b.example.com/web')).toEqual([]);
  expect(usersFor(data, 'example.com:5000/web')).toEqual(['port']);
  expect(usersFor(data, 'nginx')).toEqual(['docker']);
  expect(usersFor(data, 'docker.io/library/nginx')).toEqual(['docker']);
});
