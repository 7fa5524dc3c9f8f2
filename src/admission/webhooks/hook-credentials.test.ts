import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInTypes } from '../../api/index.ts';
import { WebhookClient, WebhookUsers } from '../../apiserver/index.ts';
import { RandomUidSource, SeededRandom, VirtualClock } from '../../base/index.ts';
import { checkPolicyConfiguration } from '../static-manifests.ts';
import { identified } from './hook-credentials.ts';

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\n';
const NAMES = ['hook.ns.svc', '*.example.com:8443', '*.org', '10.0.0.1:443', '*'];
let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-users-'));
  path = join(folder, 'kubeconfig');
  const users = NAMES.map((name) => ({ name, user: { token: name } }));
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }));
});

afterAll(() => rmSync(folder, { recursive: true }));

function client(): WebhookClient {
  const services = { resolve: () => Promise.reject(new Error('no services')) };
  const uids = new RandomUidSource(new SeededRandom(1));
  return new WebhookClient({ clock: new VirtualClock(), uids, types: builtInTypes(), services });
}

describe('the user of a webhook', () => {
  test.each([
    ['hook.ns.svc:443', 'hook.ns.svc'],
    ['hook.ns.svc:8443', '*'],
    ['a.b.example.com:8443', '*.example.com:8443'],
    ['example.com:8443', '*'],
    ['a.b.org:443', '*.org'],
    ['10.0.0.1:443', '10.0.0.1:443'],
  ])('%s is %s', (hostAndPort, name) => {
    expect(new WebhookUsers(path).credentialFor(hostAndPort)).toEqual({ authorization: `Bearer ${name}` });
  });

  test('is that of the current context when no name matches, or anonymous', () => {
    const other = join(folder, 'other');
    const users = [{ name: 'me', user: { username: 'u', password: 'p' } }];
    const contexts = [{ name: 'c', context: { user: 'me' } }];
    writeFileSync(other, JSON.stringify({ users, contexts, 'current-context': 'c' }));
    expect(new WebhookUsers(other).credentialFor('x:1')).toEqual({ authorization: 'Basic dTpw' });
    writeFileSync(other, JSON.stringify({ users }));
    expect(new WebhookUsers(other).credentialFor('x:1')).toBeUndefined();
  });
});

describe('identified()', () => {
  test('leaves the client as it is without a kubeconfig', () => {
    using usual = client();
    expect(identified(usual, undefined)).toBe(usual);
    expect(identified(usual, HEAD)).toBe(usual);
    expect(identified(usual, `${HEAD}kubeConfigFile: ${path}`)).not.toBe(usual);
  });

  test.each([
    ['kubeConfigFile: foo', 'kubeConfigFile: Invalid value: "foo": must be an absolute file path'],
    ['kubeConfigFile: /nowhere', 'stat /nowhere: no such file or directory'],
    ['foo: /nowhere', 'strict decoding error: unknown field "foo"'],
    [
      'staticManifestsDir: /tmp',
      'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
    ],
  ])('refuses %s as kube-apiserver does', (line, problem) => {
    using usual = client();
    expect(() => identified(usual, HEAD + line)).toThrow(expect.objectContaining({ message: problem }));
  });
});

test('policies take configurations of their own kind only', () => {
  const kind = 'MutatingAdmissionPolicyConfiguration';
  expect(() => checkPolicyConfiguration(kind, HEAD)).toThrow('no kind "WebhookAdmissionConfiguration" is registered');
  expect(() => checkPolicyConfiguration(kind, HEAD.replace('WebhookAdmissionConfiguration', kind))).not.toThrow();
});
