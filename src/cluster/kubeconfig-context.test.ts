import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../base/index.ts';
import { KubeconfigContext } from './kubeconfig-context.ts';

interface Config {
  readonly 'current-context': string;
  readonly contexts: readonly { readonly name: string; readonly context: Record<string, unknown> }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[];
  readonly users: readonly { readonly name: string }[];
}

const accessTo = (port: number, certificateAuthority = `CA of ${port}`) => ({
  name: 'keelson',
  server: `https://127.0.0.1:${port}`,
  certificateAuthority,
  client: { certificate: 'CRT', privateKey: 'KEY' },
});
const inMemory = { random: new CryptoRandom(), clock: new RealClock(), isEphemeral: true };
const onDisk = { ...inMemory, isEphemeral: false };
const COMMENT = '# by hand';
const OTHER = `${COMMENT}
apiVersion: v1
kind: Config
current-context: other
clusters:
- name: other
  cluster: {server: "https://other"}
users:
- name: other
  user: {}
contexts:
- name: other
  context: {cluster: other, user: other}
`;

describe('the context of a running cluster', () => {
  let folder = '';
  let path = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-context-'));
    path = join(folder, 'config');
    await writeFile(path, OTHER, { mode: 0o600 });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const config = async (): Promise<Config> => load(await readFile(path, 'utf8')) as Config;
  const servers = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await config()).clusters.map(({ name, cluster }) => [name, cluster.server]));

  test('is current while the cluster runs, and leaves the file as it was', async () => {
    const context = await KubeconfigContext.write(path, accessTo(1), inMemory);
    expect((await config())['current-context']).toBe('keelson');
    expect(context).toMatchObject({ name: 'keelson', isRenamed: false });

    expect(await context.release()).toBe('other');
    expect(load(await readFile(path, 'utf8'))).toEqual(load(OTHER));
    expect(await readFile(path, 'utf8')).toContain(COMMENT);
  });

  test('does not take the name of another cluster that runs, or of one that we know nothing about', async () => {
    const first = await KubeconfigContext.write(path, accessTo(1), inMemory);
    const second = await KubeconfigContext.write(path, accessTo(2), inMemory);
    expect([second.name, second.isRenamed]).toEqual(['keelson-2', true]);
    expect(await servers()).toMatchObject({ keelson: 'https://127.0.0.1:1', 'keelson-2': 'https://127.0.0.1:2' });
    const stranger = await KubeconfigContext.write(path, { ...accessTo(3), name: 'other' }, inMemory);
    expect(stranger.name).toBe('other-2');

    await first.release(); // out of order: the second must not fall back on it
    expect((await config())['current-context']).toBe('other-2');
    await stranger.release();
    expect((await config())['current-context']).toBe('keelson-2');
    await second.release();
    expect(load(await readFile(path, 'utf8'))).toEqual(load(OTHER));
  });

  test('keeps its name and what people set when a cluster with data starts again, and is not current while it is stopped', async () => {
    const first = await KubeconfigContext.write(path, accessTo(1), onDisk);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('    user: keelson\n', '    user: keelson\n    namespace: team\n'), {
      mode: 0o600,
    });
    await first.release();
    expect((await config())['current-context']).toBe('other');
    expect((await config()).contexts[1]).toEqual({
      name: 'keelson',
      context: { cluster: 'keelson', user: 'keelson', namespace: 'team' },
    });

    const other = await KubeconfigContext.write(path, accessTo(2), onDisk);
    expect(other.name).toBe('keelson-2');
    const again = await KubeconfigContext.write(path, { ...accessTo(3, 'CA of 1') }, onDisk);
    expect(again.name).toBe('keelson');
    expect(await servers()).toMatchObject({ keelson: 'https://127.0.0.1:3', 'keelson-2': 'https://127.0.0.1:2' });
    expect((await config()).contexts[1]?.context).toMatchObject({ namespace: 'team' });
  });

  test('left by a process that was killed is taken out, and never current again', async () => {
    const pid = 2 ** 30; // larger than any process id
    await KubeconfigContext.write(path, accessTo(1), { ...inMemory, pid });
    await KubeconfigContext.write(path, { ...accessTo(2), name: 'dev' }, { ...inMemory, pid });
    const context = await KubeconfigContext.write(path, accessTo(3), inMemory);
    expect(await servers()).toEqual({ other: 'https://other', keelson: 'https://127.0.0.1:3' });
    expect(await context.release()).toBe('other');
  });

  test('is found again when it is written for the same process once more', async () => {
    const first = await KubeconfigContext.write(path, accessTo(1), inMemory);
    await KubeconfigContext.write(path, { ...accessTo(2), name: 'dev' }, inMemory);
    const again = await KubeconfigContext.write(path, accessTo(1), inMemory);
    expect(again).toMatchObject({ name: 'keelson', isRenamed: false });
    expect((await config())['current-context']).toBe('keelson');
    expect(await first.release()).toBe('dev');
    expect(await again.release()).toBeUndefined();
  });

  test('stays as another program has changed it', async () => {
    const context = await KubeconfigContext.write(path, accessTo(1), inMemory);
    await writeFile(
      path,
      (await readFile(path, 'utf8')).replace('current-context: keelson', 'current-context: other'),
      { mode: 0o600 },
    );
    await context.renew({ ...accessTo(1), client: { certificate: 'NEW', privateKey: 'KEY' } });
    expect((await config())['current-context']).toBe('other');
    expect(await readFile(path, 'utf8')).toContain(Buffer.from('NEW').toString('base64'));

    await writeFile(path, (await readFile(path, 'utf8')).replace(`host: ${hostname()}`, 'host: elsewhere'), {
      mode: 0o600,
    });
    expect(await context.release()).toBeUndefined();
    expect(await servers()).toHaveProperty('keelson');
    const next = await KubeconfigContext.write(path, accessTo(2), inMemory);
    expect(next.name).toBe('keelson-2');
  });
});
