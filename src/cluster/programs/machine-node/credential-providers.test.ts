import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeAgent } from '../../../node/index.ts';
import { MemoryMachine } from '../../../node/testing/memory-backend.ts';
import { NodeCluster } from '../../../node/testing/node-cluster.ts';
import { readCredentialProviders } from './credential-providers.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-providers-'));
});
afterEach(() => rm(folder, { recursive: true }));

const provider = (fields: string): string =>
  `apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n- name: helper\n  apiVersion: credentialprovider.kubelet.k8s.io/v1\n  matchImages: ['*.example.com', 'quay.io/team']\n  defaultCacheDuration: 1h\n${fields}`;

test('a provider is asked about images that match, with its arguments and environment', async () => {
  const program = join(folder, 'helper');
  const answer = `{"kind":"CredentialProviderResponse","apiVersion":"credentialprovider.kubelet.k8s.io/v1","cacheKeyType":"Registry","auth":{"a.example.com":{"username":"'$1'","password":"'$WORD'"}}}`;
  await writeFile(program, `#!/bin/sh\ncat >> ${folder}/asked\necho >> ${folder}/asked\necho '${answer}'\n`);
  await chmod(program, 0o755);
  const text = provider('  args: [ann]\n  env: [{ name: WORD, value: secret }]\n');
  const plugins = readCredentialProviders(text, { folder, environment: { PATH: '/usr/bin:/bin' } });
  const machine = new MemoryMachine();
  const tried: unknown[] = [];
  machine.images.pulling = async ({ image }, { auth }) => {
    tried.push([image, auth?.username, auth?.password]);
  };
  const asked = async (): Promise<readonly string[]> => {
    const lines = await readFile(join(folder, 'asked'), 'utf8').catch(() => '');
    return lines.split('\n').filter((line) => line !== '');
  };
  const until = async (count: number): Promise<void> => {
    while (tried.length < count) await new Promise((resolve) => void setImmediate(resolve));
  };
  await using cluster = await NodeCluster.start(nodeAgent({ backend: machine.open, images: { plugins } }));
  const spec = (image: string): object => ({ containers: [{ name: 'web', image }] });
  for (const [index, image] of [
    'a.example.com/web:1',
    'a.example.com/other:1',
    'docker.io/web:1',
    'quay.io/b:1',
  ].entries()) {
    await cluster.run({ metadata: { name: `web-${index}` }, spec: spec(image) as never });
    await until(index + 1);
  }
  expect(tried).toEqual([
    ['a.example.com/web:1', 'ann', 'secret'],
    ['a.example.com/other:1', 'ann', 'secret'],
    ['docker.io/web:1', undefined, undefined],
    ['quay.io/b:1', undefined, undefined],
  ]);
  expect((await asked()).map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      kind: 'CredentialProviderRequest',
      apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
      image: 'a.example.com/web',
    },
  ]);
});

test.each([
  ['providers[0].apiVersion', provider('').replace('credentialprovider.kubelet.k8s.io/v1', 'other/v1')],
  ['at least 1 item in matchImages', provider('').replace("['*.example.com', 'quay.io/team']", '[]')],
  ['must be the name of a program', provider('').replace('name: helper', 'name: ../helper')],
  ['serviceAccountTokenAudience: Required value', provider('  tokenAttributes: { cacheType: Token }\n')],
  ['cacheType: Unsupported value', provider('  tokenAttributes: { serviceAccountTokenAudience: a }\n')],
  ['unknown field', provider('  color: red\n')],
])('a configuration is refused: %s', (message, text) => {
  expect(() => readCredentialProviders(text, { folder, environment: {} })).toThrow(message);
});
