import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readWebhookKubeconfig, WebhookUsers } from './webhook-kubeconfig.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-webhook-'));
afterAll(() => rmSync(folder, { recursive: true }));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function written(content: object | string): string {
  const path = join(folder, 'config');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

interface Sketch {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

function config({ cluster, user, context }: Sketch): string {
  return written({
    clusters: [{ name: 'hook', cluster: { server: 'https://hook.test/path', ...cluster } }],
    users: [{ name: 'me', user: user ?? {} }],
    contexts: [{ name: 'it', context: { cluster: 'hook', user: 'me', ...context } }],
    'current-context': 'it',
  });
}

describe('a webhook in a file', () => {
  test('has an address, an authority, a server name, and credentials', () => {
    writeFileSync(join(folder, 'token'), 'from a file\n');
    writeFileSync(join(folder, 'ca.pem'), 'AUTHORITY');
    const cluster = { 'certificate-authority': 'ca.pem', 'tls-server-name': 'other.test' };
    expect(readWebhookKubeconfig(config({ cluster, user: { tokenFile: 'token' } }))).toEqual({
      target: { url: 'https://hook.test/path', caBundle: base64('AUTHORITY'), serverName: 'other.test' },
      credential: { authorization: 'Bearer from a file' },
    });
    const pair = { 'client-certificate-data': base64('CERTIFICATE'), 'client-key-data': base64('KEY') };
    expect(readWebhookKubeconfig(config({ cluster: { 'insecure-skip-tls-verify': true }, user: pair }))).toEqual({
      target: { url: 'https://hook.test/path', isInsecure: true },
      credential: { certificate: { certificate: 'CERTIFICATE', key: 'KEY' } },
    });
    const named = { username: 'me', password: 'secret' };
    expect(readWebhookKubeconfig(config({ user: named })).credential).toEqual({
      authorization: `Basic ${base64('me:secret')}`,
    });
    expect(readWebhookKubeconfig(config({ context: { user: '' } })).credential).toEqual({});
  });

  test('is found from the working folder, and what it names from its own', () => {
    writeFileSync(join(folder, 'token'), 'beside it');
    const path = relative(process.cwd(), config({ user: { tokenFile: './token' } }));
    expect(readWebhookKubeconfig(path).credential).toEqual({ authorization: 'Bearer beside it' });
    expect(new WebhookUsers(path).credentialFor('any.test:443')).toEqual({ authorization: 'Bearer beside it' });

    const missing = relative(process.cwd(), join(folder, 'missing'));
    expect(() => readWebhookKubeconfig(missing)).toThrow(`"${missing}": cannot read it: ENOENT`);
  });

  test.each<[string, string, () => string]>([
    [
      'a certificate without key',
      'a client certificate and its key go together',
      () => config({ user: { 'client-certificate-data': base64('C') } }),
    ],
    [
      'a key without certificate',
      'a client certificate and its key go together',
      () => config({ user: { 'client-key-data': base64('K') } }),
    ],
    [
      'a credential plugin',
      'credential plugins are not supported here; use a client certificate or a token',
      () => config({ user: { exec: {} } }),
    ],
    [
      'a file that is missing',
      'cannot read "no.pem"',
      () => config({ cluster: { 'certificate-authority': 'no.pem' } }),
    ],
    [
      'another protocol',
      'server "ftp://a" is not an http or https URL',
      () => config({ cluster: { server: 'ftp://a' } }),
    ],
    ['no address', 'server "" is not an http or https URL', () => config({ cluster: { server: '' } })],
    ['a cluster that is missing', 'there is no cluster "other"', () => config({ context: { cluster: 'other' } })],
    ['no cluster', 'it names no cluster', () => config({ context: { cluster: '' } })],
    ['a user that is missing', 'there is no user "other"', () => config({ context: { user: 'other' } })],
    ['no context', 'it names no context', () => written({})],
    ['a list', 'it is not a kubeconfig', () => written('[]')],
    ['what is no YAML', 'it is not YAML', () => written('a: b: c')],
  ])('with %s is refused', (_what, why, make) => {
    const path = make();
    expect(() => readWebhookKubeconfig(path)).toThrow(`Cannot use webhook configuration "${path}": ${why}`);
  });
});

test('users are found by host and port, by wildcards, without the default port, by `*`, or by the context', () => {
  const user = (name: string): object => ({ name, user: { token: name } });
  const names = ['a.example.com:8443', '*.example.com:8443', 'a.example.com', '*.com', 'usual'];
  const users = (all: readonly string[]): WebhookUsers =>
    new WebhookUsers(
      written({
        users: all.map(user),
        contexts: [{ name: 'it', context: { user: 'usual' } }],
        'current-context': 'it',
      }),
    );
  const found = (all: readonly string[], host: string): string | undefined =>
    users(all).credentialFor(host)?.authorization?.replace('Bearer ', '');

  expect(found(names, 'a.example.com:8443')).toBe('a.example.com:8443');
  expect(found(names, 'b.example.com:8443')).toBe('*.example.com:8443');
  expect(found(names, 'a.example.com:443')).toBe('a.example.com');
  expect(found(names, 'b.example.com:443')).toBe('*.com');
  expect(found(names, 'b.example.com:444')).toBe('usual');
  expect(found([...names, '*'], 'b.example.com:444')).toBe('*');
  expect(new WebhookUsers(written({ users: [] })).credentialFor('a:443')).toBe(undefined);
});
