import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SeededRandom } from '../../../../base/index.ts';
import { loadNetwork } from '../../../../cni/index.ts';
import { NetworkFile } from './network-file.ts';

let folder: string;
let file: NetworkFile;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'keelson-net-d-')), 'net.d');
  file = new NetworkFile(folder, new SeededRandom(1));
});
afterEach(() => rm(join(folder, '..'), { recursive: true }));

test('the file is a network that runtimes can read, and is written once', async () => {
  expect(await file.write(['10.244.3.0/24', 'fd00:3::/64'])).toEqual({ type: 'written' });
  expect(await file.write(['10.244.3.0/24', 'fd00:3::/64'])).toEqual({ type: 'unchanged' });

  expect(await readdir(folder)).toEqual(['99-keelson.conflist']);
  expect((await stat(file.path)).mode & 0o777).toBe(0o644);
  const { cniVersion, plugins } = await loadNetwork(folder, 'keelson-pods');
  expect([cniVersion, ...plugins.map(({ type }) => type)]).toEqual([
    '1.0.0',
    'bridge',
    'portmap',
    'firewall',
    'bandwidth',
  ]);
  expect(plugins[0]?.fields['ipam']).toEqual({
    type: 'host-local',
    ranges: [[{ subnet: '10.244.3.0/24' }], [{ subnet: 'fd00:3::/64' }]],
    routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
  });
});

test('another range replaces the first', async () => {
  await file.write(['10.244.3.0/24']);
  expect(await file.write(['10.244.4.0/24'])).toEqual({ type: 'written' });
  expect(await readFile(file.path, 'utf8')).toContain('10.244.4.0/24');
});

test('what the administrator has configured wins, and is not touched', async () => {
  await file.write(['10.244.3.0/24']);
  const theirs = join(folder, '10-calico.conflist');
  await writeFile(theirs, '{"name":"calico"');
  expect(await file.write(['10.244.3.0/24'])).toEqual({ type: 'foreign', file: '10-calico.conflist' });
  expect(await readdir(folder)).toEqual(['10-calico.conflist']);
  expect(await readFile(theirs, 'utf8')).toBe('{"name":"calico"');
  await rm(theirs);
  expect(await file.write(['10.244.3.0/24'])).toEqual({ type: 'written' });
});

test.each(['{"name":"mine","plugins":[{"type":"ptp"}]}', 'not JSON'])(
  'a file of our name that says something else is the administrator’s: %s',
  async (text) => {
    await file.write(['10.244.3.0/24']);
    await writeFile(file.path, text);
    expect(await file.write(['10.244.3.0/24'])).toEqual({ type: 'foreign', file: '99-keelson.conflist' });
    expect(await readFile(file.path, 'utf8')).toBe(text);
  },
);

test('files that are no networks do not count', async () => {
  await file.write(['10.244.3.0/24']);
  await writeFile(join(folder, 'README.md'), 'read me');
  expect(await file.write(['10.244.3.0/24'])).toEqual({ type: 'unchanged' });
});
