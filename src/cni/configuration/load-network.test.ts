import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadNetwork } from './load-network.ts';

async function folderWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-net-d-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const list = (name: string, more: object = {}): object => ({
  cniVersion: '1.0.0',
  name,
  plugins: [{ type: 'bridge' }],
  ...more,
});

test('lists are searched in order of their files, then configurations of one plugin', async () => {
  const folder = await folderWith({
    '20-b.conflist': list('b'),
    '10-a.conflist': list('a', { cniVersion: '0.4.0' }),
    '15-a.conflist': list('a'),
    '00-c.conf': { cniVersion: '0.3.1', name: 'c', type: 'ptp', mtu: 1400 },
    'readme.txt': 'not read',
  });

  expect(await loadNetwork(folder, 'a')).toMatchObject({ name: 'a', cniVersion: '0.4.0' });
  expect(await loadNetwork(folder, 'c')).toMatchObject({
    cniVersion: '0.3.1',
    plugins: [{ type: 'ptp', fields: { mtu: 1400 } }],
    text: '{"cniVersion":"0.3.1","name":"c","plugins":[{"cniVersion":"0.3.1","mtu":1400,"name":"c","type":"ptp"}]}',
  });
  await expect(loadNetwork(folder, 'd')).rejects.toThrow(`no network configuration with name "d" in "${folder}"`);
  await expect(loadNetwork(join(folder, 'none'), 'd')).rejects.toThrow('no network configurations found');
});

test('plugins of the folder with the network’s name come after its own, unless only inlined ones are wanted', async () => {
  const folder = await folderWith({
    'a.conflist': list('a'),
    'a/20-late.conf': { type: 'tuning' },
    'a/10-early.conf': { type: 'portmap' },
    'a/ignored.json': '{',
    'b.conflist': list('b', { loadOnlyInlinedPlugins: true }),
    'b/10.conf': { type: 'portmap' },
    'c.conflist': { name: 'c' },
    'c/10.conf': { type: 'portmap' },
    'd.conflist': { name: 'd' },
  });
  const types = async (name: string): Promise<readonly string[]> =>
    (await loadNetwork(folder, name)).plugins.map(({ type }) => type);

  expect(await types('a')).toEqual(['bridge', 'portmap', 'tuning']);
  expect(await types('b')).toEqual(['bridge']);
  expect(await types('c')).toEqual(['portmap']);
  await expect(types('d')).rejects.toThrow('it has no plugins, and none are in the folder of its name');
});

test('a file that cannot be read is an error, before networks of later files', async () => {
  const folder = await folderWith({ '10.conflist': '{"name":', '20.conflist': list('a') });
  await expect(loadNetwork(folder, 'a')).rejects.toMatchObject({ code: 6 });
  await expect(loadNetwork('/proc/self/mem', 'a')).rejects.toMatchObject({ code: 5 });
});
