import * as files from 'node:fs/promises';
import { chmod, chown, mkdtemp, readdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CryptoRandom, RealClock, VirtualClock } from '../base/index.ts';
import { writeKubeconfig } from './kubeconfig.ts';

const access = {
  name: 'keelson',
  server: 'https://127.0.0.1:6443',
  certificateAuthority: 'CA',
  client: { certificate: 'CRT', privateKey: 'KEY' },
};

/** As kubectl writes it. */
function writeFile(path: string, text: string): Promise<void> {
  return files.writeFile(path, text, { mode: 0o600 });
}

const options = { random: new CryptoRandom(), clock: new RealClock() };

describe('writeKubeconfig', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-kubeconfig-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('writes a file of its own that only its owner may read', async () => {
    const path = join(folder, 'sub', 'config');
    await writeKubeconfig(path, access, options);

    expect(load(await readFile(path, 'utf8'))).toMatchObject({ 'current-context': 'keelson', kind: 'Config' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('keeps other clusters and replaces its own entry', async () => {
    const path = join(folder, 'config');
    await writeFile(path, 'kind: Config\ncurrent-context: other\nclusters:\n- {name: other, cluster: {server: x}}\n');
    await writeKubeconfig(path, access, options);
    await writeKubeconfig(path, { ...access, server: 'https://127.0.0.1:7443' }, options);

    const config = load(await readFile(path, 'utf8')) as { clusters: { name: string; cluster: { server: string } }[] };
    expect(config.clusters.map(({ name, cluster }) => [name, cluster.server])).toEqual([
      ['other', 'x'],
      ['keelson', 'https://127.0.0.1:7443'],
    ]);
  });

  test('many who write at once lose nothing', async () => {
    const path = join(folder, 'config');
    const names = Array.from({ length: 12 }, (_unused, index) => `cluster-${index}`);
    await Promise.all(names.map((name) => writeKubeconfig(path, { ...access, name }, options)));

    const { clusters } = load(await readFile(path, 'utf8')) as { clusters: { name: string }[] };
    expect(clusters.map(({ name }) => name).sort()).toEqual(names.toSorted());
    expect(await readdir(folder)).toEqual(['config']);
  });

  test('waits for the lock that kubectl takes, and names one that stays', async () => {
    const path = join(folder, 'config');
    await writeFile(`${path}.lock`, '');
    const clock = new VirtualClock();
    const outcome = writeKubeconfig(path, access, { ...options, clock }).catch((error: unknown) => error);
    const waited = async (): Promise<unknown> => {
      for (;;) {
        const ended = await Promise.race([outcome, new Promise((resolve) => void setImmediate(resolve, 'not yet'))]);
        if (ended !== 'not yet') return ended;
        await clock.advance(1_000);
      }
    };

    expect(String(await waited())).toContain(`Cannot write kubeconfig "${path}": "${path}.lock" is there`);
    expect(await readdir(folder)).toEqual(['config.lock']);
  });

  test('refuses to merge into what is no kubeconfig, and leaves it alone', async () => {
    const path = join(folder, 'config');
    await writeFile(path, '- a\n- list\n');

    await expect(writeKubeconfig(path, access, options)).rejects.toThrow(/Cannot merge into kubeconfig/);
    expect(await readFile(path, 'utf8')).toBe('- a\n- list\n');
  });

  test('keeps comments, anchors, merge keys and everything else that is not its own', async () => {
    const path = join(folder, 'config');
    const text = [
      '# my clusters',
      'apiVersion: v1',
      'kind: Config',
      'x-defaults: &defaults',
      '  insecure-skip-tls-verify: true # only at home',
      'clusters:',
      '# the first',
      '- name: other # mine',
      '  cluster:',
      '    <<: *defaults',
      '    server: https://other',
      '',
      '# who I am',
      'users:',
      '  - name: me',
      '    user: {token: "0123"}',
      'contexts: []',
      'current-context: other # for now',
      'preferences: {}',
      '',
    ].join('\n');
    await writeFile(path, text);
    await writeKubeconfig(path, access, options);
    const once = await readFile(path, 'utf8');
    await writeKubeconfig(path, { ...access, server: 'https://127.0.0.1:7443' }, options);
    const twice = await readFile(path, 'utf8');

    for (const line of text.split('\n').filter((each) => !/^(contexts|current-context)/.test(each)))
      expect(once.split('\n')).toContain(line);
    expect(once).toContain('current-context: keelson # for now\n');
    expect(twice).toBe(once.replace(':6443', ':7443'));
    expect(load(twice)).toMatchObject({
      users: [{ name: 'me' }, { name: 'keelson' }],
      contexts: [{ name: 'keelson' }],
    });
  });

  test('keeps what flow style says, though not its looks', async () => {
    const path = join(folder, 'config');
    await writeFile(path, '{"clusters": [{"name": "other", "cluster": {"server": "x"}}], "current-context": "other"}');
    await writeKubeconfig(path, access, options);

    const config = load(await readFile(path, 'utf8')) as { clusters: { name: string }[]; 'current-context': string };
    expect(config.clusters.map(({ name }) => name)).toEqual(['other', 'keelson']);
    expect(config['current-context']).toBe('keelson');
  });

  test('replaces an entry that others refer to by an anchor, and keeps what they say', async () => {
    const path = join(folder, 'config');
    const text = 'clusters:\n- name: keelson\n  cluster: &c {server: old}\n- name: other\n  cluster: *c\n';
    await writeFile(path, text);
    await writeKubeconfig(path, access, options);

    const { clusters } = load(await readFile(path, 'utf8')) as { clusters: { cluster: { server: string } }[] };
    expect(clusters.map(({ cluster }) => cluster.server)).toEqual([access.server, 'old']);
  });

  test('keeps a symbolic link and the mode of the file that it leads to', async () => {
    const target = join(folder, 'real');
    await writeFile(target, 'kind: Config\n');
    await chmod(target, 0o700);
    await symlink('real', join(folder, 'config'));
    await writeKubeconfig(join(folder, 'config'), access, options);

    expect(await readlink(join(folder, 'config'))).toBe('real');
    expect((await stat(target)).mode & 0o777).toBe(0o700);
    expect(await readFile(target, 'utf8')).toContain('keelson');
  });

  test.each([0o644, 0o640, 0o602])('refuses a file of mode %o, which others could read or change', async (mode) => {
    const [path, linked] = [join(folder, 'config'), join(folder, 'link')];
    await writeFile(path, 'kind: Config\n');
    await chmod(path, mode);
    await symlink('config', linked);
    for (const each of [path, linked]) {
      await expect(writeKubeconfig(each, access, options)).rejects.toThrow(
        `Cannot write kubeconfig "${each}": other users have access to it (mode ${mode.toString(8)})`,
      );
    }
    expect(await readFile(path, 'utf8')).toBe('kind: Config\n');
    expect(await readdir(folder)).toEqual(['config', 'link']);
  });

  test.skipIf(process.getuid?.() !== 0)('refuses a file or a link of another user', async () => {
    const [path, linked, foreign] = ['config', 'link', 'foreign'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(path, 'kind: Config\n');
    await chown(path, 4242, 4242);
    await symlink('config', linked);
    await symlink('own', foreign);
    await writeFile(join(folder, 'own'), 'kind: Config\n');
    await files.lchown(foreign, 4242, 4242);
    for (const each of [path, linked, foreign]) {
      await expect(writeKubeconfig(each, access, options)).rejects.toThrow('it belongs to another user (uid 4242)');
    }
    expect(await readFile(path, 'utf8')).toBe('kind: Config\n');
    expect(await readFile(join(folder, 'own'), 'utf8')).toBe('kind: Config\n');
  });

  test('refuses a link that leads nowhere, and what is no file', async () => {
    await symlink('missing', join(folder, 'link'));
    await expect(writeKubeconfig(join(folder, 'link'), access, options)).rejects.toThrow('leads nowhere');
    await expect(writeKubeconfig(folder, access, options)).rejects.toThrow('it is not a file');
  });

  test('leaves alone a read-only file and whatever has a name like its own', async () => {
    const path = join(folder, 'config');
    await writeFile(path, 'kind: Config\n');
    await writeFile(`${path}.new`, 'precious');
    await writeKubeconfig(path, access, options);
    expect(await readFile(`${path}.new`, 'utf8')).toBe('precious');
    expect(await readdir(folder)).toEqual(['config', 'config.new']);

    await writeFile(path, 'kind: Config\n');
    await chmod(path, 0o400);
    await expect(writeKubeconfig(path, access, options)).rejects.toThrow(
      /Cannot write kubeconfig ".*config": .*read-only/,
    );
    expect(await readFile(path, 'utf8')).toBe('kind: Config\n');
  });

  test.each([
    ['kind: Config\nclusters:\n- name: [', /config", line 3: /],
    ['kind: Config\nclusters: 7\n', /config", line 2: "clusters" is not a list of named entries/],
    ['users:\n- 7\n', /config", line 1: "users" is not a list of named entries/],
  ])('names the file and the line of what is malformed: %j', async (text, message) => {
    const path = join(folder, 'config');
    await writeFile(path, text);

    await expect(writeKubeconfig(path, access, options)).rejects.toThrow(message);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
