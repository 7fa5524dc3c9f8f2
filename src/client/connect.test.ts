import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubeconfigText } from '../cluster/index.ts';
import { connect, connectTo, findConnection } from './connect.ts';
import { json, testdata, testdataPath, TestServer } from './testing/test-server.ts';

test('a client finds its cluster as kubectl does', async () => {
  await using server = await TestServer.start((_request, response) => json(response, 200, { gitVersion: 'v1.36.0' }));
  const folder = await mkdtemp(join(tmpdir(), 'keelson-connect-'));
  const path = join(folder, 'config');
  const client = { certificate: testdata('client.crt'), privateKey: testdata('client.key') };
  await writeFile(
    path,
    kubeconfigText({ name: 'test', server: server.url, certificateAuthority: testdata('authority.crt'), client }),
  );
  try {
    await using connected = await connect({ environment: { KUBECONFIG: path }, userAgent: 'finder' });

    expect((await connected.apis.version()).gitVersion).toBe('v1.36.0');
    expect(connected.defaultNamespace).toBe('default');
    expect(server.seen[0]).toMatchObject({ user: 'client', path: '/version', headers: { 'user-agent': 'finder' } });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a connection can be written by hand', async () => {
  await using server = await TestServer.start((_request, response) => json(response, 200, {}));
  await using client = connectTo({
    server: server.url,
    certificateAuthority: { path: testdataPath('authority.crt') },
    impersonate: { user: 'jane', groups: ['a', 'b'] },
    namespace: 'team',
  });

  await client.request({ method: 'GET', path: '/x' });

  expect(client.defaultNamespace).toBe('team');
  expect(server.seen[0]?.headers).toMatchObject({ 'impersonate-user': 'jane' });
  expect(String(server.seen[0]?.headers['impersonate-group'])).toMatch(/^a, ?b$/);
});

test('without a kubeconfig and outside of a pod no cluster is found', async () => {
  await expect(findConnection({ environment: { KUBECONFIG: '/nowhere/config' } })).rejects.toThrow(
    'Cannot find a cluster: there is no kubeconfig at "/nowhere/config" (as $KUBECONFIG says), and this process does not run in a pod',
  );
});
