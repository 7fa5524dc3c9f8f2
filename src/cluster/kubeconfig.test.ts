import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeKubeconfig } from './kubeconfig.ts';

const access = {
  name: 'keelson',
  server: 'https://127.0.0.1:6443',
  certificateAuthority: 'CA',
  client: { certificate: 'CRT', privateKey: 'KEY' },
};

describe('writeKubeconfig', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-kubeconfig-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('writes a file of its own that only its owner may read', async () => {
    const path = join(folder, 'sub', 'config');
    await writeKubeconfig(path, access);

    expect(load(await readFile(path, 'utf8'))).toMatchObject({ 'current-context': 'keelson', kind: 'Config' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('keeps other clusters and replaces its own entry', async () => {
    const path = join(folder, 'config');
    await writeFile(path, 'kind: Config\ncurrent-context: other\nclusters:\n- {name: other, cluster: {server: x}}\n');
    await writeKubeconfig(path, access);
    await writeKubeconfig(path, { ...access, server: 'https://127.0.0.1:7443' });

    const config = load(await readFile(path, 'utf8')) as { clusters: { name: string; cluster: { server: string } }[] };
    expect(config.clusters.map(({ name, cluster }) => [name, cluster.server])).toEqual([
      ['other', 'x'],
      ['keelson', 'https://127.0.0.1:7443'],
    ]);
  });

  test('refuses to merge into what is no kubeconfig, and leaves it alone', async () => {
    const path = join(folder, 'config');
    await writeFile(path, '- a\n- list\n');

    await expect(writeKubeconfig(path, access)).rejects.toThrow(/Cannot merge into kubeconfig/);
    expect(await readFile(path, 'utf8')).toBe('- a\n- list\n');
  });
});
