import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import { testdata, testdataPath } from '../testing/test-server.ts';
import type { ContextOptions } from './context-connection.ts';
import { environmentProxy } from './environment-proxy.ts';
import { inClusterConnection } from './in-cluster-connection.ts';
import { contextConnection, loadKubeconfig, parseKubeconfig } from './lazy-kubeconfig.ts';

const clock = new VirtualClock();
const never = new AbortController().signal;

/** A temporary folder. */
async function folder(files: Readonly<Record<string, string>>): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'keelson-kubeconfig-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

function config(parts: { readonly cluster?: object; readonly user?: object; readonly context?: object }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://example.test:6443', ...parts.cluster } }],
    users: [{ name: 'u', user: parts.user ?? {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...parts.context } }],
    'current-context': 'x',
  });
}

async function connectionOf(text: string, options: Partial<ContextOptions> = {}): Promise<ClusterConnection> {
  const parsed = await parseKubeconfig(text, '/home/me/.kube/config');
  return contextConnection(parsed, { clock, environment: {}, isTerminal: false, ...options });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('a context', () => {
  test('gives the server, its certificate authority and the namespace', async () => {
    const connection = await connectionOf(`
apiVersion: v1
kind: Config
current-context: x
clusters:
- name: c
  cluster:
    server: https://example.test:6443
    tls-server-name: api.example.test
    certificate-authority-data: ${base64(testdata('authority.crt'))}
    proxy-url: http://proxy.test:3128
    disable-compression: yes
users:
- name: u
  user: {token: secret}
contexts:
- name: x
  context: {cluster: c, user: u, namespace: team}
`);

    expect(connection).toMatchObject({
      server: 'https://example.test:6443',
      tlsServerName: 'api.example.test',
      certificateAuthority: { pem: testdata('authority.crt') },
      proxyUrl: 'http://proxy.test:3128',
      disableCompression: true,
      insecureSkipTlsVerify: false,
      namespace: 'team',
    });
    expect(await connection.credentials?.current(never)).toEqual({ authorization: 'Bearer secret' });
  });

  test('certificates come from data or from files', async () => {
    const pair = { certificate: testdata('client.crt'), key: testdata('client.key') };
    const fromData = await connectionOf(
      config({ user: { 'client-certificate-data': base64(pair.certificate), 'client-key-data': base64(pair.key) } }),
    );
    const fromFiles = await connectionOf(
      config({ user: { 'client-certificate': testdataPath('client.crt'), 'client-key': testdataPath('client.key') } }),
    );

    expect(await fromData.credentials?.current(never)).toEqual({ certificate: pair });
    expect(await fromFiles.credentials?.current(never)).toEqual({ certificate: pair });
  });

  test('user name and password become a header', async () => {
    const connection = await connectionOf(config({ user: { username: 'jane', password: 'pass' } }));

    expect(await connection.credentials?.current(never)).toEqual({ authorization: 'Basic amFuZTpwYXNz' });
  });

  test('impersonation is read', async () => {
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { scopes: ['x'] } };

    expect((await connectionOf(config({ user }))).impersonate).toEqual({
      user: 'jane',
      uid: '7',
      groups: ['a', 'b'],
      extra: { scopes: ['x'] },
    });
  });

  test('another context than the current one can be named', async () => {
    const text = JSON.stringify({
      clusters: [
        { name: 'c', cluster: { server: 'https://one.test' } },
        { name: 'd', cluster: { server: 'https://two.test' } },
      ],
      users: [{ name: 'u' }],
      contexts: [
        { name: 'x', context: { cluster: 'c', user: 'u' } },
        { name: 'y', context: { cluster: 'd', user: 'u' } },
      ],
      'current-context': 'x',
    });

    expect((await connectionOf(text, { context: 'y' })).server).toBe('https://two.test');
  });

  test('a path is relative to the kubeconfig that names it', async () => {
    await using there = await folder({
      config: config({ user: { tokenFile: 'token' }, cluster: { 'certificate-authority': 'ca.crt' } }),
      token: ' from-file\n',
      'ca.crt': 'PEM',
    });
    const loaded = await loadKubeconfig({ path: join(there.path, 'config') });

    const connection = await contextConnection(loaded, { clock, environment: {}, isTerminal: false });

    expect(connection.certificateAuthority).toEqual({ path: join(there.path, 'ca.crt') });
    expect(await connection.credentials?.current(never)).toEqual({ authorization: 'Bearer from-file' });
  });
});

describe('unusable entries are errors that name file and entry', () => {
  const place = 'in kubeconfig "/home/me/.kube/config"';

  test.each<[string, string, string]>([
    ['no YAML', 'a: [', 'Cannot read kubeconfig "/home/me/.kube/config": '],
    ['a list', '[]', 'Cannot read kubeconfig "/home/me/.kube/config": it is not a mapping'],
    ['another kind', '{"apiVersion": "v1", "kind": "Pod"}', 'it is Pod of "v1", not Config of "v1"'],
    [
      'a cluster without a name',
      '{"clusters": [{}]}',
      'Cannot use clusters[0] in kubeconfig "/home/me/.kube/config": "name" is missing',
    ],
    ['two clusters of a name', '{"clusters": [{"name": "a"}, {"name": "a"}]}', '"clusters" has two entries named "a"'],
    ['no current context', '{}', 'the kubeconfig has no current context, and none was named'],
    ['a context that is not there', '{"current-context": "y"}', 'the kubeconfig has no context "y"'],
    [
      'a cluster that is not there',
      config({ context: { cluster: 'd' } }),
      `Cannot use context "x" ${place}: there is no cluster "d"`,
    ],
    [
      'a user that is not there',
      config({ context: { user: 'v' } }),
      `Cannot use context "x" ${place}: there is no user "v"`,
    ],
    ['no server', config({ cluster: { server: '' } }), `Cannot use cluster "c" ${place}: "server" is missing`],
    [
      'a server that is no URL',
      config({ cluster: { server: 'ftp://x' } }),
      'server "ftp://x" is not an http or https URL',
    ],
    ['a number for a token', config({ user: { token: 7 } }), `Cannot read user "u" ${place}: "token" is not a string`],
    ['data that is no base64', config({ user: { 'client-key-data': '?' } }), '"client-key-data" is not base64'],
    [
      'a file that is not there',
      config({ user: { tokenFile: '/nowhere/token' } }),
      `Cannot use user "u" ${place}: cannot read tokenFile "/nowhere/token"`,
    ],
    [
      'both kinds of authority',
      config({ cluster: { 'certificate-authority': '/a', 'certificate-authority-data': 'YQ==' } }),
      'are both set',
    ],
    [
      'an authority that is ignored',
      config({ cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': 'YQ==' } }),
      'exclude each other',
    ],
    [
      'a certificate without a key',
      config({ user: { 'client-certificate-data': 'YQ==' } }),
      'a client certificate needs "client-key" or "client-key-data"',
    ],
    [
      'a token and a password',
      config({ user: { token: 'a', username: 'b' } }),
      '"token" and "username" exclude each other',
    ],
    [
      'an old auth provider',
      config({ user: { 'auth-provider': { name: 'gcp' } } }),
      'auth-provider "gcp" is not supported',
    ],
    ['groups without a user to act as', config({ user: { 'as-groups': ['a'] } }), 'need "as"'],
    ['a proxy of another kind', config({ cluster: { 'proxy-url': 'socks5://x' } }), 'not "socks5"'],
    [
      'a plugin without a command',
      config({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1' } } }),
      `Cannot use "exec" of user "u" ${place}: "command" is missing`,
    ],
    [
      'a plugin of an old version',
      config({ user: { exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      'is not supported',
    ],
    [
      'a plugin that does not say whether it asks',
      config({ user: { exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1' } } }),
      '"interactiveMode" is missing',
    ],
  ])('%s', async (_what, text, message) => {
    const attempt = (async () => connectionOf(text))();

    await expect(attempt).rejects.toMatchObject({ name: 'KubeconfigError', message: expect.stringContaining(message) });
  });
});

describe('several files', () => {
  const one = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://one.test' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  });
  const two = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://two.test', 'tls-server-name': 'two' } }],
    users: [{ name: 'u', user: { token: 'two' } }],
    'current-context': 'x',
  });

  test('the first entry of a name counts as a whole, and so does the first current context', async () => {
    await using there = await folder({ one, two });
    const paths = [join(there.path, 'one'), join(there.path, 'missing'), join(there.path, 'two')];

    const merged = await loadKubeconfig({ environment: { KUBECONFIG: paths.join(delimiter) } });

    expect(merged.currentContext).toBe('x');
    expect(merged.clusters.get('c')).toMatchObject({ server: 'https://one.test', tlsServerName: undefined });
    expect(merged.users.get('u')).toMatchObject({ token: 'two' });
  });

  test('a file that is named must exist', async () => {
    await expect(loadKubeconfig({ path: '/nowhere/config' })).rejects.toThrow(
      'Cannot read kubeconfig "/nowhere/config": there is no such file',
    );
  });

  test('no file at all is an empty kubeconfig', async () => {
    const empty = await loadKubeconfig({ environment: { KUBECONFIG: '/nowhere/config' } });

    expect(empty.contexts.size).toBe(0);
  });
});

describe('inside a pod', () => {
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  test('the service account and the addresses in the environment are used', async () => {
    await using there = await folder({ token: 'sa-token', 'ca.crt': 'PEM', namespace: 'team\n' });

    const connection = await inClusterConnection({ clock, environment, folder: there.path });

    expect(connection).toMatchObject({
      server: 'https://[fd00::1]:443',
      namespace: 'team',
      certificateAuthority: { path: join(there.path, 'ca.crt') },
    });
    expect(await connection?.credentials?.current(never)).toEqual({ authorization: 'Bearer sa-token' });
  });

  test('without them it is not a pod', async () => {
    await using there = await folder({});

    expect(await inClusterConnection({ clock, environment, folder: there.path })).toBeUndefined();
    expect(await inClusterConnection({ clock, environment: {}, folder: there.path })).toBeUndefined();
  });
});

describe('a proxy from the environment', () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ['https://api.example.test:6443', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
    ['https://api.example.test:6443', { https_proxy: 'p:1' }, 'http://p:1'],
    ['https://api.example.test:6443', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://api.example.test', { HTTP_PROXY: 'http://p:1' }, 'http://p:1'],
    ['https://127.0.0.1:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['https://localhost:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['https://api.example.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example.test' }, undefined],
    ['https://api.example.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.example.test' }, undefined],
    ['https://example.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.example.test' }, 'http://p:1'],
    ['https://api.example.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'ample.test' }, 'http://p:1'],
    ['https://api.example.test:6443', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'api.example.test:443' }, 'http://p:1'],
    ['https://api.example.test:6443', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a, api.example.test:6443' }, undefined],
    ['https://10.1.2.3', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8' }, undefined],
    ['https://11.1.2.3', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8' }, 'http://p:1'],
    ['https://[fd00::5]', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'fd00::/16' }, undefined],
    ['https://api.example.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
  ])('%s with %o', (server, environment, proxy) => {
    expect(environmentProxy(server, environment)).toBe(proxy);
  });
});
