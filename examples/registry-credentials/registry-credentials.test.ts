import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundlePlugin } from '../../test/support/bundle-plugin.ts';
import { CredentialNode } from '../../test/support/credential-node.ts';

test('packed as a file, it gives pods the credentials of their accounts, and the node keeps them for ten minutes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-credentials-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const known = join(folder, 'known');
  await writeFile(known, 'default/builder: ann:secret\n');
  const program = await bundlePlugin(join(import.meta.dirname, 'main.ts'), join(folder, 'registry-credentials'));
  expect((await readFile(program)).length).toBeLessThan(40_000);
  await using node = await CredentialNode.start({
    folder,
    configuration: `
apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
- name: registry-credentials
  apiVersion: credentialprovider.kubelet.k8s.io/v1
  matchImages: ['*.example.com']
  defaultCacheDuration: 1h
  args: ['${known}']
  tokenAttributes:
    serviceAccountTokenAudience: registry.example.com
    cacheType: ServiceAccount
    requireServiceAccount: true
`,
  });
  for (const account of ['builder', 'stranger']) await node.addAccount(account);

  expect(await node.pull('r.example.com/team/a', 'builder')).toEqual({ username: 'ann', password: 'secret' });
  expect(await node.pull('r.example.com/team/b', 'stranger')).toEqual({});
  await writeFile(known, 'default/builder: ann:changed\n');
  expect(await node.pull('r.example.com/team/c', 'builder')).toEqual({ username: 'ann', password: 'secret' });
  await node.cluster.advance('11m');
  expect(await node.pull('r.example.com/team/d', 'builder')).toEqual({ username: 'ann', password: 'changed' });
  expect(await node.pull('docker.io/library/e', 'builder')).toEqual({});
});
